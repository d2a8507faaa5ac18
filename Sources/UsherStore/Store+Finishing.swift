public import UsherScene

extension Store {
    public enum FinishResult: Sendable {
        /// The delivery has its one terminal record. The session is as it is now, where one was changed; the generation
        /// is the store's.
        case finished(session: SceneSession?, generation: Int64)
        /// It had one before: nothing was changed, its session neither.
        case alreadyFinished(DeliveryState)
        /// Another process carries it out: nothing was changed.
        case taken
        case unknown
    }

    /// A delivery that needs no effect, with its record.
    public struct Finished: Sendable {
        public var delivery: NewDelivery
        /// Terminal.
        public var state: DeliveryState
        /// JSON.
        public var record: String
        public var decision: DecisionText?

        public init(_ delivery: NewDelivery, state: DeliveryState, record: String, decision: DecisionText? = nil) {
            self.delivery = delivery
            self.state = state
            self.record = record
            self.decision = decision
        }
    }

    /// Gives a delivery its terminal record and changes or ends sessions, in one transaction and only once.
    ///
    /// - Parameters:
    ///   - state: terminal.
    ///   - record: the decision record, JSON.
    ///   - session: what became of the session; passed over when that session is gone.
    ///   - endSession: a session that turned out to have lost its window for good.
    ///   - owner: if given, a delivery that has another owner is not finished; nil for no such check.
    @discardableResult
    public func finish(
        delivery id: String, state terminal: DeliveryState, record: String,
        session: (id: String, change: SessionChange)? = nil, endSession: String? = nil, owner: Owner? = nil
    ) throws(StoreError) -> FinishResult {
        try write { (state) throws(StoreError) in
            try state.finish(
                delivery: id, state: terminal, record: record, session: session, endSession: endSession, owner: owner)
        }
    }

    /// Journals a delivery that needs no effect (invalid, no app, skipped), terminal at once.
    @discardableResult
    public func record(
        _ delivery: NewDelivery, state: DeliveryState, record: String, decision: DecisionText? = nil
    ) throws(StoreError) -> Int {
        try self.record([Finished(delivery, state: state, record: record, decision: decision)])
    }

    /// Journals deliveries that need no effect, all or none. One that is accepted but not decided gets its record now;
    /// one that is finished keeps the record it has. Returns how many were given theirs.
    @discardableResult
    public func record(_ finished: [Finished]) throws(StoreError) -> Int {
        if finished.isEmpty { return 0 }
        return try write { (state) throws(StoreError) in
            var written = 0
            for one in finished { written += try state.record(one) ? 1 : 0 }
            return written
        }
    }
}

extension StoreState {
    /// See `Store.finish`.
    package mutating func finish(
        delivery id: String, state terminal: DeliveryState, record: String,
        session: (id: String, change: Store.SessionChange)? = nil, endSession: String? = nil,
        owner: Store.Owner? = nil
    ) throws(StoreError) -> Store.FinishResult {
        precondition(terminal.isTerminal, "a delivery is finished with a terminal state")
        guard let known = try standing(of: id) else { return .unknown }
        guard !known.state.isTerminal else { return .alreadyFinished(known.state) }
        guard owner == nil || known.owner == nil || known.owner == owner else { return .taken }
        try run(
            """
            UPDATE delivery SET state = ?, record = ?, finished = ?, bytes = bytes + ?, due = NULL, nonce = NULL,
                owner = NULL, owner_boot = NULL, owner_pid = NULL, owner_start = NULL
            WHERE number = ?
            """,
            .text(terminal.rawValue), .text(record), .integer(options.now()),
            .integer(StoreState.room(for: record.utf8.count)), .integer(known.number))
        noteFinished(known.number)
        if terminal != .done { try forgetInterruption(by: id) }
        var changed: SceneSession?
        if let session { changed = try change(session: session.id, session.change) }
        if let endSession { _ = try end(session: endSession) }
        return .finished(session: changed, generation: try generation())
    }

    /// Gives a delivery that failed back to the journal, to be tried again: its session changes as at an end.
    ///
    /// - Parameter due: not before, in microseconds since 1970.
    package mutating func putBack(
        delivery id: String, due: Int64, session: (id: String, change: Store.SessionChange)? = nil,
        endSession: String? = nil, owner: Store.Owner
    ) throws(StoreError) -> Store.FinishResult {
        guard let known = try standing(of: id) else { return .unknown }
        guard !known.state.isTerminal else { return .alreadyFinished(known.state) }
        guard known.owner == nil || known.owner == owner else { return .taken }
        try run(
            "UPDATE delivery SET state = 'accepted', session = NULL, due = ? WHERE id = ?", .integer(due), .text(id))
        var changed: SceneSession?
        if let session { changed = try change(session: session.id, session.change) }
        if let endSession { _ = try end(session: endSession) }
        return .finished(session: changed, generation: try generation())
    }

