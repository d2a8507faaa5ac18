public import UsherScene
internal import UsherText

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
        /// The delivery has its record already. Nothing was written.
        case finished
    }

    public enum BeginResult: Sendable, Hashable {
        case begun
        /// It has its record already: it was dropped, collapsed or finished meanwhile, and must not begin.
        case finished(DeliveryState)
        case unknown
    }
}

extension StoreState {
    /// Claims a decision: the delivery is journalled and its session marked, only if no session has changed since. Whether it is a
    /// duplicate was looked for before (`original`).
    ///
    /// - Parameters:
    ///   - delivery: new, or one that was accepted or resolved before.
    ///   - isNew: its id was made just now: the store cannot have it.
    ///   - expectedGeneration: of the sessions that were decided on.
    ///   - begin: whether the effect follows at once: the delivery becomes `acting`, its attempt and nonce are
    ///     journalled. Else it becomes `resolved`, and `begin(delivery:attempt:nonce:)` follows.
    ///   - nonce: what a window that is launched can be known by.
    package mutating func claim(
        _ delivery: Store.NewDelivery, decision: Store.DecisionText, claim: Store.Claim, expectedGeneration: Int64,
        begin: Bool, nonce: String, isNew: Bool = false
    ) throws(StoreError) -> Store.ClaimResult {
        let known = isNew ? nil : try standing(of: delivery.id)
        if let known, known.state.isTerminal { return .finished }
        var generation = try generation()
        guard generation == expectedGeneration else { return .stale }
        var session: SceneSession?
        switch claim {
        case .none: break
        case .create(var new):
            new.state = .connecting
            generation = try nextGeneration()
            session = try connect(new, generation: generation)
        case .activate(let id):
            session = try self.session(id: id)
            guard let found = session, found.state != .closing else { return .stale }
            if found.state == .disconnected {
                session = try change(
                    session: id,
                    Store.SessionChange(
                        // What it had is gone with its window; what it gets while it is launched counts.
                        state: .connecting, handle: .some(nil), handleServer: .some(nil)))
                generation += 1
            }
        }
        try journal(
            delivery, isKnown: known != nil, state: begin ? .acting : .resolved, nonce: begin ? nonce : nil,
            decision: decision, session: session?.id)
        return .claimed(session: session, generation: generation)
    }

    /// Journals that an effect begins, before it does: a resolved delivery, or one that is run again, becomes `acting`.
    package mutating func begin(
        delivery id: String, attempt: Int, nonce: String
    ) throws(StoreError) -> Store.BeginResult {
        guard let known = try standing(of: id) else { return .unknown }
        if known.state.isTerminal { return .finished(known.state) }
        try run(
            "UPDATE delivery SET state = 'acting', attempts = ?, nonce = ?, due = NULL WHERE id = ?",
            .integer(Int64(attempt)), .text(nonce), .text(id))
        return .begun
    }

    /// Journals a request that is not decided yet: from then on it is finished sooner or later. False where its id is there
    /// already.
    @discardableResult
    package mutating func accept(_ delivery: Store.NewDelivery) throws(StoreError) -> Bool {
        guard try standing(of: delivery.id) == nil else { return false }
        try journal(delivery, isKnown: false, state: .accepted, nonce: nil, decision: nil, session: nil)
        return true
    }

    /// The number and the state of a delivery; nil if it is not in the store.
    package mutating func standing(of id: String) throws(StoreError) -> (number: Int64, state: DeliveryState)? {
        let row = try prepare("SELECT state, number FROM delivery WHERE id = ?", [.text(id)])
        guard try row.step() else { return nil }
        guard let state = DeliveryState(rawValue: row.text(0)) else {
            throw .unreadable("delivery \(id) has no known state", path: path)
        }
        return (row.integer(1), state)
    }

