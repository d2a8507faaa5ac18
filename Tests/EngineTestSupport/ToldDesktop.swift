import Synchronization
package import UsherActivation
import UsherScene

/// A desktop whose windows the test sets.
package final class ToldDesktop: WindowSystem {
    private struct State: Sendable {
        var list = WindowList(server: "one", windows: [])
        var hidden: Set<String> = []
        var isInDoubt = false
        var hangs = false
        var watchers: [@Sendable (WindowList) -> Void] = []
    }

    private let state = Mutex(State())

    package let name: String
    package let isAvailable = true
    package let isDesktop: Bool
    package var support: WindowSupport { WindowSupport("told", [:]) }

    package init(name: String = "x11", isDesktop: Bool = true) {
        self.name = name
        self.isDesktop = isDesktop
    }

    package func say(_ list: WindowList) {
        let watchers = state.withLock { state in
            state.list = list
            return state.watchers
        }
        for watcher in watchers { watcher(list) }
    }

    package func doubt(_ isInDoubt: Bool) { state.withLock { $0.isInDoubt = isInDoubt } }

    /// It says nothing when it is asked.
    package func hang(_ hangs: Bool) { state.withLock { $0.hangs = hangs } }

    /// It is there, and not listed.
    package func hide(_ handle: String) { state.withLock { _ = $0.hidden.insert(handle) } }

    package func server(of handle: String) throws(ActivationFailure) -> String? {
        let (hangs, server) = state.withLock { ($0.hangs, $0.list.server) }
        if hangs { throw Self.no }
        return server
    }

    package func recognizes(handle: String) -> Bool { handle.hasPrefix("x11:") || handle.hasPrefix("browser:") }
    package func windows() throws(ActivationFailure) -> WindowList { state.withLock { $0.list } }

    package func presence(of window: WindowReference) throws(ActivationFailure) -> WindowPresence {
        guard case .handle(let handle, let server) = window else { return .unknown }
        if state.withLock({ $0.hangs }) { throw Self.no }
        // Handles are those of a connection: `life/connection`.
        if let server, let current = state.withLock({ $0.list.server }), server != current, current.contains("/"),
            server.split(separator: "/").first == current.split(separator: "/").first
        {
            return .forgotten
        }
        if state.withLock({ $0.isInDoubt }) { return .unknown }
        return state.withLock { $0.hidden.contains(handle) || $0.list.has(handle, of: server) } ? .present : .gone
    }

    package func watch(_ changed: @escaping @Sendable (WindowList) -> Void) -> (any WindowWatch)? {
        state.withLock { $0.watchers.append(changed) }
        return Watch(desktop: self)
    }

    private struct Watch: WindowWatch {
        let desktop: ToldDesktop
        func stop() { desktop.state.withLock { $0.watchers = [] } }
    }

    package func launch(_ launch: WindowLaunch) throws(ActivationFailure) -> WindowSighting { throw Self.no }
    package func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting { throw Self.no }
    package func type(_ keys: WindowKeys, into window: WindowReference) throws(ActivationFailure) { throw Self.no }
    package func isOnItsWay(nonce: String) -> Bool { false }
    package func find(processes: [Int32]) throws(ActivationFailure) -> WindowSighting? { nil }
    package func plan(_ step: WindowStep) -> String { "" }

    private static let no = ActivationFailure(.windowSystem, "it only lists")
}