    /// See `Store.record`; false where it has its record already.
    @discardableResult
    package mutating func record(_ finished: Store.Finished) throws(StoreError) -> Bool {
        try record(
            finished.delivery, target: finished.delivery.target, state: finished.state, record: finished.record,
            decision: finished.decision)
    }

    /// The same from its parts: to put them together would copy them all.
    ///
    /// - Parameters:
    ///   - target: what it was taken to mean, which may be more than what the delivery says.
    ///   - original: the delivery that this one is a duplicate of. The duplicate shares its input.
    package mutating func record(
        _ delivery: Store.NewDelivery, target: String?, state terminal: DeliveryState, record: String,
        decision: Store.DecisionText?, original: String? = nil, owner: Store.Owner? = nil
    ) throws(StoreError) -> Bool {
        precondition(terminal.isTerminal, "a delivery is recorded with a terminal state")
        if let owner, let other = try standing(of: delivery.id)?.owner, other != owner { return false }
        let configuration = try decision?.configuration.map { (digest) throws(StoreError) in
            try configurationRow(digest)
        }
        let resolved = decision?.resolved.map { StoreState.shortened($0, target: target) }
        let room = StoreState.room(for: record.utf8.count) + (decision?.evidence?.room ?? 0)
        let inserted = try run(
            """
            INSERT INTO delivery (id, sender_id, source, format, accepted, app, target, state, attempts,
                finished, record, action, reason, scene, resolved, configuration, evidence, original, bytes)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT number FROM delivery WHERE id = ?), ?)
            ON CONFLICT (id) DO NOTHING
            """,
            .text(delivery.id), SQLiteValue(delivery.senderID), .text(delivery.source),
            SQLiteValue(delivery.format), .integer(delivery.accepted),
            SQLiteValue(decision?.app ?? delivery.app), SQLiteValue(target),
            .text(terminal.rawValue), .integer(options.now()), .text(record),
            SQLiteValue(decision?.action.rawValue), SQLiteValue(decision?.reason.rawValue),
            SQLiteValue(decision?.scene), SQLiteValue(resolved), SQLiteValue(configuration),
            SQLiteValue(decision?.evidence?.bytes), SQLiteValue(original),
            .integer(room + (original == nil ? delivery.room : delivery.roomWithoutInput)))
        if inserted > 0 {
            noteFinished(connection?.lastRow ?? 0)
            if original == nil { try keepInput(delivery.input) }
            return true
        }
        var input: Int64 = 0
        if original != nil {
            input = StoreState.room(
                for: Int(
                    try integer(
                        """
                        DELETE FROM delivery_input
                        WHERE number = (SELECT number FROM delivery WHERE id = ? AND finished IS NULL)
                        RETURNING length(body)
                        """, .text(delivery.id)) ?? 0))
        }
        let updated = try run(
            """
            UPDATE delivery SET app = ?, target = ?, state = ?, finished = ?, record = ?, action = ?, reason = ?,
                scene = ?, resolved = ?, configuration = ?, evidence = ?, legacy_explanation = NULL,
                original = (SELECT number FROM delivery WHERE id = ?), bytes = bytes + ?, due = NULL, nonce = NULL,
                owner = NULL, owner_boot = NULL, owner_pid = NULL, owner_start = NULL
            WHERE id = ? AND finished IS NULL
            """,
            SQLiteValue(decision?.app ?? delivery.app), SQLiteValue(target), .text(terminal.rawValue),
            .integer(options.now()), .text(record), SQLiteValue(decision?.action.rawValue),
            SQLiteValue(decision?.reason.rawValue), SQLiteValue(decision?.scene), SQLiteValue(resolved),
            SQLiteValue(configuration), SQLiteValue(decision?.evidence?.bytes), SQLiteValue(original),
            .integer(room - input), .text(delivery.id))
        guard updated > 0 else { return false }
        noteFinished(try integer("SELECT number FROM delivery WHERE id = ?", .text(delivery.id)) ?? 0)
        return true
    }
}
