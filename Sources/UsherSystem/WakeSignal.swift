internal import CLinux
internal import Glibc

/// Something that one thread waits for and another brings about.
package final class WakeSignal: Sendable {
    package let descriptor: Int32

    /// Without a descriptor it is never raised: a waiting thread returns at its deadline.
    package init() { descriptor = usher_eventfd() }

    deinit { if descriptor >= 0 { close(descriptor) } }

    package func raise() { usher_eventfd_signal(descriptor) }

    package func clear() { usher_eventfd_clear(descriptor) }

    /// Waits until the signal is raised, the other descriptor is readable, or the deadline has passed; nil is none.
    ///
    /// - Returns: which of the two are readable; both false at the deadline.
    package func wait(until deadline: Deadline?, or other: Int32? = nil) -> (raised: Bool, other: Bool) {
        let ready = Poll.readable(descriptor, other ?? -1, until: deadline) ?? [false, false]
        return (ready[0], ready[1])
    }
}
