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
        var scene: String
        var role: SceneRole
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

    private(set) var isIndexed: Bool
    private var entries: [Entry] = []
    /// Of the session in each slot: what is compared most is read without a copy of an entry.
    private var ranks: [SceneSession.Rank] = []
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

    /// Of an app that never had any.
    static let empty = AppSessions(isIndexed: true)

    init(isIndexed: Bool) { self.isIndexed = isIndexed }

    mutating func reserve(_ count: Int) {
        entries.reserveCapacity(count)
        ranks.reserveCapacity(count)
        ids.reserve(count)
    }

    // MARK: Sessions

    /// In the order of choice, closing ones included.
    var all: [SceneSession] { ordered().map { session($0) } }

    func session(_ slot: Int32) -> SceneSession { entries[Int(slot)].session }

    /// Read member by member, so that nothing else of the session is copied.
    func summary(_ slot: Int32) -> SceneSession.Summary {
        let place = Int(slot)
        return SceneSession.Summary(
            id: entries[place].session.id, created: entries[place].session.created,
            generation: entries[place].session.generation, state: entries[place].session.state,
            used: entries[place].session.used,
            textSize: 2 * entries[place].session.id.utf8.count + (entries[place].session.target?.text.utf8.count ?? 0)
                + (entries[place].session.title?.utf8.count ?? 0))
    }

    func slot(of id: String) -> Int32? {
        // A closure that reads a member of this value copies the whole of it: a tenth of a decision.
        let entries = entries
        var found: Int32?
        ids.forEach(id.fingerprint) { slot in
            if entries[Int(slot)].session.id.hasSameBytes(as: id) { found = slot }
        }
        return found
    }

    mutating func update(_ session: SceneSession) {
        let window = number(ofWindow: session)
        guard let slot = slot(of: session.id) else {
            let slot = freeSlots.popLast() ?? Int32(entries.count)
            if Int(slot) == entries.count {
                entries.append(Entry.free)
                ranks.append(Entry.free.session.rank)
            }
            ids.insert(slot, for: session.id.fingerprint)
            count += 1
            link(Entry(session: session, window: window), at: slot)
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
        link(Entry(session: session, window: window), at: slot)
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

    mutating func buildIndex() {
        guard !isIndexed else { return }
        isIndexed = true
        // In their order each goes behind those that are there.
        for slot in ordered() { index(slot) }
    }

    private mutating func number(ofWindow session: SceneSession) -> UInt32 {
        for (number, window) in windows.enumerated()
        where window.scene.hasSameBytes(as: session.scene) && window.role == session.role {
            return UInt32(number)
        }
        windows.append(Window(scene: session.scene, role: session.role))
        return UInt32(windows.count - 1)
    }

    // MARK: Lists

    private mutating func link(_ entry: Entry, at slot: Int32) {
        entries[Int(slot)] = entry
        ranks[Int(slot)] = entry.session.rank
        everyone = add(slot, to: everyone, Tag(entry.window, entry.session))
        count(entry, 1)
        if isIndexed { index(slot) }
    }

    /// Lists a slot under the conditions of its session.
    private mutating func index(_ slot: Int32) {
        let session = entries[Int(slot)].session
        guard session.state != .closing else { return }
        entries[Int(slot)].prefers = predicates.insert(session.conditions.prefersToActivate.predicate)
        entries[Int(slot)].can = predicates.insert(session.conditions.canActivate.predicate)
        while heads.count < predicates.endNumber { heads.append(AppSessions.none) }
        let entry = entries[Int(slot)]
        for (number, conditions) in entry.conditions {
            heads[Int(number)] = add(slot, to: heads[Int(number)], Tag(entry.window, session, conditions))
        }
    }

    private mutating func unlink(_ slot: Int32) {
        let entry = entries[Int(slot)]
        everyone = remove(slot, from: everyone, Tag(entry.window, entry.session))
        count(entry, -1)
        for (number, conditions) in entry.conditions {
            heads[Int(number)] = remove(
                slot, from: heads[Int(number)], Tag(entry.window, entry.session, conditions))
        }
    }

    private mutating func release(_ entry: Entry) {
        if entry.prefers >= 0 { predicates.remove(entry.prefers) }
        if entry.can >= 0 { predicates.remove(entry.can) }
    }

    private mutating func count(_ entry: Entry, _ change: Int) {
        switch entry.session.state {
        case .connecting, .connected: windows[Int(entry.window)].openCount += change
        case .disconnected: windows[Int(entry.window)].disconnectedCount += change
        case .closing: break
        }
    }

    /// Whether the session in one slot goes before the one in another.
    private func precedes(_ one: Int32, _ other: Int32) -> Bool { order.precedes(one, other) }

    private var order: Order { Order(ranks: ranks, entries: entries) }

    /// The order of the sessions, without the rest: a closure that compares by the whole table copies it for each comparison.
    private struct Order {
        let ranks: [SceneSession.Rank]
        let entries: [Entry]

        @inline(__always)
        func precedes(_ one: Int32, _ other: Int32) -> Bool {
            let (first, second) = (ranks[Int(one)], ranks[Int(other)])
            if first != second { return first < second }
            return entries[Int(one)].session.id.utf8.lexicographicallyPrecedes(entries[Int(other)].session.id.utf8)
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
    ///   - isMissing: whether the program of a scene of this app is missing; nil if none is.
    ///   - isCommand: whether a scene of this app is a command without a window; nil if none is.
    func question(
        _ role: SceneRole, leavingOut id: String?, isMissing: ((String) -> Bool)?, isCommand: ((String) -> Bool)?
    ) -> Question {
        var leavingOut = AppSessions.none
        if let id, let slot = slot(of: id) { leavingOut = slot }
        var missing: [Bool] = []
        if let isMissing { missing = windows.map { isMissing($0.scene) } }
        var commands: [Bool] = []
        if let isCommand { commands = windows.map { isCommand($0.scene) } }
        return Question(role: role, leavingOut: leavingOut, missing: missing, commands: commands)
    }

    private func isAsked(_ tag: Tag, _ question: Question) -> Bool {
        guard windows[tag.window].role == question.role, !tag.has(Tag.closing),
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
    func best(_ question: Question, for subjects: [PredicateSubject]) -> (prefers: Int32?, can: Int32?) {
        var best: (prefers: Int32?, can: Int32?)
        var numbers: [Int32] = []
        for subject in subjects { predicates.appendMatches(subject, to: &numbers) }
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
        for (number, window) in windows.enumerated() where window.role == question.role {
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

    /// When one of the sessions of an app was used last, in microseconds since 1970; nil if none ever was. Takes the apps and a
    /// place: a call of a method of an element would copy the whole of it, for every decision.
    static func lastUse(of apps: [AppSessions], at app: Int) -> Int64? {
        let (lists, entries) = (apps[app].lists, apps[app].entries)
        var last: Int64?
        var place = apps[app].everyone
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

extension AppSessions.Entry {
    /// The predicates that it is listed under.
    fileprivate var conditions: [(number: Int32, conditions: UInt32)] {
        if prefers < 0 { return [] }
        if prefers == can { return [(prefers, AppSessions.Tag.prefers | AppSessions.Tag.can)] }
        return [(prefers, AppSessions.Tag.prefers), (can, AppSessions.Tag.can)]
    }
}
