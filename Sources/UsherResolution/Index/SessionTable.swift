public import UsherScene
internal import UsherText

/// The sessions by app, found by their ids and by what their conditions accept.
///
/// - Complexity: O(log n) and the atoms of its conditions for a change of a session; a look-up by id is O(1).
public struct SessionTable: Sendable {
    /// Each is one reference, so that a search holds those of its app without a copy of them. They are asked by functions that
    /// are handed the reference: a call of a method of an element would copy the whole of it.
    private var apps: [Shared<AppSessions>] = []
    private var places: [String: Int] = [:]
    /// By the id of the app, where not all of its sessions are in the table.
    private var lastUses: [String: Int64] = [:]

    /// - Parameter lastUses: when apps were used last, in microseconds since 1970, where `sessions` are not all of theirs.
    /// - Complexity: O(n log n) and the atoms of their conditions.
    public init(_ sessions: [SceneSession] = [], lastUses: [String: Int64] = [:]) {
        self.lastUses = lastUses
        guard let app = sessions.first?.app else { return }
        // Those of one app are often all there are.
        if sessions.allSatisfy({ $0.app.hasSameBytes(as: app) }) {
            _ = add(app, AppSessions(sessions))
            return
        }
        for (app, sessions) in Dictionary(grouping: sessions, by: \.app) { _ = add(app, AppSessions(sessions)) }
    }

    private mutating func add(_ app: String, _ sessions: AppSessions) -> Int {
        places[app] = apps.count
        apps.append(Shared(sessions))
        return apps.count - 1
    }

    /// Those of an app, if it ever had one.
    func place(ofApp app: String) -> Int? { places[app] }

    /// How many apps have a place.
    var appCount: Int { apps.count }

    subscript(place: Int) -> Shared<AppSessions> { apps[place] }

    /// When a session of an app was used last, in microseconds since 1970; nil if none ever was.
    func lastUse(ofApp app: String) -> Int64? {
        if let used = lastUses[app] { return used }
        return place(ofApp: app).flatMap { SessionTable.lastUse(of: apps[$0]) }
    }

    private static func lastUse(of app: Shared<AppSessions>) -> Int64? { app.value.lastUse }

    /// In the order of choice (line 3 of the resolution), closing ones included. O(sessions of the app).
    public func sessions(of app: String) -> [SceneSession] { place(ofApp: app).map { apps[$0].value.all } ?? [] }

    /// The session of this id, whosever it is. O(apps).
    public func session(id: String) -> SceneSession? {
        for app in apps { if let session = SessionTable.session(id, of: app) { return session } }
        return nil
    }

    /// The session of this id, if it is that app's.
    public func session(id: String, app: String) -> SceneSession? {
        place(ofApp: app).flatMap { SessionTable.session(id, of: apps[$0]) }
    }

    private static func session(_ id: String, of app: Shared<AppSessions>) -> SceneSession? {
        app.value.slot(of: id).map { app.value.session($0) }
    }

    public var count: Int { apps.reduce(0) { $0 + $1.value.count } }

    /// Each app's in the order of choice, the apps in no order.
    public var all: [SceneSession] { apps.flatMap { $0.value.all } }

    /// Puts a session in its place, instead of an older state of it.
    public mutating func update(_ session: SceneSession) {
        change(place(ofApp: session.app) ?? add(session.app, AppSessions())) { $0.update(session) }
    }

    /// Puts many sessions in their places; of one that is there twice the last state counts.
    public mutating func update(_ sessions: [SceneSession]) {
        for (app, sessions) in Dictionary(grouping: sessions, by: \.app) {
            change(place(ofApp: app) ?? add(app, AppSessions())) { changed in
                for session in sessions { changed.update(session) }
            }
        }
    }

    public mutating func remove(id: String, app: String) {
        if let place = place(ofApp: app) { change(place) { $0.remove(id: id) } }
    }

    /// Takes the sessions of an app out of question whose scenes are none of these.
    mutating func keep(_ scenes: Set<String>, ofAppAt place: Int) {
        if SessionTable.scenes(of: apps[place]) != scenes { change(place) { $0.scenes = scenes } }
    }

    private static func scenes(of app: Shared<AppSessions>) -> Set<String>? { app.value.scenes }

    private mutating func change(_ place: Int, _ body: (inout AppSessions) -> Void) {
        var sessions = apps[place].value
        // Not held twice, or changing them would copy them all.
        apps[place] = Shared.empty
        body(&sessions)
        apps[place] = Shared(sessions)
    }
}

extension Shared<AppSessions> {
    /// Of an app that never had any.
    static let empty = Shared(AppSessions())
}
