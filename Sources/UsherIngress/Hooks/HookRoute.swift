internal import UsherConfiguration
public import UsherDispatch
public import UsherHTTP
internal import UsherHook
internal import UsherJSON
internal import UsherLog
internal import UsherPayload
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// `POST /hooks/NAME`: what some sender posts becomes a notification, as `[hooks.NAME]` says.
///
/// Signature first, on the bytes as they came; then the conditions, then the mapping. Whatever does not hold is named in the
/// answer, which is never 200 then.
public struct HookRoute: Sendable {
    private let door: WebhookDoor

    public init(_ door: WebhookDoor) { self.door = door }

    /// Judges a request by its head.
    public func admit(_ request: HTTPRequest) -> HTTPAdmission {
        do throws(Refusal) {
            let admission = door.admit(request)
            if case .accept = admission { _ = try hook(of: request) }
            return admission
        } catch {
            door.note(error, of: request)
            return .refuse(error.response())
        }
    }

    public func handle(_ request: HTTPRequest, _ responder: any HTTPResponder, _ intake: any Intake) {
        door.answer(request, responder) { (responder) throws(Refusal) in try take(request, responder, intake) }
    }

    private func take(
        _ request: HTTPRequest, _ responder: any HTTPResponder, _ intake: any Intake
    ) throws(Refusal) {
        let started = MonotonicClock.now
        try door.policy.judge(request)
        let hook = try hook(of: request)
        guard request.method == "POST" else { throw Refusal.method(request.method, allowed: "POST") }
        guard try MediaType(of: request) == .json else {
            throw Refusal(415, .webhookMediaType, "a hook takes one JSON text", help: "send application/json")
        }
        try authenticate(request, hook)
        try door.take(.hook(hook.name))
        let waits = try QueryString(of: request).waits()
        let mapping = HookMapping(hook, request)
        let items = try mapping.notifications()
        if items.count > intake.capacity {
            throw Refusal.batch(limit: intake.capacity, of: "elements", help: "[deliveries] queue allows no more")
        }
        let answer = PendingAnswer(
            items.map { _ in nil }, isList: hook.each != nil, waits: waits, responder)
        let arrivals = items.enumerated().map { index, item in
            var arrival = Arrival(
                .success(item.payload), input: item.input, source: "hook:\(hook.name)", started: started,
                events: answer.events(of: index))
            arrival.app = hook.app
            arrival.senderID = item.senderID
            return arrival
        }
        guard intake.submit(arrivals) else {
            answer.abandon()
            throw Refusal.queueFull
        }
        answer.limit(milliseconds: door.waitLimit)
    }

    private func hook(of request: HTTPRequest) throws(Refusal) -> HookDefinition {
        let name = String(request.path.dropFirst("/hooks/".count))
        if let hook = door.settings.hook(named: name) { return hook }
        let names = door.settings.hooks.map(\.name)
        throw Refusal(
            404, .hookUnknown, "there is no hook \(Refusal.printable(name))",
            help: (name.isEmpty ? nil : Suggestion.closest(to: name, among: names)).map { "did you mean /hooks/\($0)?" }
                ?? "hooks are the tables [hooks.NAME] of usher.toml")
    }

    /// A hook without a signature is as open as the door that it is behind: on TCP the daemon's tokens hold there too.
    private func authenticate(_ request: HTTPRequest, _ hook: HookDefinition) throws(Refusal) {
        guard hook.signature.secret != nil else {
            _ = try door.sender(of: request)
            return
        }
        try door.charging(door.policy.peer(of: request), at: "hook:\(hook.name)") { () throws(Refusal) in
            let secrets = try door.secrets(of: hook.signature, for: "the hook \(hook.name)")
            let origin = (request.peer.isEncrypted ? "https://" : "http://") + (request.fields["Host"] ?? "localhost")
            _ = try SignatureCheck(HookRequest(request, origin: origin), secrets: secrets, now: door.wallClock())
                .judge(hook.signature)
        }
    }
}
