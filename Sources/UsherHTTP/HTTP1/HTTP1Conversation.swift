/// The server's side of HTTP/1.1 on one connection.
///
/// One request at a time is with the handler, and what was sent behind it waits: answers are in order by themselves, and
/// requests that are not safe take effect in order (RFC 9112, 9.3.2).
final class HTTP1Conversation: Conversation {
    private enum State {
        /// Between requests.
        case idle
        case head(HeadScanner)
        case body(Incoming, left: Int)
        case chunks(Incoming, ChunkedBody)
        /// The rest of a short body of a request that was refused.
        case skipping(left: Int, HTTPResponse, Exchange)
        /// With the handler; a proven body is charged until the handler releases it or answers, since bulk requests may wait
        /// with it.
        case answering(Exchange, BodyCharge?)
        case streaming(Exchange, Outlet)
        /// Further input is dropped.
        case finished
    }

    /// What a request's head says of its answer.
    private struct Exchange {
        let isHead: Bool
        /// HTTP/1.0: without chunks.
        let isHTTP10: Bool
        let keepsAlive: Bool
    }

    /// A request whose body is being received.
    private struct Incoming {
        var request: HTTPRequest
        let exchange: Exchange
        let charge: BodyCharge
        let limit: Int
    }

    private let connection: Connection
    private var state = State.idle
    /// Counts the requests, so that a late or second answer is ignored.
    private var requestNumber: UInt32 = 0
    /// Called when the client goes before it has its answer; nil where nothing waits for that.
    private var whenGone: (@Sendable () -> Void)?

    private var limits: HTTPServer.Limits { connection.loop.limits }

    init(_ connection: Connection) { self.connection = connection }

    var isIdle: Bool {
        if case .idle = state { true } else { false }
    }

    var isArriving: Bool {
        switch state {
        case .head, .body, .chunks, .skipping: true
        case .idle, .answering, .streaming, .finished: false
        }
    }

    var outlivesOutput: Bool { false }

    // MARK: Reading

    func consume(_ bytes: Span<UInt8>) -> Int {
        var offset = 0
        do throws(HTTPProblem) {
            while offset < bytes.count {
                let before = offset
                try step(bytes, &offset)
                if offset == before { return offset }
            }
        } catch {
            fail(error)
            return bytes.count
        }
        return offset
    }

    private func step(_ bytes: Span<UInt8>, _ offset: inout Int) throws(HTTPProblem) {
        switch state {
        case .idle, .head:
            if connection.output.count > limits.highWater { return connection.hold(.output) }
            try readHead(bytes, &offset)
        case .body(var incoming, let left):
            let piece = offset..<min(offset + left, bytes.count)
            try append(bytes, piece, to: &incoming, isLast: piece.count == left)
            offset = piece.upperBound
            if piece.count == left {
                dispatch(incoming.request, incoming.exchange, incoming.charge)
            } else {
                state = .body(incoming, left: left - piece.count)
            }
        case .chunks(var incoming, var chunks):
            switch try chunks.next(bytes, &offset) {
            case .more: state = .chunks(incoming, chunks)
            case .data(let piece):
                try append(bytes, piece, to: &incoming)
                state = .chunks(incoming, chunks)
            case .end: dispatch(incoming.request, incoming.exchange, incoming.charge)
            }
        case .skipping(let left, let response, let exchange):
            let count = min(left, bytes.count - offset)
            offset += count
            if count == left {
                answer(response, exchange)
            } else {
                state = .skipping(left: left - count, response, exchange)
            }
        case .answering, .streaming:
            if bytes.count - offset >= limits.head { connection.hold(.input) }
        case .finished:
            offset = bytes.count
        }
    }

    private func readHead(_ bytes: Span<UInt8>, _ offset: inout Int) throws(HTTPProblem) {
        var scanner = HeadScanner()
        if case .head(let begun) = state { scanner = begun } else { connection.setDeadline(after: limits.headSeconds) }
        guard let length = try scanner.end(in: bytes.extracting(offset...), limit: limits.head) else {
            state = .head(scanner)
            return
        }
        let head = try RequestHead(bytes, in: offset + scanner.leading..<offset + length, limits: limits)
        let exchange = Exchange(
            isHead: bytes.extracting(head.method).isSameBytes("HEAD"), isHTTP10: head.minorVersion == 0,
            keepsAlive: head.keepsAlive)
        offset += length
        var request = HTTPRequest(
            method: Self.method(bytes, head.method), target: bytes.text(head.target),
            fields: HTTPFields(received: bytes.array(head.fields), lines: head.lines), peer: connection.peer)
        do throws(HTTPProblem) {
            if case .absolute(let authority, let path) = try RequestTargetForm(request.target, method: request.method) {
                request.target = path
                request.fields.replace("Host", authority)
            }
            try admit(request, head, exchange, isAlone: offset == bytes.count)
        } catch {
            finish(error.response, exchange)
        }
    }

