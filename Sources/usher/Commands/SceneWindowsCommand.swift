internal import UsherActivation
internal import UsherDispatch
internal import UsherJSON
internal import UsherLog
internal import UsherOperation
internal import UsherText

/// `usher scene windows`: what the window systems have, whether Usher knows it or not.
enum SceneWindowsCommand {
    static let description = CommandDescription(
        "scene windows", "every window of the desktop, of tmux and of browsers, known to Usher or not",
        discussion: [
            "What `focus` of a manifest can say about a window: its class, instance, app id, title, browser and tabs; and",
            "the session whose window it is, if any.",
        ],
        examples: [
            .init("usher scene windows", "a table"),
            .init("usher scene windows --json", "with process, workspace and tabs"),
        ],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let windows = try answer(context)["windows"]?.elements ?? []
        if context.writesJSON {
            context.output.write(JSONValue.array(windows).text() + "\n")
            return .handled
        }
        guard !windows.isEmpty else {
            context.errors.note("no windows: usher doctor says which window systems are there")
            return .handled
        }
        let owners = owners(context)
        var rows = [["window", "class", "app id", "session", "seen", "place", "title"]]
        for window in windows {
            var cells = ["handle", "class", "app_id", "activation", "group", "title"].map { window[$0]?.string }
            cells.insert(cells[0].flatMap { owners[$0] }, at: 3)
            rows.append(cells.map { TerminalText.escape($0 ?? "-") })
        }
        context.output.write(TextTable.text(rows, indent: 3))
        return .handled
    }

    /// Whose each window is, by its handle; nobody's where the store cannot be read.
    static func owners(_ context: Context) -> [String: String] {
        let open = (try? SceneListCommand.sessions(context)) ?? []
        let pairs = open.compactMap { session -> (String, String)? in
            guard session["state"]?.string != "disconnected", let handle = session["handle"]?.string,
                let id = session["session"]?.string
            else { return nil }
            return (handle, id)
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    /// What the daemon sees, or this process.
    static func answer(_ context: Context) throws(CommandFailure) -> JSONValue {
        if let daemon = try context.daemon() { return try daemon.call(SceneWindows()) }
        return WindowsAnswer.value(context.windowSystems(context.environment, context.settingsIfReadable).0)
    }
}