    /// The first delivery of the same request, of those that arrived before this one. A duplicate never counts as an
    /// original, since it would prolong the window for ever. A delivery that was asked for again is not treated as a
    /// duplicate a second time.
    ///
    /// - Parameter app: that it was resolved to; nil for the one it asked for, if any. A sender's id for another app is
    ///   another request.
    package mutating func original(
        of delivery: Store.NewDelivery, app: String?, window: Duration
    ) throws(StoreError) -> String? {
        if delivery.isRedriven { return nil }
        if let code = delivery.code, let original = try original(of: delivery, code, window: window) { return original }
        guard let sender = delivery.senderID, window > .zero else { return nil }
        let (since, underflow) = delivery.accepted.subtractingReportingOverflow(window.microseconds)
        return try text(
            """
            SELECT id FROM delivery WHERE sender_id = ? AND accepted > ? AND source = ? AND format IS ?
                AND app IS ? AND state NOT IN ('duplicate', 'failed', 'expired', 'collapsed')
                AND number < coalesce((SELECT number FROM delivery WHERE id = ?), 9223372036854775807)
            ORDER BY accepted, number LIMIT 1
            """, .text(sender), .integer(underflow ? .min : since), .text(delivery.source),
            SQLiteValue(delivery.format), SQLiteValue(app ?? delivery.app), .text(delivery.id))
    }

    /// The first delivery of the same signed request, even if it failed: to replay it must have no effect.
    private mutating func original(
        of delivery: Store.NewDelivery, _ code: Store.SignedCode, window: Duration
    ) throws(StoreError) -> String? {
        let (since, underflow) = delivery.accepted.subtractingReportingOverflow(window.microseconds)
        return try text(
            """
            SELECT id FROM delivery WHERE code = ? AND accepted > ? AND state <> 'duplicate'
                AND number < coalesce((SELECT number FROM delivery WHERE id = ?), 9223372036854775807)
            ORDER BY number LIMIT 1
            """, .blob(code.bytes), .integer(code.hasTime || underflow ? .min : since),
            .text(delivery.id))
    }

