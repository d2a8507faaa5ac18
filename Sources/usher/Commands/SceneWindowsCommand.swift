internal import UsherActivation
internal import UsherControl
internal import UsherDispatch
internal import UsherJSON
internal import UsherLog

/// `usher scene windows`: what the window systems have, whether Usher knows it or not.
enum SceneWindowsCommand {
    static let description = CommandDescription(
        "scene windows", "every window of the desktop, of tmux and of browsers, known to Usher or not",
        discussion: [
            "What `focus` of a manifest can say about a window: its class, instance, app id, title, browser and tabs."
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
        var rows = [["window", "class", "app id", "seen", "place", "title"]]
        for window in windows {
            rows.append(
                ["handle", "class", "app_id", "activation", "group", "title"].map { name in
                    TerminalText.escape(window[name]?.string ?? "-")
                })
        }
        context.output.write(TextTable.text(rows, indent: 3))
        return .handled
    }

    /// What the daemon sees, or this process.
    static func answer(_ context: Context) throws(CommandFailure) -> JSONValue {
        if let daemon = try context.daemon() { return try daemon.call(.windows) }
        return WindowsAnswer.value(context.windowSystems(context.environment, context.settingsIfReadable).0)
    }
}
