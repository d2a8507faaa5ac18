public import UsherPredicate
public import UsherScene

extension Store {
    /// The sessions of one moment.
    public struct Sessions: Sendable {
        /// In the order in which they were first connected.
        public var sessions: [SceneSession]
        /// Store-wide: bumped by every change of any session. What was decided on these sessions is claimed with it.
        public var generation: Int64
        /// Store-wide: bumped by every change of a redirect; 0 while there never was one.
        public var redirects: Int64
        /// Sessions with a condition that this version cannot parse; it counts as FALSEPREDICATE.
        public var unreadable: [UnreadableCondition]
    }

    /// A condition in the store that does not parse.
    public struct UnreadableCondition: Sendable {
        public var session: String
        public var text: String
        public var error: PredicateError
    }

    /// All sessions, or those of one app. O(sessions); each distinct condition is parsed once in the life of the store
    /// object.
    public func sessions(app: String? = nil) throws(StoreError) -> Sessions {
        try read { (state) throws(StoreError) in try state.sessions(app: app) }
    }

    /// The store-wide generation: whether sessions read before are still the ones in the store. A few microseconds.
    public func generation() throws(StoreError) -> Int64 {
        try read { (state) throws(StoreError) in try state.generation() }
    }

    public func session(id: String) throws(StoreError) -> SceneSession? {
        try read { (state) throws(StoreError) in try state.session(id: id) }
    }
}

/// Makes sessions from rows.
struct SessionReader {
    static let columns = """
        id, app, scene, role, target, can, can_origin, prefers, prefers_origin, state, used, created, generation, handle, \
        handle_server, title
        """

    // Of the row before: most rows repeat them.
    private var app = ""
    private var scene = ""
    private var role = ""
    private var state: (text: String, value: SceneSession.State?) = ("", nil)

    mutating func session(
        from row: borrowing Statement, _ state: inout StoreState, _ unreadable: inout [Store.UnreadableCondition]
    ) throws(StoreError) -> SceneSession {
        let id = row.text(0)
        app = row.text(1, likely: app)
        scene = row.text(2, likely: scene)
        role = row.text(3, likely: role)
        let (can, prefers) = (row.integer(5), row.integer(7))
        let canActivate = try state.condition(can)
        let prefersToActivate = prefers == can ? canActivate : try state.condition(prefers)
        if !state.unreadable.isEmpty {
            for case let problem? in [state.unreadable[can], state.unreadable[prefers]] {
                unreadable.append(Store.UnreadableCondition(session: id, text: problem.text, error: problem.error))
            }
        }
        let stateText = row.text(9, likely: self.state.text)
        if stateText != self.state.text { self.state = (stateText, SceneSession.State(rawValue: stateText)) }
        guard let sessionState = self.state.value else {
            throw .unreadable("session \(id) has no known state", path: state.path)
        }
        return SceneSession(
            id: id, app: app, scene: scene, role: SceneRole(rawValue: role),
            // Mostly the text of a condition, which holds it already.
            target: row.optionalText(4, likely: prefersToActivate.equalText ?? canActivate.equalText ?? "")
                .map { TargetContentIdentifier($0) },
            conditions: ActivationConditions(
                canActivate: .init(canActivate, origin: origin(row.integer(6))),
                prefersToActivate: .init(prefersToActivate, origin: origin(row.integer(8)))),
            state: sessionState, used: row.optionalInteger(10), created: row.integer(11),
            generation: row.integer(12), handle: row.optionalText(13), handleServer: row.optionalText(14),
            title: row.optionalText(15))
    }

    private func origin(_ number: Int64) -> ActivationConditions.Origin {
        Int(exactly: number).flatMap { ActivationConditions.Origin(rawValue: $0) } ?? .session
    }
}

extension StoreState {
    package mutating func sessions(app: String? = nil) throws(StoreError) -> Store.Sessions {
        let versions = try versions()
        var result = Store.Sessions(
            sessions: [], generation: versions.generation, redirects: versions.redirects, unreadable: [])
        var reader = SessionReader()
        let statement: Statement
        if let app {
            statement = try prepare(
                "SELECT \(SessionReader.columns) FROM session WHERE app = ? ORDER BY number", [.text(app)])
        } else {
            try readConditions()
            let count = try integer("SELECT count(*) FROM session") ?? 0
            result.sessions.reserveCapacity(Int(count))
            statement = try prepare("SELECT \(SessionReader.columns) FROM session ORDER BY number")
        }
        while try statement.step() {
            result.sessions.append(try reader.session(from: statement, &self, &result.unreadable))
        }
        return result
    }

    package mutating func generation() throws(StoreError) -> Int64 {
        guard let generation = try integer("SELECT generation FROM store") else {
            throw .unreadable("the generation is missing", path: path)
        }
        return generation
    }

    /// The generation and the version of the redirects, at the price of one.
    package mutating func versions() throws(StoreError) -> (generation: Int64, redirects: Int64) {
        let row = try prepare("SELECT generation, redirects FROM store")
        guard try row.step() else { throw .unreadable("the generation is missing", path: path) }
        return (row.integer(0), row.integer(1))
    }

    package mutating func session(id: String) throws(StoreError) -> SceneSession? {
        let row = try prepare("SELECT \(SessionReader.columns) FROM session WHERE id = ?", [.text(id)])
        guard try row.step() else { return nil }
        var reader = SessionReader()
        var unreadable: [Store.UnreadableCondition] = []
        return try reader.session(from: row, &self, &unreadable)
    }
}
