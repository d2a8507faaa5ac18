internal import Dispatch
internal import Synchronization
public import UsherOperation
public import UsherText

/// A client's side of a stream of payloads (`DispatchStream`): bytes go out while records come in.
///
/// At most `window` bytes are sent that the engine has not taken: so a `cancel` message never waits behind payloads. One thread
/// sends; records are delivered on a thread of the stream.
public final class EngineStream: Sendable {
    private struct State: Sendable {
        /// Bytes that the engine has not taken.
        var onTheirWay = 0
        /// No payload has begun of those that it has taken.
        /// Where what was taken ends, if no payload of it is unfinished.
        var between: LinePosition? = LinePosition()
        /// Where the current input begins for this engine, and whether any of it was sent.
        var begin = LinePosition()
        var hasBytes = false
        /// Records that came.
        var handled = 0
        var isToEnd = false
        var end: StreamEnd?
        var failure: ControlError?
        var isOver: Bool { end != nil || failure != nil }
    }

    private let client: ControlClient
    private let state = Mutex(State())
    private let news = DispatchSemaphore(value: 0)
    private let queue = DispatchQueue(label: "usher.stream.records")

    private static let window = 1 << 20

    /// Begins it.
    ///
    /// - Parameter take: called with lines of records, whole ones and in their order.
    public init(
        _ client: ControlClient, _ stream: DispatchStream, take: @escaping @Sendable (ArraySlice<UInt8>) -> Void
    ) throws(ControlError) {
        self.client = client
        let id = try client.send(stream)
        queue.async { [self] in receive(id, take) }
    }

    /// Whether nothing more can be sent: an answer has come, or the connection has ended.
    public var isOver: Bool { state.withLock { $0.isOver } }

    /// Whether the engine makes way for another: the stream is to end after a whole payload, and to go on there.
    public var isToEnd: Bool { state.withLock { $0.isToEnd } }

    /// The end of what was sent of the current input, if the engine has taken all of it and no payload has begun; else nil.
    public var placeBetweenTexts: LinePosition? {
        guard wait(1000, { $0.onTheirWay == 0 || $0.isOver }) else { return nil }
        return state.withLock { $0.hasBytes ? $0.between : $0.begin }
    }

    /// How many records came.
    public var handled: Int { state.withLock { $0.handled } }

    /// Waits until more bytes may be sent, the stream is over, or the time has passed; false in the last case.
    public func hasRoom(withinMilliseconds milliseconds: Int) -> Bool {
        wait(milliseconds) { $0.onTheirWay < EngineStream.window || $0.isOver }
    }

    /// Sends bytes of the current input: at most `StreamWord.longest`.
    public func send(_ bytes: ArraySlice<UInt8>) {
        guard !bytes.isEmpty else { return }
        state.withLock { state in
            state.onTheirWay += bytes.count
            state.hasBytes = true
        }
        client.send(raw: StreamWord.bytes(bytes.count).line + bytes)
    }

    /// Sends a message that is no bytes of an input: `begin`, `end`, `cancel` or `stop`.
    public func send(_ word: StreamWord) {
        if case .begin(_, _, let place) = word {
            state.withLock { ($0.begin, $0.hasBytes) = (place, false) }
        }
        client.send(raw: word.line)
    }

    /// Waits until the answer or further records have arrived, or the time has passed.
    ///
    /// - Returns: counts, and why some payloads have no record; nil if the answer has not arrived.
    public func end(withinMilliseconds milliseconds: Int) -> (end: StreamEnd, failure: ControlError?)? {
        if !isOver { _ = news.wait(timeout: .now() + .milliseconds(milliseconds)) }
        return state.withLock { state in
            state.isOver ? (state.end ?? StreamEnd(handled: state.handled), state.failure) : nil
        }
    }

    private func wait(_ milliseconds: Int, _ isTrue: (State) -> Bool) -> Bool {
        let deadline = DispatchTime.now() + .milliseconds(milliseconds)
        while true {
            if state.withLock({ isTrue($0) }) { return true }
            if news.wait(timeout: deadline) == .timedOut { return state.withLock { isTrue($0) } }
        }
    }

    private func receive(_ id: Int64, _ take: (ArraySlice<UInt8>) -> Void) {
        var isOver = false
        while !isOver {
            do throws(ControlError) {
                try client.receiveRecords { lines, count in
                    state.withLock { $0.handled += count }
                    take(lines)
                } other: { reply in
                    switch reply {
                    case .taken(id, let bytes, let place):
                        state.withLock { state in
                            state.onTheirWay -= bytes
                            state.between = place
                        }
                    case .result(id, let text):
                        let answer = Result { () throws(ControlError) in try StreamAnswer(reading: text) }
                        state.withLock { state in
                            switch answer {
                            case .success(let answer): (state.end, state.failure) = (answer.end, answer.failure)
                            case .failure(let error): state.failure = error
                            }
                        }
                        isOver = true
                    case .failure(let answered, let error) where answered == id || answered == nil:
                        // The first says why: input that was on its way may be refused as well.
                        state.withLock { $0.failure = $0.failure ?? error }
                        isOver = true
                    case .yield: state.withLock { $0.isToEnd = true }
                    case .taken, .result, .failure, .record, .suggestion, .log, .elsewhere: break
                    }
                }
            } catch {
                state.withLock { $0.failure = error }
                isOver = true
            }
            news.signal()
        }
    }
}
