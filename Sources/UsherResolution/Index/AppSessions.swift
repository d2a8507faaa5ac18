internal import UsherPredicate
internal import UsherScene
internal import UsherText

/// The sessions of one app: each in a slot, and lists of slots in the order of choice.
///
/// Each list has sessions of one kind of window with the same condition, and either only open or only disconnected
/// ones. A query takes the first session of each list that has a true condition, and of these sessions the first in the
/// order of choice.
struct AppSessions: Sendable {
    fileprivate struct Entry: Sendable {
        var session: SceneSession
        /// The numbers of its conditions in `predicates`, or `none`.
        var prefers = none
        var can = none
        /// Of `windows`.
        var window: UInt32

        /// In a slot without a session.
        static let free = Entry(session: SceneSession(id: "", app: "", scene: "", created: 0), window: .max)
    }

    /// What a session is a window of: its scene and role.
    private struct Window: Sendable {
        let kind: SceneSession.Kind
        var scene: String { kind.scene }
        var role: SceneRole { kind.role }
        /// Whether the configuration has its scene.
        var isConfigured: Bool
        /// How many of its sessions are open, and disconnected.
        var openCount = 0
        var disconnectedCount = 0
    }

    /// What the sessions of a list have in common.
    fileprivate struct Tag: Sendable, Equatable {
        static let prefers: UInt32 = 1
        static let can: UInt32 = 2
        static let disconnected: UInt32 = 4
        static let closing: UInt32 = 8

        private let bits: UInt32

        init(_ window: UInt32, _ session: SceneSession, _ conditions: UInt32 = 0) {
            let state: UInt32 =
                switch session.state {
                case .connecting, .connected: 0
                case .disconnected: Tag.disconnected
                case .closing: Tag.closing
                }
            bits = window << 4 | state | conditions
        }

        var window: Int { Int(bits >> 4) }
        func has(_ part: UInt32) -> Bool { bits & part != 0 }
    }

    /// Slots in the order of choice; most lists have one.
    private enum Slots: Sendable {
        case one(Int32)
        case many(OrderedNumbers)
    }

    private struct List: Sendable {
        var tag: Tag
        /// The next list of the same condition, or `none`.
        var next: Int32
        var slots: Slots
    }

    fileprivate static let none: Int32 = -1

    private var entries: [Entry] = []
    private var freeSlots: [Int32] = []
    private var ids = FingerprintMap()
    private var windows: [Window] = []
    private var predicates = PredicateIndex()
    private var lists: [List] = []
    private var freeLists: [Int32] = []
    /// The first list of all sessions, whatever their conditions.
    private var everyone = none
    /// The first list of each predicate.
    private var heads: [Int32] = []
    private(set) var count = 0

    init() {}

    /// - Complexity: O(n log n), or O(n) where they are in the order of choice, or in the opposite one.
    init(_ sessions: [SceneSession]) {
        let order = sessions.indices.map { (rank: sessions[$0].rank, place: $0) }.sorted { one, other in
            one.rank != other.rank
                ? one.rank < other.rank : SceneSession.precedes(sessions[one.place], sessions[other.place])
        }
        entries.reserveCapacity(order.count)
        ids.reserve(order.count)
        predicates.reserve(order.count)
        heads.reserveCapacity(order.count)
        lists.reserveCapacity(order.count)
        // In their order each goes behind those that are there.
        for (_, place) in order { update(sessions[place]) }
    }

    // MARK: Sessions

    /// In the order of choice, closing ones included.
    var all: [SceneSession] { ordered().map { session($0) } }

    func session(_ slot: Int32) -> SceneSession { entries[Int(slot)].session }

    func summary(_ slot: Int32) -> SceneSession.Summary {
        let session = session(slot)
        return SceneSession.Summary(
            id: session.id, created: session.created, generation: session.generation, state: session.state,
            used: session.used,
            textSize: 2 * session.id.utf8.count + (session.target?.text.utf8.count ?? 0)
                + (session.title?.utf8.count ?? 0))
    }

    func slot(of id: String) -> Int32? { slot(of: id, id.fingerprint) }

    private func slot(of id: String, _ fingerprint: UInt32) -> Int32? {
        // A closure that reads a member of this value copies the whole of it: a tenth of a decision.
        let entries = entries
        var found: Int32?
        ids.forEach(fingerprint) { slot in
            if entries[Int(slot)].session.id.hasSameBytes(as: id) { found = slot }
        }
        return found
    }

