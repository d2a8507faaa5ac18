public import UsherScene

extension Store {
    /// A session to be made, or an existing one to be connected again.
    public struct NewSession: Sendable {
        /// nil: the scene's name, a hyphen and the next number of that app and scene, as in `clown-7`.
        public var id: String?
        public var app: String
        public var scene: String
        public var role: SceneRole
        public var target: TargetContentIdentifier?
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
            title: String? = nil, found: Found? = nil
        ) {
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
        /// It became active now: later than any session did before, whatever the clock says.
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
            guard known.app.utf8.elementsEqual(new.app.utf8), known.scene.utf8.elementsEqual(new.scene.utf8) else {
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
            generation: generation, handle: new.handle, handleServer: new.handleServer, title: new.title)
        try takeWindow(session.handle, server: session.handleServer, for: id, generation: generation)
        try run(
            """
            INSERT INTO session (id, app, scene, role, target, can, can_origin, prefers, prefers_origin, state, created,
                generation, handle, handle_server, title, changed)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .text(session.id), .text(session.app), .text(session.scene), .text(session.role.rawValue),
            SQLiteValue(session.target?.text), .integer(try row(of: session.conditions.canActivate.predicate)),
            .integer(Int64(session.conditions.canActivate.origin.rawValue)),
            .integer(try row(of: session.conditions.prefersToActivate.predicate)),
            .integer(Int64(session.conditions.prefersToActivate.origin.rawValue)), .text(session.state.rawValue),
            .integer(created), .integer(generation), SQLiteValue(session.handle), SQLiteValue(session.handleServer),
            SQLiteValue(session.title), .integer(now))
        return session
    }

    private mutating func reconnect(
        _ known: SceneSession, as new: Store.NewSession, generation: Int64
    ) throws(StoreError) -> SceneSession {
        var session = known
        session.role = new.role
        session.target = new.target ?? known.target
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
        } else if !hadWindow, session.handle != nil,
            try integer("SELECT 1 FROM activity WHERE session = ?", .text(id)) == nil
        {
            try setProcess(nil, ofSession: id)
        }
        return session
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
                generation = ?, handle = ?, handle_server = ?, title = ?, changed = ?
            WHERE id = ?
            """,
            .text(session.role.rawValue), SQLiteValue(session.target?.text), rows[0], rows[1], rows[2], rows[3],
            .text(session.state.rawValue), SQLiteValue(session.used), .integer(session.generation),
            SQLiteValue(session.handle), SQLiteValue(session.handleServer), SQLiteValue(session.title),
            .integer(options.now()), .text(session.id))
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
