public import UsherText

/// Decides which delivery begins when. Pure: it has no clock, no store and no thread.
///
/// A claimed delivery belongs to a lane (one session's window, or an app's background handler). Each lane runs at most
/// `width` deliveries at a time and begins them in the order in which they were claimed. Deliveries that are in the journal
/// but not claimed wait in the backlog, in order of arrival; those that failed wait for the time of their next try. Both
/// are dequeued as soon as there is room in the lanes.
///
/// Deliveries are known here by the number that the engine gave them on arrival.
public struct Scheduler: Sendable {
    public typealias Number = Int

    /// What happened, as the engine reports it after each commit.
    public enum Event: Sendable, Hashable {
        /// It was claimed for a lane. `hasBegun`: the journal already says that its effect begins.
        case claimed(Number, lane: String, width: Int, hasBegun: Bool)
        /// The journal says that its effect begins.
        case began(Number)
        /// Its effect is over, or it left its lane without an effect; the lane may go on.
        case leftLane(Number)
        /// It is in the journal, undecided.
        case queued(Number)
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

    /// How many deliveries may be in lanes, begun or waiting.
    public let capacity: Int
    private var lanes: [String: Lane] = [:]
    private var places: [Number: Stage] = [:]
    /// Numbers in order of arrival; some of them may have been withdrawn since.
    private var queue: [Number] = []
    private var queueStart = 0
    /// Sorted by due time.
    private var retries: [(due: MonotonicInstant, number: Number)] = []
    public private(set) var inLanes = 0
    public private(set) var queued = 0
    public private(set) var isStopped = false

    public init(capacity: Int) { self.capacity = max(1, capacity) }

    // MARK: Questions

    /// How many more deliveries may be claimed now.
    public var room: Int { capacity - inLanes - dequeued }
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
        return queued > 0 || retries.first.map { $0.due <= now } ?? false
    }

    /// The delivery that has waited longest for a place in the lanes.
    public var oldestQueued: Number? {
        queue[queueStart...].first { places[$0] == .queued }
    }

    /// When a retry is due next; nil where none waits, or the lanes are full.
    public var nextDue: MonotonicInstant? { room > 0 && !isStopped ? retries.first?.due : nil }

    /// Whether a delivery waits for its next try.
    public func isRetrying(_ number: Number) -> Bool {
        if case .retrying = places[number] { true } else { false }
    }

    /// Every delivery that has not begun.
    public var notBegun: [Number] {
        places.compactMap { number, place in
            if case .active = place { nil } else { number }
        }.sorted()
    }

    // MARK: Changes

    /// Takes out what may be decided now, as many as there is room for: retries that are due, then the oldest of the backlog.
    /// Each of them is reported by one event once its step is committed.
    public mutating func dequeue(now: MonotonicInstant, limit: Int) -> [Number] {
        if isStopped { return [] }
        var numbers: [Number] = []
        while numbers.count < limit, room > 0, let first = retries.first, first.due <= now {
            retries.removeFirst()
            move(first.number, to: .dequeued)
            numbers.append(first.number)
        }
        while numbers.count < limit, room > 0, queueStart < queue.count {
            let number = queue[queueStart]
            queueStart += 1
            guard places[number] == .queued else { continue }
            move(number, to: .dequeued)
            numbers.append(number)
        }
        if queueStart > 1024, queueStart * 2 > queue.count {
            queue.removeFirst(queueStart)
            queueStart = 0
        }
        return numbers
    }

    /// Records what happened; the actions that follow from it.
    public mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .claimed(let number, let name, let width, let hasBegun):
            lanes[name, default: Lane(width: max(1, width))].width = max(1, width)
            if hasBegun {
                lanes[name]?.active += 1
                move(number, to: .active(lane: name))
                return [.runEffect(number)]
            }
            lanes[name]?.waiting.append(number)
            move(number, to: .waiting(lane: name))
            return advance(name)
        case .began(let number):
            guard case .active = places[number] else { return [] }
            return [.runEffect(number)]
        case .leftLane(let number), .withdrawn(let number): return remove(number)
        case .queued(let number):
            let actions = remove(number)
            queue.append(number)
            move(number, to: .queued)
            return actions
        case .retryScheduled(let number, let due):
            let actions = remove(number)
            let place = retries.firstIndex { $0.due > due } ?? retries.count
            retries.insert((due, number), at: place)
            move(number, to: .retrying(due: due))
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

    private mutating func move(_ number: Number, to place: Stage?) {
        switch places[number] {
        case .dequeued: dequeued -= 1
        case .waiting, .active: inLanes -= 1
        case .queued: queued -= 1
        case .retrying, nil: break
        }
        places[number] = place
        switch place {
        case .dequeued: dequeued += 1
        case .waiting, .active: inLanes += 1
        case .queued: queued += 1
        case .retrying, nil: break
        }
    }

    /// Takes a delivery out of wherever it is; what may begin in its stead.
    private mutating func remove(_ number: Number) -> [Action] {
        let place = places[number]
        move(number, to: nil)
        switch place {
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