    mutating func update(_ session: SceneSession) {
        let window = number(ofWindow: session)
        let fingerprint = session.id.fingerprint
        guard let slot = slot(of: session.id, fingerprint) else {
            let entry = Entry(session: session, window: window)
            let slot = freeSlots.popLast() ?? Int32(entries.count)
            if Int(slot) == entries.count { entries.append(entry) } else { entries[Int(slot)] = entry }
            ids.insert(slot, for: fingerprint)
            count += 1
            link(slot)
            return
        }
        let old = entries[Int(slot)]
        if window == old.window, old.session.state == session.state, old.session.rank == session.rank,
            old.session.conditions.canActivate.predicate == session.conditions.canActivate.predicate,
            old.session.conditions.prefersToActivate.predicate == session.conditions.prefersToActivate.predicate
        {
            entries[Int(slot)].session = session
            return
        }
        unlink(slot)
        entries[Int(slot)] = Entry(session: session, window: window)
        link(slot)
        // Only now: a condition that stays is not taken out and put in again.
        release(old)
    }

    mutating func remove(id: String) {
        guard let slot = slot(of: id) else { return }
        unlink(slot)
        release(entries[Int(slot)])
        entries[Int(slot)] = Entry.free
        ids.remove(slot, for: id.fingerprint)
        freeSlots.append(slot)
        count -= 1
    }

    /// The scenes of the app, by the configuration; nil where that is not known. Sessions of others are never in question.
    var scenes: Set<String>? {
        didSet { for number in windows.indices { windows[number].isConfigured = isConfigured(windows[number].kind) } }
    }

    private func isConfigured(_ kind: SceneSession.Kind) -> Bool { scenes?.contains(kind.scene) ?? true }

    private mutating func number(ofWindow session: SceneSession) -> UInt32 {
        let kind = session.kind
        for number in windows.indices {
            let known = windows[number].kind
            if known === kind || known.scene.hasSameBytes(as: kind.scene) && known.role == kind.role {
                return UInt32(number)
            }
        }
        windows.append(Window(kind: kind, isConfigured: isConfigured(kind)))
        return UInt32(windows.count - 1)
    }

    // MARK: Lists

    /// Lists a slot, also under the conditions of its session.
    private mutating func link(_ slot: Int32) {
        let (session, window) = (entries[Int(slot)].session, entries[Int(slot)].window)
        everyone = add(slot, to: everyone, Tag(window, session))
        count(session, window, 1)
        guard session.state != .closing else { return }
        let prefers = predicates.insert(session.conditions.prefersToActivate.predicate)
        let can = predicates.insert(session.conditions.canActivate.predicate, likely: prefers)
        entries[Int(slot)].prefers = prefers
        entries[Int(slot)].can = can
        while heads.count < predicates.endNumber { heads.append(AppSessions.none) }
        forEachCondition(of: entries[Int(slot)]) { table, number, part in
            table.heads[Int(number)] = table.add(slot, to: table.heads[Int(number)], Tag(window, session, part))
        }
    }

    private mutating func unlink(_ slot: Int32) {
        let entry = entries[Int(slot)]
        everyone = remove(slot, from: everyone, Tag(entry.window, entry.session))
        count(entry.session, entry.window, -1)
        forEachCondition(of: entry) { table, number, part in
            table.heads[Int(number)] = table.remove(
                slot, from: table.heads[Int(number)], Tag(entry.window, entry.session, part))
        }
    }

    /// The predicates that an entry is listed under, with their part in its tag.
    private mutating func forEachCondition(of entry: Entry, _ body: (inout AppSessions, Int32, UInt32) -> Void) {
        if entry.prefers < 0 { return }
        if entry.prefers == entry.can { return body(&self, entry.can, Tag.prefers | Tag.can) }
        body(&self, entry.prefers, Tag.prefers)
        body(&self, entry.can, Tag.can)
    }

    private mutating func release(_ entry: Entry) {
        if entry.prefers >= 0 { predicates.remove(entry.prefers) }
        if entry.can >= 0 { predicates.remove(entry.can) }
    }

