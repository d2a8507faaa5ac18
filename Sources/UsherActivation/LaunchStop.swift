import CLinux
import Glibc
import Synchronization

/// Ends the waiting for what was launched: this run stops, and the next one goes on with it.
final class LaunchStop: Sendable {
    private let raised = Atomic<Bool>(false)
    /// Readable once raised; -1 before the first wait.
    private let event = Mutex<Int32>(-1)

    init() {}

    deinit { event.withLock { if $0 >= 0 { close($0) } } }

    /// Cannot be undone.
    func raise() {
        raised.store(true, ordering: .sequentiallyConsistent)
        event.withLock { if $0 >= 0 { usher_eventfd_signal($0) } }
    }

    var isRaised: Bool { raised.load(ordering: .sequentiallyConsistent) }

    /// - Parameter process: a pidfd.
    func signs(with process: Int32?) -> Signs {
        let stop = event.withLock { event in
            if event < 0 { event = usher_eventfd() }
            return event
        }
        let signs = Signs(process, stop)
        // It may have been raised before there was anything to signal.
        if isRaised { usher_eventfd_signal(stop) }
        return signs
    }

    /// What ends a wait sooner, as one descriptor to be polled: a process has ended, or waiting was stopped.
    struct Signs: ~Copyable {
        let descriptor: Int32

        fileprivate init(_ process: Int32?, _ stop: Int32) {
            descriptor = usher_epoll()
            if descriptor < 0 { return }
            for sign in [process, stop] {
                if let sign, sign >= 0 { _ = usher_epoll_add(descriptor, sign, UInt32(USHER_READABLE), 0) }
            }
        }

        deinit { if descriptor >= 0 { close(descriptor) } }
    }
}

extension Activator {
    /// From now on no launched program is waited for: reports say `isLeft`.
    public func stopWaitingForLaunches() { stop.raise() }

    public var waitsForNoLaunches: Bool { stop.isRaised }
}
