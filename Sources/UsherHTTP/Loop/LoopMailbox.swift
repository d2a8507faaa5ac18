internal import CLinux
internal import Glibc
internal import Synchronization

/// Identifies a connection by slot and generation. The generation distinguishes it from a later connection in the same
/// slot.
struct ConnectionKey: Sendable, Hashable {
    var slot: UInt32
    var generation: UInt32

    /// As a token of epoll.
    var token: UInt64 { UInt64(generation) << 32 | UInt64(slot) }

    init(slot: UInt32, generation: UInt32) {
        self.slot = slot
        self.generation = generation
    }

    init(token: UInt64) {
        slot = UInt32(truncatingIfNeeded: token)
        generation = UInt32(truncatingIfNeeded: token >> 32)
    }
}

/// Messages from other threads to the loop; the only state that they share with it.
///
/// A message from another thread wakes the loop only if the box was empty. Messages that the loop posts itself do not
/// wake it, nor do messages that other threads add behind them: the loop checks the box before it sleeps.
final class LoopMailbox: Sendable {
    /// Set by the loop for other threads: how many connections are open.
    let openConnections = Atomic<Int>(0)

    enum Message: Sendable {
        /// To one exchange of a connection.
        case order(ConnectionKey, exchange: UInt32, Order)
        case stop(seconds: Double)
        case stopIfUnused
        case stopListening
    }

    enum Order: Sendable {
        case answer(HTTPResponse)
        /// Called when the client goes before the answer.
        case watch(@Sendable () -> Void)
        /// The request's body is not needed any more.
        case releaseBody
        case begin(HTTPResponse, Outlet)
        case send([UInt8])
        case end
        /// The peer does not keep up.
        case drop
        case continueReading

        /// Its connection is gone: what waits for that is told.
        func peerGone() {
            switch self {
            case .watch(let body): body()
            case .begin(_, let outlet): outlet.peerGone()
            case .answer, .releaseBody, .send, .end, .drop, .continueReading: break
            }
        }
    }

    private struct Box {
        var messages: [Message] = []
        var isClosed = false
    }

    let descriptor: Int32
    private let box = Mutex(Box())
    /// The loop's thread, as a number.
    private let owner = Atomic<UInt>(0)

    /// How much of a stream may wait; here, because responders make streams.
    let streamBuffer: Int

    init?(streamBuffer: Int) {
        self.streamBuffer = streamBuffer
        descriptor = usher_eventfd()
        guard descriptor >= 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// False when the loop has ended.
    @discardableResult
    func post(_ message: Message) -> Bool {
        let (wasEmpty, isClosed) = box.withLock { box in
            let wasEmpty = box.messages.isEmpty
            if !box.isClosed { box.messages.append(message) }
            return (wasEmpty, box.isClosed)
        }
        if wasEmpty, !isClosed, owner.load(ordering: .relaxed) != Self.thread { usher_eventfd_signal(descriptor) }
        return !isClosed
    }

    // MARK: The loop's side

    /// Makes the calling thread the owner: it checks the mailbox itself, so its own posts do not signal.
    func own() { owner.store(Self.thread, ordering: .relaxed) }

    func clearSignal() { usher_eventfd_clear(descriptor) }

    var isEmpty: Bool { box.withLock { $0.messages.isEmpty } }

    /// Exchanges what has come for an empty array, so that the storage is used again.
    func removeAll(into messages: inout [Message]) {
        box.withLock { swap(&$0.messages, &messages) }
    }

    /// Takes no further messages; returns those that the loop has not taken.
    func shut() -> [Message] {
        owner.store(0, ordering: .relaxed)
        return box.withLock { box in
            defer { box.messages = [] }
            box.isClosed = true
            return box.messages
        }
    }

    private static var thread: UInt { UInt(pthread_self()) }
}
