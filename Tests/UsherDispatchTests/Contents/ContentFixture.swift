import Foundation
import Testing
import UsherActivation
import UsherDispatch
import UsherJSON
import UsherLog
import UsherOperation
import UsherScene
import UsherStore

/// The operations on contents, by their names on the wire: what others rely on.
enum ContentVerb: String, Sendable, CaseIterable {
    case becomeCurrent = "activity.become-current"
    case updateActivity = "activity.update"
    case resignActivity = "activity.resign"
    case listActivities = "activity.list"
    case showActivity = "activity.show"
    case searchActivities = "activity.search"
    case saveActivity = "activity.save"
    case newNote = "note.new"
    case showNote = "note.show"
    case listNotes = "note.list"
    case editNote = "note.edit"
    case attachToNote = "note.attach"
    case appendToNote = "note.append"
    case listTags = "note.tags"
    case putNoteAside = "note.aside"
    case resumeNote = "note.resume"
    case finishNote = "note.done"
    case deleteNote = "note.delete"
    case searchNotes = "note.search"
    case importNotes = "note.import"
    case addLink = "link.add"
    case showLink = "link.show"
    case listLinks = "link.list"
    case removeLink = "link.remove"
    case suggestLinks = "link.suggest"
    case moveContent = "link.move"
    case deleteContent = "link.delete"
    case restoreContent = "link.restore"
    case listRedirects = "link.redirects"
    case undo = "undo.last"
    case listUndoable = "undo.list"
}

extension ContentService {
    /// Carries an operation out as it would be asked for on the socket.
    @discardableResult
    func perform(_ verb: ContentVerb, _ arguments: JSONValue) throws(ControlError) -> JSONValue {
        guard let type = OperationTable.operation(named: verb.rawValue)?.type as? any ContentCall.Type else {
            throw .protocolViolation("there is no \(verb.rawValue)")
        }
        return try perform(try type.init(reading: arguments))
    }
}

/// Two apps with activity types, a real store, and the commands of contents over it.
final class ContentFixture {
    let base: DispatchFixture
    let store: Store
    var apps: [App]
    let log: MemorySink

    init() throws {
        base = try DispatchFixture()
        log = base.log
        store = try base.openStore()
        var clowns = base.app
        clowns.activityTypes = [Located("example.clowntown.view-clown", at: DispatchFixture.location)]
        var orders = App(id: "example.orders", name: "Orders", location: DispatchFixture.location)
        orders.activityTypes = [Located("example.orders.view-order", at: DispatchFixture.location)]
        apps = [clowns, orders]
    }

    func service(_ store: Store? = nil) -> ContentService {
        let store = store ?? self.store
        return ContentService(
            store: store, sessions: store, configuration: Configuration(apps: apps),
            activator: Activator(
                windowSystem: base.windows, environment: ["PATH": "/usr/bin:/bin", "HOME": base.folder],
                stateDirectory: base.folder), logger: Logger(level: .debug, sink: log))
    }

    @discardableResult
    func connect(_ id: String, app: String = "example.clowntown", handle: String? = nil, server: String? = nil) throws
        -> SceneSession
    {
        try #require(
            try store.connect([
                Store.NewSession(id: id, app: app, scene: "clown", handle: handle, handleServer: server)
            ]).first)
    }

    @discardableResult
    func perform(
        _ verb: ContentVerb, _ arguments: JSONValue, in store: Store? = nil
    ) throws(ControlError) -> JSONValue {
        try service(store).perform(verb, arguments)
    }

    /// The error of a command that must fail.
    func refusal(_ verb: ContentVerb, _ arguments: JSONValue) -> ControlError? {
        do throws(ControlError) {
            try perform(verb, arguments)
            return nil
        } catch {
            return error
        }
    }

    /// An activity about a clown, current in a session.
    @discardableResult
    func become(_ session: String, _ name: String, more: String = "") throws -> JSONValue {
        let text = #"""
            {"activityType":"example.clowntown.view-clown","title":"\#(name)","targetContentIdentifier":"clown:\#(name)"\#(more)}
            """#
        return try perform(.becomeCurrent, ["session": .string(session), "activity": .string(text)])
    }
}

extension JSONValue {
    var warnings: [String] { self["warnings"]?.elements?.compactMap(\.string) ?? [] }
    var findings: [String] { self["findings"]?.elements?.compactMap { $0["name"]?.string } ?? [] }
}
