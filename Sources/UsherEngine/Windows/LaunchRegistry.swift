internal import Dispatch
internal import Synchronization
internal import UsherActivation
internal import UsherLog
internal import UsherScene
internal import UsherStore
internal import UsherSystem

/// The launches of this process that wait for their windows, and the store's data about all others.
final class LaunchRegistry: WindowClaiming {
    private struct State {
        var claims = WindowClaims()
        var turns: [String: DispatchSemaphore] = [:]
    }

    private let store: Store
    private let state = Mutex(State())

    /// How often a launch that waits for its turn looks whether it is to go on, in milliseconds.
    private static let interval = 250

    init(_ store: Store) { self.store = store }

    func begin(_ launch: PendingLaunch, isStopped: () -> Bool) -> Bool {
        let turn: DispatchSemaphore? = state.withLock { state in
            if state.claims.enter(launch, at: MonotonicClock.now, isRunning: { $0.isRunning }) { return nil }
            let turn = DispatchSemaphore(value: 0)
            state.turns[launch.nonce] = turn
            return turn
        }
        guard let turn else { return true }
        while turn.wait(timeout: .now() + .milliseconds(LaunchRegistry.interval)) == .timedOut {
            guard isStopped() else { continue }
            end(launch.nonce, hasFailed: true)
            release(launch.nonce)
            return false
        }
        return true
    }

    func noteStart(of nonce: String, process: Int32) {
        let process = Store.SessionProcess.running(pid: process)
        state.withLock { $0.claims.noteStart(of: nonce, process: process) }
    }

    func noteHandOver(of nonce: String) { state.withLock { $0.claims.noteHandOver(of: nonce) } }

    func claim(_ candidates: [WindowCandidate], for nonce: String, isLast: Bool) -> WindowGrant? {
        guard let facts = try? store.claimFacts(candidates.map(\.window), for: nonce) else { return nil }
        return state.withLock { state in
            state.claims.claim(
                candidates, for: nonce, facts: facts, isLast: isLast, at: MonotonicClock.now,
                isRunning: { $0.isRunning })
        }
    }

    func end(_ nonce: String, hasFailed: Bool) {
        state.withLock { state in
            state.turns[nonce] = nil
            let admitted = state.claims.leave(
                nonce, hasFailed: hasFailed, at: MonotonicClock.now, isRunning: { $0.isRunning })
            for next in admitted {
                state.turns.removeValue(forKey: next)?.signal()
            }
        }
    }

    func release(_ nonce: String) { state.withLock { $0.claims.release(nonce) } }

    /// Whose a window is that no session has.
    func owner(of window: WindowList.Window) -> WindowOwner {
        let carried = Activator.launch(of: window)
        return state.withLock { $0.claims.owner(of: window, carrying: carried, at: MonotonicClock.now) }
    }
}

extension Store {
    /// What the store says of windows that the launch with this nonce may get.
    fileprivate func claimFacts(
        _ windows: [WindowList.Window], for nonce: String
    ) throws(StoreError) -> WindowClaims.Facts {
        let known = try launchFacts(nonce: nonce, windows: windows.map { ($0.handle, $0.server) })
        var facts = WindowClaims.Facts(acting: Set(known.otherLaunches))
        for (window, isHeld) in zip(windows, known.held) where isHeld { facts.held.insert(WindowClaims.Window(window)) }
        return facts
    }
}
