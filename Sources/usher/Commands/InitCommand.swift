internal import Glibc
internal import UsherConfiguration
internal import UsherJSON
internal import UsherSystem

/// `usher init`: a first configuration that works.
enum InitCommand {
    static let description = CommandDescription(
        "init", "write a first configuration that works",
        discussion: [
            "Writes into --config, else $USHER_CONFIG, else $XDG_CONFIG_HOME/usher. Never replaces a file."
        ],
        examples: [
            .init("usher init", "into the usual folder"),
            .init("usher init --config ./usher-config", "into a folder of your choice"),
        ],
        run: run)

    @Sendable
    private static func run(_: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        guard
            let folder = context.configurationOption
                ?? ConfigurationPaths.userConfiguration(environment: context.environment)
        else { throw .usage("there is no folder for the configuration", help: "set $HOME, $USHER_CONFIG or --config") }
        let files = InitialConfiguration.files.map { (path: "\(folder)/\($0.path)", text: $0.text) }
        if let existing = files.first(where: { FileSystem.exists($0.path) }) {
            throw .usage(
                "\(existing.path) is there already: nothing was written",
                help: "usher check says whether it works; --config names another folder")
        }
        if let manifest = existingManifest(in: folder) {
            throw .usage(
                "there is a configuration already, with \(manifest): nothing was written",
                help: "usher check says whether it works; --config names another folder")
        }
        for file in files { try NewFile.write(file.text, to: file.path) }
        if context.writesJSON {
            var json = JSONWriter()
            json.beginObject()
            json.member("config", folder)
            json.member("written", files.map(\.path))
            json.endObject()
            json.newline()
            context.output.write(json.bytes)
        } else {
            context.output.write("written:\n" + files.map { "   \($0.path)\n" }.joined())
        }
        context.output.flush()
        let option = context.configurationOption.map { " --config \($0)" } ?? ""
        context.errors.note("next: usher check\(option), then put your own programs into \(files.last?.path ?? folder)")
        return .handled
    }

    /// A manifest of any other name: what is there is the user's, and two configurations in one make neither.
    private static func existingManifest(in folder: String) -> String? {
        guard FileSystem.exists("\(folder)/apps") else { return nil }
        let loaded = ConfigurationLoader.load(path: folder)
        return loaded.files.first.map { "\(folder)/\($0)" }
    }
}
