internal import Dispatch
internal import Glibc
internal import Synchronization
internal import UsherEngine
internal import UsherHTTP
internal import UsherLog
internal import UsherOperation
internal import UsherPayload
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// A `dispatch` whose payloads follow as raw bytes (`StreamWord`): cuts them, hands them to the dispatcher in batches, and sends
/// their records back as raw lines in the order of the input, then one answer with counts.
///
/// The bytes are taken on a thread of the stream's own, which waits while too many payloads are unanswered or the client
/// does not read its records. A stream whose client is gone is carried out as far as whole lines have come.
final class PayloadStream: Sendable {
    private struct Results {
        /// The place whose record is sent next.
        var next = 1
        /// Records that wait for earlier ones; nil where there is none.
        var waiting: [Int: [UInt8]?] = [:]
        /// What is to be sent.
        var ready: [UInt8] = []
        var isFlushing = false
        var handled = 0
        var errors = 0
        /// Why some have no record, and how many.
        var failure: ControlError?
        var unanswered = 0
        /// How many payloads were taken, and whether these are all.
        var taken = 0
        var isComplete = false
        var hasEnded = false
        /// What waits for the answers to notifications, by place.
        var waits: [Int: AnswerWait] = [:]
        /// For the next payload: the client of a stream that begins may wait for one answer at least.
        var nextWait: AnswerWait?
    }

    /// Touched by the stream's thread alone.
    private struct Input: Sendable {
        var cutter: PayloadCutter
        var isFromFile = false
        var batch: [Arrival] = []
    }

    private let request: Int64
    private let stream: DispatchStream
    private let backend: any ControlBackend
    private let connection: any LineConnection
    private let cancellation = Cancellation()
    /// For how long the client waits for the answer to each notification; nil where it does not, or has ended.
    private let answerTime: Mutex<Duration?>
    private let isStopped = Atomic<Bool>(false)
    private let input: Mutex<Input>
    private let results = Mutex(Results())
    private let sending = Mutex(())
    private let places = DispatchSemaphore(value: 0)
    private let pending = Atomic<Int>(0)
    private let thread = DispatchQueue(label: "usher.stream")
    /// Where records are sent that others will follow soon, and cancellations are carried out.
    private let flushing = DispatchQueue(label: "usher.stream.records")
    private let ended: @Sendable () -> Void

    /// Payloads of a stream that are on their way at once.
    private static let most = 256
    /// Those of them that are handed over together.
    private static let batch = 128
    /// Bytes of records that a client may leave unread before no more is taken, and how long to look away meanwhile.
    private static let unread = 1 << 20
    private static let pause: UInt32 = 2000
    /// Bytes of input that may wait.
    private static let mostPending = 4 << 20
    /// For how long a full queue is tried, in steps of `pause`.
    private static let patience = 30_000

    /// - Parameter ended: called when the answer was sent.
    init(
        _ request: Int64, _ stream: DispatchStream, _ backend: any ControlBackend, _ connection: any LineConnection,
        ended: @escaping @Sendable () -> Void
    ) throws(ControlError) {
        self.request = request
        self.stream = stream
        self.backend = backend
        self.connection = connection
        self.ended = ended
        input = Mutex(Input(cutter: PayloadCutter(PayloadReader(format: try PayloadFormat(control: stream.format)))))
        let wait = try backend.beginWaiting(for: stream.wait, stream.timeout)
        answerTime = Mutex(wait?.time)
        results.withLock { $0.nextWait = wait }
        for _ in 0..<PayloadStream.most { places.signal() }
        thread.async { backend.prepareToAct() }
    }

    // MARK: From the connection, on the server's thread

    func receive(_ bytes: [UInt8]) {
        if pending.add(bytes.count, ordering: .relaxed).newValue > PayloadStream.mostPending {
            connection.setReading(false)
        }
        thread.async { [self] in
            let place = input.withLock { input in
                push(bytes, &input)
                return input.cutter.placeBetweenTexts()
            }
            let left = pending.subtract(bytes.count, ordering: .relaxed)
            if left.oldValue > PayloadStream.mostPending, left.newValue <= PayloadStream.mostPending {
                connection.setReading(true)
            }
            connection.send(ControlReply.taken(id: request, bytes: bytes.count, between: place).line)
        }
    }

    func begin(_ form: InputForm, at place: LinePosition, isFromFile: Bool) {
        thread.async { [self] in
            input.withLock { input in
                endInput(&input)
                input.cutter.begin(form, at: place)
                input.isFromFile = isFromFile
            }
        }
    }

    /// What has not begun ends as interrupted, and what was not taken yet is dropped.
    func cancel() {
        isStopped.store(true, ordering: .relaxed)
        cancellation.request()
        // The journal is written to, which the server's thread does not wait for.
        flushing.async { [self] in backend.cancel(cancellation) }
        endWaiting()
        end()
    }

    /// The answers to its notifications are not waited for any longer.
    private func endWaiting() {
        answerTime.withLock { $0 = nil }
        let waits = results.withLock { results in
            defer { (results.waits, results.nextWait) = ([:], nil) }
            return Array(results.waits.values) + (results.nextWait.map { [$0] } ?? [])
        }
        for wait in waits { backend.intake.endWaiting(wait) }
    }

    /// Has the client wait for the answer to the notification of a payload; nil where it does not wait.
    private func beginWaiting(at place: Int) throws(ControlError) -> AnswerWait? {
        guard let time = answerTime.withLock({ $0 }) else { return nil }
        let next = results.withLock { $0.nextWait.take() }
        guard let wait = next ?? backend.intake.beginWaiting(time) else { throw .tooManyWait }
        results.withLock { $0.waits[place] = wait }
        // The client may have ended meanwhile.
        if answerTime.withLock({ $0 == nil }) { endWaiting() }
        return wait
    }

