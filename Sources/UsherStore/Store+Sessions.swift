public import UsherPredicate
public import UsherScene
internal import UsherSystem
internal import UsherText

extension Store {
    /// The sessions of one moment.
    public struct Sessions: Sendable {
        /// In the order in which they were first connected.
        public var sessions: [SceneSession]
        /// Store-wide: bumped by every change of any session. What was decided on these sessions is claimed with it.
        public var generation: Int64
        /// Store-wide: bumped by every change of a redirect or a tie; 0 while there never was one.
        public var redirects: Int64
        /// The digest of the configuration whose conditions they have; nil where that is not known.
        var configuration: String?
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

    /// The ids of sessions that begin with a text, and the title or the target of each, by id. O(found), whatever else there is.
    ///
    /// - Parameters:
    ///   - app: only those of this app.
    ///   - limit: at most so many.
    public func sessionNames(
        from beginning: String, app: String?, limit: Int
    ) throws(StoreError) -> [(id: String, summary: String)] {
        try read { (state) throws(StoreError) in
            try state.rows(
                """
                SELECT id, coalesce(title, target, '') FROM session
                WHERE id >= ?1 AND id < ?1 || char(0x10FFFF) AND (?2 IS NULL OR app = ?2) ORDER BY id LIMIT ?3
                """, [.text(beginning), SQLiteValue(app), .integer(Int64(limit))]
            ) { (row) throws(StoreError) in (row.text(0), row.text(1)) }
        }
    }

    /// The store-wide generation: whether sessions read before are still the ones in the store. A few microseconds.
    public func generation() throws(StoreError) -> Int64 {
        try read { (state) throws(StoreError) in try state.generation() }
    }

    public func session(id: String) throws(StoreError) -> SceneSession? {
        try read { (state) throws(StoreError) in try state.session(id: id) }
    }

    /// Of the connected sessions whose target was read from their windows, the one that was used last.
    public func documentUsedLast() throws(StoreError) -> SceneSession? {
        try read { (state) throws(StoreError) in
            try state.session(
                """
                WHERE target_read = 1 AND used IS NOT NULL AND target IS NOT NULL AND state = 'connected'
                ORDER BY used DESC LIMIT 1
                """, [])
        }
    }

    /// All of them, the one that was used last first.
    public func documentsByUse() throws(StoreError) -> [SceneSession] {
        try sessions().sessions.filter {
            $0.isTargetRead && $0.used != nil && $0.target != nil && $0.state == .connected
        }.sorted { ($0.used ?? 0) > ($1.used ?? 0) }
    }
}

/// Makes sessions from rows.
struct SessionReader {
    static let columns = """
        id, app, scene, role, target, can, can_origin, prefers, prefers_origin, state, used, created, generation, handle, \
        handle_server, title, target_read
        """

    // Of the row before: most rows repeat them.
    private var kind = SceneSession.Kind(app: "", scene: "", role: SceneRole(rawValue: ""))
    private var state: (text: String, value: SceneSession.State?) = ("", nil)

    mutating func session(
        from row: borrowing Statement, _ state: inout StoreState, _ unreadable: inout [Store.UnreadableCondition]
    ) throws(StoreError) -> SceneSession {
        let id = row.text(0)
        if !row.isText(1, kind.app) || !row.isText(2, kind.scene) || !row.isText(3, kind.role.rawValue) {
            kind = SceneSession.Kind(app: row.text(1), scene: row.text(2), role: SceneRole(rawValue: row.text(3)))
        }
        let (can, prefers) = (row.integer(5), row.integer(7))
        let canActivate = try state.condition(can)
        let prefersToActivate = prefers == can ? canActivate : try state.condition(prefers)
        if !state.unreadable.isEmpty {
            for case let problem? in [state.unreadable[can], state.unreadable[prefers]] {
                unreadable.append(Store.UnreadableCondition(session: id, text: problem.text, error: problem.error))
            }
        }
        if !row.isText(9, self.state.text) {
            let text = row.text(9)
            self.state = (text, SceneSession.State(rawValue: text))
        }
        guard let sessionState = self.state.value else {
            throw .unreadable("session \(id) has no known state", path: state.path)
        }
        return SceneSession(
            id: id, kind: kind,
            // Mostly the text of a condition, which holds it already.
            target: row.optionalText(4, likely: prefersToActivate.equalText ?? canActivate.equalText)
                .map { TargetContentIdentifier($0) },
            conditions: ActivationConditions(
                canActivate: .init(canActivate, origin: origin(row.integer(6))),
                prefersToActivate: .init(prefersToActivate, origin: origin(row.integer(8)))),
            state: sessionState, used: row.optionalInteger(10), created: row.integer(11),
            generation: row.integer(12), handle: row.optionalText(13), handleServer: row.optionalText(14),
            title: row.optionalText(15), isTargetRead: row.integer(16) != 0)
    }

