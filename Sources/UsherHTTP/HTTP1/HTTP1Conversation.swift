/// The server's side of HTTP/1.1 on one connection.
///
/// One request at a time is with the handler, and what was sent behind it waits: answers are in order by themselves, and
/// requests that are not safe take effect in order (RFC 9112, 9.3.2).
final class HTTP1Conversation: Conversation {
    private enum State {
        /// Between requests, or within a head.
        case head
        case body(left: Int)
        case chunks(ChunkedBody)
        /// The rest of a short body of a request that was refused.
        case skipping(left: Int, HTTPResponse)
        /// With the handler.
        case answering
        case streaming(Outlet, isChunked: Bool)
        /// Nothing more is understood.
        case finished
    }

    private let connection: Connection
    private var state = State.head
    private var scanner = HeadScanner()
    private var hasBegun = false
    /// Of the request that is being read or answered.
    private var request: HTTPRequest?
    private var bodyLimit = 0
    /// What the body is charged to, how many bytes of it are, and since when it has been received.
    private(set) var account = HTTPBodyAccount.local
    private(set) var heldBytes = 0
    private(set) var bodyBegan: Milliseconds = 0
    /// Numbers the requests, so that a late or second answer is ignored.
    private var exchange: UInt32 = 0
    private var keepsAlive = true
    private var isHead = false
    private var isOld = false

    private var limits: HTTPServer.Limits { connection.loop.limits }

    init(_ connection: Connection) { self.connection = connection }

    var isIdle: Bool {
        if case .head = state { !hasBegun } else { false }
    }

    var isArriving: Bool {
        switch state {
        case .head: hasBegun
        case .body, .chunks, .skipping: true
        case .answering, .streaming, .finished: false
        }
    }

    var outlivesOutput: Bool { false }

    // MARK: Reading

    func consume(_ bytes: Span<UInt8>) -> Int {
        var i = 0
        do throws(HTTPProblem) {
            while i < bytes.count {
                let before = i
                try step(bytes, &i)
                if i == before { return i }
            }
        } catch {
            fail(error)
            return bytes.count
        }
        return i
    }

    private func step(_ bytes: Span<UInt8>, _ i: inout Int) throws(HTTPProblem) {
        switch state {
        case .head:
            if connection.output.count > limits.highWater { return connection.hold(.output) }
            try readHead(bytes, &i)
        case .body(let left):
            let piece = i..<min(i + left, bytes.count)
            try keep(bytes, piece, isLast: piece.count == left)
            i = piece.upperBound
            if piece.count == left { dispatch() } else { state = .body(left: left - piece.count) }
        case .chunks(var chunks):
            switch try chunks.next(bytes, &i) {
            case .more: state = .chunks(chunks)
            case .data(let piece):
                state = .chunks(chunks)
                try keep(bytes, piece)
            case .end: dispatch()
            }
        case .skipping(let left, let response):
            let count = min(left, bytes.count - i)
            i += count
            if count == left { answer(response) } else { state = .skipping(left: left - count, response) }
        case .answering, .streaming:
            if bytes.count - i >= limits.head { connection.hold(.input) }
        case .finished:
            i = bytes.count
        }
    }

    private func readHead(_ bytes: Span<UInt8>, _ i: inout Int) throws(HTTPProblem) {
        if !hasBegun {
            hasBegun = true
            connection.setDeadline(after: limits.headSeconds)
        }
        isHead = false
        isOld = false
        guard let length = try scanner.end(in: bytes.extracting(i...), limit: limits.head) else { return }
        let head = try RequestHead(bytes, in: i + scanner.leading..<i + length, limits: limits)
        scanner = HeadScanner()
        keepsAlive = head.keepsAlive
        isHead = bytes.extracting(head.method).isSameBytes("HEAD")
        isOld = head.minorVersion == 0
        i += length
        var request = HTTPRequest(
            method: Self.method(bytes, head.method), target: bytes.text(head.target),
            fields: HTTPFields(received: bytes.array(head.fields), lines: head.lines), peer: connection.peer)
        if case .absolute(let authority, let path) = try RequestTarget(request.target, method: request.method) {
            request.target = path
            request.fields.replace("Host", authority)
        }
        try admit(request, head, isAlone: i == bytes.count)
    }

