internal import Dispatch
internal import Synchronization
public import UsherEngine
internal import UsherLog
public import UsherOperation
internal import UsherPayload
internal import UsherScene
internal import UsherSystem

/// Carries out calls: from the socket and from HTTP alike.
///
/// No call blocks its caller. Changes and dispatches happen in the order in which they are asked for, one after the
/// other; so do answers that only read, on a thread of their own. Behind a full queue dispatches wait, in their order;
/// changes do not, so that what fills the queue can be dropped. Requests to an app keep no other request waiting: its save command
/// may ask for changes itself.
public final class ControlService: Sendable {
    /// JSON text, or why not.
    public typealias Answer = Result<[UInt8], ControlError>

    let backend: any ControlBackend
    public let records: RecordBroadcast
    private let changing = DispatchQueue(label: "usher.control.changes")
    private let reading = DispatchQueue(label: "usher.control.reads")
    /// Calls that wait for an app, each on a queue of its own: a concurrent queue, once used, makes libdispatch wake the
    /// process every second for good.
    private let asking = DispatchGroup()
    /// Dispatches for which there is no room yet: at most `ControlLines.limit` of a connection, and those that wait for an
    /// answer. Touched on `changing` alone.
    private let waiting = Mutex<[Offer]>([])

    private struct Offer: Sendable {
        var arrival: Arrival
        var answer: @Sendable (Answer) -> Void
        /// Then it is given up.
        var deadline: Deadline
    }

    public init(_ backend: any ControlBackend, records: RecordBroadcast) {
        self.backend = backend
        self.records = records
    }

    /// Carries a call out and answers once, from any thread. Not `Records`, `HookListen` and `DispatchStream`: see `subscribe`,
    /// `HookListeners` and `PayloadStream`.
    ///
    /// - Parameters:
    ///   - caller: the process that asks, where it is known.
    ///   - wait: of a call whose client waits for the answer to its notification.
    public func execute(
        _ call: any Call, by caller: Int32? = nil, wait: AnswerWait? = nil, answer: @escaping @Sendable (Answer) -> Void
    ) {
        if let wait, let awaiting = call as? any AwaitingCall {
            return changing.async { [self] in begin(awaiting, wait, by: caller, answer) }
        }
        switch call {
        case let payload as DispatchPayload:
            changing.async { [self] in
                backend.prepareToAct()
                submit(payload, wait, answer)
            }
        case is Yield: reading.async { [self] in answer(result(of: call, by: caller)) }
        case _ where call.waits:
            // After what was asked for before; what is asked for later does not wait for this.
            changing.async { [self] in
                DispatchQueue(label: "usher.control.app").async(group: asking) { [self] in
                    answer(result(of: call, by: caller))
                }
            }
        case _ where call.kind != .read: changing.async { [self] in answer(result(of: call, by: caller)) }
        default: reading.async { [self] in answer(result(of: call, by: caller)) }
        }
    }

    /// Waits until everything that was asked for before has been begun.
    public func drain() {
        changing.sync {}
        asking.wait()
        reading.sync {}
    }

    private func result(of call: any Call, by caller: Int32?) -> Answer {
        let context = context(of: caller)
        return Answer { () throws(ControlError) in try context.answer(call) }
    }

    private func begin(
        _ call: some AwaitingCall, _ wait: AnswerWait, by caller: Int32?, _ answer: @escaping @Sendable (Answer) -> Void
    ) {
        context(of: caller).perform(call, wait, later: { [changing] in changing.async(execute: $0) }, answer: answer)
    }

    private func context(of caller: Int32?) -> OperationContext {
        var context = backend.context
        context.caller = caller
        return context
    }

    // MARK: Records

    /// What begins a subscription: nothing is lost between the delivery `since` and the first new record.
    ///
    /// - Parameter ready: called on the broadcast's thread before the first record, with an error where `since` is not
    ///   known; records follow all the same.
    public func subscribe(
        since: String?, _ receiver: RecordBroadcast.Receiver,
        ready: @escaping @Sendable (ControlError?) -> Void
    ) -> RecordSubscription {
        let since = since.map { (try? backend.store.identifier($0, .delivery, at: "/since")) ?? $0 }
        return records.subscribe(receiver, since: since, in: backend.store) { beginning in
            switch beginning {
            case .new, .journal: ready(nil)
            case .unknown: ready(.noDelivery(since ?? ""))
            case .failed(let error): ready(ControlError(error))
            }
        }
    }

    // MARK: Dispatch

    private func submit(
        _ dispatch: DispatchPayload, _ wait: AnswerWait?, _ answer: @escaping @Sendable (Answer) -> Void
    ) {
        var arrival: Arrival
        do throws(ControlError) {
            arrival = try self.arrival(dispatch, answer)
            arrival.wait = wait
        } catch {
            return answer(.failure(error))
        }
        // A new request does not overtake those that wait.
        let isAlone = waiting.withLock { $0.isEmpty }
        if isAlone, backend.intake.submit([arrival]) { return }
        let deadline = Deadline(in: ControlService.patience)
        waiting.withLock { $0.append(Offer(arrival: arrival, answer: answer, deadline: deadline)) }
        if isAlone { tryAgain() }
    }

    /// A client that streams through the socket waits for room, up to a minute; its connection is not read meanwhile.
    private func tryAgain() {
        changing.asyncAfter(deadline: .now() + .milliseconds(50)) { [self] in
            while let head = waiting.withLock({ $0.first }) {
                if !backend.intake.submit([head.arrival]) {
                    guard head.deadline.isOver else { return tryAgain() }
                    let error = ControlError(
                        .controlBusy, "too many deliveries wait already", help: "try again later", status: .finding)
                    head.answer(.failure(error))
                }
                waiting.withLock { _ = $0.removeFirst() }
            }
        }
    }

    private static let patience = Duration.seconds(60)

    private func arrival(
        _ dispatch: DispatchPayload, _ answer: @escaping @Sendable (Answer) -> Void
    ) throws(ControlError) -> Arrival {
        let format = try PayloadFormat(control: dispatch.format)
        let started = MonotonicClock.now
        var reading: Result<Payload, PayloadError>
        if dispatch.isTooLong {
            reading = .failure(.tooLongLine)
        } else {
            var reader = PayloadReader(format: format)
            reading = Result { () throws(PayloadError) in try reader.read(dispatch.input) }
        }
        var events = Arrival.Events()
        events.refused = { problem in
            answer(.failure(ControlError(problem, status: .finding)))
        }
        events.left = {
            answer(.failure(.leftForLater))
        }
        events.finished = { record in answer(.success(Array(record.json.utf8))) }
        var arrival = Arrival(
            reading, input: dispatch.input, source: DeliverySource.ofClient(dispatch.source), started: started,
            events: events)
        arrival.app = dispatch.app
        arrival.sequence = dispatch.sequence ?? 1
        arrival.token = dispatch.token
        arrival.parent = dispatch.parent
        return arrival
    }
}

extension PayloadFormat {
    /// By its name; without one it is found out.
    init(control name: String?) throws(ControlError) {
        guard let name else {
            self = .auto
            return
        }
        guard let known = PayloadFormat.named(name), known.isReadable else {
            throw .unknown(
                .controlArgument, "payload format", name, among: PayloadFormat.readable, at: "/arguments/format")
        }
        self = known
    }
}
