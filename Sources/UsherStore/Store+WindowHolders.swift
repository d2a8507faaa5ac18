package import UsherScene

// A window belongs to one session: the index `session_window` sees to it.

extension StoreState {
    /// The sessions that have a window. A session that does not know the server, or only the life of it, is meant as well.
    package mutating func holders(
        ofWindow handle: String, server: String?
    ) throws(StoreError) -> [(session: String, isOpen: Bool)] {
        var found: [(session: String, isOpen: Bool)] = []
        let server = server ?? ""
        let life = WindowServer.life(of: server)
        let row = try prepare(
            """
            SELECT id, state IN ('connecting', 'connected') FROM session
            WHERE coalesce(handle_server, '') IN ('', ?, ?) AND handle = ?
            """, [.text(server), .text(life), .text(handle)])
        while try row.step() { found.append((row.text(0), row.integer(1) != 0)) }
        guard !server.isEmpty, life == server else { return found }
        // Of whichever client: all texts that begin with the life and a #, which $ comes after.
        let ofClients = try prepare(
            """
            SELECT id, state IN ('connecting', 'connected') FROM session
            WHERE coalesce(handle_server, '') > ? AND coalesce(handle_server, '') < ? AND handle = ?
            """, [.text(life + "#"), .text(life + "$"), .text(handle)])
        while try ofClients.step() { found.append((ofClients.text(0), ofClients.integer(1) != 0)) }
        return found
    }

    /// Whether an open session other than this one has a window.
    mutating func isHeld(_ handle: String, _ server: String?, except session: String?) throws(StoreError) -> Bool {
        try holders(ofWindow: handle, server: server).contains { $0.isOpen && $0.session != session }
    }

    /// Takes a window from every other session. Sessions that were open become disconnected, since nothing reports
    /// their windows any more.
    mutating func takeWindow(
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
        let own = try prepare(
            "SELECT app, scene, session FROM delivery WHERE state = 'acting' AND nonce = ?", [.text(nonce)])
        guard try own.step() else { return nil }
        let (app, scene, session) = (own.optionalText(0), own.optionalText(1), own.optionalText(2))
        var others: [String] = []
        let row = try prepare(
            """
            SELECT nonce FROM delivery
            WHERE state = 'acting' AND action = 'launch' AND app IS ? AND scene IS ? AND nonce IS NOT NULL AND nonce <> ?
            """, [SQLiteValue(app), SQLiteValue(scene), .text(nonce)])
        while try row.step() { others.append(row.text(0)) }
        return (session, others)
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
