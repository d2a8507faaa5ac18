internal import Synchronization
internal import UsherActivation
internal import UsherSystem

/// A lock for the calls that bring a window forward: only one window can have the keyboard, so simultaneous calls run
/// one after the other. A call holds the lock for a short time only: a window manager that ignores one request may
/// accept the next one.
final class X11Turn: Sendable {
    /// In milliseconds; a window that comes forward at all mostly does so in one or two.
    private static let length = 100

    private let taken = Mutex(())

    /// `body` has to return at its deadline at the latest.
    func take<Answer: Sendable>(_ body: (Deadline) -> Answer) -> Answer {
        taken.withLock { _ in body(Deadline(inMilliseconds: Self.length)) }
    }
}