    private mutating func count(_ session: SceneSession, _ window: UInt32, _ change: Int) {
        switch session.state {
        case .connecting, .connected: windows[Int(window)].openCount += change
        case .disconnected: windows[Int(window)].disconnectedCount += change
        case .closing: break
        }
    }

    /// Whether the session in one slot goes before the one in another.
    private func precedes(_ one: Int32, _ other: Int32) -> Bool { order.precedes(one, other) }

    private var order: Order { Order(entries: entries) }

    /// The order of the sessions, without the rest: a closure that compares by the whole table copies it for each comparison.
    private struct Order {
        let entries: [Entry]

        @inline(__always)
        func precedes(_ one: Int32, _ other: Int32) -> Bool {
            SceneSession.precedes(entries[Int(one)].session, entries[Int(other)].session)
        }
    }

    /// Adds a slot to the list with its tag, in the chain of lists that begins at `head`; returns the new head of the
    /// chain.
    private mutating func add(_ slot: Int32, to head: Int32, _ tag: Tag) -> Int32 {
        var place = head
        while place >= 0, lists[Int(place)].tag != tag { place = lists[Int(place)].next }
        if place < 0 {
            let list = List(tag: tag, next: head, slots: .one(slot))
            guard let free = freeLists.popLast() else {
                lists.append(list)
                return Int32(lists.count - 1)
            }
            lists[Int(free)] = list
            return free
        }
        var numbers: OrderedNumbers
        switch lists[Int(place)].slots {
        case .one(let other):
            numbers = OrderedNumbers()
            numbers.insert(other) { _ in false }
        case .many(let several):
            numbers = several
            // Not held twice, or changing it would copy it.
            lists[Int(place)].slots = .one(slot)
        }
        let order = order
        numbers.insert(slot) { order.precedes($0, slot) }
        lists[Int(place)].slots = .many(numbers)
        return head
    }

    /// Removes a slot from the list with its tag, in the chain of lists that begins at `head`; returns the new head of
    /// the chain.
    private mutating func remove(_ slot: Int32, from head: Int32, _ tag: Tag) -> Int32 {
        var place = head
        var previous = AppSessions.none
        while place >= 0, lists[Int(place)].tag != tag {
            previous = place
            place = lists[Int(place)].next
        }
        guard place >= 0 else { return head }
        if case .many(var numbers) = lists[Int(place)].slots {
            lists[Int(place)].slots = .one(slot)
            let order = order
            numbers.remove(slot) { order.precedes($0, slot) }
            if !numbers.isEmpty {
                lists[Int(place)].slots = .many(numbers)
                return head
            }
        }
        let next = lists[Int(place)].next
        freeLists.append(place)
        if previous < 0 { return next }
        lists[Int(previous)].next = next
        return head
    }

    // MARK: Questions

    /// Which sessions are in question (line 3 of the resolution).
    struct Question {
        let role: SceneRole
        /// Looked at as if it were not there.
        let leavingOut: Int32
        /// Whether the program of each window is missing, by window number: the disconnected sessions of such a window
        /// cannot be chosen. Empty if no program is missing.
        let missing: [Bool]
        /// Whether each window, by window number, is a command without a window: never in question. Empty if none is.
        let commands: [Bool]
    }

    /// - Parameters:
    ///   - missing: the scenes of this app whose programs are missing.
    ///   - commands: those that are commands without a window.
    static func question(
        of sessions: Shared<AppSessions>, _ role: SceneRole, leavingOut id: String?, missing: [String],
        commands: [String]
    ) -> Question {
        func windows(of scenes: [String]) -> [Bool] {
            scenes.isEmpty ? [] : sessions.value.windows.map { scenes.contains($0.scene) }
        }
        return Question(
            role: role, leavingOut: id.flatMap { sessions.value.slot(of: $0) } ?? AppSessions.none,
            missing: windows(of: missing), commands: windows(of: commands))
    }

    private func isAsked(_ tag: Tag, _ question: Question) -> Bool {
        let window = windows[tag.window]
        guard window.role == question.role, window.isConfigured, !tag.has(Tag.closing),
            question.commands.isEmpty || !question.commands[tag.window]
        else { return false }
        return !tag.has(Tag.disconnected) || question.missing.isEmpty || !question.missing[tag.window]
    }

    /// The first list in question of a chain that begins at `head`; `none` where there is none.
    private func list(from head: Int32, _ question: Question) -> Int32 {
        var place = head
        while place >= 0, !isAsked(lists[Int(place)].tag, question) { place = lists[Int(place)].next }
        return place
    }