    /// - Parameter isAlone: whether nothing of the body is here yet.
    private func admit(_ request: HTTPRequest, _ head: RequestHead, isAlone: Bool) throws(HTTPProblem) {
        let length = head.isChunked ? nil : head.contentLength ?? 0
        switch connection.loop.handler.admit(request) {
        case .accept(let limit, let account):
            self.account = account
            bodyLimit = min(limit, limits.bodies(of: account))
            connection.isProven = if case .unproven = account { false } else { true }
            if let length, length > bodyLimit { throw .bodyTooLarge(limit: bodyLimit) }
            self.request = request
        case .refuse(let response):
            connection.isProven = false
            return refuse(response, length: length, isExpecting: head.expectsContinue)
        }
        if length == 0 { return dispatch() }
        connection.setDeadline(after: limits.bodySeconds)
        bodyBegan = connection.loop.now
        state = length.map { .body(left: $0) } ?? .chunks(ChunkedBody())
        if let length { self.request?.body.reserveCapacity(min(length, 256 * 1024)) }
        if head.expectsContinue, isAlone {
            connection.write { $0.append(contentsOf: "HTTP/1.1 100 Continue\r\n\r\n".utf8) }
        }
    }

    /// A short body is read, so that the connection can be used again; for a long one, the answer comes at once.
    private func refuse(_ response: HTTPResponse, length: Int?, isExpecting: Bool) {
        if let length, length <= 64 * 1024, length == 0 || !isExpecting {
            guard length > 0 else { return answer(response) }
            connection.setDeadline(after: limits.bodySeconds)
            state = .skipping(left: length, response)
        } else {
            finish(response)
        }
    }

    /// - Parameter isLast: the body is complete with this piece. Without a proof it is then judged at once, so that this
    ///   piece is not charged: a body that came in one piece is taken however many slow ones there are.
    private func keep(_ bytes: Span<UInt8>, _ piece: Range<Int>, isLast: Bool = false) throws(HTTPProblem) {
        guard (request?.body.count ?? 0) + piece.count <= bodyLimit else { throw .bodyTooLarge(limit: bodyLimit) }
        if !isLast || connection.isProven {
            guard connection.loop.bodies.reserve(piece.count, for: self, now: connection.loop.now) else {
                throw .outOfMemory
            }
            heldBytes += piece.count
        }
        unsafe bytes.extracting(piece).withUnsafeBufferPointer { unsafe request?.body.append(contentsOf: $0) }
    }

    private func dispatch() {
        guard let request = request.take() else { return }
        // What was not proven by the head is judged at once, and what is taken then has limits of its own. Of others the
        // body is charged until the answer: bulk requests may wait with it.
        if !connection.isProven { releaseBody() }
        state = .answering
        exchange &+= 1
        connection.setDeadline(after: limits.answerSeconds)
        let loop = connection.loop
        loop.handler.handle(request, Responder(mailbox: loop.mailbox, key: connection.key, exchange: exchange))
    }

    private static func method(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        let method = bytes.extracting(range)
        if method.isSameBytes("POST") { return "POST" }
        if method.isSameBytes("GET") { return "GET" }
        return bytes.text(range)
    }

    /// The next request may begin.
    private func reset() {
        releaseBody()
        request = nil
        scanner = HeadScanner()
        hasBegun = false
        state = .head
        connection.setDeadline(after: limits.idleSeconds)
        connection.release(.input)
        if !connection.input.isEmpty || connection.hasInputEnded { connection.loop.readAgain(connection) }
    }

    private func releaseBody() {
        guard heldBytes > 0 else { return }
        connection.loop.bodies.release(of: self)
        heldBytes = 0
    }

    /// Another body needs the memory of this one, which is being received.
    func giveWay() { fail(.outOfMemory) }

    // MARK: Events

    func perform(_ order: Mailbox.Order, exchange: UInt32) {
        guard exchange == self.exchange else {
            if case .begin(_, let outlet) = order { outlet.peerGone() }
            return
        }
        switch (state, order) {
        case (.answering, .answer(let response)): answer(response)
        case (.answering, .begin(let response, let outlet)): begin(response, outlet)
        case (.streaming(let outlet, let isChunked), .send(let bytes)):
            outlet.took(bytes.count)
            send(bytes, isChunked: isChunked)
        case (.streaming(let outlet, let isChunked), .end): end(outlet, isChunked: isChunked)
        case (.streaming, .drop): connection.close()
        case (_, .begin(_, let outlet)): outlet.peerGone()
        default: break
        }
    }

