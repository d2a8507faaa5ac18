internal import UsherConfiguration
internal import UsherEngine
internal import UsherOperation
internal import UsherScene
internal import UsherSuggestions
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

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        let players = try answer(context)
        if context.writesJSON { return context.print(json: players) }
        guard !players.isEmpty else { return context.errors.note("no media player runs") }
        let rows = players.map { [$0.player, $0.app, $0.status, $0.artist, $0.title] }
        context.output.write(
            TextTable.text(escaping: [["player", "app", "status", "artist", "title"]] + rows, indent: 3))
    }

    /// What the daemon sees, or this process.
    private static func answer(_ context: Context) throws(CommandFailure) -> [MediaPlayerAnswer] {
        if let daemon = try context.daemon() { return try daemon.call(MediaList()) }
        let loaded = try context.loadConfigurationIfPresent()
        let applications = context.windowSystems(context.environment).1
        return try CommandFailure.attempt { () throws(ControlError) in
            try MediaPlayerAnswer.all(applications, in: loaded?.configuration.apps ?? [])
        }
    }
}
