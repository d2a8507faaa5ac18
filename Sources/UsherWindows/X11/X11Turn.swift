internal import Synchronization
internal import UsherActivation
internal import UsherSystem

/// Whose window is coming forward: only one can have the keyboard, so those who ask at the same time do it one after the
/// other. Nobody keeps it from the others for long: a window manager that does not heed one may heed the next.
final class X11Turn: Sendable {
    /// In milliseconds; a window that comes forward at all mostly does so in one or two.
    private static let length = 100

    private let taken = Mutex(())

    /// `body` is to come back at its deadline at the latest.
    func take<Answer: Sendable>(_ body: (Deadline) -> Answer) -> Answer {
        taken.withLock { _ in body(Deadline(inMilliseconds: Self.length)) }
    }
}
