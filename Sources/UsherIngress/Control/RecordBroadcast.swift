internal import Dispatch
internal import Synchronization
public import UsherLog
public import UsherOperation
internal import UsherStore

/// Sends the record of each finished delivery to all subscribers.
///
/// Records are sent in the order in which they are published. A subscriber that names the last record it has first gets
/// the later ones from the journal. A subscriber that reads more slowly than records are published continues from the
/// journal.
public final class RecordBroadcast: Sendable {
    /// A record as it goes out.
    public struct Event: Sendable {
        /// The delivery's id.
        public var id: String
        /// One object, without a line feed.
        public var json: [UInt8]
        /// Tells it from other records of this delivery.
        let hash: Int

        init(id: String, json: [UInt8]) {
            self.id = id
            self.json = json
            var hasher = Hasher()
            hasher.combine(id)
            hasher.combine(json)
            hash = hasher.finalize()
        }
    }

    /// Takes events, on the broadcast's own thread; false ends the subscription. Must not block.
    public struct Receiver: Sendable {
        public var receive: @Sendable (Event) -> Bool
        /// Called now and then while nothing else is sent.
        public var beat: @Sendable () -> Bool
        /// What waits for the peer: while it is much, nothing is sent.
        public var unsentBytes: @Sendable () -> Int
        /// Takes what is no record, and is not sent again.
        public var announce: @Sendable (ControlReply) -> Void
        /// Called when the next record is not known any more: the peer has to subscribe again.
        public var end: @Sendable () -> Void

        public init(
            receive: @escaping @Sendable (Event) -> Bool, beat: @escaping @Sendable () -> Bool,
            unsentBytes: @escaping @Sendable () -> Int = { 0 },
            announce: @escaping @Sendable (ControlReply) -> Void = { _ in },
            end: @escaping @Sendable () -> Void = {}
        ) {
            self.announce = announce
            self.receive = receive
            self.beat = beat
            self.unsentBytes = unsentBytes
            self.end = end
        }
    }

    /// The place of a subscriber; empty while the queue sends to it.
    struct Slot: Sendable {
        var subscriber: RecordSubscriber?
    }

    struct State: Sendable {
        var subscribers: [Int: Slot] = [:]
        var log = RecordLog()
        var next = 0
        /// Whether the log's end will be looked at.
        var isAwake = false
        var beats = false
    }

    /// Everything is sent here.
    let queue = DispatchQueue(label: "usher.records")
    /// The journal is read here, so that no subscriber waits for the page of another one.
    let reading = DispatchQueue(label: "usher.records.journal")
    let state = Mutex(State())
    /// Seconds between two beats.
    private let interval: Int

    public init(heartbeatSeconds interval: Int = 15) { self.interval = interval }

    /// A delivery is finished, and its record on disk. Costs nothing without subscribers.
    public func publish(_ record: DecisionRecord) {
        guard state.withLock({ !$0.subscribers.isEmpty }) else { return }
        let event = Event(id: record.id, json: Array(record.json.utf8))
        let wakes = state.withLock { state in
            guard !state.subscribers.isEmpty else { return false }
            state.log.append(event)
            defer { state.isAwake = true }
            return !state.isAwake
        }
        if wakes { queue.async { [self] in advanceAll() } }
    }

    /// Sends to all subscribers that have room now.
    public func announce(_ reply: ControlReply) {
        queue.async { [self] in
            let receivers = state.withLock { $0.subscribers.values.compactMap { $0.subscriber?.receiver } }
            for receiver in receivers where RecordSubscriber.hasRoom(receiver) { receiver.announce(reply) }
        }
    }

    /// The number of subscribers.
    public var subscriberCount: Int { state.withLock { $0.subscribers.count } }

    /// Subscribes; afterwards every record that is published is received.
    ///
    /// - Parameters:
    ///   - since: a delivery; the records that followed its own come first, and nothing is lost between them and the first
    ///     new one.
    ///   - ready: called on the broadcast's thread before the first record, with `since` where that is not known, or with
    ///     why the journal cannot be read.
    func subscribe(
        _ receiver: Receiver, since: String?, in store: Store?, ready: @escaping @Sendable (Beginning) -> Void
    ) -> RecordSubscription {
        let (number, end) = state.withLock { state in
            state.next += 1
            state.subscribers[state.next] = Slot(subscriber: RecordSubscriber(receiver, store: store))
            return (state.next, state.log.end)
        }
        if let since, let store {
            reading.async { [self] in
                let beginning = RecordBroadcast.begin(after: since, in: store)
                queue.async { [self] in
                    ready(beginning)
                    if case .journal(let backlog) = beginning {
                        begin(number, at: .journal(backlog))
                    } else {
                        begin(number, at: .log(end))
                    }
                }
            }
        } else {
            queue.async { [self] in
                ready(.new)
                begin(number, at: .log(end))
            }
        }
        return RecordSubscription(broadcast: self, number: number)
    }

