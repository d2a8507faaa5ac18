import Synchronization
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
    ///   - duplicateWindow: for how long another request of the same sender id, source, format and app is the same one;
    ///     zero for not at all.
    public func claim(
        _ delivery: NewDelivery, decision: DecisionText, claim: Claim, expectedGeneration: Int64, begin: Bool,
        nonce: String, owner: Owner, duplicateWindow: Duration = .seconds(86_400)
    ) throws(StoreError) -> ClaimResult {
        try write { (state) throws(StoreError) in
            try state.claim(
                delivery, decision: decision, claim: claim, expectedGeneration: expectedGeneration, begin: begin,
                nonce: nonce, owner: owner, duplicateWindow: duplicateWindow)
        }
    }

    public enum BeginResult: Sendable, Hashable {
        case begun
        /// It has its record already: it was dropped, collapsed or finished meanwhile, and must not begin.
        case finished(DeliveryState)
        /// Another process carries it out: it must not begin here.
        case taken
        case unknown
    }

    /// Journals that an effect begins, before it does: a resolved delivery, or one that is run again, becomes `acting`.
    ///
    /// - Parameter owner: if given, a delivery that has another owner does not begin; nil for no such check.
    public func begin(
        delivery id: String, attempt: Int, nonce: String, owner: Owner? = nil
    ) throws(StoreError) -> BeginResult {
        try write { (state) throws(StoreError) in
            try state.begin(delivery: id, attempt: attempt, nonce: nonce, owner: owner)
        }
    }

    /// Journals requests that are not decided yet: from then on they are finished sooner or later. Those with an id that
    /// is there already are passed over.
    public func accept(_ deliveries: [NewDelivery], owner: Owner?) throws(StoreError) {
        if deliveries.isEmpty { return }
        try write { (state) throws(StoreError) in
            for delivery in deliveries { try state.accept(delivery, owner: owner) }
        }
    }

    /// Takes over a delivery that has no running owner process. False if it is finished, unknown, or owned by another
    /// process that runs. Of two processes that try, only one gets it.
    public func adopt(id: String, owner: Owner) throws(StoreError) -> Bool {
        try adopt([id], owner: owner) == [id]
    }

    /// The same for many; returns those that are the owner's now, in the same order.
    public func adopt(_ ids: [String], owner: Owner) throws(StoreError) -> [String] {
        if ids.isEmpty { return [] }
        // Owners are checked before the write transaction, so that no other thread waits for the store during the
        // checks. A process that has ended stays ended.
        let alive = AliveOwners(self, but: owner)
        let owners = try read { (state) throws(StoreError) in
            var owners: Set<Owner> = []
            for id in ids { if let other = try state.standing(of: id)?.owner { owners.insert(other) } }
            return owners
        }
        for other in owners { _ = alive.contains(other) }
        return try write { (state) throws(StoreError) in
            var adopted: [String] = []
            for id in ids {
                guard let known = try state.standing(of: id), !known.state.isTerminal else { continue }
                if let other = known.owner, alive.contains(other) { continue }
                try state.run(
                    "UPDATE delivery SET owner = ?, owner_boot = ?, owner_pid = ?, owner_start = ? WHERE id = ?",
                    SQLiteValue(owner.file), .text(owner.bootID), .integer(Int64(owner.pid)),
                    .integer(Int64(bitPattern: owner.startTime)), .text(id))
                adopted.append(id)
            }
            return adopted
        }
    }
}

/// Finds which owner processes still run; each is checked only once.
final class AliveOwners: Sendable {
    private let store: Store
    private let own: Store.Owner?
    private let known = Mutex<[Store.Owner: Bool]>([:])

    /// - Parameter own: the owner that asks. It counts as not alive, so that it can adopt its own deliveries.
    init(_ store: Store, but own: Store.Owner?) {
        self.store = store
        self.own = own
    }

    func contains(_ owner: Store.Owner) -> Bool {
        if owner == own { return false }
        if let known = known.withLock({ $0[owner] }) { return known }
        let isAlive = store.isAlive(owner)
        known.withLock { $0[owner] = isAlive }
        return isAlive
    }
}

