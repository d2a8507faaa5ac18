internal import Dispatch
internal import Synchronization
internal import UsherActivation
internal import UsherConfiguration
internal import UsherDispatch
internal import UsherJSON
internal import UsherLog
public import UsherOperation
internal import UsherPayload
internal import UsherScene
internal import UsherStore
internal import UsherSystem

/// Carries out calls: from the socket and from HTTP alike.
///
/// Nothing blocks the one who asks. Changes and dispatches happen in the order in which they are asked for, one after the
/// other; so do answers that only read, on a thread of their own. Behind a full queue dispatches wait, in their order;
/// changes do not, so that what fills the queue can be dropped. Nobody waits for what an app is asked for: its save command
/// may ask for changes itself.
public final class ControlService: Sendable {
    /// JSON text, or why not.
    public typealias Answer = Result<[UInt8], ControlError>

    let world: any ControlWorld
    public let records: RecordBroadcast
    private let changing = DispatchQueue(label: "usher.control.changes")
    private let reading = DispatchQueue(label: "usher.control.reads")
    private let asking = DispatchQueue(label: "usher.control.apps", attributes: .concurrent)
    /// Dispatches for which there is no room yet: at most `ControlLines.limit` of a connection. Touched on `changing` alone.
    private let waiting = Mutex<[Offer]>([])

    private struct Offer: Sendable {
        var arrival: Arrival
        var answer: @Sendable (Answer) -> Void
        /// Then it is given up.
        var deadline: Deadline
    }

    public init(_ world: any ControlWorld, records: RecordBroadcast) {
        self.world = world
        self.records = records
    }

    /// Carries a call out and answers once, from any thread. Not `Records` and `DispatchStream`: see `subscribe` and
    /// `PayloadStream`.
    public func execute(_ call: any Call, answer: @escaping @Sendable (Answer) -> Void) {
        switch call {
        case let payload as DispatchPayload:
            changing.async { [self] in
                world.prepareToAct()
                submit(payload, answer)
            }
        case is Yield: reading.async { [self] in answer(result(of: call)) }
        case _ where call.waits:
            // After what was asked for before; what is asked for later does not wait for this.
            changing.async { [self] in asking.async { [self] in answer(result(of: call)) } }
        case _ where call.kind != .read: changing.async { [self] in answer(result(of: call)) }
        default: reading.async { [self] in answer(result(of: call)) }
        }
    }

    /// Waits until everything that was asked for before has been begun.
    public func drain() {
        changing.sync {}
        asking.sync(flags: .barrier) {}
        reading.sync {}
    }

    private func result(of call: any Call) -> Answer {
        do throws(ControlError) {
            var json = JSONWriter(escaping: .minimal)
            try perform(call, &json)
            return .success(json.bytes)
        } catch {
            return .failure(error)
        }
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
        records.subscribe(receiver, since: since, in: world.store) { beginning in
            switch beginning {
            case .new, .journal: ready(nil)
            case .unknown: ready(.noDelivery(since ?? ""))
            case .failed(let error): ready(ControlError(error))
            }
        }
    }

    // MARK: Dispatch

    private func submit(_ dispatch: DispatchPayload, _ answer: @escaping @Sendable (Answer) -> Void) {
        let arrival: Arrival
        do throws(ControlError) {
            arrival = try self.arrival(dispatch, answer)
        } catch {
            return answer(.failure(error))
        }
        // Nobody overtakes those who wait.
        let isAlone = waiting.withLock { $0.isEmpty }
        if isAlone, world.intake.submit([arrival]) { return }
        let deadline = Deadline(in: ControlService.patience)
        waiting.withLock { $0.append(Offer(arrival: arrival, answer: answer, deadline: deadline)) }
        if isAlone { tryAgain() }
    }

