internal import Synchronization
internal import UsherEngine
internal import UsherFeatures
public import UsherHTTP
internal import UsherOperation
internal import UsherText

/// One connection that speaks JSON Lines: requests in, answers and events out, matched by their ids.
///
/// Answers come in the order in which they are ready. A peer that asks faster than it is answered is not read further.
public final class ControlLines: LineReceiver {
    private struct State: Sendable {
        /// Whether the connection is closed now.
        var isDone: Bool { hasEnded && inFlight == 0 && waits.isEmpty }

        var inFlight = 0
        var isPaused = false
        var hasEnded = false
        var subscriptions: [RecordSubscription] = []
        /// The numbers of its subscriptions in `HookListeners`.
        var listeners: [Int] = []
        /// The stream whose input follows; lines that begin with `{` are requests all the same.
        var stream: PayloadStream?
        var hasStreamed = false
        /// A stream was refused: its client may have sent some of its input before it knew.
        var hasRefused = false
        /// Of requests that wait for the answers to their notifications. They are bounded by `Intake.beginWaiting`, and do not
        /// count as on their way: a person answers them, and other requests are read meanwhile.
        var waits: [AnswerWait] = []
        var awaited = 0
    }

    private let service: ControlService
    private let connection: any LineConnection
    /// The process of the peer.
    private let caller: Int32?
    private let state = Mutex(State())

    /// Requests of a connection that are on their way at once.
    public static let limit = 64

    public init(_ service: ControlService, _ connection: any LineConnection, _ peer: HTTPPeer? = nil) {
        self.service = service
        if case .local(_, _, let process) = peer?.address { caller = process } else { caller = nil }
        self.connection = connection
    }

    public func receive(_ line: [UInt8]) {
        // A blank line is nothing to answer.
        guard line.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { return }
        if line.first != UInt8(ascii: "{") {
            let (stream, hasStreamed, hasRefused) = state.withLock { ($0.stream, $0.hasStreamed, $0.hasRefused) }
            if let stream { return receive(line, stream) }
            if hasRefused, let word = StreamWord(line: line) {
                if case .bytes(let count) = word { state.withLock { $0.awaited = count } }
                return
            }
            // Sent while the answer to the stream was on its way.
            if hasStreamed, [.cancel, .stop].contains(StreamWord(line: line)) { return }
        }
        let request: ControlRequest
        do throws(ControlRequest.Invalid) {
            request = try ControlRequest(line: line, in: .usher)
        } catch {
            connection.send(ControlReply.failure(id: error.id, error.error).line)
            return
        }
        if let records = request.call as? Records {
            // A subscriber would keep an engine on demand alive that has nothing more to tell.
            guard !service.backend.hello.isOnDemand else {
                connection.send(ControlReply.failure(id: request.id, .needsResident).line)
                return
            }
            return subscribe(request.id, since: records.since)
        }
        if let listen = request.call as? HookListen { return self.listen(request.id, listen) }
        if let stream = request.call as? DispatchStream { return begin(request.id, stream) }
        let wait: AnswerWait?
        do throws(ControlError) {
            wait = try beginWaiting(request.call)
        } catch {
            connection.send(ControlReply.failure(id: request.id, error).line)
            return
        }
        state.withLock { state in
            if wait != nil { return }
            state.inFlight += 1
            guard state.inFlight >= ControlLines.limit, !state.isPaused else { return }
            state.isPaused = true
            // Within the lock: the calls must arrive in the order of the changes.
            connection.setReading(false)
        }
        // Not the request: the answer may come much later, and its payload may be large.
        service.execute(request.call, by: caller, wait: wait) { [self, id = request.id] answer in
            switch answer {
            case .success(let result): connection.send(ControlReply.result(id: id, result).line)
            case .failure(let error): connection.send(ControlReply.failure(id: id, error).line)
            }
            if let wait { answered(wait) } else { answered() }
        }
    }

    private func beginWaiting(_ call: any Call) throws(ControlError) -> AnswerWait? {
        let wait: AnswerWait?
        switch call {
        case let dispatch as DispatchPayload:
            wait = try service.backend.beginWaiting(for: dispatch.wait, dispatch.timeout)
        case let call as any AwaitingCall: wait = service.backend.beginWaiting(for: call)
        default: return nil
        }
        if let wait { state.withLock { $0.waits.append(wait) } }
        return wait
    }

    // MARK: Streams

    public var awaitedBytes: Int { state.withLock { $0.awaited } }