    /// The client is gone, or sends no more: what it has sent is carried out.
    func clientEnded() {
        endWaiting()
        end(isWhole: false)
    }

    /// What was not taken yet is dropped; all else is carried out.
    func stop() {
        isStopped.store(true, ordering: .relaxed)
        end()
    }

    /// No more bytes come.
    ///
    /// - Parameter isWhole: whether what came of the last text is all of it, though nothing ends it.
    func end(isWhole: Bool = true) {
        thread.async { [self] in
            input.withLock { input in
                if !isWhole { input.cutter.dropRest() }
                endInput(&input)
                results.withLock { $0.isComplete = true }
            }
            flush()
        }
    }

    // MARK: Payloads

    private func push(_ bytes: [UInt8], _ input: inout Input) {
        guard !isStopped.load(ordering: .relaxed) else { return }
        input.cutter.push(bytes)
        take(&input)
    }

    /// What is left of the input.
    private func endInput(_ input: inout Input) {
        input.cutter.finish()
        take(&input)
        input.cutter.dropRest()
    }

    private func take(_ input: inout Input) {
        while !isStopped.load(ordering: .relaxed) {
            let started = MonotonicClock.now
            guard let text = input.cutter.next() else { break }
            append(text, &input, started)
        }
        submit(&input)
    }

    private func append(_ text: PayloadCutter.Text, _ input: inout Input, _ started: MonotonicInstant) {
        if places.wait(timeout: .now()) == .timedOut {
            submit(&input)
            places.wait()
        }
        while connection.unsentBytes > PayloadStream.unread { usleep(PayloadStream.pause) }
        let place = results.withLock { results in
            results.taken += 1
            return results.taken
        }
        let wait: AnswerWait?
        do throws(ControlError) {
            wait = try beginWaiting(at: place)
        } catch {
            return answer(nil, at: place, failure: error)
        }
        var events = Arrival.Events()
        events.finished = { [self] record in answer(record, at: place) }
        events.notJournalled = { [self] record in answer(record, at: place) }
        events.left = { [self] in answer(nil, at: place, failure: .leftForLater) }
        var arrival = Arrival(
            text.reading, input: Array(text.bytes[text.range]),
            source: input.isFromFile ? "file" : DeliverySource.ofClient(stream.source), started: started, events: events
        )
        arrival.app = stream.app
        arrival.sequence = stream.first - 1 + place
        arrival.token = stream.token
        arrival.parent = stream.parent
        arrival.openedPages = stream.openedPages
        arrival.cancellation = cancellation
        arrival.wait = wait
        input.batch.append(arrival)
        if input.batch.count >= PayloadStream.batch { submit(&input) }
    }

    private func submit(_ input: inout Input) {
        guard !input.batch.isEmpty else { return }
        var tries = 0
        while !backend.intake.submit(input.batch) {
            tries += 1
            guard tries < PayloadStream.patience else {
                let error = ControlError(
                    .controlBusy, "too many deliveries wait already", help: "try again later", status: .finding)
                for arrival in input.batch {
                    answer(nil, at: arrival.sequence + 1 - stream.first, failure: error)
                }
                break
            }
            usleep(PayloadStream.pause)
        }
        input.batch.removeAll(keepingCapacity: true)
    }

    // MARK: Records

    private func answer(_ record: DecisionRecord?, at place: Int, failure: ControlError? = nil) {
        if let wait = results.withLock({ $0.waits.removeValue(forKey: place) }) { backend.intake.endWaiting(wait) }
        let (isLast, begins) = results.withLock { results -> (Bool, Bool) in
            if let record {
                results.handled += 1
                if record.error != nil { results.errors += 1 }
            } else {
                results.unanswered += 1
                results.failure = results.failure ?? failure
            }
            if place == results.next {
                record?.appendLine(to: &results.ready)
                results.next += 1
                while !results.waiting.isEmpty, let entry = results.waiting.removeValue(forKey: results.next) {
                    results.ready += entry ?? []
                    results.next += 1
                }
            } else {
                results.waiting[place] = .some(
                    record.map { record in
                        var line: [UInt8] = []
                        record.appendLine(to: &line)
                        return line
                    })
            }
            if results.next > results.taken { return (true, false) }
            defer { results.isFlushing = true }
            return (false, !results.isFlushing)
        }
        places.signal()
        // All that comes until then goes out together.
        if isLast { flush() } else if begins { flushing.async { [self] in flush() } }
    }

    private func flush() {
        // Nothing overtakes what is being sent.
        let hasEnded = sending.withLock { _ in sendReady() }
        if hasEnded {
            endWaiting()
            ended()
        }
    }

    /// Whether the answer was sent.
    private func sendReady() -> Bool {
        let (bytes, answer) = results.withLock { results -> ([UInt8], ControlReply?) in
            results.isFlushing = false
            var bytes: [UInt8] = []
            swap(&bytes, &results.ready)
            guard results.isComplete, results.next > results.taken, !results.hasEnded else { return (bytes, nil) }
            results.hasEnded = true
            let end = StreamEnd(
                handled: results.handled, errors: results.errors, unanswered: results.unanswered,
                hasOthers: backend.hasDeliveries)
            return (bytes, .result(id: request, StreamAnswer(end, failure: results.failure).jsonText))
        }
        if !bytes.isEmpty { connection.send(bytes) }
        guard let answer else { return false }
        connection.send(answer.line)
        return true
    }
}