    /// - Parameter place: of a list.
    private func better(_ best: Int32?, _ place: Int32, _ question: Question) -> Int32? {
        let first: Int32? =
            switch lists[Int(place)].slots {
            case .one(let slot): slot == question.leavingOut ? nil : slot
            case .many(let slots): slots.first(leavingOut: question.leavingOut)
            }
        guard let first else { return best }
        guard let best else { return first }
        return precedes(first, best) ? first : best
    }

    /// The first session in question.
    func first(_ question: Question) -> Int32? {
        var best: Int32?
        var place = list(from: everyone, question)
        while place >= 0 {
            best = better(best, place, question)
            place = list(from: lists[Int(place)].next, question)
        }
        return best
    }

    /// The first session in question that prefers a subject, and the first that can show one.
    func best(
        _ question: Question, for subject: PredicateSubject, _ others: [PredicateSubject]
    ) -> (prefers: Int32?, can: Int32?) {
        var best: (prefers: Int32?, can: Int32?)
        var numbers: [Int32] = []
        predicates.appendMatches(subject, to: &numbers)
        for other in others { predicates.appendMatches(other, to: &numbers) }
        for number in numbers {
            var place = list(from: heads[Int(number)], question)
            while place >= 0 {
                let tag = lists[Int(place)].tag
                if tag.has(Tag.prefers) { best.prefers = better(best.prefers, place, question) }
                if tag.has(Tag.can) { best.can = better(best.can, place, question) }
                place = list(from: lists[Int(place)].next, question)
            }
        }
        return best
    }

    /// The first sessions in question, in the order of choice.
    func candidates(_ question: Question, limit: Int = .max) -> [Int32] {
        var slots: [Int32] = []
        var parts = 0
        var place = list(from: everyone, question)
        while place >= 0 {
            parts += 1
            append(lists[Int(place)], to: &slots, limit: question.leavingOut < 0 || limit == .max ? limit : limit + 1)
            place = list(from: lists[Int(place)].next, question)
        }
        slots.removeAll { $0 == question.leavingOut }
        if parts > 1 { slots.sort(by: order.precedes) }
        return slots.count > limit ? Array(slots.prefix(limit)) : slots
    }

    private func append(_ list: List, to slots: inout [Int32], limit: Int) {
        switch list.slots {
        case .one(let slot): slots.append(slot)
        case .many(let numbers): numbers.append(to: &slots, limit: limit)
        }
    }

    func candidateCount(_ question: Question) -> Int {
        openCount(question) + count(question, Tag.disconnected)
    }

    /// How many of the sessions in question have a window.
    func openCount(_ question: Question) -> Int { count(question, 0) }

    private func count(_ question: Question, _ state: UInt32) -> Int {
        var count = 0
        for (number, window) in windows.enumerated() where window.role == question.role && window.isConfigured {
            if !question.commands.isEmpty, question.commands[number] { continue }
            if state == 0 {
                count += window.openCount
            } else if question.missing.isEmpty || !question.missing[number] {
                count += window.disconnectedCount
            }
        }
        guard question.leavingOut >= 0 else { return count }
        let left = entries[Int(question.leavingOut)]
        let tag = Tag(left.window, left.session)
        return isAsked(tag, question) && tag.has(Tag.disconnected) == (state != 0) ? count - 1 : count
    }

    /// When one of the sessions was used last, in microseconds since 1970; nil if none ever was.
    var lastUse: Int64? {
        var last: Int64?
        var place = everyone
        while place >= 0 {
            // The first of a list was used last.
            let first: Int32? =
                switch lists[Int(place)].slots {
                case .one(let slot): slot
                case .many(let slots): slots.first(leavingOut: AppSessions.none)
                }
            if let used = first.flatMap({ entries[Int($0)].session.used }) { last = max(last ?? used, used) }
            place = lists[Int(place)].next
        }
        return last
    }

    /// Every session, closing ones included, in the order of choice.
    func ordered() -> [Int32] {
        var slots: [Int32] = []
        var place = everyone
        while place >= 0 {
            append(lists[Int(place)], to: &slots, limit: .max)
            place = lists[Int(place)].next
        }
        slots.sort(by: order.precedes)
        return slots
    }
}