    /// - Parameter isAlone: whether nothing of the body is here yet.
    private func admit(
        _ request: HTTPRequest, _ head: RequestHead, _ exchange: Exchange, isAlone: Bool
    ) throws(HTTPProblem) {
        let length = head.isChunked ? nil : head.contentLength ?? 0
        switch connection.loop.handler.admit(request) {
        case .accept(let limit, let account):
            let limit = min(limit, limits.bodies(of: account))
            connection.isProven = if case .unproven = account { false } else { true }
            if let length, length > limit { throw .bodyTooLarge(limit: limit) }
            if length == 0 { return dispatch(request, exchange, nil) }
            connection.setDeadline(after: limits.bodySeconds)
            var incoming = Incoming(
                request: request, exchange: exchange,
                charge: BodyCharge(to: account, of: self, began: connection.loop.now), limit: limit)
            if let length { incoming.request.body.reserveCapacity(min(length, 256 * 1024)) }
            state = length.map { .body(incoming, left: $0) } ?? .chunks(incoming, ChunkedBody())
            if head.expectsContinue, isAlone {
                connection.write { $0.append(contentsOf: "HTTP/1.1 100 Continue\r\n\r\n".utf8) }
            }
        case .refuse(let response):
            connection.isProven = false
            refuse(response, exchange, length: length, isExpecting: head.expectsContinue)
        }
    }

    /// A short body is read, so that the connection can be used again; for a long one, the answer comes at once.
    private func refuse(_ response: HTTPResponse, _ exchange: Exchange, length: Int?, isExpecting: Bool) {
        if let length, length <= 64 * 1024, length == 0 || !isExpecting {
            guard length > 0 else { return answer(response, exchange) }
            connection.setDeadline(after: limits.bodySeconds)
            state = .skipping(left: length, response, exchange)
        } else {
            finish(response, exchange)
        }
    }

    /// Charges and appends a piece; unless it throws, the caller sets the next state.
    ///
    /// - Parameter isLast: the body is complete with this piece. An unproven body is then judged at once, so that this
    ///   piece is not charged: a body in one piece is accepted however many slow ones there are.
    private func append(
        _ bytes: Span<UInt8>, _ piece: Range<Int>, to incoming: inout Incoming, isLast: Bool = false
    ) throws(HTTPProblem) {
        guard incoming.request.body.count + piece.count <= incoming.limit else {
            throw .bodyTooLarge(limit: incoming.limit)
        }
        if !isLast || connection.isProven {
            guard connection.loop.bodies.reserve(piece.count, for: incoming.charge, now: connection.loop.now) else {
                throw .outOfMemory
            }
        }
        // Drops the state's copy of the request, so that the body grows in place.
        state = .finished
        unsafe bytes.extracting(piece).withUnsafeBufferPointer { unsafe incoming.request.body.append(contentsOf: $0) }
    }

    private func dispatch(_ request: HTTPRequest, _ exchange: Exchange, _ charge: BodyCharge?) {
        // An unproven body is judged at once, and what is accepted then has limits of its own.
        if !connection.isProven, let charge { connection.loop.bodies.release(charge) }
        state = .answering(exchange, charge)
        requestNumber &+= 1
        connection.setDeadline(after: limits.answerSeconds)
        let loop = connection.loop
        loop.handler.handle(request, Responder(mailbox: loop.mailbox, key: connection.key, exchange: requestNumber))
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
        state = .idle
        connection.setDeadline(after: limits.idleSeconds)
        connection.release(.input)
        if !connection.input.isEmpty || connection.hasInputEnded { connection.loop.readAgain(connection) }
    }

    private func releaseBody() {
        switch state {
        case .body(let incoming, _), .chunks(let incoming, _): connection.loop.bodies.release(incoming.charge)
        case .answering(_, let charge?): connection.loop.bodies.release(charge)
        case .idle, .head, .skipping, .answering(_, nil), .streaming, .finished: break
        }
    }

    /// Another body needs the memory of this one, which is being received.
    func giveWay() { fail(.outOfMemory) }

    // MARK: Events

    func perform(_ order: LoopMailbox.Order, exchange number: UInt32) {
        guard number == requestNumber else {
            switch order {
            case .begin(_, let outlet): outlet.peerGone()
            case .watch(let body): body()
            case .answer, .releaseBody, .send, .end, .drop, .continueReading: break
            }
            return
        }
        switch (state, order) {
        case (.answering, .watch(let body)):
            whenGone = body
            if connection.hasInputEnded { connection.close() }
        case (.answering(let exchange, _), .releaseBody):
            releaseBody()
            state = .answering(exchange, nil)
        case (.answering(let exchange, _), .answer(let response)): answer(response, exchange)
        case (.answering(let exchange, _), .begin(let response, let outlet)): begin(response, exchange, outlet)
        case (.streaming(let exchange, let outlet), .send(let bytes)):
            outlet.took(bytes.count)
            send(bytes, exchange)
        case (.streaming(let exchange, let outlet), .end): end(exchange, outlet)
        case (.streaming, .drop): connection.close()
        case (_, .begin(_, let outlet)): outlet.peerGone()
        case (_, .watch(let body)): body()
        // The connection has failed meanwhile, or the answer is a second one.
        case (.idle, _), (.head, _), (.body, _), (.chunks, _), (.skipping, _), (.finished, _),
            (.answering, .send), (.answering, .end), (.answering, .drop), (.answering, .continueReading),
            (.streaming, .answer), (.streaming, .releaseBody), (.streaming, .continueReading):
            break
        }
    }