    func wrote(unsent: Int) {
        if case .streaming(let outlet, _) = state { outlet.setQueued(unsent) }
    }

    func inputEnded() {
        switch state {
        case .head, .body, .chunks, .skipping: stop(lingering: false)
        // A complete request is answered, even if the client has ended its sending side.
        case .answering, .finished: break
        // A client that closes looks the same as one that only ends its sending side; in practice the client has
        // closed.
        case .streaming: connection.close()
        }
    }

    func deadlinePassed() {
        switch state {
        // A slow reader of a long answer is not idle.
        case .head where !hasBegun && !connection.output.isEmpty: connection.setDeadline(after: limits.idleSeconds)
        case .head where !hasBegun: connection.close()
        case .head: fail(.timeout("head of the request"))
        case .body, .chunks, .skipping: fail(.timeout("body of the request"))
        case .answering: finish(HTTPProblem.noAnswer.response)
        case .streaming, .finished: connection.close()
        }
    }

    func drain() {
        keepsAlive = false
        switch state {
        case .head where !hasBegun: connection.finish(lingering: false)
        case .streaming(let outlet, let isChunked): end(outlet, isChunked: isChunked)
        default: break
        }
    }

    func closed() {
        releaseBody()
        if case .streaming(let outlet, _) = state { outlet.peerGone() }
        state = .finished
    }

    private func stop(lingering: Bool) {
        releaseBody()
        state = .finished
        connection.finish(lingering: lingering)
    }
}

// MARK: - Answering

extension HTTP1Conversation {
    /// A whole answer; the connection goes on if both sides want it to.
    private func answer(_ response: HTTPResponse) {
        let closes = !keepsAlive || connection.loop.isDraining
        write(response, closes: closes)
        if closes { stop(lingering: false) } else { reset() }
    }

    /// An answer before the request was read: the rest of the request cannot be distinguished from the next request, so
    /// this answer is the last.
    private func finish(_ response: HTTPResponse) {
        write(response, closes: true)
        stop(lingering: true)
    }

    private func fail(_ problem: HTTPProblem) {
        guard case .finished = state else { return finish(problem.response) }
    }

    private func write(_ response: HTTPResponse, closes: Bool) {
        let isBodiless = response.status == 204 || response.status == 304 || response.status < 200
        let date = connection.loop.date.bytes
        let persistence: ResponseText.Persistence = closes ? .close : isOld ? .keepAlive : .asUsual
        connection.write { [isHead] output in
            ResponseText.appendHead(
                of: response, framing: isBodiless ? .none : .length(response.body.count), persistence: persistence,
                date: date, to: &output)
            if !isBodiless, !isHead { output.append(contentsOf: response.body) }
        }
    }

    // MARK: Answers without an end

    private func begin(_ response: HTTPResponse, _ outlet: Outlet) {
        let date = connection.loop.date.bytes
        let isChunked = !isOld
        connection.loop.keepAlive(connection)
        connection.setDeadline(after: nil)
        connection.write { output in
            ResponseText.appendHead(
                of: response, framing: isChunked ? .chunked : .none, persistence: isChunked ? .asUsual : .close,
                date: date, to: &output)
        }
        state = .streaming(outlet, isChunked: isChunked)
        if isHead || connection.loop.isDraining { return end(outlet, isChunked: isChunked) }
        send(response.body, isChunked: isChunked)
        if connection.hasInputEnded { connection.close() }
    }

    private func send(_ bytes: [UInt8], isChunked: Bool) {
        connection.write { output in
            if isChunked { ResponseText.appendChunk(bytes, to: &output) } else { output.append(contentsOf: bytes) }
        }
    }

    private func end(_ outlet: Outlet, isChunked: Bool) {
        outlet.peerGone()
        if isChunked, !isHead { connection.write { $0.append(contentsOf: "0\r\n\r\n".utf8) } }
        if isChunked, keepsAlive, !connection.loop.isDraining { reset() } else { stop(lingering: false) }
    }
}
