internal import UsherPredicate
public import UsherScene

// What one decision is explained by: most sessions of a large store neither take part in it nor are shown.

extension Store {
    /// Which sessions are asked for: those of one app that has no limit of windows.
    public struct SessionQuestion: Sendable {
        public var app: String
        public var role: SceneRole
        /// The names of the app's scenes: sessions of others take no part.
        public var scenes: [String]
        /// What the conditions are tried with.
        public var subjects: [String]
        /// How many sessions are shown.
        public var limit: Int

        public init(app: String, role: SceneRole, scenes: [String], subjects: [String], limit: Int) {
            self.app = app
            self.role = role
            self.scenes = scenes
            self.subjects = subjects
            self.limit = limit
        }
    }

    /// Sessions of one moment, and what matters of those that are left out.
    public struct SessionExcerpt: Sendable {
        public var sessions: [SceneSession]
        /// When apps were used last, in microseconds since 1970, where not all of their sessions are here.
        public var lastUses: [String: Int64] = [:]
        /// How many sessions of the role the app has, without those that are closing; nil where all sessions are here.
        public var count: Int?

        /// All sessions.
        public init(_ sessions: [SceneSession]) { self.sessions = sessions }
    }

    /// The first sessions in the order of choice, one more than are shown, and all with a condition that accepts a subject.
    /// nil where a condition cannot be read, or many accept a subject.
    ///
    /// - Complexity: a look at each condition, and at the state and age of each session of the app.
    public func sessions(for question: SessionQuestion) throws(StoreError) -> SessionExcerpt? {
        try read { (state) throws(StoreError) in try state.excerpt(for: question) }
    }
}

extension StoreState {
    fileprivate mutating func excerpt(for question: Store.SessionQuestion) throws(StoreError) -> Store.SessionExcerpt? {
        let accepting = try conditions(accepting: question.subjects)
        guard let accepting, accepting.count <= StoreState.acceptingConditions else { return nil }
        var excerpt = Store.SessionExcerpt([])
        let first = StoreState.list(try firstSessions(for: question, &excerpt))
        let conditions = StoreState.list(accepting)
        // The index of apps would find every session of the app.
        let row = try prepare(
            """
            SELECT \(SessionReader.columns) FROM session
            WHERE number IN (\(first)) OR can IN (\(conditions)) AND +app = ?1 OR prefers IN (\(conditions)) AND +app = ?1
            """, [.text(question.app)])
        var reader = SessionReader()
        var unreadable: [Store.UnreadableCondition] = []
        while try row.step() {
            excerpt.sessions.append(try reader.session(from: row, &self, &unreadable))
        }
        let others = try prepare(
            """
            SELECT app, max(used) FROM session WHERE app < ?1 GROUP BY app
            UNION ALL SELECT app, max(used) FROM session WHERE app > ?1 GROUP BY app
            """, [.text(question.app)])
        while try others.step() { excerpt.lastUses[others.text(0)] = others.optionalInteger(1) }
        return excerpt
    }

    /// Where more conditions accept the subject, all sessions are read.
    private static let acceptingConditions = 100

    /// Numbers as SQL lists them.
    private static func list(_ numbers: [Int64]) -> String {
        numbers.reduce(into: "NULL") { $0 += ",\($1)" }
    }

    /// The rows of the conditions that accept one of the subjects; nil where a condition cannot be read.
    private mutating func conditions(accepting texts: [String]) throws(StoreError) -> [Int64]? {
        let subjects = texts.map { PredicateSubject($0) }
        let equalities = texts.map { "SELF == \"\($0)\"" }
        var rows: [Int64] = []
        let row = try prepare("SELECT id, text FROM condition")
        while try row.step() {
            // Nearly all are equalities, and need not be parsed.
            if let isWanted = row.isEquality(1, among: equalities) {
                if isWanted { rows.append(row.integer(0)) }
            } else {
                guard let predicate = try? ScenePredicate(parsing: row.text(1)) else { return nil }
                if subjects.contains(where: { predicate.evaluate($0) }) { rows.append(row.integer(0)) }
            }
        }
        return rows
    }

    /// The numbers of the first sessions in the order of choice, one more than are shown. Notes how many there are, and when
    /// the app was used last.
    private mutating func firstSessions(
        for question: Store.SessionQuestion, _ excerpt: inout Store.SessionExcerpt
    ) throws(StoreError) -> [Int64] {
        var first: [(rank: SceneSession.Rank, number: Int64)] = []
        var count = 0
        var lastUse: Int64?
        var kind = ""
        let scenes = question.scenes.indices.map { "?\($0 + 3)" }.joined(separator: ",")
        // Of sessions that were never used, the newest come first. To find each by the index of apps costs as much as to read it.
        let row = try prepare(
            """
            SELECT number, iif(role = ?2 AND scene IN (\(scenes)), state, 'closing'), used, created FROM session NOT INDEXED
            WHERE app = ?1 ORDER BY number DESC
            """, [.text(question.app), .text(question.role.rawValue)] + question.scenes.map { .text($0) })
        while try row.step() {
            let used = row.optionalInteger(2)
            if let used { lastUse = max(lastUse ?? used, used) }
            kind = row.optionalText(1, likely: kind) ?? ""
            if kind == "closing" { continue }
            count += 1
            let rank = SceneSession.Rank(isOpen: kind != "disconnected", used: used, created: row.integer(3))
            let isFull = first.count > question.limit
            if isFull, let last = first.last, !(rank < last.rank) { continue }
            if isFull { first.removeLast() }
            let place = first.lastIndex { !(rank < $0.rank) }.map { $0 + 1 } ?? 0
            first.insert((rank, row.integer(0)), at: place)
        }
        excerpt.count = count
        excerpt.lastUses[question.app] = lastUse
        return first.map(\.number)
    }
}
