internal import Synchronization

/// The side of a stream or line connection that other threads use. It counts the bytes queued for the peer.
final class Outlet: HTTPStream, LineConnection {
    private let mailbox: LoopMailbox
    private let key: ConnectionKey
    private let exchange: UInt32
    private let limit: Int
    /// Bytes that the loop has not taken yet, and bytes that it could not write yet.
    private let posted = Atomic<Int>(0)
    private let queued = Atomic<Int>(0)
    private let isGone = Atomic<Bool>(false)
    private let isReading = Atomic<Bool>(true)

    init(mailbox: LoopMailbox, key: ConnectionKey, exchange: UInt32, limit: Int) {
        self.mailbox = mailbox
        self.key = key
        self.exchange = exchange
        self.limit = limit
    }

    /// 0 once the peer has gone, so that a sender that waits for room sends again and gets `false`.
    var unsentBytes: Int {
        isGone.load(ordering: .relaxed) ? 0 : posted.load(ordering: .relaxed) + queued.load(ordering: .relaxed)
    }

    func send(_ bytes: [UInt8]) -> Bool {
        guard !isGone.load(ordering: .relaxed) else { return false }
        guard unsentBytes <= limit else {
            isGone.store(true, ordering: .relaxed)
            post(.drop)
            return false
        }
        posted.add(bytes.count, ordering: .relaxed)
        return post(.send(bytes))
    }

    func close() { post(.end) }

    func setReading(_ isReading: Bool) {
        self.isReading.store(isReading, ordering: .relaxed)
        if isReading { post(.continueReading) }
    }

    @discardableResult
    private func post(_ order: LoopMailbox.Order) -> Bool { mailbox.post(.order(key, exchange: exchange, order)) }

    // MARK: The loop's side

    var wantsReading: Bool { isReading.load(ordering: .relaxed) }

    /// The order matters: bytes that are counted twice for a moment only delay a sender. Uncounted bytes would let a
    /// sender post too much, and the peer would be dropped.
    func took(_ count: Int) {
        queued.add(count, ordering: .releasing)
        posted.subtract(count, ordering: .releasing)
    }

    func setQueued(_ count: Int) { queued.store(count, ordering: .relaxed) }

    func peerGone() { isGone.store(true, ordering: .relaxed) }
}

/// Answers one request, once. The mailbox carries the answer to the loop's thread.
struct Responder: HTTPResponder {
    let mailbox: LoopMailbox
    let key: ConnectionKey
    let exchange: UInt32

    func respond(_ response: HTTPResponse) { mailbox.post(.order(key, exchange: exchange, .answer(response))) }

    func whenClientIsGone(_ body: @escaping @Sendable () -> Void) {
        // The loop has ended, and the connection with it.
        if !mailbox.post(.order(key, exchange: exchange, .watch(body))) { body() }
    }

    func releaseBody() { mailbox.post(.order(key, exchange: exchange, .releaseBody)) }

    func stream(_ response: HTTPResponse) -> any HTTPStream {
        let outlet = Outlet(mailbox: mailbox, key: key, exchange: exchange, limit: mailbox.streamBuffer)
        mailbox.post(.order(key, exchange: exchange, .begin(response, outlet)))
        return outlet
    }
}
