public import UsherActivation
public import UsherOperation
public import UsherScene
public import UsherStore

/// Sessions that are to be connected, with everything looked up: nothing is made yet.
public struct SessionPlan: Sendable {
    public private(set) var sessions: [Store.NewSession] = []
    public private(set) var warnings: [Warning] = []

    /// About one of the requests.
    public struct Warning: Sendable {
        /// From 0.
        public var index: Int
        public var message: String
    }

    /// How many mistakes are named.
    private static let problemLimit = 100
    /// How many sessions one request may connect: they are made in one transaction, and nothing else is meanwhile.
    public static let limit = 100_000

    /// Looks everything up; throws one error with every mistake in it.
    ///
    /// - Parameters:
    ///   - known: the sessions of before: one that is connected again still shows what it showed.
    ///   - windowServer: what a handle is good for, asked once for each window system.
    ///   - presence: whether a window is there, asked of one session alone.
    public init(
        _ requests: [SessionRequest], in configuration: Configuration, known: any SessionChanges,
        windowServer: (String) -> String?, presence: (String, String?) -> WindowPresence = { _, _ in .unknown }
    ) throws(ControlError) {
        guard requests.count <= SessionPlan.limit else {
            throw .session(
                "\(requests.count) sessions are too many for one request: nothing was done",
                help: "connect at most \(SessionPlan.limit) at once")
        }
        let lookup = try KnownSessions(for: requests, in: known)
        var parsed = ConditionTexts()
        var problems: [ControlError.Problem] = []
        var count = 0
        var servers = HandleServers(count: requests.count)
        sessions.reserveCapacity(requests.count)
        for (index, request) in requests.enumerated() {
            do throws(ControlError) {
                var request = request
                if let id = request.session { request.complete(from: try lookup.session(id)) }
                var (session, notes) = try request.session(in: configuration, parsed: &parsed)
                if let handle = session.handle {
                    if session.handleServer == nil {
                        session.handleServer = servers.server(of: handle, ask: windowServer)
                    }
                    session.handle = try SessionHandle.checked(handle, server: session.handleServer, at: "/handle") {
                        requests.count == 1 ? presence($0, $1) : .unknown
                    }
                }
                sessions.append(session)
                warnings += notes.map { Warning(index: index, message: $0) }
            } catch {
                count += 1
                if problems.count < SessionPlan.problemLimit { problems.append(.init(index: index, error)) }
            }
        }
        guard problems.isEmpty else {
            throw ControlError(
                .controlSession,
                "\(count == 1 ? "one session request" : "\(count) session requests") cannot be used: nothing was done",
                problems: problems, problemCount: count)
        }
    }

    /// Connects them, all or none.
    public func connect(in changes: any SessionChanges) throws(ControlError) -> [SceneSession] {
        try ControlError.storing(try changes.connect(sessions))
    }
}

/// The sessions that requests name: a few are looked up, many are read at once.
private struct KnownSessions {
    private let sessions: [[UInt8]: SceneSession]?
    private let store: any SessionChanges

    init(for requests: [SessionRequest], in store: any SessionChanges) throws(ControlError) {
        self.store = store
        guard requests.count(where: { $0.session != nil }) > 16 else {
            sessions = nil
            return
        }
        let known = try ControlError.storing(try store.sessions(app: nil).sessions)
        sessions = Dictionary(known.map { (Array($0.id.utf8), $0) }, uniquingKeysWith: { first, _ in first })
    }

    func session(_ id: String) throws(ControlError) -> SceneSession? {
        if let sessions { return sessions[Array(id.utf8)] }
        return try ControlError.storing(try store.session(id: id))
    }
}
