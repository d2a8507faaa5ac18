internal import UsherConfiguration
internal import UsherDispatch
internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherText

/// `usher media list`: the media players that run.
enum MediaListCommand {
    static let description = CommandDescription(
        "media list", "the media players that run, and what they play",
        discussion: [
            "Players are asked over the session bus (MPRIS). The app is the one that starts the player's desktop entry, or",
            "whose id or name is the player's. Durations are in seconds.",
        ],
        examples: [.init("usher media list", "a table"), .init("usher media list --json", "with artwork and track")],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let players = try answer(context).elements ?? []
        if context.writesJSON {
            context.output.write(JSONValue.array(players).text() + "\n")
            return .handled
        }
        guard !players.isEmpty else {
            context.errors.note("no media player runs")
            return .handled
        }
        var rows = [["player", "app", "status", "artist", "title"]]
        for player in players { rows.append(rows[0].map { Printable.escaped(player[$0]?.string ?? "-") }) }
        context.output.write(TextTable.text(rows, indent: 3))
        return .handled
    }

    /// What the daemon sees, or this process.
    private static func answer(_ context: Context) throws(CommandFailure) -> JSONValue {
        if let daemon = try context.daemon() { return try daemon.call(MediaList()) }
        let loaded = try context.loadConfigurationIfPresent()
        let applications = context.windowSystems(context.environment).1
        do throws(ControlError) {
            return try MediaAnswer.value(applications, in: loaded?.configuration.apps ?? [])
        } catch {
            throw CommandFailure(error)
        }
    }
}
