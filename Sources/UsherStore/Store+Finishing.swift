public import UsherScene

extension Store {
    public enum FinishResult: Sendable {
        /// The delivery has its one terminal record. The session is as it is now, where one was changed; the generation
        /// is the store's.
        case finished(session: SceneSession?, generation: Int64)
        /// It had one before: nothing was changed, its session neither.
        case alreadyFinished(DeliveryState)
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
    ///   - endSession: a session whose window turned out to be gone for good.
    @discardableResult
    public func finish(
        delivery id: String, state terminal: DeliveryState, record: String,
        session: (id: String, change: SessionChange)? = nil, endSession: String? = nil
    ) throws(StoreError) -> FinishResult {
        precondition(terminal.isTerminal, "a delivery is finished with a terminal state")
        return try write { (state) throws(StoreError) in
            guard let known = try state.standing(of: id)?.state else { return .unknown }
            guard !known.isTerminal else { return .alreadyFinished(known) }
            try state.run(
                "UPDATE delivery SET state = ?, record = ?, finished = ? WHERE id = ?",
                .text(terminal.rawValue), .text(record), .integer(state.options.now()), .text(id))
            var changed: SceneSession?
            if let session { changed = try state.change(session: session.id, session.change) }
            if let endSession { _ = try state.end(session: endSession) }
            return .finished(session: changed, generation: try state.generation())
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
        precondition(finished.allSatisfy { $0.state.isTerminal }, "a delivery is recorded with a terminal state")
        if finished.isEmpty { return 0 }
        return try write { (state) throws(StoreError) in
            let now = state.options.now()
            var written = 0
            for one in finished {
                let delivery = one.delivery
                written += try state.run(
                    """
                    INSERT INTO delivery (id, sender_id, source, format, accepted, app, target, state, attempts,
                        finished, record, action, reason, scene, resolved, configuration, explanation, input)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT (id) DO UPDATE SET app = excluded.app, target = excluded.target,
                        state = excluded.state, finished = excluded.finished, record = excluded.record,
                        action = excluded.action, reason = excluded.reason, scene = excluded.scene,
                        resolved = excluded.resolved, configuration = excluded.configuration,
                        explanation = excluded.explanation
                    WHERE state IN ('accepted', 'resolved', 'acting')
                    """,
                    .text(delivery.id), SQLiteValue(delivery.senderID), .text(delivery.source),
                    SQLiteValue(delivery.format), .integer(delivery.accepted),
                    SQLiteValue(one.decision?.app ?? delivery.app), SQLiteValue(delivery.target),
                    .text(one.state.rawValue), .integer(now), .text(one.record),
                    SQLiteValue(one.decision?.action.rawValue), SQLiteValue(one.decision?.reason.rawValue),
                    SQLiteValue(one.decision?.scene), SQLiteValue(one.decision?.resolved),
                    SQLiteValue(one.decision?.configuration), SQLiteValue(one.decision?.explanation),
                    .blob(delivery.input))
            }
            return written
        }
    }
}
