public import UsherScene
internal import UsherText

// What evidence refers to: configurations and versions of sessions, each stored once (see `Schema`).

extension Store {
    /// The manifests that a decision was made by; nil where only their digest is known.
    public func manifests(of digest: String) throws(StoreError) -> [UInt8]? {
        try read { (state) throws(StoreError) in
            let row = try state.prepare("SELECT manifests FROM configuration WHERE digest = ?", [.text(digest)])
            return try row.step() ? row.optionalBlob(0) : nil
        }
    }

    /// Sessions of an app as they were, without their state and use; those that are forgotten are left out.
    public func sessions(versions: [Int64], app: String) throws(StoreError) -> [Int64: SceneSession] {
        try read { (state) throws(StoreError) in
            var found: [Int64: SceneSession] = [:]
            var reader = SessionReader()
            var unreadable: [UnreadableCondition] = []
            for version in versions {
                let row = try state.prepare(
                    """
                    SELECT session, ?2, scene, role, target, can, can_origin, prefers, prefers_origin, 'connected', NULL,
                        created, 0, handle, NULL, title
                    FROM session_version WHERE id = ?1
                    """, [.integer(version), .text(app)])
                if try row.step() {
                    found[version] = try reader.session(from: row, &state, &unreadable)
                }
            }
            return found
        }
    }
}

extension StoreState {
    /// The row of a configuration, made when there is none.
    ///
    /// - Parameter manifests: what it is kept with, where that is known.
    @discardableResult
    package mutating func configurationRow(_ digest: String, manifests: [UInt8]? = nil) throws(StoreError) -> Int64 {
        if let known = configuration, known.digest.hasSameBytes(as: digest),
            known.hasManifests || manifests == nil
        {
            return known.row
        }
        let row = try integer(
            """
            INSERT INTO configuration (digest, manifests) VALUES (?, ?)
            ON CONFLICT (digest) DO UPDATE SET manifests = coalesce(manifests, excluded.manifests)
            RETURNING id
            """, .text(digest), SQLiteValue(manifests))
        guard let row else { throw .unreadable("a configuration got no number", path: path) }
        configuration = (digest, row, manifests != nil)
        return row
    }

    /// The rows that say what sessions are now, made for those that differ from their last row; and what those take in the
    /// file. The sessions are as the store has them.
    package mutating func versions(of sessions: [SceneSession]) throws(StoreError) -> (rows: [Int64], room: Int64) {
        var rows: [Int64] = []
        rows.reserveCapacity(sessions.count)
        var room: Int64 = 0
        // By place: a session is copied only where it has a new row.
        for place in sessions.indices {
            if let known = sessionVersions[sessions[place].id], known.generation == sessions[place].generation {
                rows.append(known.row)
                continue
            }
            let session = sessions[place]
            let row: Int64
            if let last = try lastVersion(of: session.id) {
                row = last
            } else {
                row = try insertVersion(of: session.id)
                room += StoreState.room(
                    for: 80 + 2 * session.id.utf8.count + (session.target?.text.utf8.count ?? 0)
                        + (session.title?.utf8.count ?? 0))
            }
            if sessionVersions.count >= 100_000 { sessionVersions.removeAll() }
            sessionVersions[session.id] = (session.generation, row)
            rows.append(row)
        }
        return (rows, room)
    }

    /// A session's last row, where it still says what the session is.
    private mutating func lastVersion(of session: String) throws(StoreError) -> Int64? {
        try integer(
            """
            SELECT v.id FROM session_version AS v JOIN session AS s ON s.id = v.session
            WHERE v.session = ? AND v.replaced IS NULL AND v.title IS s.title AND v.handle IS s.handle
                AND v.target IS s.target AND v.can = s.can AND v.prefers = s.prefers AND v.can_origin = s.can_origin
                AND v.prefers_origin = s.prefers_origin AND v.scene = s.scene AND v.role = s.role
                AND v.created = s.created
            """, .text(session))
    }

    private mutating func insertVersion(of session: String) throws(StoreError) -> Int64 {
        try run(
            """
            UPDATE session_version SET replaced = (SELECT coalesce(max(number), 0) FROM delivery)
            WHERE session = ? AND replaced IS NULL
            """, .text(session))
        let made = try integer(
            """
            INSERT INTO session_version (session, scene, role, target, can, can_origin, prefers, prefers_origin, created,
                handle, title)
            SELECT id, scene, role, target, can, can_origin, prefers, prefers_origin, created, handle, title
            FROM session WHERE id = ? RETURNING id
            """, .text(session))
        guard let made else { throw .unreadable("the session \(session) is missing", path: path) }
        return made
    }

    /// Forgets what no evidence can refer to any more: versions that were replaced before the oldest delivery arrived,
    /// and configurations that no delivery was decided by.
    mutating func sweepEvidence() throws(StoreError) {
        let newest = try integer("SELECT max(number) FROM delivery") ?? 0
        try run(
            """
            DELETE FROM session_version
            WHERE replaced < (SELECT coalesce(min(number), 9223372036854775807) FROM delivery)
            """)
        try run(
            "UPDATE session_version SET replaced = ? WHERE replaced IS NULL AND session NOT IN (SELECT id FROM session)",
            .integer(newest))
        if try integer("SELECT count(*) FROM configuration") ?? 0 > 1 {
            try run(
                """
                DELETE FROM configuration WHERE NOT EXISTS (
                    SELECT 1 FROM delivery WHERE delivery.configuration = configuration.id)
                """)
        }
        // What was learned of such rows counts no more.
        forgetConditions()
    }
}
