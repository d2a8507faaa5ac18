internal import Dispatch
internal import Synchronization
internal import UsherActivation
internal import UsherConfiguration
internal import UsherDispatch
internal import UsherHook
internal import UsherJSON
internal import UsherLog
public import UsherOperation
internal import UsherPayload
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

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
    /// Dispatches for which there is no room yet: at most `ControlLines.limit` of a connection. Touched on `changing` alone.
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
    public func execute(_ call: any Call, answer: @escaping @Sendable (Answer) -> Void) {
        switch call {
        case let payload as DispatchPayload:
            changing.async { [self] in
                backend.prepareToAct()
                submit(payload, answer)
            }
        case is Yield: reading.async { [self] in answer(result(of: call)) }
        case _ where call.waits:
            // After what was asked for before; what is asked for later does not wait for this.
            changing.async { [self] in
                DispatchQueue(label: "usher.control.app").async(group: asking) { [self] in answer(result(of: call)) }
            }
        case _ where call.kind != .read: changing.async { [self] in answer(result(of: call)) }
        default: reading.async { [self] in answer(result(of: call)) }
        }
    }

    /// Waits until everything that was asked for before has been begun.
    public func drain() {
        changing.sync {}
        asking.wait()
        reading.sync {}
    }

    private func result(of call: any Call) -> Answer {
        do throws(ControlError) {
            return .success(try perform(call))
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

    private func submit(_ dispatch: DispatchPayload, _ answer: @escaping @Sendable (Answer) -> Void) {
        let arrival: Arrival
        do throws(ControlError) {
            arrival = try self.arrival(dispatch, answer)
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
            reading, input: dispatch.input, source: DeliverySource.ofClient(dispatch.source), started: started,
            events: events)
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
    /// Carries out what is answered at once; its result as JSON text. May block.
    func perform(_ call: any Call) throws(ControlError) -> [UInt8] {
        switch call {
        case let call as Hello:
            guard call.protocolVersion == Hello.version else {
                throw .protocolViolation(
                    "protocol \(call.protocolVersion) is not spoken here: it is \(Hello.version)",
                    help: "usher and usherd have to be of one version: restart usherd")
            }
            var json = JSONWriter(escaping: .minimal)
            backend.hello.write(to: &json)
            return json.bytes
        case is SceneWindows: return text(WindowsAnswer.value(backend.planner.windowSystem))
        case is MediaList:
            return text(
                try MediaAnswer.value(backend.planner.applications, in: backend.configuration.configuration.apps))
        case is DesktopServices:
            // An engine on demand answers no search.
            let hello = backend.hello
            return text(
                DesktopServicesAnswer.value(
                    backend.planner.applications, daemon: hello.isOnDemand ? nil : Int32(hello.pid)))
        case is DeliveriesRetry:
            backend.prepareToAct()
            return try backend.service.perform(call)
        case is DeliveriesWait:
            backend.waitForDeliveries()
            return text([:])
        case let call as Explain: return try explain(call)
        case let call as HookJudge: return text(try judge(call))
        case is Reload: return text(try backend.reload())
        case is Status: return text(backend.status)
        case is Yield:
            try backend.yield()
            return text([:])
        default: return try backend.service.perform(call)
        }
    }

    private func text(_ value: JSONValue) -> [UInt8] {
        var json = JSONWriter(escaping: .minimal)
        json.value(value)
        return json.bytes
    }

    private func explain(_ request: Explain) throws(ControlError) -> [UInt8] {
        let line: [UInt8]
        switch request.subject {
        case .delivery(let id):
            let (delivery, explanation) = try backend.service.explained(id)
            guard case .json(let text) = explanation else {
                throw ControlError(
                    .controlNoDelivery, explanation.refusal(for: delivery.id),
                    help: "usher deliveries show \(delivery.id) says what became of it", status: .finding)
            }
            return Array(text.utf8)
        case .target(let target): line = ExplanationAnswer.line(for: target)
        case .payload(let bytes): line = bytes
        case nil: throw .protocolViolation("nothing is to be explained")
        }
        let sessions: Store.Sessions
        do throws(StoreError) {
            sessions = try backend.sessions.sessions(app: nil)
        } catch {
            throw ControlError(error)
        }
        do throws(ExplanationAnswer.Failure) {
            let answer = try ExplanationAnswer(
                explaining: line, app: request.app, showsAll: request.showsAll, in: backend.configuration, sessions,
                following: backend.store, freshness: .live, systems: backend.followedSystems, planner: backend.planner)
            return Array(answer.json.utf8)
        } catch {
            switch error {
            case .payload(let error): throw ControlError(Diagnostic(error), status: .finding)
            case .store(let error): throw ControlError(error)
            }
        }
    }
}

// MARK: - Hooks

extension ControlService {
    /// The hooks of a path, or those of the path of the hook with that name; at least one.
    func hooks(called name: String) throws(ControlError) -> [HookDefinition] {
        let settings = backend.configuration.settings
        let hooks = settings.hooks(called: name)
        guard hooks.isEmpty else { return hooks }
        throw .unknown(
            .controlArgument, "hook", name, among: settings.hooks.map(\.name), at: "/arguments/hook",
            otherwise: "usher hook list shows the hooks")
    }

    /// What `SignatureCheck` says of a request that may be no longer under way: `{"error","status","codes"}`.
    private func judge(_ call: HookJudge) throws(ControlError) -> JSONValue {
        let hook = try hooks(called: call.path)[0]
        let now = call.at.map(Int64.init) ?? Instant.now.microseconds / 1_000_000
        var refusal: Refusal?
        var codes: [JSONValue] = []
        do throws(Refusal) {
            let secrets = try secrets(of: hook)
            if let text = call.request {
                _ = try SignatureCheck(try request(text), secrets: secrets, now: now).judge(hook.signature)
            }
            let check = SignatureCheck(HookRequest(path: ""), secrets: secrets, now: now)
            for text in call.texts { codes.append(.string(try check.hexadecimalCode(of: text, hook.signature))) }
        } catch {
            refusal = error
        }
        return .object([
            .init("error", refusal.flatMap { try? JSONValue(parsing: $0.problem.jsonText) } ?? .null),
            .init("status", refusal.map { .number(String($0.status)) } ?? .null), .init("codes", .array(codes)),
        ])
    }

    /// Unlike a sender, a client of the socket may know why the secrets cannot be read.
    private func secrets(of hook: HookDefinition) throws(Refusal) -> [[UInt8]] {
        do throws(SecretFiles.Failure) {
            return try backend.secrets.secrets(of: hook.signature)
        } catch {
            throw Refusal(
                503, .signatureSecret, "the secrets of the hook \(hook.name) cannot be read: \(error)",
                help: "a secret a line, in a file that only you can read")
        }
    }

    /// A captured request with the URL that the daemon takes it to be sent to.
    private func request(_ text: String) throws(Refusal) -> HookRequest {
        var request: HookRequest
        do throws(HookCapture.Invalid) {
            guard let capture = try HookCapture.read(Array(text.utf8)) else {
                throw .init(message: "this is no captured request")
            }
            request = capture.request
        } catch {
            throw Refusal(400, .webhookHeader, error.message)
        }
        let server = backend.configuration.settings.server
        let isProxied = !server.trustedProxies.ranges.isEmpty || server.trustedProxies.includesUnixSocket
        let proxied = { (name: String) in isProxied ? request.header(name) : Optional.none }
        let scheme = proxied("X-Forwarded-Proto") ?? (server.certificate == nil ? "http" : "https")
        let host = proxied("X-Forwarded-Host") ?? request.header("Host") ?? "localhost"
        request.origin = server.publicURL?.origin ?? "\(scheme)://\(host)"
        return request
    }
}

extension Diagnostic {
    fileprivate var jsonText: [UInt8] {
        var json = JSONWriter(escaping: .minimal)
        write(to: &json)
        return json.bytes
    }
}