    /// Who streams through the socket waits for room, up to a minute; his connection is not read further meanwhile.
    private func tryAgain() {
        changing.asyncAfter(deadline: .now() + .milliseconds(50)) { [self] in
            while let head = waiting.withLock({ $0.first }) {
                if !world.intake.submit([head.arrival]) {
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
            do {
                reading = .success(try reader.read(dispatch.input))
            } catch {
                reading = .failure(error)
            }
        }
        var events = Arrival.Events()
        events.refused = { problem in
            answer(.failure(ControlError(problem, status: .finding)))
        }
        events.left = {
            answer(
                .failure(
                    ControlError(
                        .daemonStopping, "usherd stops: the request is in its journal, and goes on when it runs again",
                        help: "usher deliveries list shows what becomes of it", status: .finding)))
        }
        events.finished = { record in answer(.success(Array(record.json.utf8))) }
        var arrival = Arrival(
            reading, input: dispatch.input, source: dispatch.source ?? "control", started: started, events: events)
        arrival.app = dispatch.app
        arrival.sequence = dispatch.sequence
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
        guard let known = PayloadFormat(rawValue: name), known.isReadable else {
            throw .unknown(
                .controlArgument, "payload format", name,
                among: PayloadFormat.allCases.filter(\.isReadable).map(\.rawValue), at: "/arguments/format")
        }
        self = known
    }
}

// MARK: - Calls

extension ControlService {
    /// Carries out what is answered at once, and writes its result. May block.
    func perform(_ call: any Call, _ json: inout JSONWriter) throws(ControlError) {
        switch call {
        case let call as any ContentCall: json.value(try world.contents.perform(call))
        case let call as Hello:
            guard call.protocolVersion == Hello.version else {
                throw .protocolViolation(
                    "protocol \(call.protocolVersion) is not spoken here: it is \(Hello.version)",
                    help: "usher and usherd have to be of one version: restart usherd")
            }
            world.hello.write(to: &json)
        case let call as SceneConnect: try connect(call.sessions, checks: call.checks, &json)
        case let call as SceneUpdate: write(try sessionCommands.update(call.session, call.update), &json)
        case let call as SceneActivate: write(try sessionCommands.activate(call.session, call.update), &json)
        case let call as SceneDisconnect: write(try sessionCommands.disconnect(call.session, call.update), &json)
        case let call as SceneClose:
            let session = try sessionCommands.close(call.session)
            json.beginObject()
            json.key("session")
            SessionAnswer.write(session, state: SessionAnswer.closed, to: &json)
            json.endObject()
        case let call as SceneList:
            let sessions = try storing { () throws(StoreError) in try world.sessions.sessions(app: call.app) }
            json.beginArray()
            for session in sessions.sessions.sorted(by: SceneSession.precedes) {
                SessionAnswer.write(session, activation: world.activation(of: session), to: &json)
            }
            json.endArray()
        case let call as SceneShow:
            let session = try sessionCommands.session(call.session)
            SessionAnswer.write(session, activation: world.activation(of: session), to: &json)
        case is SceneWindows: json.value(WindowsAnswer.value(world.planner.windowSystem))
        case let call as DeliveriesList:
            let deliveries = try storing { () throws(StoreError) in
                try world.store.deliveries(limit: call.limit, states: call.states, before: call.before)
            }
            json.beginArray()
            for delivery in deliveries { DeliveryAnswer.writeSummary(of: delivery, to: &json) }
            json.endArray()
        case let call as DeliveriesShow:
            let (delivery, explanation) = try explained(call.delivery)
            DeliveryAnswer.write(delivery, explanation: explanation.json, to: &json)
        case let call as DeliveriesRetry:
            world.prepareToAct()
            write(try DeliveryCommands(world.store, world.deliveries).retry(call.selection), &json)
        case let call as DeliveriesDrop:
            write(try DeliveryCommands(world.store, world.deliveries).drop(call.selection), &json)
        case is DeliveriesWait:
            world.waitForDeliveries()
            json.beginObject()
            json.endObject()
        case let call as Explain: try explain(call, &json)
        case is Reload: json.value(try world.reload())
        case is Status: json.value(world.status)
        case is Yield:
            try world.yield()
            json.beginObject()
            json.endObject()
        default: throw .protocolViolation("\(call.name) is not answered here")
        }
    }

    /// A delivery of the journal, and why it went where it went.
    private func explained(_ id: String) throws(ControlError) -> (Store.StoredDelivery, StoredExplanation) {
        guard let delivery = try storing({ () throws(StoreError) in try world.store.delivery(id) }) else {
            throw .noDelivery(id)
        }
        let explanation = try storing { () throws(StoreError) in
            try StoredExplanation(of: delivery, in: world.store)
        }
        return (delivery, explanation)
    }

    private var sessionCommands: SessionCommands {
        SessionCommands(
            world.sessions, configuration: world.configuration.configuration,
            windowServer: { [world] in world.windowServer(of: $0) })
    }

    private func connect(_ requests: [SessionRequest], checks: Bool, _ json: inout JSONWriter) throws(ControlError) {
        let plan = try SessionPlan(
            requests, in: world.configuration.configuration, known: world.sessions,
            windowServer: { world.windowServer(of: $0) })
        let made = checks ? [] : try plan.connect(in: world.sessions)
        json.beginObject()
        json.beginArray("sessions")
        for session in made { SessionAnswer.write(session, to: &json) }
        json.endArray()
        json.beginArray("warnings")
        for warning in plan.warnings.prefix(100) {
            json.beginObject()
            json.member("index", warning.index)
            json.member("message", warning.message)
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }

    private func write(_ changed: SessionCommands.Changed, _ json: inout JSONWriter) {
        json.beginObject()
        json.key("session")
        SessionAnswer.write(changed.session, to: &json)
        json.member("warnings", changed.warnings)
        json.endObject()
    }

    private func write(_ ids: [String], _ json: inout JSONWriter) {
        json.beginObject()
        json.member("deliveries", ids)
        json.endObject()
    }

    private func explain(_ request: Explain, _ json: inout JSONWriter) throws(ControlError) {
        let line: [UInt8]
        switch request.subject {
        case .delivery(let id):
            let (delivery, explanation) = try explained(id)
            guard case .json(let text) = explanation else {
                throw ControlError(
                    .controlNoDelivery, explanation.refusal(for: delivery.id),
                    help: "usher deliveries show \(delivery.id) says what became of it", status: .finding)
            }
            json.raw(text.utf8)
            return
        case .target(let target): line = ExplanationAnswer.line(for: target)
        case .payload(let bytes): line = bytes
        case nil: throw .protocolViolation("nothing is to be explained")
        }
        let sessions = try storing { () throws(StoreError) in try world.sessions.sessions(app: nil) }
        do throws(ExplanationAnswer.Failure) {
            let answer = try ExplanationAnswer(
                explaining: line, app: request.app, showsAll: request.showsAll, in: world.configuration, sessions,
                following: world.store, freshness: .live, systems: world.followedSystems, planner: world.planner)
            json.raw(answer.json.utf8)
        } catch {
            switch error {
            case .payload(let error): throw ControlError(Diagnostic(error), status: .finding)
            case .store(let error): throw ControlError(error)
            }
        }
    }

    private func storing<Result>(_ body: () throws(StoreError) -> Result) throws(ControlError) -> Result {
        do throws(StoreError) {
            return try body()
        } catch {
            throw ControlError(error)
        }
    }
}
