internal import CLinux
internal import Glibc

/// One connection: its descriptor, its buffers, its deadlines, and what is spoken over it.
///
/// It is independent of the protocol. The first byte, or what TLS agreed on, decides which conversation it feeds.
final class Connection {
    enum Stage {
        /// TLS is being agreed on.
        case handshake
        /// Nothing was received yet.
        case undecided
        case speaking(any Conversation)
        /// Everything was sent. Further input is read and discarded, so that the peer can read the last answer before
        /// its system sees that the connection is closed. RFC 9112, 9.6.
        case lingering
    }

    /// Reasons to stop reading. Reading continues when none is left.
    struct Hold: OptionSet {
        var rawValue: UInt8
        /// Enough received bytes wait to be parsed.
        static let input = Hold(rawValue: 1)
        /// Too many bytes wait to be sent to the peer.
        static let output = Hold(rawValue: 2)
        static let handler = Hold(rawValue: 4)
    }

    private enum Ending {
        case none, close, linger
    }

    let loop: EventLoop
    let descriptor: Int32
    let key: ConnectionKey
    private(set) var peer: HTTPPeer
    let isLocal: Bool
    private let takesLines: Bool
    /// Whether the first byte says if this is TLS at all.
    private var isTLSOptional: Bool
    private(set) var stage: Stage
    private(set) var isOpen = true
    private(set) var hasInputEnded = false
    var input = ByteQueue()
    var output = ByteQueue()
    private var session: TLSSession?
    private var holds: Hold = []
    private var ending = Ending.none
    private var lingered = 0
    /// What epoll watches for; nil while it does not watch at all.
    private var watched: UInt32?
    /// The peer reads no more, but its input is still handled.
    private var isOutputBroken = false
    /// Whether the connection is in these lists of the loop.
    var isDirty = false
    var isToBeRead = false
    private(set) var deadline = Milliseconds.max
    /// The order in which deadlines were set: of two connections, the one with the lower number has been waited for longer.
    private(set) var waitNumber: UInt64 = 0
    private var writeDeadline = Milliseconds.max
    /// How many bytes the peer has taken since that deadline was set.
    private var taken = 0
    /// Whether the last request was proven by its head, or came by the Unix socket.
    var isProven = false
    /// The unsent bytes that the loop has counted, while the connection is not proven.
    private(set) var unprovenOutput = 0

    init(_ loop: EventLoop, descriptor: Int32, key: ConnectionKey, peer: HTTPPeer, listener: BoundListener) {
        self.loop = loop
        self.descriptor = descriptor
        self.key = key
        self.peer = peer
        isLocal = listener.isLocal
        takesLines = listener.takesLines
        isTLSOptional = listener.isTLSOptional
        stage = .undecided
        if let context = listener.certificate?.context {
            session = TLSSession(context, descriptor: descriptor)
            stage = .handshake
            setDeadline(after: loop.limits.handshakeSeconds)
        } else {
            setDeadline(after: loop.limits.headSeconds)
        }
    }

    /// Watches; false when that is not possible.
    func begin() -> Bool {
        let events = UInt32(USHER_READABLE) | UInt32(USHER_INPUT_ENDED)
        guard usher_epoll_add(loop.epoll, descriptor, events, key.token) == 0 else { return false }
        watched = events
        return true
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        if case .speaking(let conversation) = stage { conversation.closed() }
        stage = .lingering
        output.removeAll()
        countUnprovenOutput()
        _ = Glibc.close(descriptor)
        loop.remove(self)
    }

    // MARK: What conversations ask for

    /// Closes when all output was written.
    /// - Parameter lingering: whether the peer may still be sending.
    func finish(lingering: Bool) {
        ending = lingering || !input.isEmpty ? .linger : .close
        // From here on, only a peer that takes nothing keeps us.
        deadline = .max
        loop.mark(self)
    }

    func hold(_ reason: Hold) { holds.insert(reason) }

    /// Offers what waits and reads on.
    func release(_ reason: Hold) {
        guard isOpen, holds.contains(reason) else { return }
        holds.remove(reason)
        loop.readAgain(self)
    }

    func setDeadline(after seconds: Double?) {
        deadline = seconds.map { loop.now + Clock.milliseconds($0) } ?? .max
        waitNumber = loop.nextWaitNumber()
        loop.scheduleSweep(before: deadline)
    }

    /// Appends to what is sent at the end of the turn.
    func write(_ body: (inout [UInt8]) -> Void) {
        guard isOpen, !isOutputBroken else { return }
        output.write(body)
        loop.mark(self)
    }

    // MARK: Events

    func ready(_ events: UInt32) {
        if case .handshake = stage { return shakeHands() }
        let failed = UInt32(USHER_FAILED) | UInt32(USHER_HUNG_UP)
        if events & UInt32(USHER_WRITABLE) != 0 { loop.mark(self) }
        guard events & (UInt32(USHER_READABLE) | UInt32(USHER_INPUT_ENDED) | failed) != 0 else { return }
        if isReading { return read() }
        // The input is not read now: it has ended, or reading is on hold.
        if events & failed != 0 { hungUp() }
    }