    /// Inserts a delivery, or moves an open one on.
    fileprivate mutating func journal(
        _ delivery: Store.NewDelivery, isKnown: Bool, state: DeliveryState, nonce: String?,
        decision: Store.DecisionText?, session: String?
    ) throws(StoreError) {
        let app = decision?.app ?? delivery.app
        let configuration = try decision?.configuration.map { (digest) throws(StoreError) in
            try configurationRow(digest)
        }
        let resolved = decision?.resolved.map { StoreState.shortened($0, target: delivery.target) }
        if isKnown {
            try run(
                """
                UPDATE delivery SET app = ?, target = ?, state = ?, attempts = attempts + ?, nonce = coalesce(?, nonce),
                    action = ?, reason = ?, scene = ?, resolved = ?, configuration = ?, session = ?,
                    bytes = bytes + ?, evidence = ?, legacy_explanation = NULL, due = NULL
                WHERE id = ?
                """,
                SQLiteValue(app), SQLiteValue(delivery.target), .text(state.rawValue),
                .integer(state == .acting ? 1 : 0),
                SQLiteValue(nonce), SQLiteValue(decision?.action.rawValue), SQLiteValue(decision?.reason.rawValue),
                SQLiteValue(decision?.scene), SQLiteValue(resolved), SQLiteValue(configuration), SQLiteValue(session),
                .integer(decision?.evidence?.room ?? 0), SQLiteValue(decision?.evidence?.bytes), .text(delivery.id))
            return
        }
        let bytes = delivery.room + (decision?.evidence?.room ?? 0)
        // OR FAIL: as in `record`.
        try run(
            """
            INSERT OR FAIL INTO delivery (id, sender_id, source, format, accepted, app, target, state, attempts, nonce,
                action, reason, scene, resolved, configuration, session, evidence, expires, collapse, parent, response,
                code, schedule, scheduled, bytes)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .text(delivery.id), SQLiteValue(delivery.senderID), .text(delivery.source), SQLiteValue(delivery.format),
            .integer(delivery.accepted), SQLiteValue(app), SQLiteValue(delivery.target),
            .text(state.rawValue), .integer(state == .acting ? 1 : 0), SQLiteValue(nonce),
            SQLiteValue(decision?.action.rawValue), SQLiteValue(decision?.reason.rawValue),
            SQLiteValue(decision?.scene),
            SQLiteValue(resolved), SQLiteValue(configuration),
            SQLiteValue(session), SQLiteValue(decision?.evidence?.bytes), SQLiteValue(delivery.expires),
            SQLiteValue(delivery.collapse), SQLiteValue(delivery.parent), SQLiteValue(delivery.response),
            SQLiteValue(delivery.code?.bytes), SQLiteValue(delivery.schedule), SQLiteValue(delivery.scheduled),
            .integer(bytes))
        count(inserted: state, bytes: bytes)
        if delivery.input.isEmpty { return }
        try run("INSERT INTO delivery_input (number, body) VALUES (last_insert_rowid(), ?)", .blob(delivery.input))
    }

    /// The newest identifier as a row has it: empty where it is the target itself.
    static func shortened(_ resolved: String, target: String?) -> String {
        target?.hasSameBytes(as: resolved) == true ? "" : resolved
    }
}

// MARK: - Finishing

extension Store {
    public enum FinishResult: Sendable {
        /// The delivery has its one terminal record. The session is as it is now, where one was changed; the generation is the
        /// store's, or nil where no session was to be changed or ended.
        case finished(session: SceneSession?, generation: Int64?)
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
    /// Gives a delivery its terminal record and changes or ends sessions, only once.
    ///
    /// - Parameters:
    ///   - state: terminal.
    ///   - record: the decision record, JSON.
    ///   - session: what became of the session; passed over when that session is gone.
    ///   - endSession: a session that turned out to have lost its window for good.
    package mutating func finish(
        delivery id: String, state terminal: DeliveryState, record: String,
        session: (id: String, change: Store.SessionChange)? = nil, endSession: String? = nil
    ) throws(StoreError) -> Store.FinishResult {
        precondition(terminal.isTerminal, "a delivery is finished with a terminal state")
        guard let known = try standing(of: id) else { return .unknown }
        guard !known.state.isTerminal else { return .alreadyFinished(known.state) }
        // OR FAIL: as in `record`.
        try run(
            """
            UPDATE OR FAIL delivery SET state = ?, record = ?, finished = ?, bytes = bytes + ?, due = NULL, nonce = NULL
            WHERE number = ?
            """,
            .text(terminal.rawValue), .text(record), .integer(options.now()),
            .integer(StoreState.room(for: record.utf8.count)), .integer(known.number))
        noteFinished(known.number)
        if terminal != .done { try forgetInterruption(by: id) }
        var changed: SceneSession?
        if let session { changed = try change(session: session.id, session.change) }
        if let endSession { _ = try end(session: endSession) }
        let isAboutSession = session != nil || endSession != nil
        return .finished(session: changed, generation: isAboutSession ? try generation() : nil)
    }

    /// The effect differed from the decision.
    package mutating func change(delivery id: String, action: Action) throws(StoreError) {
        try run("UPDATE delivery SET action = ? WHERE id = ?", .text(action.rawValue), .text(id))
    }

    /// Replaces the terminal record of a delivery with a more detailed one.
    package mutating func amend(delivery id: String, record: String, insteadOf old: String) throws(StoreError) {
        try run(
            "UPDATE delivery SET record = ?, bytes = bytes + ? WHERE id = ? AND finished IS NOT NULL", .text(record),
            .integer(StoreState.room(for: record.utf8.count) - StoreState.room(for: old.utf8.count)), .text(id))
    }

    /// Gives a delivery that failed back to the journal, to be tried again: its session changes as at an end.
    ///
    /// - Parameter due: not before, in microseconds since 1970.
    package mutating func scheduleRetry(
        delivery id: String, due: Int64, session: (id: String, change: Store.SessionChange)? = nil,
        endSession: String? = nil
    ) throws(StoreError) -> Store.FinishResult {
        guard let known = try standing(of: id) else { return .unknown }
        guard !known.state.isTerminal else { return .alreadyFinished(known.state) }
        try run(
            "UPDATE delivery SET state = 'accepted', session = NULL, due = ? WHERE id = ?", .integer(due), .text(id))
        var changed: SceneSession?
        if let session { changed = try change(session: session.id, session.change) }
        if let endSession { _ = try end(session: endSession) }
        let isAboutSession = session != nil || endSession != nil
        return .finished(session: changed, generation: isAboutSession ? try generation() : nil)
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
    ///   - target: the target that was resolved, which may be more than the delivery has.
    ///   - original: the delivery that this one is a duplicate of. The duplicate shares its input.
    package mutating func record(
        _ delivery: Store.NewDelivery, target: String?, state terminal: DeliveryState, record: String,
        decision: Store.DecisionText?, original: String? = nil
    ) throws(StoreError) -> Bool {
        precondition(terminal.isTerminal, "a delivery is recorded with a terminal state")
        let configuration = try decision?.configuration.map { (digest) throws(StoreError) in
            try configurationRow(digest)
        }
        let resolved = decision?.resolved.map { StoreState.shortened($0, target: target) }
        let room = StoreState.room(for: record.utf8.count) + (decision?.evidence?.room ?? 0)
        let bytes = room + (original == nil ? delivery.room : delivery.roomWithoutInput)
        // Looked up apart: most have none.
        let originalRow = try original.flatMap { (id) throws(StoreError) in try standing(of: id)?.number }
        // OR FAIL: what fails takes the whole transaction back, so SQLite need not keep the pages that this row changes.
        let inserted = try run(
            """
            INSERT OR FAIL INTO delivery (id, sender_id, source, format, accepted, app, target, state, attempts,
                finished, record, action, reason, scene, resolved, configuration, evidence, original, code, bytes, input)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO NOTHING
            """,
            .text(delivery.id), SQLiteValue(delivery.senderID), .text(delivery.source),
            SQLiteValue(delivery.format), .integer(delivery.accepted),
            SQLiteValue(decision?.app ?? delivery.app), SQLiteValue(target),
            .text(terminal.rawValue), .integer(options.now()), .text(record),
            SQLiteValue(decision?.action.rawValue), SQLiteValue(decision?.reason.rawValue),
            SQLiteValue(decision?.scene), SQLiteValue(resolved), SQLiteValue(configuration),
            SQLiteValue(decision?.evidence?.bytes), SQLiteValue(originalRow), SQLiteValue(delivery.code?.bytes),
            .integer(bytes), original != nil || delivery.input.isEmpty ? .null : .blob(delivery.input))
        if inserted > 0 {
            noteFinished(connection?.lastRow ?? 0)
            count(inserted: terminal, isInvalid: decision?.reason == .invalid, bytes: bytes)
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
                original = ?, bytes = bytes + ?, due = NULL, nonce = NULL
            WHERE id = ? AND finished IS NULL
            """,
            SQLiteValue(decision?.app ?? delivery.app), SQLiteValue(target), .text(terminal.rawValue),
            .integer(options.now()), .text(record), SQLiteValue(decision?.action.rawValue),
            SQLiteValue(decision?.reason.rawValue), SQLiteValue(decision?.scene), SQLiteValue(resolved),
            SQLiteValue(configuration), SQLiteValue(decision?.evidence?.bytes), SQLiteValue(originalRow),
            .integer(room - input), .text(delivery.id))
        guard updated > 0 else { return false }
        noteFinished(try integer("SELECT number FROM delivery WHERE id = ?", .text(delivery.id)) ?? 0)
        return true
    }
}

extension Store.StoredDelivery {
    /// Whether the session that was claimed for it was made for it, and so ends with it where its launch fails.
    public var madeItsSession: Bool {
        action == .launch && (reason == .opens || reason == .default || reason == .requested)
    }
}
