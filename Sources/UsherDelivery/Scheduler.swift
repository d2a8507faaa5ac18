public import UsherText

/// Decides which delivery begins when. Pure: it has no clock, no store and no thread.
///
/// A claimed delivery belongs to a lane (one session's window, or an app's background handler). Each lane runs at most
/// `width` deliveries at a time and begins them in the order in which they were claimed. Deliveries that are in the journal
/// but not claimed wait in the backlog, in order of arrival; those that failed wait for the time of their next try. Both
/// are dequeued as soon as there is room in the lanes.
///
/// The places in lanes are shared: the deliveries of one source for one app have at most half of what the others leave free, and the
/// backlogs take turns. So a flood for one app, or one handler that sleeps, stops no other.
///
/// Deliveries are known here by the number that the engine gave them on arrival.
public struct Scheduler: Sendable {
    public typealias Number = Int

    /// What has a fair part of the places: a source of requests, with an app.
    public struct Share: Sendable, Hashable {
        public var source: String
        public var app: String?

        public init(source: String = "", app: String? = nil) {
            self.source = source
            self.app = app
        }
    }

    /// What happened, as the engine reports it after each commit.
    public enum Event: Sendable, Hashable {
        /// It was claimed for a lane. `hasBegun`: the journal already says that its effect begins.
        case claimed(Number, lane: String, width: Int, hasBegun: Bool, share: Share = Share())
        /// The journal says that its effect begins.
        case began(Number)
        /// Its effect is over, or it left its lane without an effect; the lane may go on.
        case leftLane(Number)
        /// It is in the journal, undecided.
        case queued(Number, share: Share = Share())
        /// It failed and is tried again at `due`.
        case retryScheduled(Number, due: MonotonicInstant)
        /// It has its terminal record before its effect began (dropped, collapsed, expired).
        case withdrawn(Number)
    }

    /// What the engine is to do next.
    public enum Action: Sendable, Hashable {
        /// Run its effect: the journal says already that it begins.
        case runEffect(Number)
        /// Write to the journal that its effect begins; `began` follows.
        case journalBegin(Number)
    }

    private struct Lane: Sendable {
        var width: Int
        /// Begun, or about to begin.
        var active = 0
        /// Claimed, in order.
        var waiting: [Number] = []
    }

    private enum Stage: Sendable, Hashable {
        case queued
        case retrying(due: MonotonicInstant)
        /// The step that decides and claims it is on its way to the journal.
        case dequeued
        case waiting(lane: String)
        case active(lane: String)
    }

    private struct Place: Sendable {
        var stage: Stage
        var share: Share
    }

    /// What a share has in lanes and in the backlog.
    private struct Part: Sendable {
        /// In lanes, or on the way there.
        var held = 0
        /// In order of arrival; some of them may have been withdrawn since.
        var queue: [Number] = []
        var start = 0
        var queued = 0

        var isEmpty: Bool { held == 0 && queued == 0 }
    }

    /// How many deliveries may be in lanes, begun or waiting.
    public let capacity: Int
    private var lanes: [String: Lane] = [:]
    private var places: [Number: Place] = [:]
    private var parts: [Share: Part] = [:]
    /// The shares with a backlog, in the order of their turns; some of them may have none any more.
    private var turns: [Share] = []
    private var turn = 0
    /// Those that are in `turns`: each once.
    private var waitingShares: Set<Share> = []
    /// Sorted by due time.
    private var retries: [(due: MonotonicInstant, number: Number)] = []
    public private(set) var inLanes = 0
    public private(set) var queued = 0
    public private(set) var isStopped = false

    public init(capacity: Int) { self.capacity = max(1, capacity) }

    // MARK: Questions

    /// How many more deliveries may be claimed now.
    public var room: Int { capacity - inLanes - dequeued }

    /// The same for one share: it has at most half of what others leave free.
    public func room(for share: Share) -> Int {
        let held = parts[share]?.held ?? 0
        let free = room + held
        return min(room, max(1, (free + 1) / 2) - held)
    }

    /// Whether something of a share is in the backlog: what arrives does not overtake it.
    public func hasBacklog(of share: Share) -> Bool { parts[share].map { $0.queued > 0 } ?? false }

    public var retrying: Int { retries.count }
    public var busyLanes: Int { lanes.count }
    /// Whether nothing waits and nothing runs.
    public var isEmpty: Bool { places.isEmpty }
    private var dequeued = 0

    /// How many deliveries that are claimed for a lane now may begin at once.
    public func places(in lane: String, width: Int) -> Int {
        guard let lane = lanes[lane] else { return max(1, width) }
        return lane.waiting.isEmpty ? max(0, max(1, width) - lane.active) : 0
    }

    /// Whether `dequeue` would return anything.
    public func hasWork(at now: MonotonicInstant) -> Bool {
        guard room > 0, !isStopped else { return false }
        if let first = retries.first, first.due <= now { return true }
        return queued > 0 && turns[turn...].contains { hasBacklog(of: $0) && room(for: $0) > 0 }
    }

    /// The delivery that has waited longest for a place in the lanes.
    public var oldestQueued: Number? {
        parts.values.lazy.compactMap { part in part.queue[part.start...].first { self.stage(of: $0) == .queued } }.min()
    }

    /// How much memory the backlogs take, in entries: for tests.
    var backlogSize: Int { parts.values.reduce(turns.count - turn) { $0 + $1.queue.count - $1.start } }

    /// When a retry is due next; nil where none waits, or the lanes are full.
    public var nextDue: MonotonicInstant? { room > 0 && !isStopped ? retries.first?.due : nil }