    private func hungUp() {
        if case .speaking(let conversation) = stage, conversation.outlivesOutput, !hasInputEnded {
            // Its last lines are read when there is room; until then epoll would report this without end.
            isOutputBroken = true
            output.removeAll()
            unwatch()
        } else {
            close()
        }
    }

    private var isReading: Bool { holds.isEmpty && !hasInputEnded }

    /// The first byte of every TLS handshake: a record of that type (RFC 8446, 5.1).
    private static let handshakeRecord: Int32 = 22

    private func shakeHands() {
        if isTLSOptional {
            let first = usher_peek(descriptor)
            guard first >= 0 || errno != EAGAIN else { return }
            isTLSOptional = false
            if first >= 0, first != Connection.handshakeRecord {
                session = nil
                peer.isEncrypted = false
                stage = .undecided
                setDeadline(after: loop.limits.headSeconds)
                return read()
            }
        }
        switch session?.shakeHands() {
        case .done:
            // `TLSContext` agreed on http/1.1 or on nothing. Here h2 becomes a conversation of its own.
            stage = .undecided
            setDeadline(after: loop.limits.headSeconds)
            read()
        case .wantsInput: watch(UInt32(USHER_READABLE) | UInt32(USHER_INPUT_ENDED))
        case .wantsOutput: watch(UInt32(USHER_WRITABLE))
        case .failed, nil: close()
        }
    }

    /// Reads what there is, but lets others have their turn.
    func read() {
        offer()
        // The end of input was seen during a hold; it is handled now.
        if isOpen, hasInputEnded, holds.isEmpty { endInput() }
        var rounds = 16
        while isOpen, isReading {
            guard rounds > 0 else {
                loop.readAgain(self)
                break
            }
            rounds -= 1
            let isAll: Bool
            switch receive() {
            case .bytes(let count):
                consume(count)
                // With TLS, decrypted bytes may wait, which epoll does not report.
                isAll = count < loop.scratch.count && session == nil
            case .wouldBlock: isAll = true
            case .ended:
                hasInputEnded = true
                endInput()
                isAll = true
            case .failed:
                return close()
            }
            if isAll { break }
        }
        if isOpen { loop.mark(self) }
    }

    private func consume(_ count: Int) {
        if case .lingering = stage {
            lingered += count
            if lingered > loop.limits.lingerBytes { close() }
            return
        }
        // Holds a reference to the bytes, so that they cannot change while they are parsed.
        let bytes = loop.scratch
        if input.isEmpty {
            let used = speak(bytes.span.extracting(first: count))
            if isOpen, used < count { input.append(bytes.span.extracting(used..<count)) }
        } else {
            input.append(bytes.span.extracting(first: count))
            offer()
        }
    }

    /// Offers what waits. The conversation may take some, all or nothing.
    private func offer() {
        guard isOpen, !input.isEmpty else { return }
        let used: Int
        do {
            let bytes = input.bytes
            used = speak(bytes.span.extracting(input.start..<bytes.count))
        }
        if isOpen { input.drop(used) }
    }

    private func speak(_ bytes: Span<UInt8>) -> Int {
        switch stage {
        case .speaking(let conversation): return conversation.consume(bytes)
        case .undecided:
            let conversation = choose(bytes[0])
            stage = .speaking(conversation)
            return conversation.consume(bytes)
        case .handshake, .lingering: return bytes.count
        }
    }

    /// The first byte decides. Cleartext HTTP/2 would begin with the preface `PRI * HTTP/2.0`, and would be recognised
    /// here.
    private func choose(_ first: UInt8) -> any Conversation {
        takesLines && first == 0x7B ? LineConversation(self) : HTTP1Conversation(self)
    }

    private func endInput() {
        if case .speaking(let conversation) = stage { conversation.inputEnded() } else { close() }
    }

    // MARK: The end of a turn

    /// Writes pending output, closes what is to be closed, and updates the events that epoll watches.
    func finishTurn() {
        guard isOpen else { return }
        if case .handshake = stage { return }
        guard writeOut() else { return close() }
        countUnprovenOutput()
        if case .speaking(let conversation) = stage {
            conversation.wrote(unsent: output.count)
            guard isOpen else { return }
        }
        if output.count <= loop.limits.highWater / 4 { release(.output) }
        if output.isEmpty, ending != .none {
            end()
            guard isOpen else { return }
        }
        if output.isEmpty, !isReading, hasInputEnded, case .lingering = stage { return close() }
        var events: UInt32 = isReading ? UInt32(USHER_READABLE) | UInt32(USHER_INPUT_ENDED) : 0
        if !output.isEmpty { events |= UInt32(USHER_WRITABLE) }
        watch(events)
    }

    private func countUnprovenOutput() {
        let unsent = isProven || isLocal ? 0 : output.count
        guard unsent != unprovenOutput else { return }
        loop.addUnprovenOutput(unsent - unprovenOutput)
        unprovenOutput = unsent
    }

