import EngineTestSupport
import TestSupport
import UsherScene

@testable import UsherActivation

/// Windows that note the token with which they were brought forward, and whose startup was ended.
final class TokenWindows: DerivedDryRun {
    let inner = DryRunWindowSystem()
    let tokens = Locked<[String?]>([])
    let ended = Locked<[String]>([])

    func open() -> String? { try? inner.launch(WindowLaunch(program: "x")).handle }

    func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting {
        tokens.with { $0.append(request.token) }
        return try inner.focus(request)
    }
    func endStartup(_ token: String) { ended.with { $0.append(token) } }
}
