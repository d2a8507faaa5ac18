public import UsherScene

extension Store {
    /// What a decision needs from the store before it is carried out.
    public enum Claim: Sendable {
        /// This session; a disconnected one becomes connecting, since it is launched again.
        case activate(session: String)
        /// A new session, connecting.
        case create(NewSession)
        /// No session: the web, a notification, a background handler.
        case none
    }

    public enum ClaimResult: Sendable {
        /// The delivery is the caller's to carry out. The session is as it is now; the generation is the one expected, or
        /// one more where the claim changed the session: nothing else has changed.
        case claimed(session: SceneSession?, generation: Int64)
        /// The sessions have changed since the decision, or the one chosen is gone: decide again. Nothing was written.
        case stale
        /// The same request is in the store already, or another process has this one. Nothing was written.
        case duplicate(of: String)
    }

    /// Claims a decision in one transaction: the delivery is journalled and its session marked, only if no session has
    /// changed since.
    ///
    /// - Parameters:
    ///   - delivery: new, or one that was accepted, resolved or adopted before by the same owner.
    ///   - expectedGeneration: of the sessions that were decided on.
    ///   - begin: whether the effect follows at once: the delivery becomes `acting`, its attempt and nonce are
    ///     journalled. Else it becomes `resolved`, and `begin(delivery:attempt:nonce:)` follows.
    ///   - nonce: what a window that is launched can be known by.
    ///   - duplicateWindow: for how many seconds another request of the same sender id, source and format is the same
    ///     one; 0 for not at all.
    public func claim(
        _ delivery: NewDelivery, decision: DecisionText, claim: Claim, expectedGeneration: Int64, begin: Bool,
        nonce: String, owner: Owner, duplicateWindow: Int64 = 86_400
    ) throws(StoreError) -> ClaimResult {
        try write { (state) throws(StoreError) in
            let known = try state.standing(of: delivery.id)
            if let known, known.state.isTerminal || (known.owner.map { $0 != owner } ?? false) {
                return .duplicate(of: delivery.id)
            }
            // What was decided before is not taken back because of its sender's id.
            if known == nil || known?.state == .accepted,
                let original = try state.original(of: delivery, window: duplicateWindow)
            {
                return .duplicate(of: original)
            }
            var generation = try state.generation()
            guard generation == expectedGeneration else { return .stale }
            var session: SceneSession?
            switch claim {
            case .none: break
            case .create(var new):
                new.state = .connecting
                generation = try state.nextGeneration()
                session = try state.connect(new, generation: generation)
            case .activate(let id):
                session = try state.session(id: id)
                guard let found = session, found.state != .closing else { return .stale }
                if found.state == .disconnected {
                    session = try state.change(
                        session: id,
                        SessionChange(
                            // What it had is gone with its window; what it gets while it is launched counts.
                            state: .connecting, handle: .some(nil), handleServer: .some(nil)))
                    generation += 1
                }
            }
            try state.journal(
                delivery, state: begin ? .acting : .resolved, nonce: begin ? nonce : nil, owner: owner,
                decision: decision, session: session?.id)
            return .claimed(session: session, generation: generation)
        }
    }

    /// Journals that an effect begins, before it does: a resolved delivery, or one that is run again, becomes `acting`.
    /// Throws when the delivery is finished or unknown: then it must not begin.
    public func begin(delivery id: String, attempt: Int, nonce: String) throws(StoreError) {
        try write { (state) throws(StoreError) in
            let changed = try state.run(
                """
                UPDATE delivery SET state = 'acting', attempts = ?, nonce = ?
                WHERE id = ? AND state IN ('accepted', 'resolved', 'acting')
                """, .integer(Int64(attempt)), .text(nonce), .text(id))
            if changed == 0 {
                throw .notOpen(delivery: id, state: try state.standing(of: id)?.state, path: state.path)
            }
        }
    }

    /// Journals requests that are not decided yet: from then on they are finished sooner or later. Those with an id that
    /// is there already are passed over.
    public func accept(_ deliveries: [NewDelivery], owner: Owner?) throws(StoreError) {
        if deliveries.isEmpty { return }
        try write { (state) throws(StoreError) in
            for delivery in deliveries where try state.standing(of: delivery.id) == nil {
                try state.journal(delivery, state: .accepted, nonce: nil, owner: owner, decision: nil, session: nil)
            }
        }
    }

