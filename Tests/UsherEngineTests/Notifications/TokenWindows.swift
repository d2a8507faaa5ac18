import EngineTestSupport
import TestSupport
import UsherScene

@testable import UsherActivation

/// Windows that note the token with which they were brought forward, and whose startup was ended.
final class TokenWindows: WindowSystem {
    let inner = DryRunWindowSystem()
    let tokens = Locked<[String?]>([])
    let ended = Locked<[String]>([])

    func open() -> String? { try? inner.launch(WindowLaunch(program: "x")).handle }

    var name: String { inner.name }
    var isAvailable: Bool { true }
    var support: WindowSupport { inner.support }
    func recognizes(handle: String) -> Bool { inner.recognizes(handle: handle) }
    func windows() throws(ActivationFailure) -> WindowList { try inner.windows() }
    func presence(of window: WindowReference) throws(ActivationFailure) -> WindowPresence {
        try inner.presence(of: window)
    }
    func launch(_ launch: WindowLaunch) throws(ActivationFailure) -> WindowSighting { try inner.launch(launch) }
    func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting {
        tokens.with { $0.append(request.token) }
        return try inner.focus(request)
    }
    func type(_ keys: WindowKeys, into window: WindowReference) throws(ActivationFailure) {
        try inner.type(keys, into: window)
    }
    func isOnItsWay(nonce: String) -> Bool { false }
    func find(processes: [Int32]) throws(ActivationFailure) -> WindowSighting? { nil }
    func endStartup(_ token: String) { ended.with { $0.append(token) } }
    func plan(_ step: WindowStep) -> String { inner.plan(step) }
}
