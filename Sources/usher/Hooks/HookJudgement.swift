internal import UsherHook
internal import UsherScene

/// What the hooks of a path make of a request whose signature counts as valid: the same as in the daemon.
struct HookJudgement {
    /// The hook that took it; else the first of the path.
    var hook: String
    var status: Int
    var result: HookExpectation.Result
    /// Why it, or elements of it, are ignored.
    var why: [HookMiss] = []
    /// Why it, or the first element that cannot be mapped, is refused.
    var problem: Diagnostic?
    /// What is answered to a challenge.
    var answer: HookReply?
    var notifications: [HookNotification] = []

    /// - Parameters:
    ///   - hooks: all of one path, at least one.
    ///   - now: seconds since 1970.
    ///   - code: the code of a text under the first secret, in hexadecimal.
    init(
        _ hooks: [HookDefinition], _ request: HookRequest, now: Int64,
        code: @escaping (String) -> String? = { _ in nil }
    ) {
        hook = hooks.first?.name ?? ""
        (status, result) = (200, .ignored)
        let methods = HookDefinition.methods(of: hooks)
        guard methods.contains(request.method) else {
            refuse(405, Diagnostic(.webhookMethod, "this path takes \(methods.joined(separator: " or "))"))
            return
        }
        do throws(HookRefusal) {
            switch try HookEvaluation(hooks, request, now: now, code: code).outcome() {
            case .answered(let reply, let hook):
                (self.hook, status, result, answer) = (hook.name, reply.status, .answered, reply)
            case .ignored(let misses):
                why = misses
                switch hooks.first?.unmatched {
                case .status(let status): self.status = status
                case .error, nil:
                    (status, result) = (422, .refused)
                    problem = misses.first.map { Diagnostic(.hookNoMatch, $0.message, at: $0.at) }
                }
            case .accepted(let elements, let hook):
                (self.hook, status, result) = (hook.name, hook.accepted.status, .accepted)
                for element in elements {
                    switch element {
                    case .notification(let notification): notifications.append(notification)
                    case .ignored(let miss): why.append(miss)
                    case .failed(let refusal, _, _): problem = problem ?? refusal.problem
                    }
                }
            }
        } catch {
            refuse(error.status, error.problem)
        }
    }

    private mutating func refuse(_ status: Int, _ problem: Diagnostic) {
        (self.status, result, self.problem) = (status, .refused, problem)
    }
}

extension HookCapture {
    /// A request that is made of a file: one that `usher hook listen` wrote, or the body alone.
    ///
    /// - Parameter isRequest: nil where the content tells.
    static func made(of bytes: [UInt8], isRequest: Bool? = nil) throws(HookCapture.Invalid) -> HookCapture {
        if isRequest != false {
            if let capture = try read(bytes) { return capture }
            if isRequest == true {
                throw Invalid(message: "this is no request that usher hook listen wrote: {\"v\":1,…,\"headers\":[…],…}")
            }
        }
        return HookCapture(time: "", HookRequest(path: "", body: bytes))
    }

    /// Puts headers, query and method in place of those that are there, completes what a sender would say, and leads to
    /// the path of the hooks.
    mutating func complete(
        headers: [HookRequest.Header], query: String?, method: String?, for hooks: [HookDefinition]
    ) {
        request.path = "/hooks/" + (hooks.first?.path ?? "")
        if let query { request.query = query.isEmpty ? nil : query }
        if let method { request.method = method }
        request.headers.removeAll { old in headers.contains { $0.name.lowercased() == old.name.lowercased() } }
        request.headers += headers
        guard request.header("Content-Type") == nil, !request.body.isEmpty else { return }
        let first = request.body.first { $0 > 0x20 }
        let isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        let takesJSON = hooks.contains { $0.input.contains(.json) }
        let isForm = !isJSON && !takesJSON || !isJSON && hooks.contains { $0.input.contains(.form) }
        request.headers.append(
            .init("Content-Type", isForm ? "application/x-www-form-urlencoded" : "application/json"))
    }
}
