internal import UsherStore

/// A subscriber, and the position of its next record.
struct RecordSubscriber: Sendable {
    enum Source: Sendable {
        /// Not begun yet.
        case waiting
        /// Reads the journal; the page in hand is sent first.
        case journal(RecordBacklog)
        /// At a number of the log.
        case log(Int)
    }

    /// What is to be done for a subscriber that cannot be given more now.
    enum Need: Sendable {
        /// Nothing, until something is published.
        case nothing
        /// Another page of the journal; the log was at `end` before it is read.
        case page(RecordBacklog, end: Int)
        /// The subscriber is behind what the log keeps: the records after its last one are in the journal.
        case journal(after: String)
        /// The peer has to read first.
        case room
        /// The peer is gone, or the next record is not known.
        case end
    }

    let receiver: RecordBroadcast.Receiver
    let store: Store?
    var place = Source.waiting
    /// Of the journal, the next one last.
    private var inHand: [RecordBacklog.Entry] = []
    /// Where the log is to be read from once the page in hand is sent; nil while the journal has more.
    private var follows: Int?
    private var last: String?
    private var recent = RecentRecords()
    /// Whether a page or room is being waited for.
    var isBusy = false
    /// Milliseconds until the next look for room.
    private(set) var patience = 1

    init(_ receiver: RecordBroadcast.Receiver, store: Store?) {
        self.receiver = receiver
        self.store = store
    }

    /// Unsent bytes above which a peer is given nothing more: well below those for which a stream is dropped.
    static let room = 32 * 1024

    static func hasRoom(_ receiver: RecordBroadcast.Receiver) -> Bool { receiver.unsentBytes() < room }

    private var hasRoom: Bool { RecordSubscriber.hasRoom(receiver) }

    mutating func append(_ page: RecordBacklog.Page, _ backlog: RecordBacklog, end: Int) {
        inHand = page.entries.reversed()
        place = .journal(backlog)
        follows = page.isLast ? end : nil
    }

    /// Sends what there is, while there is room.
    ///
    /// - Parameters:
    ///   - end: where the log ended before.
    ///   - log: some events of it from a number on; nil where they are not kept any more.
    mutating func advance(end: Int, log: (Int) -> [RecordBroadcast.Event]?) -> Need {
        let need = send(end, log)
        if case .room = need { patience = min(patience * 2, 64) } else { patience = 1 }
        return need
    }

    private mutating func send(_ end: Int, _ log: (Int) -> [RecordBroadcast.Event]?) -> Need {
        while let next = inHand.last {
            guard hasRoom else { return .room }
            patience = 1
            inHand.removeLast()
            guard send(next.event, remembering: 8192) else { return .end }
        }
        switch place {
        case .waiting: return .nothing
        case .journal(let backlog):
            guard let follows else { return .page(backlog, end: end) }
            place = .log(follows)
            self.follows = nil
        case .log: break
        }
        while case .log(var number) = place {
            guard let events = log(number) else { return last.map { .journal(after: $0) } ?? .end }
            if events.isEmpty { break }
            for event in events {
                guard hasRoom else { return .room }
                patience = 1
                number += 1
                place = .log(number)
                guard send(event, remembering: 512) else { return .end }
            }
        }
        return .nothing
    }

    private mutating func send(_ event: RecordBroadcast.Event, remembering limit: Int) -> Bool {
        guard recent.insert(event, limit: limit) else { return true }
        last = event.id
        return receiver.receive(event)
    }
}
