internal import Dispatch
internal import Synchronization
public import UsherActivation
public import UsherSystem

extension BrowserWindowSystem {
    public func change(
        after list: WindowList, until deadline: Deadline, or descriptor: Int32?
    ) throws(ActivationFailure) -> WindowList {
        let signal = BrowserSignal()
        let token = hub.observe { signal.raise() }
        defer { hub.endObserving(token) }
        while true {
            signal.clear()
            let now = hub.listed
            if now != list || deadline.isOver { return now }
            if signal.wait(until: deadline, or: descriptor).other { return hub.listed }
        }
    }

    public func watch(_ changed: @escaping @Sendable (WindowList) -> Void) -> (any WindowWatch)? {
        BrowserWatch(hub, changed)
    }
}

/// Tells of the browsers' windows whenever they differ; what changes while it tells is told once, afterwards.
final class BrowserWatch: WindowWatch {
    private struct State: Sendable {
        var last: WindowList?
        var isDue = false
        var isOver = false
    }

    private let hub: BrowserHub
    private let changed: @Sendable (WindowList) -> Void
    private let queue = DispatchQueue(label: "usher.browser.watch")
    private let state = Mutex(State())
    private let token = Mutex<UInt64?>(nil)

    init(_ hub: BrowserHub, _ changed: @escaping @Sendable (WindowList) -> Void) {
        self.hub = hub
        self.changed = changed
        let number = hub.observe { [weak self] in self?.note() }
        token.withLock { $0 = number }
        note()
    }

    deinit { if let number = token.withLock({ $0 }) { hub.endObserving(number) } }

    /// Not from within `changed`.
    func stop() {
        if let number = token.withLock({ $0.take() }) { hub.endObserving(number) }
        state.withLock { $0.isOver = true }
        queue.sync {}
    }

    private func note() {
        let begins = state.withLock { state in
            defer { state.isDue = true }
            return !state.isDue
        }
        if begins { queue.async { self.tell() } }
    }

    private func tell() {
        let isOver = state.withLock { state in
            state.isDue = false
            return state.isOver
        }
        guard !isOver else { return }
        let list = hub.listed
        let isOther = state.withLock { state in
            defer { state.last = list }
            return state.last != list
        }
        if isOther { changed(list) }
    }
}
