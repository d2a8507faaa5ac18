public import UsherScene
internal import UsherText

extension Store {
    /// Identifies a signed request by what was signed.
    public struct SignedCode: Sendable, Hashable {
        /// A digest of what was signed, and the path of the hooks that it was sent to.
        public var bytes: [UInt8]
        /// Whether a time was signed: such a request is refused as stale before its code could be forgotten, so that
        /// the code counts for as long as the delivery is kept.
        public var hasTime: Bool

        public init(_ bytes: [UInt8], hasTime: Bool) {
            self.bytes = bytes
            self.hasTime = hasTime
        }
    }

    /// A request as it arrived.
    public struct NewDelivery: Sendable, Hashable {
        /// Made by Usher: a UUIDv7 as text.
        public var id: String
        /// The sender's own, where it gave one: two requests with the same one are the same request.
        public var senderID: String?
        public var source: String
        public var format: String?
        /// In microseconds since 1970.
        public var accepted: Int64
        /// The raw line.
        public var input: [UInt8]
        public var app: String?
        public var target: String?
        /// Its effect is not to begin after that, in microseconds since 1970; 0: at once or never.
        public var expires: Int64?
        /// Of those of one app with the same one, the newest counts.
        public var collapse: String?
        /// The user or a program asked for it again.
        var isRedriven = false
        /// Of a press on a notification: the delivery that it was shown for.
        public var parent: String?
        /// The button; `default` is the notification itself.
        public var response: String?
        /// What identifies a signed request, whatever id it has; nil where only the sender's id does.
        public var code: SignedCode?
        /// Of a scheduled notification: its id, and when it was to come, in microseconds since 1970.
        public var schedule: String?
        public var scheduled: Int64?

        public init(
            id: String, senderID: String? = nil, source: String, format: String? = nil, accepted: Int64,
            input: [UInt8], app: String? = nil, target: String? = nil
        ) {
            self.id = id
            self.senderID = senderID
            self.source = source
            self.format = format
            self.accepted = accepted
            self.input = input
            self.app = app
            self.target = target
        }
    }

    /// What was decided, to be kept with the delivery: for `explain` and `replay`.
    public struct DecisionText: Sendable, Hashable {
        public var action: Action
        public var reason: Reason
        public var app: String?
        public var scene: String?
        /// The newest identifier of the content.
        public var resolved: String?
        /// What the decision is explained from later; nil where there is nothing to explain.
        public var evidence: Evidence?
        /// The digest of the configuration.
        public var configuration: String?

        public init(
            action: Action, reason: Reason, app: String? = nil, scene: String? = nil, resolved: String? = nil,
            evidence: Evidence? = nil, configuration: String? = nil
        ) {
            self.action = action
            self.reason = reason
            self.app = app
            self.scene = scene
            self.resolved = resolved
            self.evidence = evidence
            self.configuration = configuration
        }
    }

    /// What a decision is explained from later, in the form that its maker chose.
    public struct Evidence: Sendable, Hashable {
        public var bytes: [UInt8]
        /// About what it takes in the file, in bytes: with the session versions that were written for it.
        public var room: Int64

        public init(_ bytes: [UInt8], room: Int64? = nil) {
            self.bytes = bytes
            self.room = room ?? StoreState.room(for: bytes.count)
        }
    }

    /// Everything that the journal has about one delivery.
    public struct StoredDelivery: Sendable, Hashable, Identifiable {
        public var id: String
        public var senderID: String?
        public var source: String
        public var format: String?
        public var accepted: Int64
        public var app: String?
        public var target: String?
        public var state: DeliveryState
        /// How often its effect was begun.
        public var attempts: Int
        /// Of the last attempt: what a window that it made can be known by.
        public var nonce: String?
        public var action: Action?
        public var reason: Reason?
        public var scene: String?
        public var resolved: String?
        public var configuration: String?
        /// The session that was claimed for it.
        public var session: String?
        public var finished: Int64?
        /// The decision record, JSON; nil while it is open.
        public var record: String?
        /// What its decision is explained from; nil in a list.
        public var evidence: [UInt8]?
        /// The explanation itself, JSON, that an older version stored; nil in a list.
        public var legacyExplanation: String?
        /// The raw line; empty in a list, and for a duplicate if its original is forgotten.
        public var input: [UInt8]
        /// Of a duplicate: the delivery that came first. The duplicate shares its input. nil in a list.
        public var original: String?
        /// When it is tried again, after it failed.
        public var due: Int64?
        /// See `NewDelivery`.
        public var expires: Int64?
        public var collapse: String?
        /// How many attempts it had when it was asked for again; nil if it never was.
        public var redriven: Int?
        public var parent: String?
        public var response: String?
        public var schedule: String?
        public var scheduled: Int64?
        /// What was shown for it; nil in a list.
        public var notification: StoredNotification?