    /// Takes over a delivery whose owner no longer runs. False when it is finished, unknown, or somebody else's who runs:
    /// of two who try, one gets it.
    public func adopt(id: String, owner: Owner) throws(StoreError) -> Bool {
        try write { (state) throws(StoreError) in
            guard let known = try state.standing(of: id), !known.state.isTerminal else { return false }
            if let other = known.owner, other != owner, other.isAlive() { return false }
            try state.run(
                "UPDATE delivery SET owner_boot = ?, owner_pid = ?, owner_start = ? WHERE id = ?",
                .text(owner.bootID), .integer(Int64(owner.pid)), .integer(Int64(bitPattern: owner.startTime)), .text(id)
            )
            return true
        }
    }
}

extension StoreState {
    /// How far a delivery is, and whose it is; nil when it is not in the store.
    mutating func standing(of id: String) throws(StoreError) -> (state: DeliveryState, owner: Store.Owner?)? {
        let row = try prepare(
            "SELECT state, owner_boot, owner_pid, owner_start FROM delivery WHERE id = ?", [.text(id)])
        guard try row.step() else { return nil }
        guard let state = DeliveryState(rawValue: row.text(0)) else {
            throw .unreadable("delivery \(id) has no known state", path: path)
        }
        return (state, owner(row, from: 1))
    }

    /// The first delivery of the same request, of those that arrived before this one. A duplicate is nobody's original: it
    /// would prolong the window for ever.
    fileprivate mutating func original(of delivery: Store.NewDelivery, window: Int64) throws(StoreError) -> String? {
        guard let sender = delivery.senderID, window > 0 else { return nil }
        let (length, overflow) = window.multipliedReportingOverflow(by: 1_000_000)
        let (since, underflow) = delivery.accepted.subtractingReportingOverflow(length)
        return try text(
            """
            SELECT id FROM delivery WHERE sender_id = ? AND accepted > ? AND source = ? AND format IS ?
                AND state NOT IN ('duplicate', 'failed', 'expired', 'collapsed')
                AND number < coalesce((SELECT number FROM delivery WHERE id = ?), 9223372036854775807)
            ORDER BY accepted, number LIMIT 1
            """, .text(sender), .integer(overflow || underflow ? .min : since), .text(delivery.source),
            SQLiteValue(delivery.format), .text(delivery.id))
    }

    /// Inserts a delivery, or moves an open one on.
    fileprivate mutating func journal(
        _ delivery: Store.NewDelivery, state: DeliveryState, nonce: String?, owner: Store.Owner?,
        decision: Store.DecisionText?, session: String?
    ) throws(StoreError) {
        try run(
            """
            INSERT INTO delivery (id, sender_id, source, format, accepted, app, target, state, attempts, nonce,
                owner_boot, owner_pid, owner_start, action, reason, scene, resolved, configuration, session, explanation,
                input)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET app = excluded.app, target = excluded.target, state = excluded.state,
                attempts = attempts + excluded.attempts, nonce = coalesce(excluded.nonce, nonce),
                owner_boot = excluded.owner_boot, owner_pid = excluded.owner_pid, owner_start = excluded.owner_start,
                action = excluded.action, reason = excluded.reason, scene = excluded.scene,
                resolved = excluded.resolved, configuration = excluded.configuration, session = excluded.session,
                explanation = excluded.explanation
            """,
            .text(delivery.id), SQLiteValue(delivery.senderID), .text(delivery.source), SQLiteValue(delivery.format),
            .integer(delivery.accepted), SQLiteValue(decision?.app ?? delivery.app), SQLiteValue(delivery.target),
            .text(state.rawValue), .integer(state == .acting ? 1 : 0), SQLiteValue(nonce), SQLiteValue(owner?.bootID),
            SQLiteValue(owner.map { Int64($0.pid) }), SQLiteValue(owner.map { Int64(bitPattern: $0.startTime) }),
            SQLiteValue(decision?.action.rawValue), SQLiteValue(decision?.reason.rawValue),
            SQLiteValue(decision?.scene), SQLiteValue(decision?.resolved), SQLiteValue(decision?.configuration),
            SQLiteValue(session), SQLiteValue(decision?.explanation), .blob(delivery.input))
    }
}