    /// Whether a delivery waits for its next try.
    public func isRetrying(_ number: Number) -> Bool {
        if case .retrying = stage(of: number) { true } else { false }
    }

    /// Every delivery that has not begun.
    public var notBegun: [Number] {
        places.compactMap { number, place in
            if case .active = place.stage { nil } else { number }
        }.sorted()
    }

    // MARK: Changes

    private func stage(of number: Number) -> Stage? { places[number]?.stage }

    /// Takes out what may be decided now, as many as there is room for: retries that are due, then the oldest of each backlog
    /// in turn.
    /// Each of them is reported by one event once its step is committed.
    public mutating func dequeue(now: MonotonicInstant, limit: Int) -> [Number] {
        if isStopped { return [] }
        var numbers: [Number] = []
        while numbers.count < limit, room > 0, let first = retries.first, first.due <= now {
            retries.removeFirst()
            move(first.number, to: .dequeued)
            numbers.append(first.number)
        }
        // So many shares in a row had no room.
        var full = 0
        while numbers.count < limit, room > 0, full < turns.count - turn {
            let share = turns[turn]
            turn += 1
            waitingShares.remove(share)
            if !hasBacklog(of: share) { continue }
            if room(for: share) > 0, let number = removeFirst(of: share) {
                full = 0
                move(number, to: .dequeued)
                numbers.append(number)
            } else {
                full += 1
            }
            if hasBacklog(of: share) { addTurn(of: share) }
        }
        if turn > 1024, turn * 2 > turns.count {
            turns.removeFirst(turn)
            turn = 0
        }
        return numbers
    }

    private mutating func addTurn(of share: Share) {
        if waitingShares.insert(share).inserted { turns.append(share) }
    }

    /// The oldest in the backlog of a share.
    private mutating func removeFirst(of share: Share) -> Number? {
        guard var part = parts.removeValue(forKey: share) else { return nil }
        defer { parts[share] = part }
        while part.start < part.queue.count {
            let number = part.queue[part.start]
            part.start += 1
            if part.start > 1024, part.start * 2 > part.queue.count {
                part.queue.removeFirst(part.start)
                part.start = 0
            }
            if stage(of: number) == .queued { return number }
        }
        return nil
    }

    /// Records what happened; the actions that follow from it.
    public mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .claimed(let number, let name, let width, let hasBegun, let share):
            lanes[name, default: Lane(width: max(1, width))].width = max(1, width)
            if hasBegun {
                lanes[name]?.active += 1
                move(number, to: .active(lane: name), share)
                return [.runEffect(number)]
            }
            lanes[name]?.waiting.append(number)
            move(number, to: .waiting(lane: name), share)
            return advance(name)
        case .began(let number):
            guard case .active = stage(of: number) else { return [] }
            return [.runEffect(number)]
        case .leftLane(let number), .withdrawn(let number): return remove(number)
        case .queued(let number, let share):
            let actions = remove(number)
            addTurn(of: share)
            parts[share, default: Part()].queue.append(number)
            move(number, to: .queued, share)
            return actions
        case .retryScheduled(let number, let due):
            let share = places[number]?.share
            let actions = remove(number)
            let place = retries.firstIndex { $0.due > due } ?? retries.count
            retries.insert((due, number), at: place)
            move(number, to: .retrying(due: due), share)
            return actions
        }
    }

    /// Nothing begins any more. Returns what had not begun; it stays in the journal.
    public mutating func stop() -> [Number] {
        isStopped = true
        let left = notBegun
        for number in left { _ = remove(number) }
        return left
    }

    // MARK: Places

    /// - Parameter share: nil for the one that it has.
    private mutating func move(_ number: Number, to stage: Stage?, _ share: Share? = nil) {
        let before = places[number]
        let share = share ?? before?.share ?? Share()
        places[number] = stage.map { Place(stage: $0, share: share) }
        if let before { count(before.stage, of: before.share, by: -1) }
        if let stage { count(stage, of: share, by: 1) }
    }

    private mutating func count(_ stage: Stage, of share: Share, by change: Int) {
        switch stage {
        case .dequeued:
            dequeued += change
            parts[share, default: Part()].held += change
        case .waiting, .active:
            inLanes += change
            parts[share, default: Part()].held += change
        case .queued:
            queued += change
            parts[share, default: Part()].queued += change
            // What was withdrawn leaves nothing behind.
            if change < 0, parts[share]?.queued == 0 {
                parts[share]?.queue.removeAll()
                parts[share]?.start = 0
            }
        case .retrying: return
        }
        if change < 0, parts[share]?.isEmpty == true { parts[share] = nil }
    }

    /// Takes a delivery out of wherever it is; what may begin in its stead.
    private mutating func remove(_ number: Number) -> [Action] {
        let stage = stage(of: number)
        move(number, to: nil)
        switch stage {
        case .active(let lane):
            lanes[lane]?.active -= 1
            return advance(lane)
        case .waiting(let lane):
            lanes[lane]?.waiting.removeAll { $0 == number }
            return advance(lane)
        case .retrying: retries.removeAll { $0.number == number }
        case .queued, .dequeued, nil: break
        }
        return []
    }

    /// Lets the next deliveries of a lane begin, as far as there is room in it.
    private mutating func advance(_ name: String) -> [Action] {
        guard var lane = lanes.removeValue(forKey: name) else { return [] }
        var actions: [Action] = []
        while !isStopped, lane.active < lane.width, !lane.waiting.isEmpty {
            let number = lane.waiting.removeFirst()
            lane.active += 1
            move(number, to: .active(lane: name))
            actions.append(.journalBegin(number))
        }
        if lane.active > 0 || !lane.waiting.isEmpty { lanes[name] = lane }
        return actions
    }
}
