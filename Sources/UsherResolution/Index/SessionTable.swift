public import UsherScene
internal import UsherText

/// The sessions by app, found by their ids and by what their conditions accept.
///
/// - Complexity: O(log n) and the atoms of its conditions for a change of a session; a look-up by id is O(1).
public struct SessionTable: Sendable {
    /// An array, so that a copy of the table is two references.
    private var apps: [AppSessions] = []
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
            places[app] = 0
            apps = [AppSessions(sessions)]
            return
        }
        for (app, sessions) in Dictionary(grouping: sessions, by: \.app) {
            places[app] = apps.count
            apps.append(AppSessions(sessions))
        }
    }

    private mutating func place(of app: String) -> Int {
        if let known = places[app] { return known }
        apps.append(AppSessions())
        places[app] = apps.count - 1
        return apps.count - 1
    }

    /// Those of an app, if it ever had one.
    func place(ofApp app: String) -> Int? { places[app] }

    subscript(place: Int) -> AppSessions {
        @inline(__always) _read { yield apps[place] }
    }

    /// When a session of an app was used last, in microseconds since 1970; nil if none ever was.
    func lastUse(ofApp app: String) -> Int64? {
        if let used = lastUses[app] { return used }
        guard let place = places[app] else { return nil }
        return AppSessions.lastUse(of: apps, at: place)
    }

    /// In the order of choice (line 3 of the resolution), closing ones included. O(sessions of the app).
    public func sessions(of app: String) -> [SceneSession] {
        guard let place = places[app] else { return [] }
        return apps[place].ordered().map { apps[place].session($0) }
    }

    /// The session of this id, whosever it is. O(apps).
    public func session(id: String) -> SceneSession? {
        for app in apps { if let slot = app.slot(of: id) { return app.session(slot) } }
        return nil
    }

    /// The session of this id, if it is that app's.
    public func session(id: String, app: String) -> SceneSession? {
        guard let place = places[app], let slot = apps[place].slot(of: id) else { return nil }
        return apps[place].session(slot)
    }

    public var count: Int { apps.reduce(0) { $0 + $1.count } }

    /// Each app's in the order of choice, the apps in no order.
    public var all: [SceneSession] { apps.flatMap { $0.all } }

    /// Puts a session in its place, instead of an older state of it.
    public mutating func update(_ session: SceneSession) {
        apps[place(of: session.app)].update(session)
    }

    /// Puts many sessions in their places; of one that is there twice the last state counts.
    public mutating func update(_ sessions: [SceneSession]) {
        for session in sessions { update(session) }
    }

    public mutating func remove(id: String, app: String) {
        if let place = places[app] { apps[place].remove(id: id) }
    }
}