    private func origin(_ number: Int64) -> ActivationConditions.Origin {
        Int(exactly: number).flatMap { ActivationConditions.Origin(rawValue: $0) } ?? .session
    }
}

extension StoreState {
    package mutating func sessions(app: String? = nil) throws(StoreError) -> Store.Sessions {
        let versions = try versions()
        var result = Store.Sessions(
            sessions: [], generation: versions.generation, redirects: versions.redirects,
            configuration: try configurationOfConditions(), unreadable: [])
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

    /// The generation, and the versions of the redirects and of the dynamic shortcut items, at the price of one.
    package mutating func versions() throws(StoreError) -> (generation: Int64, redirects: Int64, shortcuts: Int64) {
        let row = try prepare("SELECT generation, redirects, shortcuts FROM store")
        guard try row.step() else { throw .unreadable("the generation is missing", path: path) }
        return (row.integer(0), row.integer(1), row.integer(2))
    }

    package mutating func session(id: String) throws(StoreError) -> SceneSession? {
        try session("WHERE id = ?", [.text(id)])
    }

    fileprivate mutating func session(
        _ condition: String, _ values: [SQLiteValue]
    ) throws(StoreError) -> SceneSession? {
        let row = try prepare("SELECT \(SessionReader.columns) FROM session \(condition)", values)
        guard try row.step() else { return nil }
        var reader = SessionReader()
        var unreadable: [Store.UnreadableCondition] = []
        return try reader.session(from: row, &self, &unreadable)
    }
}

// MARK: - Session changes

extension Store {
    /// A session to be made, or an existing one to be connected again.
    public struct NewSession: Sendable {
        /// nil: the scene's name, a hyphen and the next number of that app and scene, as in `clown-7`.
        public var id: String?
        public var app: String
        public var scene: String
        public var role: SceneRole
        public var target: TargetContentIdentifier?
        /// The target was read from the window; see `SceneSession.isTargetRead`.
        public var isTargetRead: Bool
        public var conditions: ActivationConditions
        public var state: SceneSession.State
        public var handle: String?
        public var handleServer: String?
        public var title: String?
        /// Its window was found, not asked for. Nothing is made where that is out of date: an open session has the window by
        /// now, one of the scene is being launched, or the session that `id` names has changed.
        public var found: Found?

        /// What was seen when a window was found.
        public struct Found: Sendable {
            /// Of the session that gets the window; nil for a new one.
            public var generation: Int64?

            public init(generation: Int64?) { self.generation = generation }
        }

        public init(
            id: String? = nil, app: String, scene: String, role: SceneRole = .windowApplication,
            target: TargetContentIdentifier? = nil, conditions: ActivationConditions = ActivationConditions(),
            state: SceneSession.State = .connected, handle: String? = nil, handleServer: String? = nil,
            title: String? = nil, found: Found? = nil, isTargetRead: Bool = false
        ) {
            self.isTargetRead = isTargetRead
            self.found = found
            self.id = id
            self.app = app
            self.scene = scene
            self.role = role
            self.target = target
            self.conditions = conditions
            self.state = state
            self.handle = handle
            self.handleServer = handleServer
            self.title = title
        }
    }

    /// What changes about a session; what is nil stays.
    public struct SessionChange: Sendable {
        public var state: SceneSession.State?
        /// The target that was read from the window, `.some(nil)` where it has none now. Nothing changes where the target
        /// of the session was set in another way.
        public var readTarget: TargetContentIdentifier??
        /// It became active now: later than any session did before, even if the clock went back.
        public var used: Bool
        public var canActivate: ActivationConditions.Condition?
        public var prefersToActivate: ActivationConditions.Condition?
        /// `.some(nil)` takes the handle away.
        public var handle: String??
        public var handleServer: String??
        public var title: String??
        /// The process that the window belongs to. It is forgotten when the session gets its first handle and has no
        /// activity: from then on the end of the window ends the session.
        public var process: SessionProcess??
        /// Nothing changes where the session has another process by now, or none.
        public var onlyOf: SessionProcess?
        /// Nothing changes where the session has another state or another window by now, or where an open session has the
        /// window that it is to get: what was seen is out of date.
        public var ifStill: SceneSession?

