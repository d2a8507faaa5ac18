internal import Glibc
internal import UsherDispatch
internal import UsherJSON
internal import UsherSystem
internal import UsherText

/// `usher browser install`: tells browsers which program their extension may start.
enum BrowserInstallCommand {
    private static let extensionID = Option(
        "extension-id", "ID", "another extension that may start it: one that you have built yourself",
        isRepeatable: true)
    private static let profile = Option(
        "profile", "DIR", "only for the browser that is started with --user-data-dir DIR, or with DIR as its home")

    static let description = CommandDescription(
        "browser install", "let the extension in your browsers start usher",
        operands: [.init("BROWSER", .any)], options: [extensionID, profile],
        discussion: [
            "Browsers: \(BrowserKind.all.map(\.name).joined(separator: ", ")). Without one: all that have been run here.",
            "It writes a native messaging manifest for each, and one script, which starts this usher with this state",
            "folder. Say it again when either has moved. The extension itself is put in by you: Documentation/Browser.md.",
        ],
        examples: [
            .init("usher browser install", "for every browser that has a folder here"),
            .init("usher browser install firefox chromium", "for these two"),
        ],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let state = FilePath.absolute(try context.stateFolder())
        let script = "\(state)/browser-host"
        guard let program = FilePathParts.resolved("/proc/self/exe") else {
            throw .usage("this program cannot be found", help: "is /proc there?")
        }
        let host = NativeHost(script: script, extensions: arguments.values(extensionID))
        for id in host.extensions where id.utf8.contains(where: { $0 < 0x21 || $0 == UInt8(ascii: "/") || $0 > 0x7E }) {
            throw .usage("\(QuotedText.text(id)) is no identifier of an extension")
        }
        let browsers = try chosen(arguments, context)
        try NewFile.replace(script, with: NativeHost.script(program: program, state: state), mode: 0o700)
        var written = [script]
        for browser in browsers {
            let folder = arguments.value(profile).map(FilePath.absolute) ?? browser.folder(context.environment) ?? ""
            let path = NativeHost.fileName(in: "\(folder)/\(browser.hosts)")
            try NewFile.replace(path, with: host.manifest(for: browser.family), mode: 0o600)
            written.append(path)
        }
        if context.writesJSON {
            context.output.write(
                JSONValue.object([.init("written", .array(written.map { .string($0) }))]).text() + "\n")
        } else {
            context.output.write("written:\n" + written.map { "   \($0)\n" }.joined())
        }
        context.output.flush()
        let place = extensionFolder(beside: program).map { " from \($0)" } ?? ""
        context.errors.note("next: put the extension into the browser\(place), then usher browser status")
        return .handled
    }

    /// Where `make install` puts it, or where it is in the repository that this program was built in.
    private static func extensionFolder(beside program: String) -> String? {
        let folder = program.split(separator: "/").dropLast()
        for (up, rest) in [(1, "share/usher/Extension"), (3, "Extension")] {
            let path = "/" + (folder.dropLast(up).map(String.init) + [rest]).joined(separator: "/")
            if unsafe access(path + "/manifest.json", R_OK) == 0 { return path }
        }
        return nil
    }

    private static func chosen(
        _ arguments: Arguments, _ context: Context
    ) throws(CommandFailure) -> [BrowserKind] {
        var browsers: [BrowserKind] = []
        for name in arguments.operands {
            guard let browser = BrowserKind.all.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
                throw .unknown("browser", name, among: BrowserKind.all.map(\.name))
            }
            browsers.append(browser)
        }
        if arguments.has(profile), browsers.count != 1 {
            throw .usage("--profile is one browser's", help: "usher browser install chromium --profile DIR")
        }
        if browsers.isEmpty {
            browsers = BrowserKind.all.filter { browser in
                browser.folder(context.environment).map { unsafe access($0, F_OK) == 0 } ?? false
            }
        }
        guard !browsers.isEmpty else {
            throw .usage(
                "no browser has been run here yet", help: "name one: usher browser install firefox, for example")
        }
        guard arguments.has(profile) || browsers.allSatisfy({ $0.folder(context.environment) != nil }) else {
            throw .usage("there is no home folder", help: "set $HOME, or name a folder with --profile")
        }
        return browsers
    }
}
