internal import Glibc
internal import UsherConfiguration
internal import UsherEngine
internal import UsherScene
internal import UsherSystem

/// `usher check`: everything that is wrong with the configuration, and whether its route tests hold.
enum CheckCommand {
    private static let format = Option(
        "format", oneOf: ["text", "json", "junit", "github"], "the form of the report; text on a terminal, else json")

    private static let strict = Option(flag: "strict", "a warning is a failure, too")

    static let description = CommandDescription(
        "check", "what is wrong with the configuration, and whether its route tests hold",
        options: [format, strict],
        discussion: [
            "Ends with status 1 when there is an error, or a route test ([[expect]]) or an expectation of a hook",
            "([[hooks.NAME.expect]]) fails; warnings alone are no failure without --strict.",
            "Reads the configuration and the files it names: no store is opened, nothing is run. A desktop entry or bus",
            "name that is not there on this machine is a warning (usherd is asked for them), and so is a hook's file",
            "of secrets that cannot be read: usherd refuses its requests. Without its tokens usherd does not start: an error.",
        ],
        examples: [
            .init("usher check", "the configuration in the usual place"),
            .init("usher check --config Config --format github", "annotations for a pull request"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let path = try context.configurationPath()
        guard unsafe access(path, F_OK) == 0 else {
            throw .usage(
                "there is no configuration at \(path)", help: "usher init --config \(path) writes a first one",
                code: .configurationNotFound)
        }
        var report = report(on: path, context)
        report.isStrict = arguments.has(strict)
        switch arguments.value(format) ?? (context.writesJSON ? "json" : "text") {
        case "json": context.output.write(report.json())
        case "junit": context.output.write(report.junit())
        case "github": context.output.write(report.githubAnnotations())
        default: context.output.write(report.text(style: context.style))
        }
        return report.hasFinding ? .finding : .handled
    }

    private static func report(on path: String, _ context: Context) -> CheckReport {
        var loaded = ConfigurationLoader.load(path: path)
        // What this machine lacks keeps no test from being run.
        let isReadable = !loaded.hasErrors
        if isReadable {
            loaded.add(InstalledApplications(context).warnings(on: loaded) + SecretFileCheck.findings(on: loaded))
        }
        // A single manifest's diagnostics are relative to the folder it is in.
        var folder = path
        if let kind = try? FileSystem.kind(of: path), kind != .folder {
            folder = path.utf8.contains(UInt8(ascii: "/")) ? FilePath.parent(of: path) : ""
        }
        let routes = isReadable ? RouteCheck(loaded.configuration).run() : nil
        let hooks = isReadable ? HookExpectations(loaded) : nil
        if let hooks { loaded.add(hooks.findings) }
        return CheckReport(
            diagnostics: loaded.diagnostics, routes: routes, hooks: hooks?.results,
            apps: loaded.configuration.apps, folder: folder, digest: loaded.configuration.digest)
    }
}
