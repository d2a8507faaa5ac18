internal import UsherConfiguration
internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherText

/// `usher scene list`: the sessions that the store knows.
enum SceneListCommand {
    private static let app = Option("app", "ID", "only the windows of this app")

    static let description = CommandDescription(
        "scene list", "the windows that Usher knows, first the one that was used last",
        options: [app],
        examples: [
            .init("usher scene list", "every window, of every app"),
            .init("usher scene list --app example.clowntown --json", "one app's, as a JSON array"),
        ],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        if let daemon = try context.daemon() {
            let sessions = try daemon.call(SceneList(app: arguments.value(app))).elements ?? []
            guard !sessions.isEmpty || context.writesJSON else { return none(context) }
            context.print(sessions: sessions)
            warnOfRemovedScenes(
                sessions.map { (app: $0["app"]?.string ?? "", scene: $0["scene"]?.string ?? "") },
                configuration: daemon.hello.configuration, context)
            return .handled
        }
        let store = try context.openStore(.readOnly)
        let sessions = try context.sessions(in: store, app: arguments.value(app)).sessions
            .sorted(by: SceneSession.precedes)
        guard !sessions.isEmpty || context.writesJSON else {
            return none(context)
        }
        context.print(sessions)
        if let path = try? context.configurationPath() {
            warnOfRemovedScenes(sessions.map { (app: $0.app, scene: $0.scene) }, configuration: path, context)
        }
        return .handled
    }

    /// A session keeps its conditions, and may win by them, when its scene is taken out of the manifest or given another name.
    private static func warnOfRemovedScenes(
        _ sessions: [(app: String, scene: String)], configuration path: String, _ context: Context
    ) {
        let loaded = ConfigurationLoader.load(path: path)
        guard !loaded.hasErrors else { return }
        let configuration = context.withNotes(loaded).configuration
        var warned: Set<String> = []
        for (id, scene) in sessions {
            // Of an app that is unknown here nothing is dispatched, and it may be another configuration's.
            guard let app = configuration.app(id: id), app.scene(named: scene) == nil,
                warned.insert("\(id) \(scene)").inserted
            else { continue }
            context.errors.warning(
                "the manifest of \(id) has no scene \(QuotedText.text(scene)) any more: windows of it are still chosen by their "
                    + "conditions, and cannot be launched again",
                help:
                    "usher scene close ends such a session; scene connect makes its window known as one of another scene"
            )
        }
    }

    /// Every session, from the daemon or from the store.
    static func sessions(_ context: Context) throws(CommandFailure) -> [JSONValue] {
        if let daemon = try context.daemon() { return try daemon.call(SceneList(app: nil)).elements ?? [] }
        let store = try context.openStore(.readOnly)
        defer { store.close() }
        return try context.sessions(in: store).sessions.map { SessionText.answer($0) }
    }

    private static func none(_ context: Context) -> ExitStatus {
        context.errors.note("no windows: usher scene connect makes one known, usher dispatch opens them")
        return .handled
    }
}
