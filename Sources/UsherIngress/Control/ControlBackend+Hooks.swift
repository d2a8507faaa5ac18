internal import UsherConfiguration
public import UsherEngine
internal import UsherHook
public import UsherOperation
internal import UsherSystem
internal import UsherText

extension ControlBackend {
    /// The hooks of a path, or those of the path of the hook with that name; at least one.
    func hooks(called name: String) throws(ControlError) -> [HookDefinition] {
        let settings = configuration.settings
        let hooks = settings.hooks(called: name)
        guard hooks.isEmpty else { return hooks }
        throw .unknown(
            .controlArgument, "hook", name, among: settings.hooks.map(\.name), at: "/arguments/hook",
            otherwise: "usher hook list shows the hooks")
    }

    /// What `SignatureCheck` says of a request that may be no longer under way.
    public func judge(_ call: HookJudge) throws(ControlError) -> HookVerdict {
        let hook = try hooks(called: call.path)[0]
        let now = call.at.map(Int64.init) ?? Instant.now.microseconds / 1_000_000
        var refusal: Refusal?
        var verdict = HookVerdict()
        do throws(Refusal) {
            let secrets = try secrets(of: hook)
            if let text = call.request {
                _ = try SignatureCheck(try request(text), secrets: secrets, now: now).judge(hook.signature)
            }
            let check = SignatureCheck(HookRequest(path: ""), secrets: secrets, now: now)
            for text in call.texts { verdict.codes.append(try check.hexadecimalCode(of: text, hook.signature)) }
        } catch {
            refusal = error
        }
        verdict.error = refusal.map { ErrorAnswer($0.problem) }
        verdict.status = refusal?.status
        return verdict
    }

    /// Unlike a sender, a client of the socket may know why the secrets cannot be read.
    private func secrets(of hook: HookDefinition) throws(Refusal) -> [[UInt8]] {
        do throws(SecretFiles.Failure) {
            return try secrets.secrets(of: hook.signature)
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
        let server = configuration.settings.server
        let isProxied = !server.trustedProxies.ranges.isEmpty || server.trustedProxies.includesUnixSocket
        let proxied = { (name: String) in isProxied ? request.header(name) : Optional.none }
        let scheme = proxied("X-Forwarded-Proto") ?? (server.certificate == nil ? "http" : "https")
        let host = proxied("X-Forwarded-Host") ?? request.header("Host") ?? "localhost"
        request.origin = server.publicURL?.origin ?? "\(scheme)://\(host)"
        return request
    }
}