        /// The button that was pressed.
        public var button: String? { response.map { NotificationResponse(stored: $0).button } }

        /// As it arrived, to be claimed again.
        public var delivery: NewDelivery {
            var delivery = NewDelivery(
                id: id, senderID: senderID, source: source, format: format, accepted: accepted, input: input, app: app,
                target: target)
            delivery.expires = expires
            delivery.collapse = collapse
            delivery.isRedriven = redriven != nil
            delivery.parent = parent
            delivery.response = response
            (delivery.schedule, delivery.scheduled) = (schedule, scheduled)
            return delivery
        }
    }

    /// The newest deliveries first, without input and evidence.
    ///
    /// - Parameters:
    ///   - states: only these; all where empty.
    ///   - outcome: only those whose record has it.
    ///   - since: only those that were accepted since then, in microseconds since 1970.
    ///   - before: only those that arrived before the delivery of this id, for the next page. If that delivery was
    ///     forgotten meanwhile, the page continues after the newest delivery with a smaller id.
    public func deliveries(
        limit: Int = 100, states: Set<DeliveryState> = [], outcome: Outcome? = nil, since: Int64? = nil,
        before: String? = nil
    ) throws(StoreError) -> [StoredDelivery] {
        // Named in a fixed order, so that the same question is the same statement.
        let wanted = DeliveryState.allCases.filter { states.contains($0) }.map { "'\($0.rawValue)'" }
        var filter = wanted.isEmpty ? "" : " AND state IN (\(wanted.joined(separator: ", ")))"
        if let outcome { filter += " AND instr(record, '\(outcome.mark)') > 0" }
        if since != nil { filter += " AND accepted >= ?3" }
        var values = [SQLiteValue(before), .integer(Int64(max(0, limit)))]
        if let since { values.append(.integer(since)) }
        return try read { [filter, values] (state) throws(StoreError) in
            try state.deliveries(
                """
                SELECT \(StoreState.deliveryColumns) FROM delivery
                WHERE (?1 IS NULL OR number < coalesce(
                    (SELECT number FROM delivery WHERE id = ?1),
                    (SELECT number + 1 FROM delivery WHERE length(?1) = 36 AND id < ?1 ORDER BY id DESC LIMIT 1)))
                    \(filter)
                ORDER BY number DESC LIMIT ?2
                """, values)
        }
    }

    /// One delivery by our id, else the newest that its sender gave this id and that was not a duplicate.
    public func delivery(_ idOrSenderID: String) throws(StoreError) -> StoredDelivery? {
        try read { (state) throws(StoreError) in
            guard let id = try state.id(ofDelivery: idOrSenderID), var found = try state.delivery(id: id) else {
                return nil
            }
            found.notification = try state.notification(of: id)
            return found
        }
    }

    /// Some deliveries by our ids, the oldest first; what is missing is left out.
    package func deliveries(ids: [String]) throws(StoreError) -> [StoredDelivery] {
        try read { (state) throws(StoreError) in
            var found: [StoredDelivery] = []
            for id in ids {
                found += try state.deliveries(
                    "SELECT \(StoreState.wholeDelivery) FROM delivery WHERE id = ?", [.text(id)])
            }
            return found
        }
    }

