internal import CLinux
internal import Glibc
internal import Synchronization
package import UsherSystem

/// The windows that a source has learned by events, and the threads that wait for a change of them.
package final class ToplevelModel: Sendable {
    private struct State {
        var server: String?
        var life: String?
        var windows: [Toplevel] = []
        var serial: UInt64 = 0
        /// Event descriptors of the threads that wait.
        var waiting: Set<Int32> = []
    }

    private let state = Mutex(State())

    package init() {}

    /// nil where no compositor runs.
    package var current: ToplevelSnapshot? { state.withLock { Self.snapshot(of: $0) } }

    /// Replaces the windows, and wakes the threads that wait where these differ.
    ///
    /// - Parameters:
    ///   - server: nil where the compositor has ended.
    ///   - life: as `ToplevelSnapshot.life`; `server` begins with it.
    package func publish(server: String?, life: String? = nil, windows: [Toplevel]) {
        state.withLock { state in
            guard state.server != server || state.windows != windows else { return }
            (state.server, state.life, state.windows) = (server, life, windows)
            state.serial += 1
            for descriptor in state.waiting { usher_eventfd_signal(descriptor) }
        }
    }

    /// As `ToplevelSource.wait`.
    package func wait(after serial: UInt64?, until deadline: Deadline?, or descriptor: Int32?) -> ToplevelSnapshot? {
        let event = usher_eventfd()
        guard event >= 0 else { return current }
        state.withLock { _ = $0.waiting.insert(event) }
        defer {
            state.withLock { _ = $0.waiting.remove(event) }
            close(event)
        }
        while true {
            let (isChanged, now) = state.withLock { state in
                let now = Self.snapshot(of: state)
                return (serial.map { $0 != state.serial || now == nil } ?? (now != nil), now)
            }
            if isChanged || deadline?.isOver == true { return now }
            switch Poll.wait(for: event, or: descriptor ?? -1, until: deadline) {
            case .failed: return now
            case .ended: return current
            case .ready, .late: usher_eventfd_clear(event)
            }
        }
    }

    private static func snapshot(of state: State) -> ToplevelSnapshot? {
        state.server.map {
            ToplevelSnapshot(server: $0, life: state.life, windows: state.windows, serial: state.serial)
        }
    }
}