    func wrote(unsent: Int) {
        if case .streaming(_, let outlet) = state { outlet.setQueued(unsent) }
    }

    func inputEnded() {
        switch state {
        case .idle, .head, .body, .chunks, .skipping: stop(lingering: false)
        // A client that waits for a person does not end its sending side: it has gone.
        case .answering where whenGone != nil: connection.close()
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
        case .idle where !connection.output.isEmpty: connection.setDeadline(after: limits.idleSeconds)
        case .head: fail(.timeout("head of the request"))
        case .body, .chunks, .skipping: fail(.timeout("body of the request"))
        case .answering: fail(.noAnswer)
        case .idle, .streaming, .finished: connection.close()
        }
    }

    func drain() {
        switch state {
        case .idle: connection.finish(lingering: false)
        case .streaming(let exchange, let outlet): end(exchange, outlet)
        case .head, .body, .chunks, .skipping, .answering, .finished: break
        }
    }

    func closed() {
        releaseBody()
        if case .streaming(_, let outlet) = state { outlet.peerGone() }
        state = .finished
        whenGone.take()?()
    }

    private func stop(lingering: Bool) {
        releaseBody()
        state = .finished
        connection.finish(lingering: lingering)
    }
}

// MARK: - Answering

extension HTTP1Conversation {
    /// A whole answer; the connection goes on if both sides allow it.
    private func answer(_ response: HTTPResponse, _ exchange: Exchange) {
        whenGone = nil
        let closes = !exchange.keepsAlive || connection.loop.isDraining
        write(response, exchange, closes: closes)
        if closes { stop(lingering: false) } else { reset() }
    }

    /// An answer before the request was read: the rest of the request cannot be distinguished from the next request, so
    /// this answer is the last.
    private func finish(_ response: HTTPResponse, _ exchange: Exchange?) {
        write(response, exchange, closes: true)
        stop(lingering: true)
    }

    private func fail(_ problem: HTTPProblem) {
        switch state {
        case .idle, .head: finish(problem.response, nil)
        case .body(let incoming, _), .chunks(let incoming, _): finish(problem.response, incoming.exchange)
        case .skipping(_, _, let exchange), .answering(let exchange, _), .streaming(let exchange, _):
            finish(problem.response, exchange)
        case .finished: break
        }
    }

    /// - Parameter exchange: nil where the head was not understood.
    private func write(_ response: HTTPResponse, _ exchange: Exchange?, closes: Bool) {
        let isBodiless = response.status == 204 || response.status == 304 || response.status < 200
        let date = connection.loop.date.bytes
        let persistence: ResponseText.Persistence = closes ? .close : exchange?.isHTTP10 == true ? .keepAlive : .asUsual
        connection.write { output in
            ResponseText.appendHead(
                of: response, framing: isBodiless ? .none : .length(response.body.count), persistence: persistence,
                date: date, to: &output)
            if !isBodiless, exchange?.isHead != true { output.append(contentsOf: response.body) }
        }
    }

    // MARK: Answers without an end

    private func begin(_ response: HTTPResponse, _ exchange: Exchange, _ outlet: Outlet) {
        let date = connection.loop.date.bytes
        connection.loop.keepAlive(connection)
        connection.setDeadline(after: nil)
        connection.write { output in
            ResponseText.appendHead(
                of: response, framing: exchange.isHTTP10 ? .none : .chunked,
                persistence: exchange.isHTTP10 ? .close : .asUsual, date: date, to: &output)
        }
        releaseBody()
        state = .streaming(exchange, outlet)
        if exchange.isHead || connection.loop.isDraining { return end(exchange, outlet) }
        send(response.body, exchange)
        if connection.hasInputEnded { connection.close() }
    }

    private func send(_ bytes: [UInt8], _ exchange: Exchange) {
        connection.write { output in
            if exchange.isHTTP10 {
                output.append(contentsOf: bytes)
            } else {
                ResponseText.appendChunk(bytes, to: &output)
            }
        }
    }

    private func end(_ exchange: Exchange, _ outlet: Outlet) {
        outlet.peerGone()
        if !exchange.isHTTP10, !exchange.isHead { connection.write { $0.append(contentsOf: "0\r\n\r\n".utf8) } }
        if !exchange.isHTTP10, exchange.keepsAlive, !connection.loop.isDraining {
            reset()
        } else {
            stop(lingering: false)
        }
    }
}