    func remove(_ number: Int) {
        state.withLock { state in
            _ = state.subscribers.removeValue(forKey: number)
            if state.subscribers.isEmpty { state.log.removeAll() }
        }
    }

    /// Waits until all published records have been passed to the subscribers that have room.
    public func drain() { queue.sync {} }

    /// Sends heartbeats as long as there are subscribers.
    private func beatLater() {
        let begins = state.withLock { state in
            guard !state.beats, !state.subscribers.isEmpty else { return false }
            state.beats = true
            return true
        }
        guard begins else { return }
        queue.asyncAfter(deadline: .now() + .seconds(interval)) { [weak self] in
            guard let self else { return }
            state.withLock { $0.beats = false }
            // A peer with unread bytes needs none: a write to it shows that it is gone.
            let receivers = state.withLock { $0.subscribers.mapValues { $0.subscriber?.receiver } }
            for case (let number, let receiver?) in receivers where RecordSubscriber.hasRoom(receiver) {
                if !receiver.beat() { remove(number) }
            }
            beatLater()
        }
    }
}

/// A subscription to records; ends with `cancel`.
public final class RecordSubscription: Sendable {
    private let broadcast: RecordBroadcast
    private let number: Int

    init(broadcast: RecordBroadcast, number: Int) {
        self.broadcast = broadcast
        self.number = number
    }

    public func cancel() { broadcast.remove(number) }
}

// MARK: - Advancing

extension RecordBroadcast {
    /// What a subscription begins with.
    enum Beginning: Sendable {
        case new
        case journal(RecordBacklog)
        /// The delivery is not known.
        case unknown
        case failed(StoreError)
    }

    static func begin(after id: String, in store: Store) -> Beginning {
        do throws(StoreError) {
            return try RecordBacklog(after: id, in: store).map { .journal($0) } ?? .unknown
        } catch {
            return .failed(error)
        }
    }

    // All of this runs on the queue.

    func begin(_ number: Int, at place: RecordSubscriber.Source) {
        state.withLock { $0.subscribers[number]?.subscriber?.place = place }
        advance(number)
        beatLater()
    }

    private func advanceAll() {
        let numbers = state.withLock { state in
            state.isAwake = false
            return state.subscribers.filter { $0.value.subscriber?.isBusy == false }.map(\.key)
        }
        for number in numbers { advance(number) }
    }

    private func advance(_ number: Int) {
        // Taken out, so that what is changed is not copied.
        let (found, end) = state.withLock { ($0.subscribers[number]?.subscriber.take(), $0.log.end) }
        guard var subscriber = found else { return }
        let need =
            subscriber.isBusy
            ? .nothing : subscriber.advance(end: end) { from in state.withLock { $0.log.events(from: from) } }
        switch need {
        case .nothing: break
        case .page, .room, .journal: subscriber.isBusy = true
        case .end:
            subscriber.receiver.end()
            return remove(number)
        }
        let patience = subscriber.patience
        let store = subscriber.store
        let isThere = state.withLock { state in
            guard state.subscribers[number] != nil else { return false }
            state.subscribers[number]?.subscriber = subscriber
            return true
        }
        guard isThere else { return }
        switch need {
        case .nothing, .end: break
        case .room:
            queue.asyncAfter(deadline: .now() + .milliseconds(patience)) { [weak self] in self?.goOn(number) }
        case .page(let backlog, let end): read(backlog, end: end, for: number)
        case .journal(let id):
            reading.async { [self] in
                guard let store, case .journal(let backlog) = RecordBroadcast.begin(after: id, in: store) else {
                    return queue.async { [self] in giveUp(number) }
                }
                queue.async { [self] in
                    state.withLock { $0.subscribers[number]?.subscriber?.place = .journal(backlog) }
                    goOn(number)
                }
            }
        }
    }