    public func receive(bytes: [UInt8]) {
        let stream = state.withLock { state in
            state.awaited -= bytes.count
            return state.stream
        }
        stream?.receive(bytes)
    }

    private func begin(_ id: Int64, _ description: DispatchStream) {
        do throws(ControlError) {
            guard state.withLock({ $0.stream == nil }) else {
                throw .protocolViolation("a connection has one stream at a time")
            }
            let stream = try PayloadStream(id, description, service.backend, connection) { [self] in
                state.withLock { $0.stream = nil }
                answered()
            }
            state.withLock { state in
                state.stream = stream
                (state.hasStreamed, state.hasRefused) = (true, false)
                state.inFlight += 1
            }
        } catch {
            state.withLock { $0.hasRefused = $0.stream == nil }
            connection.send(ControlReply.failure(id: id, error).line)
        }
    }

    private func receive(_ line: [UInt8], _ stream: PayloadStream) {
        switch StreamWord(line: line) {
        case .bytes(let count): state.withLock { $0.awaited = count }
        case .begin(let form, let isFromFile, let place): stream.begin(form, at: place, isFromFile: isFromFile)
        case .end: stream.end()
        case .cancel: stream.cancel()
        case .stop: stream.stop()
        case nil:
            let error = ControlError.protocolViolation(
                "the line is no length of bytes: \(QuotedText.text(String(decoding: line.prefix(80), as: UTF8.self)))",
                help: "before payloads stands their length in bytes, and 0 at the end")
            connection.send(ControlReply.failure(id: nil, error).line)
            connection.close()
        }
    }

    public func end() {
        let (closes, subscriptions, listeners, stream, waits) = state.withLock { state in
            state.hasEnded = true
            defer { (state.subscriptions, state.listeners) = ([], []) }
            return (state.isDone, state.subscriptions, state.listeners, state.stream, state.waits)
        }
        // A line that its client could not finish is not a payload.
        stream?.clientEnded()
        for wait in waits { service.backend.intake.endWaiting(wait) }
        for subscription in subscriptions { subscription.cancel() }
        for listener in listeners { service.backend.listeners.remove(listener) }
        if closes { connection.close() }
    }

    private func answered() {
        let closes = state.withLock { state in
            state.inFlight -= 1
            if state.isPaused, state.inFlight <= ControlLines.limit / 2 {
                state.isPaused = false
                connection.setReading(true)
            }
            return state.isDone
        }
        if closes { connection.close() }
    }

    private func answered(_ wait: AnswerWait) {
        service.backend.intake.endWaiting(wait)
        let closes = state.withLock { state in
            state.waits.removeAll { $0 === wait }
            return state.isDone
        }
        if closes { connection.close() }
    }

    private func subscribe(_ id: Int64, since: String?) {
        let connection = connection
        let subscription = service.subscribe(
            since: since,
            RecordBroadcast.Receiver(
                receive: { connection.send(ControlReply.record(id: id, $0.json).line) },
                // A blank line: whether the peer is still there.
                beat: { connection.send([0x0A]) },
                unsentBytes: { connection.unsentBytes }, announce: { connection.send($0.line) },
                end: { connection.close() })
        ) { error in
            if let error {
                connection.send(ControlReply.failure(id: id, error).line)
            } else {
                connection.send(ControlReply.result(id: id, ControlLines.streaming).line)
            }
        }
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.subscriptions.append(subscription) }
            return state.hasEnded
        }
        if hasEnded { subscription.cancel() }
    }

    private func listen(_ id: Int64, _ listen: HookListen) {
        do throws(ControlError) {
            guard !service.backend.hello.isOnDemand else { throw .needsResident }
            if let name = listen.hook { _ = try service.backend.hooks(called: name) }
        } catch {
            connection.send(ControlReply.failure(id: id, error).line)
            return
        }
        let connection = connection
        connection.send(ControlReply.result(id: id, ControlLines.streaming).line)
        let number = service.backend.listeners.add(
            listen.hook,
            HookListeners.Receiver(
                receive: { connection.send(ControlReply.record(id: id, $0).line) },
                unsentBytes: { connection.unsentBytes }))
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.listeners.append(number) }
            return state.hasEnded
        }
        if hasEnded { service.backend.listeners.remove(number) }
    }

    /// The answer with which a subscription begins.
    private static let streaming = Array(#"{"streaming":true}"#.utf8)
}

extension ControlError {
    static let needsResident = ControlError(
        .daemonStopping, "this usherd was started by a command, and ends with it",
        help: "usher serve starts one that stays")
}
