public import UsherActivation
public import UsherJSON
public import UsherLog
public import UsherOperation
public import UsherScene
public import UsherStore

/// Activities, notes, links and redirects, for every door: the daemon's socket and HTTP, and the command line without one.
///
/// One value serves one configuration; it is cheap to make. Every method may block, and may be called from any thread.
public struct ContentService: Sendable {
    let store: Store
    let sessions: any SessionChanges
    let configuration: Configuration
    /// What runs the save commands of apps.
    let activator: Activator
    let logger: Logger
    /// Told when a session got a process: whoever watches them looks again.
    public var processesChanged: (@Sendable () -> Void)?

    /// - Parameter sessions: the store itself, or the dispatcher, which then knows at once what was changed.
    public init(
        store: Store, sessions: any SessionChanges, configuration: Configuration, activator: Activator, logger: Logger
    ) {
        self.store = store
        self.sessions = sessions
        self.configuration = configuration
        self.activator = activator
        self.logger = logger
    }

    /// Carries a request out; its answer. What is in the answer is on disk.
    public func perform(_ request: ContentRequest) throws(ControlError) -> JSONValue {
        switch request.verb {
        case .becomeCurrent, .updateActivity, .resignActivity, .listActivities, .showActivity, .searchActivities,
            .saveActivity:
            try ActivityCommands(self).perform(request)
        case .newNote, .showNote, .listNotes, .editNote, .attachToNote, .putNoteAside, .resumeNote, .finishNote,
            .deleteNote, .searchNotes:
            try NoteCommands(self).perform(request)
        case .importNotes: try NoteImport(self).perform(request)
        case .addLink, .showLink, .listLinks, .removeLink, .suggestLinks:
            try LinkCommands(self).perform(request)
        case .moveContent, .deleteContent, .restoreContent, .listRedirects:
            try RedirectCommands(self).perform(request)
        }
    }

    /// Runs a transaction, or a look, of the store.
    func storing<Result>(_ body: () throws(StoreError) -> Result) throws(ControlError) -> Result {
        do throws(StoreError) {
            return try body()
        } catch {
            throw ControlError(error)
        }
    }
}
