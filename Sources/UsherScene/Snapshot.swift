internal import UsherPredicate
internal import UsherText

/// The world at one moment, as a resolution sees it: a value, so that a decision can be explained and replayed later.
public struct Snapshot: Sendable {
    public var configuration: Configuration
    public var sessions: SessionTable
    public var freshness: Freshness
    /// The configurations whose launch program is not to be found, by app id and scene name.
    public var missingPrograms: Set<SceneName>
    /// Whether the environment can have several windows at all.
    public var supportsMultipleScenes: Bool

    public struct SceneName: Hashable, Sendable {
        public var app: String
        public var scene: String
        public init(app: String, scene: String) {
            self.app = app
            self.scene = scene
        }
    }

    public enum Freshness: String, Sendable {
        /// Read from the window systems just now.
        case live
        /// What the store last heard.
        case lastSeen = "last-seen"
    }

    public init(
        configuration: Configuration, sessions: SessionTable = SessionTable(), freshness: Freshness = .lastSeen,
        missingPrograms: Set<SceneName> = [], supportsMultipleScenes: Bool = true
    ) {
        self.configuration = configuration
        self.sessions = sessions
        self.freshness = freshness
        self.missingPrograms = missingPrograms
        self.supportsMultipleScenes = supportsMultipleScenes
    }
}

/// The loaded manifests.
public struct Configuration: Sendable {
    public var apps: [App]
    /// `sha256:` and 64 hexadecimal digits over every file that was read.
    public var digest: String
    /// The manifests as they were read, to decide by them again later: `ConfigurationLoader.load(kept:)`. Empty where they
    /// were not read from files.
    public var manifests: [UInt8] = []
    private var byID: [String: Int]

    public init(
        apps: [App] = [], digest: String = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    ) {
        self.apps = apps
        self.digest = digest
        self.byID = Dictionary(apps.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Those that have a manifest: where somebody asks which apps there are.
    public var manifestApps: [App] { apps.filter { !$0.isBuiltIn } }

    public func app(id: String) -> App? { byID[id].map { apps[$0] } }

    /// The place of an app among `apps`.
    public func place(ofApp id: String) -> Int? { byID[id] }
}

/// The sessions by app, each app's in the order of choice.
public struct SessionTable: Sendable {
    private var byApp: [String: [SceneSession]]

    public init(_ sessions: [SceneSession] = []) {
        if let app = sessions.first?.app, sessions.allSatisfy({ $0.app == app }) {
            // Those of one app are what is read for one question: nothing to be parted.
            byApp = [app: sessions.sorted(by: SceneSession.precedes)]
            return
        }
        byApp = Dictionary(grouping: sessions, by: \.app)
        for app in byApp.keys { byApp[app]?.sort(by: SceneSession.precedes) }
    }

    /// In the order of choice (line 3 of the resolution), closing ones included.
    public func sessions(of app: String) -> [SceneSession] { byApp[app] ?? [] }

    public func session(id: String) -> SceneSession? {
        for sessions in byApp.values {
            if let session = sessions.first(where: { $0.id.hasSameBytes(as: id) }) { return session }
        }
        return nil
    }

    /// The session of this id, if it is that app's. O(sessions of the app).
    public func session(id: String, app: String) -> SceneSession? {
        byApp[app]?.first { $0.id.hasSameBytes(as: id) }
    }

    public var count: Int { byApp.values.reduce(0) { $0 + $1.count } }

    public var all: [SceneSession] { byApp.values.flatMap { $0 } }

    /// Puts a session in its place, instead of an older state of it. O(sessions of the app).
    public mutating func update(_ session: SceneSession) {
        remove(id: session.id, app: session.app)
        var sessions = byApp.removeValue(forKey: session.app) ?? []
        var low = 0
        var high = sessions.count
        while low < high {
            let middle = (low + high) / 2
            if SceneSession.precedes(sessions[middle], session) { low = middle + 1 } else { high = middle }
        }
        sessions.insert(session, at: low)
        byApp[session.app] = sessions
    }

    /// Puts many sessions in their places; of one that is there twice the last state counts.
    ///
    /// - Complexity: O(n log n) in the sessions of their apps, however many they are; so a few go one by one.
    public mutating func update(_ sessions: [SceneSession]) {
        guard sessions.count > 16 else {
            for session in sessions { update(session) }
            return
        }
        for (app, changed) in Dictionary(grouping: sessions, by: \.app) {
            // By bytes: strings that are equal to Swift may be two ids.
            var newest: [[UInt8]: Int] = [:]
            for (place, session) in changed.enumerated() { newest[Array(session.id.utf8)] = place }
            var all = (byApp.removeValue(forKey: app) ?? []).filter { newest[Array($0.id.utf8)] == nil }
            for (place, session) in changed.enumerated() where newest[Array(session.id.utf8)] == place {
                all.append(session)
            }
            all.sort(by: SceneSession.precedes)
            byApp[app] = all
        }
    }

    public mutating func remove(id: String, app: String) {
        byApp[app]?.removeAll { $0.id.hasSameBytes(as: id) }
    }
}
