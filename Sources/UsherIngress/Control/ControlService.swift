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

/// Carries out commands, whichever door they came through.
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

    /// Carries a command out and answers once, from any thread. Not `records` and streams: see `subscribe` and `PayloadStream`.
    public func execute(_ command: ControlCommand, answer: @escaping @Sendable (Answer) -> Void) {
        switch command {
        case .dispatch(let dispatch):
            changing.async { [self] in
                world.prepareToAct()
                submit(dispatch, answer)
            }
        case .connect, .update, .activate, .disconnect, .close, .retry, .drop, .reload:
            changing.async { [self] in answer(result(of: command)) }
        case .content(let call) where call.mayAskApp:
            // After what was asked for before, and in nobody's way.
            changing.async { [self] in asking.async { [self] in answer(result(of: command)) } }
        case .content(let call) where call.kind != .read:
            changing.async { [self] in answer(result(of: command)) }
        case .wait:
            // What was asked for before is taken up first.
            changing.async { [self] in asking.async { [self] in answer(result(of: command)) } }
        case .content, .hello, .sessions, .session, .windows, .deliveries, .delivery, .explain, .status, .yield,
            .records,
            .stream:
            reading.async { [self] in answer(result(of: command)) }
        }
    }

    /// Waits until everything that was asked for before has been begun.
    public func drain() {
        changing.sync {}
        asking.sync(flags: .barrier) {}
        reading.sync {}
    }

    private func result(of command: ControlCommand) -> Answer {
        do throws(ControlError) {
            var json = JSONWriter(escaping: .minimal)
            try perform(command, &json)
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

    private func submit(_ dispatch: ControlDispatch, _ answer: @escaping @Sendable (Answer) -> Void) {
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
        _ dispatch: ControlDispatch, _ answer: @escaping @Sendable (Answer) -> Void
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

// MARK: - Commands

extension ControlService {
    /// Carries out what is answered at once, and writes its result. May block.
    func perform(_ command: ControlCommand, _ json: inout JSONWriter) throws(ControlError) {
        switch command {
        case .hello(let version):
            guard version == ControlCommand.protocolVersion else {
                throw .protocolViolation(
                    "protocol \(version) is not spoken here: it is \(ControlCommand.protocolVersion)",
                    help: "usher and usherd have to be of one version: restart usherd")
            }
            world.hello.write(to: &json)
        case .connect(let requests, let checks): try connect(requests, checks: checks, &json)
        case .update(let id, let update): write(try sessionCommands.update(id, update), &json)
        case .activate(let id, let update): write(try sessionCommands.activate(id, update), &json)
        case .disconnect(let id, let update): write(try sessionCommands.disconnect(id, update), &json)
        case .close(let id):
            let session = try sessionCommands.close(id)
            json.beginObject()
            json.key("session")
            SessionAnswer.write(session, state: SessionAnswer.closed, to: &json)
            json.endObject()
        case .sessions(let app):
            let sessions = try storing { () throws(StoreError) in try world.sessions.sessions(app: app) }
            json.beginArray()
            for session in sessions.sessions.sorted(by: SceneSession.precedes) {
                SessionAnswer.write(session, activation: world.activation(of: session), to: &json)
            }
            json.endArray()
        case .session(let id):
            let session = try sessionCommands.session(id)
            SessionAnswer.write(session, activation: world.activation(of: session), to: &json)
        case .windows: json.value(WindowsAnswer.value(world.planner.windowSystem))
        case .deliveries(let query):
            let deliveries = try storing { () throws(StoreError) in
                try world.store.deliveries(limit: query.limit, states: query.states, before: query.before)
            }
            json.beginArray()
            for delivery in deliveries { DeliveryAnswer.writeSummary(of: delivery, to: &json) }
            json.endArray()
        case .delivery(let id):
            guard let delivery = try storing({ () throws(StoreError) in try world.store.delivery(id) }) else {
                throw .noDelivery(id)
            }
            let explanation = try storing { () throws(StoreError) in
                try StoredExplanation(of: delivery, in: world.store)
            }
            DeliveryAnswer.write(delivery, explanation: explanation.json, to: &json)
        case .retry(let selection):
            world.prepareToAct()
            write(try DeliveryCommands(world.store, world.deliveries).retry(selection), &json)
        case .drop(let selection):
            write(try DeliveryCommands(world.store, world.deliveries).drop(selection), &json)
        case .wait:
            world.waitForDeliveries()
            json.beginObject()
            json.endObject()
        case .explain(let request): try explain(request, &json)
        case .reload: json.value(try world.reload())
        case .status: json.value(world.status)
        case .yield:
            try world.yield()
            json.beginObject()
            json.endObject()
        case .content(let call): json.value(try world.contents.perform(call))
        case .dispatch, .stream, .records:
            throw .protocolViolation("\(command.name) is not answered here")
        }
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

    private func explain(_ request: ExplainRequest, _ json: inout JSONWriter) throws(ControlError) {
        let line: [UInt8]
        switch request.subject {
        case .delivery(let id):
            guard let delivery = try storing({ () throws(StoreError) in try world.store.delivery(id) }) else {
                throw .noDelivery(id)
            }
            let explanation = try storing { () throws(StoreError) in
                try StoredExplanation(of: delivery, in: world.store)
            }
            guard case .json(let text) = explanation else {
                throw ControlError(
                    .controlNoDelivery, explanation.refusal(for: delivery.id),
                    help: "usher deliveries show \(delivery.id) says what became of it", status: .finding)
            }
            json.raw(text.utf8)
            return
        case .target(let target): line = ExplanationAnswer.line(for: target)
        case .payload(let bytes): line = bytes
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
