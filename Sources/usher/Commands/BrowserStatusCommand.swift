internal import Glibc
internal import UsherControl
internal import UsherDispatch
internal import UsherJSON
internal import UsherLog
internal import UsherSystem
internal import UsherText

/// `usher browser status`: which browsers may start usher, and which speak with usherd now.
enum BrowserStatusCommand {
    static let description = CommandDescription(
        "browser status", "which browsers are set up, and which are connected",
        discussion: ["Exit status 1: none is connected."],
        examples: [.init("usher browser status", "what is missing, browser by browser")],
        run: run)

    /// What a browser's manifest is worth.
    private enum Setup: String {
        case missing
        case ready
        /// Another program's, or its script is not there any more.
        case broken
    }

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let state = FilePath.absolute(try context.stateFolder())
        let rows = BrowserKind.all.compactMap { browser -> (name: String, setup: Setup, path: String)? in
            guard let folder = browser.folder(context.environment) else { return nil }
            let path = NativeHost.fileName(in: "\(folder)/\(browser.hosts)")
            let setup = setup(at: path)
            // Of browsers that were never run here there is nothing to tell.
            guard unsafe setup != .missing || access(folder, F_OK) == 0 else { return nil }
            return (browser.name, setup, path)
        }
        let connected = BrowserRoll.ask(state: state)
        if context.writesJSON {
            var answer: [JSONValue.Member] = [
                .init(
                    "browsers",
                    .array(
                        rows.map { row in
                            .object([
                                .init("browser", .string(row.name)), .init("manifest", .string(row.setup.rawValue)),
                                .init("path", .string(row.path)),
                            ])
                        }))
            ]
            answer.append(.init("usherd", .boolean(connected != nil)))
            answer.append(.init("connected", .array(connected ?? [])))
            context.output.write(JSONValue.object(answer).text() + "\n")
        } else {
            context.output.write(
                TextTable.text(rows.map { [$0.name, $0.setup.rawValue, TerminalText.escape($0.path)] }))
            for client in connected ?? [] { context.output.write(line(client)) }
        }
        context.output.flush()
        if connected == nil {
            context.errors.note("usherd does not run, or takes no browsers: none is connected; usher serve starts it")
        } else if connected?.isEmpty == true {
            context.errors.note(
                rows.isEmpty
                    ? "nothing is set up: usher browser install, then the extension (Documentation/Browser.md)"
                    : "no browser is connected: does it run, and is the extension switched on in it?")
        }
        return connected?.isEmpty == false ? .handled : .finding
    }

    private static func setup(at path: String) -> Setup {
        guard let bytes = FileSystem.contents(of: path, limit: 65_536) else { return .missing }
        guard let manifest = try? JSONValue(parsing: bytes), manifest["name"]?.string == NativeHost.name,
            let script = manifest["path"]?.string, unsafe access(script, X_OK) == 0
        else { return .broken }
        return .ready
    }

    /// `firefox: connected, version 128.0, 2 windows, 14 tabs`.
    private static func line(_ client: JSONValue) -> String {
        func text(_ name: String) -> String { client[name]?.string ?? client[name]?.numberText ?? "?" }
        return TerminalText.escape(
            "\(text("client")): connected, version \(text("version")), \(text("windows")) windows, \(text("tabs")) tabs"
        )
            + "\n"
    }
}