    /// False when the connection has failed.
    private func writeOut() -> Bool {
        while !output.isEmpty {
            switch send() {
            case .bytes(let count):
                output.drop(count)
                taken += count
            case .wouldBlock:
                // Taking a byte now and then is not reading.
                if writeDeadline == .max || taken >= loop.limits.writeBytes {
                    taken = 0
                    writeDeadline = loop.now + Clock.milliseconds(loop.limits.writeSeconds)
                    loop.scheduleSweep(before: writeDeadline)
                }
                return true
            case .ended, .failed:
                guard case .speaking(let conversation) = stage, conversation.outlivesOutput else { return false }
                isOutputBroken = true
                output.removeAll()
            }
        }
        writeDeadline = .max
        taken = 0
        return true
    }

    private func end() {
        session?.sayGoodbye()
        guard ending == .linger, !hasInputEnded else { return close() }
        ending = .none
        if case .speaking(let conversation) = stage { conversation.closed() }
        stage = .lingering
        input.removeAll()
        holds = []
        shutdown(descriptor, Int32(SHUT_WR))
        setDeadline(after: loop.limits.lingerSeconds)
        loop.readAgain(self)
    }

    private func watch(_ events: UInt32) {
        guard isOpen, watched != events, watched != nil || events != 0 else { return }
        // One that hung up while nothing was wanted of it comes back when something is.
        let result =
            watched == nil
            ? usher_epoll_add(loop.epoll, descriptor, events, key.token)
            : usher_epoll_change(loop.epoll, descriptor, events, key.token)
        guard result == 0 else { return close() }
        watched = events
    }

    private func unwatch() {
        if watched != nil { _ = usher_epoll_remove(loop.epoll, descriptor) }
        watched = nil
    }

    // MARK: Deadlines

    /// When `checkDeadlines` is worth calling.
    var nextDeadline: Milliseconds { min(deadline, writeDeadline) }

    func checkDeadlines() {
        if isIdle, input.isEmpty {
            input.release()
            output.release()
        }
        if writeDeadline <= loop.now { return close() }
        guard deadline <= loop.now else { return }
        deadline = .max
        if case .speaking(let conversation) = stage, ending == .none {
            conversation.deadlinePassed()
        } else {
            close()
        }
    }

    var isIdle: Bool {
        if case .speaking(let conversation) = stage { conversation.isIdle && output.isEmpty } else { false }
    }

    /// Whether a handshake or a request has begun to arrive, and is not complete.
    var isArriving: Bool {
        switch stage {
        case .handshake, .undecided: true
        case .speaking(let conversation): conversation.isArriving
        case .lingering: false
        }
    }

    func drain() {
        // What the peer has sent already counts as begun.
        if isReading { read() }
        guard isOpen else { return }
        switch stage {
        case .speaking(let conversation): conversation.drain()
        case .undecided, .handshake: close()
        case .lingering: break
        }
    }

    // MARK: Transport

    private func receive() -> Transfer {
        if session != nil, !isLingering {
            return unsafe loop.scratch.withUnsafeMutableBytes { unsafe session?.receive(into: $0) ?? .failed }
        }
        let count = unsafe loop.scratch.withUnsafeMutableBytes {
            unsafe usher_receive(descriptor, $0.baseAddress, UInt(bitPattern: $0.count))
        }
        return Transfer(count)
    }

    private func send() -> Transfer {
        unsafe output.bytes.withUnsafeBytes { bytes in
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[output.start...])
            if session != nil { return unsafe session?.send(rest) ?? .failed }
            return Transfer(unsafe usher_send(descriptor, rest.baseAddress, UInt(bitPattern: rest.count)))
        }
    }

    private var isLingering: Bool {
        if case .lingering = stage { true } else { false }
    }
}

/// What became of an attempt to read or to write.
enum Transfer {
    case bytes(Int)
    case wouldBlock
    case ended
    case failed

    /// From what recv and send return.
    init(_ result: Int) {
        if result > 0 {
            self = .bytes(result)
        } else if result == 0 {
            self = .ended
        } else {
            self = errno == EAGAIN ? .wouldBlock : .failed
        }
    }
}

/// The protocol of a connection: a state machine that receives the bytes of the connection. There are HTTP/1.1 and
/// lines; HTTP/2 would be a third.
///
/// All calls come from the loop's thread. Nothing is written or read within them: they append to the connection's output
/// and leave the rest to the end of the turn.
protocol Conversation: AnyObject {
    /// Takes as many of the bytes as it can and returns their number. The rest is offered again, with the bytes that
    /// follow.
    func consume(_ bytes: Span<UInt8>) -> Int

    /// Nothing more comes from the peer; what came before was offered.
    func inputEnded()

    /// From another thread, or from the handler.
    func perform(_ order: LoopMailbox.Order, exchange: UInt32)

    /// So many bytes of the output could not be written yet.
    func wrote(unsent: Int)

    func deadlinePassed()

    /// The server stops: end after the current request.
    func drain()

    /// Whether the connection can be closed without losing a request or an answer.
    var isIdle: Bool { get }

    /// Whether a request has begun to arrive and is not complete.
    var isArriving: Bool { get }

    /// Whether what the peer sent still counts when it reads no more.
    var outlivesOutput: Bool { get }

    /// The connection is gone.
    func closed()
}