    /// The ids of all deliveries without a terminal record, the oldest first.
    package func unfinished() throws(StoreError) -> [String] {
        try read { (state) throws(StoreError) in
            var open: [String] = []
            let row = try state.prepare("SELECT id FROM delivery WHERE finished IS NULL ORDER BY number")
            while try row.step() { open.append(row.text(0)) }
            return open
        }
    }

    /// How many deliveries are in each state.
    public func counts() throws(StoreError) -> [DeliveryState: Int] {
        try read { (state) throws(StoreError) in
            var counts: [DeliveryState: Int] = [:]
            let row = try state.prepare("SELECT state, count(*) FROM delivery GROUP BY state")
            while try row.step() {
                if let state = DeliveryState(rawValue: row.text(0)) { counts[state] = Int(row.integer(1)) }
            }
            return counts
        }
    }
}

extension Outcome {
    /// A record with this outcome has this text, and no other has: quotation marks in its texts are escaped.
    fileprivate var mark: String { "\"outcome\":\"\(rawValue)\"" }
}

extension Store.StoredDelivery {
    /// The outcome in its record; nil while it is open.
    public var outcome: Outcome? { record.flatMap { text in Outcome.allCases.first { text.contains($0.mark) } } }

    /// Whether the run that had begun its effect was killed, and it is not known how far the effect came: a warning in its record.
    public var isInterrupted: Bool {
        guard let record else { return false }
        // An element of an array, as only warnings are.
        return ["[", ","].contains { record.contains("\($0)\"\(DiagnosticCode.interrupted.name)\"") }
    }
}

extension StoreState {
    fileprivate static let deliveryColumns = """
        id, sender_id, source, format, accepted, app, target, state, attempts, nonce, action, reason, scene, resolved, \
        (SELECT digest FROM configuration WHERE id = delivery.configuration), session, finished, record, due, expires, \
        collapse, redriven, parent, response, schedule, scheduled
        """

    /// What a row of `delivery` arrived as, or its original did.
    static let inputOfDelivery = """
        coalesce(delivery.input, (SELECT body FROM delivery_input AS i WHERE i.number = coalesce(delivery.original, delivery.number)), \
        (SELECT o.input FROM delivery AS o WHERE o.number = delivery.original))
        """

    /// The columns of a list, and what is only read of one.
    fileprivate static let wholeDelivery = """
        \(deliveryColumns), evidence, legacy_explanation, \
        \(inputOfDelivery), \
        (SELECT id FROM delivery AS o WHERE o.number = delivery.original)
        """

    /// Our id of a delivery, by that or by the one that its sender gave it: see `Store.delivery`.
    mutating func id(ofDelivery idOrSenderID: String) throws(StoreError) -> String? {
        for condition in ["id = ?", "sender_id = ? ORDER BY state = 'duplicate', number DESC LIMIT 1"] {
            if let id = try text("SELECT id FROM delivery WHERE \(condition)", .text(idOrSenderID)) { return id }
        }
        return nil
    }

    /// One delivery by our id.
    package mutating func delivery(id: String) throws(StoreError) -> Store.StoredDelivery? {
        try deliveries(
            "SELECT \(StoreState.wholeDelivery) FROM delivery WHERE id = ?", [.text(id)]
        ).first
    }

    /// The older deliveries of an app with the same collapse id, as far as their effect has not begun.
    ///
    /// - Parameter id: of the newer one; it need not be there yet.
    package mutating func collapsing(
        _ collapse: String, app: String?, before id: String
    ) throws(StoreError) -> [Store.StoredDelivery] {
        try deliveries(
            """
            SELECT \(StoreState.deliveryColumns) FROM delivery
            WHERE collapse = ? AND app IS ? AND state IN ('accepted', 'resolved') AND id <> ?3
                AND number < coalesce((SELECT number FROM delivery WHERE id = ?3), 9223372036854775807)
            ORDER BY number
            """, [.text(collapse), SQLiteValue(app), .text(id)])
    }

