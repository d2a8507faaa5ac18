/// JSON Lines in both directions; what they mean is the receiver's business.
final class LineConversation: Conversation {
    private let connection: Connection
    private let outlet: Outlet
    private let receiver: any LineReceiver
    /// Up to where there was no line feed yet.
    private var scanned = 0
    /// Bytes that the receiver takes as they come.
    private var awaited = 0
    private var hasEnded = false
    private var isFinished = false

    init(_ connection: Connection) {
        self.connection = connection
        let loop = connection.loop
        outlet = Outlet(mailbox: loop.mailbox, key: connection.key, exchange: 0, limit: loop.limits.lineBuffer)
        receiver = loop.handler.openLines(connection.peer, outlet)
        connection.setDeadline(after: nil)
    }

    /// A connection of lines may be silent for as long as it likes.
    var isIdle: Bool { false }

    var isArriving: Bool { false }

    /// Lines from a client that leaves without waiting for the answers are still handled.
    var outlivesOutput: Bool { true }

    func consume(_ bytes: Span<UInt8>) -> Int {
        guard !isFinished else { return bytes.count }
        var start = 0
        while true {
            if awaited > 0 {
                guard start < bytes.count else { break }
                if !mayGoOn { return stay(start) }
                let count = min(awaited, bytes.count - start)
                receiver.receive(bytes: bytes.array(start..<start + count))
                awaited -= count
                start += count
                continue
            }
            guard let feed = bytes.firstIndex(of: 0x0A, from: max(scanned, start)) else { break }
            if !mayGoOn { return stay(start) }
            scanned = 0
            var end = feed
            if end > start, bytes[end - 1] == 0x0D { end -= 1 }
            guard end - start <= connection.loop.limits.line else { return refuse(bytes.count) }
            if end > start {
                receiver.receive(bytes.array(start..<end))
                awaited = receiver.awaitedBytes
            }
            start = feed + 1
        }
        scanned = bytes.count - start
        return scanned <= connection.loop.limits.line ? start : refuse(bytes.count)
    }

    /// Whether there is room for more answers, and the receiver accepts more.
    private var mayGoOn: Bool {
        if connection.output.count > connection.loop.limits.highWater { connection.hold(.output) }
        if !outlet.wantsReading { connection.hold(.handler) }
        return connection.output.count <= connection.loop.limits.highWater && outlet.wantsReading
    }

    private func stay(_ start: Int) -> Int {
        scanned = 0
        return start
    }

    private func refuse(_ count: Int) -> Int {
        connection.write { [limit = connection.loop.limits.line] in
            $0.append(contentsOf: HTTPProblem.lineTooLong(limit: limit).line)
        }
        finish(lingering: true)
        return count
    }

    func perform(_ order: LoopMailbox.Order, exchange: UInt32) {
        switch order {
        case .send(let bytes):
            outlet.took(bytes.count)
            if !isFinished { connection.write { $0.append(contentsOf: bytes) } }
        case .end: finish(lingering: false)
        case .drop: connection.close()
        case .continueReading: connection.release(.handler)
        case .answer, .watch, .releaseBody, .begin: break
        }
    }

    func wrote(unsent: Int) { outlet.setQueued(unsent) }

    func inputEnded() {
        // What waits for room is offered again, and the end comes behind it.
        endReceiver()
    }

    func deadlinePassed() { connection.close() }

    func drain() { endReceiver() }

    func closed() {
        outlet.peerGone()
        endReceiver()
    }

    private func finish(lingering: Bool) {
        guard !isFinished else { return }
        isFinished = true
        outlet.peerGone()
        endReceiver()
        connection.finish(lingering: lingering)
    }

    private func endReceiver() {
        guard !hasEnded else { return }
        hasEnded = true
        receiver.end()
    }
}
