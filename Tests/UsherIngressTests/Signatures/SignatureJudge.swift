import UsherConfiguration
import UsherHook
import UsherIngress
import UsherLog
import UsherScene

/// Judges requests by `signature` tables of a configuration, without a access or a route around them.
struct SignatureJudge {
    private let fixture: WebhookFixture
    private let files: SecretFiles

    /// - Parameters:
    ///   - signatures: the keys of `signature`, by the name of the hook; keys are on one line between bars.
    ///   - secrets: the files that they name.
    init(_ signatures: [String: String], _ secrets: [String: String]) throws {
        let hooks = signatures.map { name, keys in
            "[hooks.\(name)]\ntitle = \"x\"\n[hooks.\(name).signature]\n" + keys.replacing(" | ", with: "\n") + "\n"
        }
        fixture = try WebhookFixture(hooks.joined(), files: secrets)
        files = SecretFiles(credentials: nil, logger: Logger(level: .debug, sink: fixture.log))
    }

    /// What a request to a hook proves.
    func proof(_ hook: String, _ request: HookRequest, at now: Int64 = WebhookFixture.now) throws -> HookProof {
        guard let signature = fixture.settings.hook(named: hook)?.signature else { throw NoHook() }
        let secrets = try files.secrets(of: signature)
        return try SignatureCheck(request, secrets: secrets, now: now).judge(signature)
    }

    /// `valid`, or status and name of the error: `403 signature.mismatch`.
    func verdict(_ hook: String, _ request: HookRequest, at now: Int64 = WebhookFixture.now) -> String {
        do {
            _ = try proof(hook, request, at: now)
            return "valid"
        } catch let refusal as Refusal {
            return "\(refusal.status) \(refusal.problem.code.name)"
        } catch is SecretFiles.Failure {
            return "no secrets"
        } catch {
            return "\(error)"
        }
    }

    private struct NoHook: Error {}
}