    /// Rows of `deliveryColumns` or of `wholeDelivery`.
    fileprivate mutating func deliveries(
        _ sql: String, _ values: [SQLiteValue]
    ) throws(StoreError) -> [Store.StoredDelivery] {
        let row = try prepare(sql, values)
        let isWhole = row.columns > 26
        var found: [Store.StoredDelivery] = []
        while try row.step() {
            let id = row.text(0)
            let target = row.optionalText(6)
            let resolved = row.optionalText(13)
            guard let state = DeliveryState(rawValue: row.text(7)) else {
                throw .unreadable("delivery \(id) has no known state", path: path)
            }
            found.append(
                Store.StoredDelivery(
                    id: id, senderID: row.optionalText(1), source: row.text(2), format: row.optionalText(3),
                    accepted: row.integer(4), app: row.optionalText(5), target: target, state: state,
                    attempts: Int(row.integer(8)), nonce: row.optionalText(9),
                    action: row.optionalText(10).flatMap { Action(rawValue: $0) },
                    reason: row.optionalText(11).flatMap { Reason(rawValue: $0) }, scene: row.optionalText(12),
                    resolved: resolved == "" ? target : resolved, configuration: row.optionalText(14),
                    session: row.optionalText(15), finished: row.optionalInteger(16), record: row.optionalText(17),
                    evidence: isWhole ? row.optionalBlob(26) : nil,
                    legacyExplanation: isWhole ? row.optionalText(27) : nil, input: isWhole ? row.blob(28) : [],
                    original: isWhole ? row.optionalText(29) : nil, due: row.optionalInteger(18),
                    expires: row.optionalInteger(19), collapse: row.optionalText(20),
                    redriven: row.optionalInteger(21).map { Int($0) }, parent: row.optionalText(22),
                    response: row.optionalText(23), schedule: row.optionalText(24), scheduled: row.optionalInteger(25)))
        }
        return found
    }
}

// MARK: - Records

extension Store {
    /// Where a record stands among all: in the order in which they were written.
    package struct RecordPosition: Sendable, Hashable {
        /// Microseconds since 1970.
        package var finished: Int64
        package var number: Int64
    }

    package struct StoredRecord: Sendable {
        package var id: String
        /// JSON.
        package var record: String
        package var place: RecordPosition
    }

    /// Where a finished delivery's record stands; nil where it is not known, or open. The id is ours or its sender's.
    package func recordPosition(of id: String) throws(StoreError) -> RecordPosition? {
        guard let known = try delivery(id) else { return nil }
        return try read { (state) throws(StoreError) in
            let row = try state.prepare(
                "SELECT finished, number FROM delivery WHERE id = ? AND finished IS NOT NULL", [.text(known.id)])
            return try row.step() ? RecordPosition(finished: row.integer(0), number: row.integer(1)) : nil
        }
    }

    /// The first delivery in the order of arrival that had no record at that place, or may get one still.
    package func firstNumber(after place: RecordPosition) throws(StoreError) -> Int64 {
        try read { (state) throws(StoreError) in
            try state.integer(
                "SELECT min(number) FROM delivery WHERE finished IS NULL OR finished >= ?", .integer(place.finished))
                ?? 0
        }
    }

    /// What follows a place, in order; fewer than `limit` only at the end, or where it is more than a megabyte.
    ///
    /// - Parameter number: only deliveries from this one on in the order of arrival; the others need not be looked at.
    package func records(
        after place: RecordPosition, from number: Int64, limit: Int
    ) throws(StoreError) -> (records: [StoredRecord], isAll: Bool) {
        try read { (state) throws(StoreError) in
            // The places first: what is long is then only read of those that are wanted.
            let row = try state.prepare(
                """
                SELECT d.id, d.record, d.finished, d.number FROM (
                    SELECT number FROM delivery
                    WHERE number >= ?1 AND (finished > ?2 OR finished = ?2 AND number > ?3) AND record IS NOT NULL
                    ORDER BY finished, number LIMIT ?4) AS p
                JOIN delivery AS d ON d.number = p.number ORDER BY d.finished, d.number
                """,
                [.integer(number), .integer(place.finished), .integer(place.number), .integer(Int64(limit))])
            var records: [StoredRecord] = []
            var size = 0
            while size < 1 << 20 {
                guard try row.step() else { return (records, records.count < limit) }
                let record = row.text(1)
                size += record.utf8.count
                records.append(
                    StoredRecord(
                        id: row.text(0), record: record,
                        place: RecordPosition(finished: row.integer(2), number: row.integer(3))))
            }
            return (records, false)
        }
    }
}