extension StoreState {
    /// See `Store.claim`.
    package mutating func claim(
        _ delivery: Store.NewDelivery, decision: Store.DecisionText, claim: Store.Claim, expectedGeneration: Int64,
        begin: Bool, nonce: String, owner: Store.Owner, duplicateWindow: Duration
    ) throws(StoreError) -> Store.ClaimResult {
        let known = try standing(of: delivery.id)
        if let known, known.state.isTerminal || (known.owner.map { $0 != owner } ?? false) {
            return .duplicate(of: delivery.id)
        }
        // What was decided before is not taken back because of its sender's id.
        if known == nil || known?.state == .accepted,
            let original = try original(of: delivery, app: decision.app, window: duplicateWindow)
        {
            return .duplicate(of: original)
        }
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
            owner: owner,
            decision: decision, session: session?.id)
        return .claimed(session: session, generation: generation)
    }

    /// See `Store.begin`.
    package mutating func begin(
        delivery id: String, attempt: Int, nonce: String, owner: Store.Owner?
    ) throws(StoreError) -> Store.BeginResult {
        guard let known = try standing(of: id) else { return .unknown }
        if known.state.isTerminal { return .finished(known.state) }
        guard owner == nil || known.owner == owner else { return .taken }
        try run(
            "UPDATE delivery SET state = 'acting', attempts = ?, nonce = ?, due = NULL WHERE id = ?",
            .integer(Int64(attempt)), .text(nonce), .text(id))
        return .begun
    }

    /// Journals a request that is not decided yet; false where its id is there already.
    @discardableResult
    package mutating func accept(_ delivery: Store.NewDelivery, owner: Store.Owner?) throws(StoreError) -> Bool {
        guard try standing(of: delivery.id) == nil else { return false }
        try journal(
            delivery, isKnown: false, state: .accepted, nonce: nil, owner: owner, decision: nil, session: nil)
        return true
    }

    /// The state and the owner of a delivery; nil if it is not in the store.
    package mutating func standing(of id: String) throws(StoreError) -> (
        number: Int64, state: DeliveryState, owner: Store.Owner?
    )? {
        let row = try prepare(
            "SELECT state, owner_boot, owner_pid, owner_start, owner, number FROM delivery WHERE id = ?", [.text(id)])
        guard try row.step() else { return nil }
        guard let state = DeliveryState(rawValue: row.text(0)) else {
            throw .unreadable("delivery \(id) has no known state", path: path)
        }
        return (row.integer(5), state, owner(row, from: 1, file: 4))
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
        guard let sender = delivery.senderID, window > .zero, !delivery.isRedriven else { return nil }
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

    /// Inserts a delivery, or moves an open one on.
    fileprivate mutating func journal(
        _ delivery: Store.NewDelivery, isKnown: Bool, state: DeliveryState, nonce: String?, owner: Store.Owner?,
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
                    owner_boot = ?, owner_pid = ?, owner_start = ?, owner = ?, action = ?, reason = ?, scene = ?,
                    resolved = ?, configuration = ?, session = ?, bytes = bytes + ?, evidence = ?,
                    legacy_explanation = NULL, due = NULL
                WHERE id = ?
                """,
                SQLiteValue(app), SQLiteValue(delivery.target), .text(state.rawValue),
                .integer(state == .acting ? 1 : 0),
                SQLiteValue(nonce), SQLiteValue(owner?.bootID), SQLiteValue(owner.map { Int64($0.pid) }),
                SQLiteValue(owner.map { Int64(bitPattern: $0.startTime) }), SQLiteValue(owner?.file),
                SQLiteValue(decision?.action.rawValue), SQLiteValue(decision?.reason.rawValue),
                SQLiteValue(decision?.scene), SQLiteValue(resolved), SQLiteValue(configuration), SQLiteValue(session),
                .integer(decision?.evidence?.room ?? 0), SQLiteValue(decision?.evidence?.bytes), .text(delivery.id))
            return
        }
        try run(
            """
            INSERT INTO delivery (id, sender_id, source, format, accepted, app, target, state, attempts, nonce,
                owner_boot, owner_pid, owner_start, owner, action, reason, scene, resolved, configuration, session,
                evidence, expires, collapse, parent, response, bytes)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .text(delivery.id), SQLiteValue(delivery.senderID), .text(delivery.source), SQLiteValue(delivery.format),
            .integer(delivery.accepted), SQLiteValue(app), SQLiteValue(delivery.target),
            .text(state.rawValue), .integer(state == .acting ? 1 : 0), SQLiteValue(nonce), SQLiteValue(owner?.bootID),
            SQLiteValue(owner.map { Int64($0.pid) }), SQLiteValue(owner.map { Int64(bitPattern: $0.startTime) }),
            SQLiteValue(owner?.file), SQLiteValue(decision?.action.rawValue), SQLiteValue(decision?.reason.rawValue),
            SQLiteValue(decision?.scene), SQLiteValue(resolved), SQLiteValue(configuration),
            SQLiteValue(session), SQLiteValue(decision?.evidence?.bytes), SQLiteValue(delivery.expires),
            SQLiteValue(delivery.collapse), SQLiteValue(delivery.parent), SQLiteValue(delivery.response),
            .integer(delivery.room + (decision?.evidence?.room ?? 0)))
        try keepInput(delivery.input)
    }

    /// The newest identifier as a row has it: empty where it is the target itself.
    static func shortened(_ resolved: String, target: String?) -> String {
        target?.hasSameBytes(as: resolved) == true ? "" : resolved
    }

    /// Keeps the input of the delivery that was inserted just now.
    mutating func keepInput(_ input: [UInt8]) throws(StoreError) {
        if input.isEmpty { return }
        try run("INSERT INTO delivery_input (number, body) VALUES (last_insert_rowid(), ?)", .blob(input))
    }
}
