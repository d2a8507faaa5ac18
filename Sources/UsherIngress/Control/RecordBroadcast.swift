internal import Dispatch
internal import Synchronization
public import UsherLog
internal import UsherScene
internal import UsherStore

/// Sends each finished delivery's record to everybody who listens now.
///
/// Records go out in the order in which they are published. Who was away is first given what the journal has.
public final class RecordBroadcast: Sendable {
    /// A record as it goes out.
    public struct Event: Sendable {
        /// The delivery's id.
        public var id: String
        /// One object, without a line feed.
        public var json: [UInt8]
    }

    /// Takes events, on the broadcast's own thread; false ends the subscription. Must not block.
    public struct Receiver: Sendable {
        public var receive: @Sendable (Event) -> Bool
        /// Called now and then while nothing else is sent.
        public var beat: @Sendable () -> Bool

        public init(receive: @escaping @Sendable (Event) -> Bool, beat: @escaping @Sendable () -> Bool) {
            self.receive = receive
            self.beat = beat
        }
    }

    private struct Subscriber: Sendable {
        var receiver: Receiver
        /// Whether the journal was read: what was published before is in it.
        var isReady = false
        /// What the journal gave, and the publication may give again.
        var sent: Set<String> = []
    }

    private struct State: Sendable {
        var subscribers: [Int: Subscriber] = [:]
        var next = 0
        var beats = false
    }

    private let queue = DispatchQueue(label: "usher.records")
    private let state = Mutex(State())
    /// Seconds between two beats.
    private let interval: Int

    public init(heartbeatSeconds interval: Int = 15) { self.interval = interval }

    /// A delivery is finished, and its record on disk. Costs nothing while nobody listens.
    public func publish(_ record: DecisionRecord) {
        guard state.withLock({ !$0.subscribers.isEmpty }) else { return }
        queue.async { [self] in send(Event(id: record.id, json: Array(record.json.utf8))) }
    }

    /// How many listen.
    public var subscriberCount: Int { state.withLock { $0.subscribers.count } }

    /// Subscribes; afterwards every record that is published is received.
    ///
    /// - Parameter backlog: read first, on the broadcast's thread: nothing is lost between it and the first new record.
    func subscribe(
        _ receiver: Receiver, backlog: @escaping @Sendable () -> [Event] = { [] }
    ) -> RecordSubscription {
        // From now on publications wait in the queue: those before the journal are in it, those behind it are sent.
        let number = state.withLock { state in
            state.next += 1
            state.subscribers[state.next] = Subscriber(receiver: receiver)
            return state.next
        }
        queue.async { [self] in
            let events = backlog()
            var sent: Set<String> = []
            for event in events {
                guard receiver.receive(event) else { return remove(number) }
                sent.insert(event.id)
            }
            state.withLock { state in
                state.subscribers[number]?.sent = sent
                state.subscribers[number]?.isReady = true
            }
            beatLater()
        }
        return RecordSubscription(broadcast: self, number: number)
    }

    func remove(_ number: Int) { _ = state.withLock { $0.subscribers.removeValue(forKey: number) } }

    /// Waits until everything that was published has been handed over.
    public func drain() { queue.sync {} }

    private func send(_ event: Event) {
        for (number, subscriber) in state.withLock({ $0.subscribers }) where subscriber.isReady {
            if subscriber.sent.contains(event.id) {
                _ = state.withLock { $0.subscribers[number]?.sent.remove(event.id) }
            } else if !subscriber.receiver.receive(event) {
                remove(number)
            }
        }
    }

    /// Beats as long as somebody listens.
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
            for (number, subscriber) in state.withLock({ $0.subscribers }) where !subscriber.receiver.beat() {
                remove(number)
            }
            beatLater()
        }
    }
}

/// One who listens to records; ends with `cancel`.
public final class RecordSubscription: Sendable {
    private let broadcast: RecordBroadcast
    private let number: Int

    init(broadcast: RecordBroadcast, number: Int) {
        self.broadcast = broadcast
        self.number = number
    }

    public func cancel() { broadcast.remove(number) }
}
