public import UsherActivation
public import UsherJSON
public import UsherLog
public import UsherOperation
public import UsherScene
public import UsherStore

/// Activities, notes, links, redirects, and what suggestions are made of, for every interface: the daemon's socket, its
/// HTTP server, and the command line without a daemon.
///
/// One value serves one configuration; it is cheap to make. Every method may block, and may be called from any thread.
public struct ContentService: Sendable {
    let store: Store
    let sessions: any SessionChanges & DeliveryChanges
    let configuration: Configuration
    /// What runs the save commands of apps.
    let activator: Activator
    let logger: Logger
    /// Called when a session got a process, so that the observer of the processes reads the list again.
    public var processesChanged: (@Sendable () -> Void)?
    /// Called when a reminder may be due, or due at another time.
    public var remindersChanged: (@Sendable () -> Void)?
    /// Reads the selected text of the page that a session shows; nil where it has none, or no browser can be asked.
    public var readSelection: (@Sendable (SceneSession) -> String?)?

    /// - Parameter sessions: the store itself, or the dispatcher, whose caches are then up to date at once.
    public init(
        store: Store, sessions: any SessionChanges & DeliveryChanges, configuration: Configuration,
        activator: Activator,
        logger: Logger
    ) {
        self.store = store
        self.sessions = sessions
        self.configuration = configuration
        self.activator = activator
        self.logger = logger
    }

    /// Carries a request out; its answer. What is in the answer is on disk.
    public func perform(_ call: any ContentCall) throws(ControlError) -> JSONValue {
        try call.check()
        let (activities, notes) = (ActivityOperations(self), NoteOperations(self))
        let (links, redirects) = (LinkOperations(self), RedirectOperations(self))
        return switch call {
        case let call as ActivityBecomeCurrent: try activities.becomeCurrent(call)
        case let call as ActivityUpdate: try activities.update(call)
        case let call as ActivityResign: try activities.resign(call)
        case let call as ActivityList: try activities.list(call)
        case let call as ActivityShow: try activities.show(call)
        case let call as ActivitySearch: try activities.search(call)
        case let call as ActivitySave: try activities.save(call)
        case let call as NoteNew: try notes.new(call)
        case let call as NoteShow: try notes.show(call)
        case let call as NoteList: try notes.list(call)
        case let call as NoteEdit: try notes.edit(call)
        case let call as NoteAttach: try notes.attach(call)
        case let call as NoteAside: try notes.change(call.note, to: .aside)
        case let call as NoteResume: try notes.resume(call)
        case let call as NoteDone: try notes.change(call.note, to: .done)
        case let call as NoteDelete: try notes.delete(call)
        case let call as NoteAppend: try notes.append(call)
        case is NoteTags: try notes.tags()
        case let call as NoteSearch: try notes.search(call)
        case let call as NoteImportation: try NoteImport(self).perform(call)
        case let call as LinkAdd: try links.add(call)
        case let call as LinkShow: try links.show(call)
        case let call as LinkList: try links.list(call)
        case let call as LinkRemove: try links.remove(call)
        case let call as LinkSuggest: try links.suggest(call)
        case let call as RedirectMove: try redirects.move(call)
        case let call as RedirectDelete: try redirects.delete(call)
        case let call as RedirectRestore: try redirects.restore(call)
        case let call as RedirectList: try redirects.list(call)
        case let call as Undo: try UndoOperations(self).last(call)
        case let call as UndoList: try UndoOperations(self).list(call)
        case let call as ContactImport: try ContactOperations(self).importFile(call)
        case is ContactList: try ContactOperations(self).list()
        case let call as InteractionDonate: try InteractionOperations(self).donate(call)
        case let call as InteractionList: try InteractionOperations(self).list(call)
        case let call as InteractionForget: try InteractionOperations(self).forget(call)
        case let call as NoteSignal: try ReminderOperations(self).signal(call)
        case let call as Remind: try ReminderOperations(self).remind(call)
        case is ReminderList: try ReminderOperations(self).list()
        case let call as ReminderDelete: try ReminderOperations(self).delete(call)
        case let call as MediaPlay: try MediaPlayback(self).play(call)
        case let call as PerformPlan: try PerformOperation(self).plan(call)
        case let call as Suggest: try SuggestOperation(self).perform(call)
        case let call as Forget: try ForgetOperation(self).perform(call)
        default: throw .protocolViolation("\(call.name) is about no content")
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
