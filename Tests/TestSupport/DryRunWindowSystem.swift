import Synchronization
package import UsherActivation

/// A window system without windows: notes what it is asked for and answers as the windows it was given would.
package final class DryRunWindowSystem: WindowSystem {
    private struct State {
        var windows: [WindowList.Window]
        var keys: [String: [KeyStroke]] = [:]
        var performed: [String] = []
        var next = 1
        var current: String?
    }

    package let name: String
    package let isAvailable: Bool
    /// nil: no server runs.
    package let server: String?
    /// What is seen after a launch or a focus.
    private let view: WindowSighting.View
    private let state: Mutex<State>

    package init(
        name: String = "tmux", isAvailable: Bool = true, windows: [WindowList.Window] = [], server: String? = "dry-run",
        view: WindowSighting.View = .shown
    ) {
        self.name = name
        self.isAvailable = isAvailable
        self.server = server
        self.view = view
        state = Mutex(State(windows: windows, next: windows.count + 1))
    }

    /// What was asked for, in order.
    package var performed: [String] { state.withLock { $0.performed } }

    /// The handle of the window that was brought forward last.
    package var current: String? { state.withLock { $0.current } }

    /// What was typed into a window.
    package func keys(typedInto handle: String) -> [KeyStroke] { state.withLock { $0.keys[handle] ?? [] } }

    /// As if its user had closed it.
    package func close(_ handle: String) { state.withLock { $0.windows.removeAll { $0.handle == handle } } }

    package var support: WindowSupport { WindowSupport("dry run", [:]) }

    package func recognizes(handle: String) -> Bool { TmuxHandle(handle) != nil }

    package func windows() throws(ActivationFailure) -> WindowList {
        WindowList(server: server, windows: state.withLock { $0.windows })
    }

    package func presence(of window: WindowReference) throws(ActivationFailure) -> WindowPresence {
        if case .handle(let handle, _) = window, !recognizes(handle: handle) { return .unknown }
        return state.withLock { find(window, in: $0) } == nil ? .gone : .present
    }

    package func launch(_ launch: WindowLaunch) throws(ActivationFailure) -> WindowSighting {
        perform(.launch(launch))
        let window = state.withLock { state in
            let window = WindowList.Window(
                handle: "@\(state.next)", title: launch.program, group: launch.group ?? "usher")
            state.next += 1
            state.windows.append(window)
            state.current = window.handle
            return window
        }
        return WindowSighting(handle: window.handle, server: server ?? "dry-run", title: window.title, view: view)
    }

    package func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting {
        let window = request.window
        perform(.focus(window))
        let found = state.withLock { state in
            let found = find(window, in: state)
            if let found { state.current = found.handle }
            return found
        }
        guard let found else { throw .windowGone(window.text) }
        return WindowSighting(handle: found.handle, server: server ?? "dry-run", title: found.title, view: view)
    }

    /// A window with the title `asks` stays.
    package func close(_ window: WindowReference) throws(ActivationFailure) {
        let found = state.withLock { state in
            let found = find(window, in: state)
            if let found, found.title != "asks" { state.windows.removeAll { $0.handle == found.handle } }
            return found
        }
        guard found != nil else { throw .windowGone(window.text) }
    }

    package func type(_ keys: WindowKeys, into window: WindowReference) throws(ActivationFailure) {
        perform(.type(keys, window))
        let found = state.withLock { state in
            let found = find(window, in: state)
            if let found { state.keys[found.handle, default: []] += keys.strokes }
            return found
        }
        guard found != nil else { throw .windowGone(window.text) }
    }

    package func find(processes: [Int32]) throws(ActivationFailure) -> WindowSighting? { nil }

    package func plan(_ step: WindowStep) -> String { TmuxPlan.text(step) }

    private func perform(_ step: WindowStep) { state.withLock { $0.performed.append(plan(step)) } }

    private func find(_ window: WindowReference, in state: State) -> WindowList.Window? {
        switch window {
        case .group(let name): return state.windows.last { $0.group == name }
        case .handle(let handle, let server):
            if let server, server != self.server { return nil }
            let wanted = TmuxHandle(handle)
            return state.windows.first { $0.handle == handle || (wanted != nil && TmuxHandle($0.handle) == wanted) }
        }
    }
}

/// A window system that answers as `inner`, but for what the type does itself.
package protocol DerivedDryRun: WindowSystem {
    var inner: DryRunWindowSystem { get }
}

extension DerivedDryRun {
    package var name: String { inner.name }
    package var isAvailable: Bool { true }
    package var support: WindowSupport { inner.support }
    package func recognizes(handle: String) -> Bool { inner.recognizes(handle: handle) }
    package func windows() throws(ActivationFailure) -> WindowList { try inner.windows() }
    package func presence(of window: WindowReference) throws(ActivationFailure) -> WindowPresence {
        try inner.presence(of: window)
    }
    package func launch(_ launch: WindowLaunch) throws(ActivationFailure) -> WindowSighting { try inner.launch(launch) }
    package func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting { try inner.focus(request) }
    package func close(_ window: WindowReference) throws(ActivationFailure) { try inner.close(window) }
    package func type(_ keys: WindowKeys, into window: WindowReference) throws(ActivationFailure) {
        try inner.type(keys, into: window)
    }
    package func isOnItsWay(nonce: String) -> Bool { false }
    package func find(processes: [Int32]) throws(ActivationFailure) -> WindowSighting? { nil }
    package func plan(_ step: WindowStep) -> String { inner.plan(step) }
}
