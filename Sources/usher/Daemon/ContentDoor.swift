internal import UsherConfiguration
internal import UsherControl
internal import UsherDispatch
internal import UsherJSON
internal import UsherScene
internal import UsherStore

/// Where a command reads and changes activities, notes, links and redirects: in the daemon while one runs, else in the
/// store. The answers are the same.
struct ContentDoor {
    private let context: Context
    private let daemon: Daemon?

    init(_ context: Context) throws(CommandFailure) {
        self.context = context
        daemon = try context.daemon()
    }

    /// Carries a request out; its answer.
    func answer(_ request: ContentRequest) throws(CommandFailure) -> JSONValue {
        if let daemon { return try daemon.call(.content(request)) }
        let store = try context.openStore(request.verb.changesStore ? .readWrite : .readOnly)
        defer { store.close() }
        // Notes and moves need no app; what does finds that there is none.
        let loaded = try context.loadConfigurationIfPresent()
        var service = ContentService(
            store: store, sessions: store, configuration: loaded?.configuration ?? Configuration(),
            activator: try context.activator(loaded?.settings ?? Settings(), isDryRun: false),
            logger: loaded.map { context.logger(by: $0.settings) } ?? context.logger)
        // A save command has the activity's id in place of a delivery's.
        service.saving = context.environment["USHER_DELIVERY"]
        do throws(ControlError) {
            return try service.perform(request)
        } catch {
            throw CommandFailure(error)
        }
    }
}