    private func read(_ backlog: RecordBacklog, end: Int, for number: Int) {
        reading.async { [self] in
            var backlog = backlog
            do throws(StoreError) {
                let page = try backlog.next()
                queue.async { [self, backlog] in
                    state.withLock { $0.subscribers[number]?.subscriber?.append(page, backlog, end: end) }
                    goOn(number)
                }
            } catch {
                queue.async { [self] in giveUp(number) }
            }
        }
    }

    private func goOn(_ number: Int) {
        state.withLock { $0.subscribers[number]?.subscriber?.isBusy = false }
        advance(number)
    }

    private func giveUp(_ number: Int) {
        state.withLock { $0.subscribers[number]?.subscriber?.receiver }?.end()
        remove(number)
    }
}

/// The records that were published last, numbered. A subscriber that falls behind finds the older ones in the journal.
struct RecordLog: Sendable {
    /// What is kept, in bytes.
    private static let limit = 8 << 20

    private var events: [RecordBroadcast.Event] = []
    private var bytes = 0
    /// The number of the first that is kept.
    private(set) var start = 0

    var end: Int { start + events.count }

    mutating func append(_ event: RecordBroadcast.Event) {
        events.append(event)
        bytes += event.json.count
        guard bytes > RecordLog.limit else { return }
        // Half at once, so that it is rare.
        var dropped = 0
        while bytes > RecordLog.limit / 2, dropped < events.count - 1 {
            bytes -= events[dropped].json.count
            dropped += 1
        }
        events.removeFirst(dropped)
        start += dropped
    }

    /// Some from a number on; nil where they are not kept any more.
    func events(from number: Int) -> [RecordBroadcast.Event]? {
        guard number >= start else { return nil }
        // A copy, so that the storage that is appended to has one owner.
        return Array(events[(number - start)...].prefix(256))
    }

    mutating func removeAll() {
        start = end
        events = []
        bytes = 0
    }
}

/// Reads the records that follow one delivery's from the journal, a page at a time.
struct RecordBacklog: Sendable {
    /// A record, and where the next page begins.
    struct Entry: Sendable {
        var event: RecordBroadcast.Event
        var place: Store.RecordPosition
    }

    struct Page: Sendable {
        var entries: [Entry]
        /// Whether there was nothing more when it was read.
        var isLast: Bool
    }

    private static let page = 1000

    let store: Store
    private(set) var place: Store.RecordPosition
    /// Deliveries that arrived before this one had their records at the beginning.
    private let first: Int64

    /// Nil where the delivery is not known (any more), or not finished.
    init?(after id: String, in store: Store) throws(StoreError) {
        guard let place = try store.recordPosition(of: id) else { return nil }
        self.store = store
        self.place = place
        first = try store.firstNumber(after: place)
    }

    /// What follows, in the order in which it was finished.
    mutating func next() throws(StoreError) -> Page {
        var (records, isAll) = try store.records(after: place, from: first, limit: RecordBacklog.page)
        if isAll {
            // An old delivery that was asked for again meanwhile has a new record.
            (records, isAll) = try store.records(after: place, from: 0, limit: RecordBacklog.page)
        }
        if let last = records.last { place = last.place }
        return Page(
            entries: records.map {
                Entry(event: RecordBroadcast.Event(id: $0.id, json: Array($0.record.utf8)), place: $0.place)
            }, isLast: isAll)
    }
}

/// Which records were sent lately: the journal and the publication may both give one.
///
/// A delivery that was asked for again has a second record with the same id, which is another.
struct RecentRecords: Sendable {
    private var hashes: [Int] = []
    private var start = 0
    private var known: Set<Int> = []

    /// False where it was sent already.
    ///
    /// - Parameter limit: how many are remembered. A batch is in the journal before the first of it is published.
    mutating func insert(_ event: RecordBroadcast.Event, limit: Int) -> Bool {
        guard known.insert(event.hash).inserted else { return false }
        hashes.append(event.hash)
        // Two at most, so that what the journal gave is forgotten slowly, as it is published.
        for _ in 0..<2 where hashes.count - start > limit {
            known.remove(hashes[start])
            start += 1
        }
        if start > limit {
            hashes.removeSubrange(..<start)
            start = 0
        }
        return true
    }
}
