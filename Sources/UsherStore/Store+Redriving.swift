public import UsherScene

extension Store {
    public enum RetryResult: Sendable, Hashable {
        /// It is accepted again, under the same id.
        case accepted
        /// It is not finished, or was done: there is nothing to try again.
        case refused(DeliveryState)
        /// It was done, and nothing confirmed its effect.
        case unverified
        case unknown
    }

    public enum DropResult: Sendable, Hashable {
        /// It was finished, and is deleted.
        case removed
        /// It had not begun, and has its terminal record now.
        case dropped
        /// Its effect has begun: that cannot be taken back.
        case acting
        case unknown
    }

    /// Asks for a delivery again that failed, expired, collapsed or was a duplicate: it becomes accepted, keeps its id and
    /// its count of attempts, expires no more, and is not taken for a duplicate. The record that it had goes into its
    /// history.
    ///
    /// - Parameter again: also takes one that was done with the outcome `unverified`.
    public func retry(delivery id: String, again: Bool = false) throws(StoreError) -> RetryResult {
        try write { (state) throws(StoreError) in try state.retry(delivery: id, again: again) }
    }

    /// Deletes a finished delivery; ends an open one that has not begun as `failed`, with the record that is made for it.
    public func drop(
        delivery id: String, record: @escaping @Sendable (StoredDelivery) -> String
    ) throws(StoreError) -> DropResult {
        try write { (state) throws(StoreError) in
            guard let known = try state.delivery(id: id) else { return .unknown }
            if known.state == .acting { return .acting }
            if known.state.isTerminal {
                return try state.forget(delivery: id) ? .removed : .unknown
            }
            _ = try state.abandon(known, state: .failed, record: record(known))
            return .dropped
        }
    }
}

extension StoreState {
    /// See `Store.retry`.
    package mutating func retry(delivery id: String, again: Bool = false) throws(StoreError) -> Store.RetryResult {
        guard let known = try standing(of: id) else { return .unknown }
        switch known.state {
        case .failed, .expired, .collapsed, .duplicate: break
        case .done:
            guard try delivery(id: id)?.outcome == .unverified else { return .refused(.done) }
            guard again else { return .unverified }
        case .accepted, .resolved, .acting: return .refused(known.state)
        }
        let shares = try integer("SELECT original FROM delivery WHERE id = ?", .text(id)) != nil
        // What is open has its input apart, and what a duplicate shared with its original is its own from now on.
        let size = try integer(
            """
            INSERT INTO delivery_input (number, body)
            SELECT number, body FROM (SELECT number, \(StoreState.inputOfDelivery) AS body FROM delivery WHERE id = ?)
            WHERE body IS NOT NULL
            ON CONFLICT (number) DO NOTHING RETURNING length(body)
            """, .text(id))
        if shares, size == nil { return .refused(.duplicate) }
        if let size {
            try run(
                "UPDATE delivery SET original = NULL, input = NULL, bytes = bytes + ? WHERE id = ?",
                .integer(shares ? StoreState.room(for: Int(size)) : 0), .text(id))
        }
        try run(
            """
            INSERT INTO delivery_history (delivery, state, finished, record)
            SELECT id, state, finished, record FROM delivery WHERE id = ?
            """, .text(id))
        try run(
            """
            UPDATE delivery SET state = 'accepted', record = NULL, finished = NULL, session = NULL, nonce = NULL,
                due = NULL, expires = NULL, redriven = attempts
            WHERE id = ?
            """, .text(id))
        return .accepted
    }

    /// Deletes a finished delivery; false where it is open or unknown.
    package mutating func forget(delivery id: String) throws(StoreError) -> Bool {
        try run(
            "DELETE FROM delivery WHERE id = ? AND finished IS NOT NULL", .text(id)) > 0
    }

    /// Finishes a delivery that never begins. A session that was made for it ends with it, one that was to be launched
    /// again stays disconnected; that one is returned with the one that ended.
    @discardableResult
    package mutating func abandon(
        _ delivery: Store.StoredDelivery, state: DeliveryState, record: String
    ) throws(StoreError) -> (changed: SceneSession?, ended: String?) {
        var change: (id: String, change: Store.SessionChange)?
        var ended: String?
        if delivery.state == .resolved, delivery.action == .launch, let session = delivery.session {
            if delivery.madeItsSession { ended = session } else { change = (session, .init(state: .disconnected)) }
        }
        let result = try finish(
            delivery: delivery.id, state: state, record: record, session: change, endSession: ended)
        if case .finished(let session, _) = result { return (session, ended) }
        return (nil, nil)
    }
}
