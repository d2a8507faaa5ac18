internal import Dispatch
internal import Synchronization
internal import UsherScene

/// Many requests on their way at once over one connection, their answers matched by id.
///
/// At most `limit` are unanswered; then `submit` waits. Answers are handed over on a thread of the pipeline's own, in the
/// order in which they come. When the connection ends, everything unanswered fails.
public final class ControlPipeline: Sendable {
    public typealias Answer = @Sendable (Result<[UInt8], ControlError>) -> Void

    private struct State: Sendable {
        var waiting: [Int64: Answer] = [:]
        var failure: ControlError?
        var receives = false
    }

    private let client: ControlClient
    private let state = Mutex(State())
    private let places: DispatchSemaphore
    private let limit: Int
    private let queue = DispatchQueue(label: "usher.control.answers")

    public init(_ client: ControlClient, limit: Int = 64) {
        self.client = client
        self.limit = limit
        places = DispatchSemaphore(value: 0)
        for _ in 0..<limit { places.signal() }
    }

    /// Sends a request; `answer` is called once. Waits while too many are unanswered.
    public func submit(_ command: ControlCommand, _ answer: @escaping Answer) {
        places.wait()
        if let failure = state.withLock({ $0.failure }) {
            answer(.failure(failure))
            places.signal()
            return
        }
        do throws(ControlError) {
            try client.send(command) { id in
                let begins = state.withLock { state in
                    state.waiting[id] = answer
                    defer { state.receives = true }
                    return !state.receives
                }
                if begins { queue.async { [self] in receive() } }
            }
        } catch {
            // Answers may have come before the end: they are read first, then the rest fails, this one among it.
            state.withLock { $0.failure = $0.failure ?? error }
            client.endSending()
        }
    }

    /// Waits until everything is answered.
    public func drain() {
        for _ in 0..<limit { places.wait() }
        for _ in 0..<limit { places.signal() }
    }

    /// Hands answers over until nothing is unanswered.
    private func receive() {
        while true {
            let reply: ControlReply
            do throws(ControlError) {
                reply = try client.receive()
            } catch {
                return fail(error)
            }
            switch reply {
            case .result(let id, let text): answer(id, .success(text))
            case .failure(let id?, let error): answer(id, .failure(error))
            case .failure(nil, let error): return fail(error)
            case .record, .taken, .yield, .log, .elsewhere: continue
            }
            let isDone = state.withLock { state in
                guard state.waiting.isEmpty else { return false }
                state.receives = false
                return true
            }
            if isDone { return }
        }
    }

    private func answer(_ id: Int64, _ result: Result<[UInt8], ControlError>) {
        guard let answer = state.withLock({ $0.waiting.removeValue(forKey: id) }) else { return }
        answer(result)
        places.signal()
    }

    private func fail(_ error: ControlError) {
        // What is sent from now on fails, too.
        client.end()
        let left = state.withLock { state in
            state.failure = error
            defer { state.waiting = [:] }
            return state.waiting
        }
        for (_, answer) in left.sorted(by: { $0.key < $1.key }) {
            answer(.failure(error))
            places.signal()
        }
    }
}