        public init(
            state: SceneSession.State? = nil, used: Bool = false, canActivate: ActivationConditions.Condition? = nil,
            prefersToActivate: ActivationConditions.Condition? = nil, handle: String?? = nil,
            handleServer: String?? = nil, title: String?? = nil, process: SessionProcess?? = nil,
            onlyOf: SessionProcess? = nil, ifStill: SceneSession? = nil
        ) {
            self.process = process
            self.ifStill = ifStill
            self.onlyOf = onlyOf
            self.state = state
            self.used = used
            self.canActivate = canActivate
            self.prefersToActivate = prefersToActivate
            self.handle = handle
            self.handleServer = handleServer
            self.title = title
        }
    }

    /// Makes sessions, all or none, and returns them in the same order.
    ///
    /// An id that names a session of the same app and scene connects it again: state, handle and conditions are replaced,
    /// role too; target and title where new ones are given; `used` and `created` stay. An id of any other session throws
    /// `store.session-taken`. All of them get the same new generation. A window that another session has is taken from it, and
    /// that one is disconnected.
    public func connect(_ new: [NewSession]) throws(StoreError) -> [SceneSession] {
        if new.isEmpty { return [] }
        return try write { (state) throws(StoreError) in try state.connect(new) }
    }

    /// Changes one session and returns it; nil when there is no such session, or it is not as the change expects it.
    ///
    /// The session's new generation is the store's: when it is one more than the one last seen, nothing else has changed, but
    /// for a session that had its window: that one is disconnected and has the same generation.
    public func change(session id: String, _ change: SessionChange) throws(StoreError) -> SceneSession? {
        try write { (state) throws(StoreError) in try state.change(session: id, change) }
    }

    /// The user closed the window: the session is gone. False when there was none.
    ///
    /// - Parameter seen: as it was when the window was found to be closed; false where it has another state or window by now.
    @discardableResult
    public func end(session id: String, ifStill seen: SceneSession? = nil) throws(StoreError) -> Bool {
        try write { (state) throws(StoreError) in try state.end(session: id, ifStill: seen) }
    }
}

extension StoreState {
    /// See `Store.connect`.
    package mutating func connect(_ given: [Store.NewSession]) throws(StoreError) -> [SceneSession] {
        var new: [Store.NewSession] = []
        new.reserveCapacity(given.count)
        for session in given { if try isUpToDate(session) { new.append(session) } }
        if new.isEmpty { return [] }
        let generation = try nextGeneration()
        var made: [SceneSession] = []
        made.reserveCapacity(new.count)
        for session in new { made.append(try connect(session, generation: generation)) }
        return made
    }

    /// Whether a window that was found still belongs to no open session.
    private mutating func isUpToDate(_ new: Store.NewSession) throws(StoreError) -> Bool {
        guard let found = new.found else { return true }
        if let id = new.id, try session(id: id)?.generation != found.generation { return false }
        if let handle = new.handle, try isHeld(handle, new.handleServer, except: new.id) { return false }
        let launched = "SELECT 1 FROM session WHERE app = ? AND scene = ? AND state = 'connecting'"
        return try integer(launched, .text(new.app), .text(new.scene)) == nil
    }

    mutating func nextGeneration() throws(StoreError) -> Int64 {
        guard let next = try integer("UPDATE store SET generation = generation + 1 RETURNING generation") else {
            throw .unreadable("the generation is missing", path: path)
        }
        return next
    }