// MARK: - Evidence

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
    package mutating func versions(
        of sessions: [SceneSession.Summary]
    ) throws(StoreError) -> (rows: [Int64], room: Int64) {
        var rows: [Int64] = []
        rows.reserveCapacity(sessions.count)
        var room: Int64 = 0
        for session in sessions {
            if let known = sessionVersions[session.created], known.generation == session.generation {
                rows.append(known.row)
                continue
            }
            let (row, isNew) = try version(of: session.id)
            if isNew { room += StoreState.room(for: 80 + session.textSize) }
            if sessionVersions.count >= 100_000 { sessionVersions.removeAll() }
            sessionVersions[session.created] = (session.generation, row)
            rows.append(row)
        }
        return (rows, room)
    }

    /// A session's last row, where it still describes the session, or a new one.
    private mutating func version(of session: String) throws(StoreError) -> (row: Int64, isNew: Bool) {
        // Most have none yet.
        if let row = try insertVersion(of: session) { return (row, true) }
        if let last = try lastVersion(of: session) {
            if last.isSame { return (last.row, false) }
            try run(
                "UPDATE session_version SET replaced = (SELECT coalesce(max(number), 0) FROM delivery) WHERE id = ?",
                .integer(last.row))
            if let row = try insertVersion(of: session) { return (row, true) }
        }
        throw .unreadable("the session \(session) is missing", path: path)
    }

    /// A session's last row; nil where it has one, or there is no such session.
    private mutating func insertVersion(of session: String) throws(StoreError) -> Int64? {
        // Without RETURNING, which makes SQLite keep the row in a table of its own first. OR FAIL: as in `record`.
        let inserted = try run(
            """
            INSERT OR FAIL INTO session_version (session, scene, role, target, can, can_origin, prefers, prefers_origin, created,
                handle, title)
            SELECT id, scene, role, target, can, can_origin, prefers, prefers_origin, created, handle, title
            FROM session WHERE id = ?
            ON CONFLICT (session) WHERE replaced IS NULL DO NOTHING
            """, .text(session))
        return inserted == 1 ? connection?.lastRow : nil
    }

    private mutating func lastVersion(of session: String) throws(StoreError) -> (row: Int64, isSame: Bool)? {
        let last = try prepare(
            """
            SELECT v.id, v.title IS s.title AND v.handle IS s.handle AND v.target IS s.target AND v.can = s.can
                AND v.prefers = s.prefers AND v.can_origin = s.can_origin AND v.prefers_origin = s.prefers_origin
                AND v.scene = s.scene AND v.role = s.role AND v.created = s.created
            FROM session_version AS v JOIN session AS s ON s.id = v.session
            WHERE v.session = ? AND v.replaced IS NULL
            """, [.text(session)])
        return try last.step() ? (last.integer(0), last.integer(1) == 1) : nil
    }

    /// Deletes what no evidence can refer to any more: versions that were replaced before the oldest delivery arrived,
    /// and configurations that no delivery was decided by.
    package mutating func sweepEvidence() throws(StoreError) {
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
        // The cached rows are no longer valid.
        forgetConditions()
    }
}

// MARK: - Opened pages

extension StoreState {
    /// The inputs of the deliveries that opened a web page since a moment (microseconds since 1970), the newest first.
    package mutating func inputsOfOpenedPages(since: Int64, limit: Int) throws(StoreError) -> [[UInt8]] {
        // By number, which grows with the time of arrival: there is no index of times.
        let row = try prepare(
            """
            SELECT accepted, action, \(StoreState.inputOfDelivery) FROM delivery ORDER BY number DESC LIMIT ?
            """, [.integer(Int64(limit))])
        var inputs: [[UInt8]] = []
        while try row.step() {
            guard row.integer(0) >= since else { break }
            if row.optionalText(1) == "open-web" { inputs.append(row.blob(2)) }
        }
        return inputs
    }
}