    mutating func connect(_ new: Store.NewSession, generation: Int64) throws(StoreError) -> SceneSession {
        if let id = new.id, let known = try session(id: id) {
            guard known.app.hasSameBytes(as: new.app), known.scene.hasSameBytes(as: new.scene) else {
                throw .sessionTaken(id, app: known.app, scene: known.scene, path: path)
            }
            return try reconnect(known, as: new, generation: generation)
        }
        let now = options.now()
        guard
            let created = try integer(
                "UPDATE store SET created = max(created + 1, ?) RETURNING created", .integer(now))
        else { throw .unreadable("the time of the last session is missing", path: path) }
        let id = if let given = new.id { given } else { try unusedID(app: new.app, scene: new.scene) }
        let session = SceneSession(
            id: id, app: new.app, scene: new.scene, role: new.role,
            target: new.target, conditions: new.conditions, state: new.state, created: created,
            generation: generation, handle: new.handle, handleServer: new.handleServer, title: new.title,
            isTargetRead: new.isTargetRead)
        try takeWindow(session.handle, server: session.handleServer, for: id, generation: generation)
        try run(
            """
            INSERT INTO session (id, app, scene, role, target, can, can_origin, prefers, prefers_origin, state, created,
                generation, handle, handle_server, title, changed, target_read)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .text(session.id), .text(session.app), .text(session.scene), .text(session.role.rawValue),
            SQLiteValue(session.target?.text), .integer(try row(of: session.conditions.canActivate.predicate)),
            .integer(Int64(session.conditions.canActivate.origin.rawValue)),
            .integer(try row(of: session.conditions.prefersToActivate.predicate)),
            .integer(Int64(session.conditions.prefersToActivate.origin.rawValue)), .text(session.state.rawValue),
            .integer(created), .integer(generation), SQLiteValue(session.handle), SQLiteValue(session.handleServer),
            SQLiteValue(session.title), .integer(now), .integer(session.isTargetRead ? 1 : 0))
        return session
    }

    private mutating func reconnect(
        _ known: SceneSession, as new: Store.NewSession, generation: Int64
    ) throws(StoreError) -> SceneSession {
        var session = known
        session.role = new.role
        if let target = new.target {
            session.target = target
            session.isTargetRead = new.isTargetRead
        }
        session.conditions = new.conditions
        session.state = new.state
        session.handle = new.handle
        session.handleServer = new.handleServer
        session.title = new.title ?? known.title
        session.generation = generation
        try takeWindow(session.handle, server: session.handleServer, for: session.id, generation: generation)
        try update(session, can: new.conditions.canActivate, prefers: new.conditions.prefersToActivate)
        // The process that connects the session now may not be the one that had it before.
        try setProcess(nil, ofSession: session.id)
        return session
    }

    package mutating func change(session id: String, _ change: Store.SessionChange) throws(StoreError) -> SceneSession?
    {
        guard var session = try session(id: id) else { return nil }
        if let target = change.readTarget {
            guard session.target == nil || session.isTargetRead else { return nil }
            session.target = target
            session.isTargetRead = target != nil
        }
        if let process = change.onlyOf, try self.process(ofSession: id) != process { return nil }
        if let seen = change.ifStill {
            guard session.isStill(seen) else { return nil }
            if change.handle != nil || change.handleServer != nil, let handle = change.handle ?? session.handle,
                try isHeld(handle, change.handleServer ?? session.handleServer, except: id)
            {
                return nil
            }
        }
        let hadWindow = session.handle != nil
        if let state = change.state { session.state = state }
        if let handle = change.handle { session.handle = handle }
        if let server = change.handleServer { session.handleServer = server }
        if let title = change.title { session.title = title }
        if let can = change.canActivate { session.conditions.canActivate = can }
        if let prefers = change.prefersToActivate { session.conditions.prefersToActivate = prefers }
        if change.used {
            session.used = try integer(
                "UPDATE store SET used = max(used + 1, ?) RETURNING used", .integer(options.now()))
        }
        session.generation = try nextGeneration()
        if change.handle != nil || change.handleServer != nil {
            try takeWindow(
                session.handle, server: session.handleServer, for: id, generation: session.generation)
        }
        try update(session, can: change.canActivate, prefers: change.prefersToActivate)
        if let process = change.process {
            try setProcess(process, ofSession: id)
        } else if !hadWindow, session.handle != nil, try !keepsProcess(ofSession: id) {
            try setProcess(nil, ofSession: id)
        }
        return session
    }

    /// Whether a feature needs the process of a session that has a window.
    private mutating func keepsProcess(ofSession id: String) throws(StoreError) -> Bool {
        guard let needsProcess else { return false }
        return try integer(needsProcess, .text(id)) != nil
    }

    /// Writes a session back. A condition that is not given is left as it was stored: it may be one that does not parse.
    private mutating func update(
        _ session: SceneSession, can: ActivationConditions.Condition?, prefers: ActivationConditions.Condition?
    ) throws(StoreError) {
        var rows: [SQLiteValue] = []
        for condition in [can, prefers] {
            if let condition {
                rows += [.integer(try row(of: condition.predicate)), .integer(Int64(condition.origin.rawValue))]
            } else {
                rows += [.null, .null]
            }
        }
        try run(
            """
            UPDATE session SET role = ?, target = ?, can = coalesce(?, can), can_origin = coalesce(?, can_origin),
                prefers = coalesce(?, prefers), prefers_origin = coalesce(?, prefers_origin), state = ?, used = ?,
                generation = ?, handle = ?, handle_server = ?, title = ?, changed = ?, target_read = ?
            WHERE id = ?
            """,
            .text(session.role.rawValue), SQLiteValue(session.target?.text), rows[0], rows[1], rows[2], rows[3],
            .text(session.state.rawValue), SQLiteValue(session.used), .integer(session.generation),
            SQLiteValue(session.handle), SQLiteValue(session.handleServer), SQLiteValue(session.title),
            .integer(options.now()), .integer(session.isTargetRead ? 1 : 0), .text(session.id))
    }

    package mutating func end(session id: String, ifStill seen: SceneSession? = nil) throws(StoreError) -> Bool {
        if let seen, try session(id: id)?.isStill(seen) != true { return false }
        guard try run("DELETE FROM session WHERE id = ?", .text(id)) > 0 else { return false }
        _ = try nextGeneration()
        return true
    }

    /// Numbers are never given twice, even when the session is gone: an old name must not lead to a new window.
    private mutating func unusedID(app: String, scene: String) throws(StoreError) -> String {
        while true {
            let number = try integer(
                """
                INSERT INTO session_number VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET last = last + 1 RETURNING last
                """, .text(app), .text(scene))
            guard let number else { throw .unreadable("the number of the last session is missing", path: path) }
            let id = "\(scene)-\(number)"
            // Another app may have a scene of the same name.
            if try integer("SELECT 1 FROM session WHERE id = ?", .text(id)) == nil { return id }
        }
    }
}

extension SceneSession {
    /// Whether it has the state and the window that it had when it was seen.
    fileprivate func isStill(_ seen: SceneSession) -> Bool {
        state == seen.state && handle == seen.handle && handleServer == seen.handleServer
    }
}

// MARK: - Window holders

// A window belongs to one session, by the index `session_window`.

extension StoreState {
    /// The sessions that have a window; also those without a server, or with only the life of it.
    package mutating func holders(
        ofWindow handle: String, server: String?
    ) throws(StoreError) -> [(session: String, isOpen: Bool)] {
        let server = server ?? ""
        let life = WindowServer.life(of: server)
        let found = try rows(
            """
            SELECT id, state IN ('connecting', 'connected') FROM session
            WHERE coalesce(handle_server, '') IN ('', ?, ?) AND handle = ?
            """, [.text(server), .text(life), .text(handle)]
        ) { (session: $0.text(0), isOpen: $0.integer(1) != 0) }
        guard !server.isEmpty, life == server else { return found }
        // Of whichever client: all texts that begin with the life and a #, which $ comes after.
        return found
            + (try rows(
                """
                SELECT id, state IN ('connecting', 'connected') FROM session
                WHERE coalesce(handle_server, '') > ? AND coalesce(handle_server, '') < ? AND handle = ?
                """, [.text(life + "#"), .text(life + "$"), .text(handle)]
            ) { ($0.text(0), $0.integer(1) != 0) })
    }

    /// Whether an open session other than this one has a window.
    mutating func isHeld(_ handle: String, _ server: String?, except session: String?) throws(StoreError) -> Bool {
        try holders(ofWindow: handle, server: server).contains { $0.isOpen && $0.session != session }
    }

    /// Takes a window from every other session. Sessions that were open become disconnected, since nothing reports
    /// their windows any more.
    private mutating func takeWindow(
        _ handle: String?, server: String?, for session: String, generation: Int64
    ) throws(StoreError) {
        guard let handle else { return }
        for holder in try holders(ofWindow: handle, server: server) where holder.session != session {
            try run(
                """
                UPDATE session SET handle = NULL, handle_server = NULL, generation = ?, changed = ?,
                    state = CASE WHEN state IN ('connecting', 'connected') THEN 'disconnected' ELSE state END
                WHERE id = ?
                """, .integer(generation), .integer(options.now()), .text(holder.session))
            if let changed = try self.session(id: holder.session) { displaced.append(changed) }
        }
    }

    /// The sessions that lost their windows to others since this was asked last.
    package mutating func takeDisplaced() -> [SceneSession] {
        defer { displaced = [] }
        return displaced
    }

    /// The session that the launch of this nonce is for, and the nonces of all other launches of its scene under way.
    fileprivate mutating func launch(nonce: String) throws(StoreError) -> (session: String?, others: [String])? {
        let own = try first(
            "SELECT app, scene, session FROM delivery WHERE state = 'acting' AND nonce = ?", [.text(nonce)]
        ) { (app: $0.optionalText(0), scene: $0.optionalText(1), session: $0.optionalText(2)) }
        guard let own else { return nil }
        let others = try rows(
            """
            SELECT nonce FROM delivery
            WHERE state = 'acting' AND action = 'launch' AND app IS ? AND scene IS ? AND nonce IS NOT NULL AND nonce <> ?
            """, [SQLiteValue(own.app), SQLiteValue(own.scene), .text(nonce)]
        ) { $0.text(0) }
        return (own.session, others)
    }
}

extension Store {
    /// What matters for the window of the launch with this nonce.
    ///
    /// - Returns: for each window whether an open session other than the launch's own has it; the nonces of the launches
    ///   of the same scene that are under way, in whichever process.
    package func launchFacts(
        nonce: String, windows: [(handle: String, server: String?)]
    ) throws(StoreError) -> (held: [Bool], otherLaunches: [String]) {
        try read { (state) throws(StoreError) in
            let launch = try state.launch(nonce: nonce)
            var held: [Bool] = []
            for window in windows {
                let holders = try state.holders(ofWindow: window.handle, server: window.server)
                held.append(holders.contains { $0.isOpen && $0.session != launch?.session })
            }
            return (held, launch?.others ?? [])
        }
    }
}

// MARK: - Session processes

extension Store {
    /// The process that the window of a session belongs to. These three values together identify it uniquely.
    public struct SessionProcess: Sendable, Hashable {
        public var pid: Int32
        /// In clock ticks since boot.
        public var startTime: UInt64
        public var bootID: String

        /// A process that runs now; nil where there is none of that number.
        public static func running(pid: Int32) -> SessionProcess? {
            guard pid > 0, let status = ProcessStatus(pid: pid), status.isRunning else { return nil }
            return SessionProcess(pid: pid, startTime: status.startTime, bootID: ProcessStatus.bootID() ?? "")
        }

        /// Whether it runs. A number that went to another process does not count.
        public var isRunning: Bool {
            guard ProcessStatus.bootID().map({ $0.hasSameBytes(as: bootID) }) ?? true,
                let status = ProcessStatus(pid: pid)
            else { return false }
            return status.isRunning && status.startTime == startTime
        }
    }

    /// Every session that has a process and its window still, with that process.
    public func sessionProcesses() throws(StoreError) -> [(session: String, process: SessionProcess)] {
        try read { (state) throws(StoreError) in
            try state.rows(
                """
                SELECT process, process_start, process_boot, id FROM session
                WHERE process IS NOT NULL AND state <> 'disconnected'
                """
            ) { row in StoreState.process(row).map { (session: row.text(3), process: $0) } }.compactMap(\.self)
        }
    }

    public func process(ofSession id: String) throws(StoreError) -> SessionProcess? {
        try read { (state) throws(StoreError) in try state.process(ofSession: id) }
    }
}

extension StoreState {
    mutating func process(ofSession id: String) throws(StoreError) -> Store.SessionProcess? {
        try first(
            "SELECT process, process_start, process_boot FROM session WHERE id = ? AND process IS NOT NULL",
            [.text(id)]
        ) { StoreState.process($0) } ?? nil
    }

    package mutating func setProcess(_ process: Store.SessionProcess?, ofSession id: String) throws(StoreError) {
        guard let process else {
            try run(
                """
                UPDATE session SET process = NULL, process_start = NULL, process_boot = NULL
                WHERE id = ? AND process IS NOT NULL
                """, .text(id))
            return
        }
        try run(
            "UPDATE session SET process = ?, process_start = ?, process_boot = ? WHERE id = ?",
            .integer(Int64(process.pid)), .integer(Int64(bitPattern: process.startTime)), .text(process.bootID),
            .text(id))
    }

    /// The process in the first three columns.
    fileprivate static func process(_ row: borrowing Statement) -> Store.SessionProcess? {
        guard let pid = Int32(exactly: row.integer(0)) else { return nil }
        return Store.SessionProcess(pid: pid, startTime: UInt64(bitPattern: row.integer(1)), bootID: row.text(2))
    }
}
