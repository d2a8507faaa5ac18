internal import Synchronization
package import UsherSystem

/// A lock for the calls that bring a window forward: only one window can have the keyboard, so simultaneous calls run
/// one after the other, and each sees what came of its own request. A call holds the lock for a short time only: a desktop
/// that ignores one request may accept the next one.
package final class FocusLock: Sendable {
    /// In milliseconds.
    private let length: Int
    private let taken = Mutex(())
    private let begun = Atomic(0)

    /// How many calls have had the lock.
    package var turns: Int { begun.load(ordering: .acquiring) }

    /// - Parameter length: how long a window may take that comes forward at all, in milliseconds.
    package init(length: Int) { self.length = length }

    /// `body` has to return at its deadline at the latest.
    package func withLock<Answer: Sendable>(_ body: (Deadline) -> Answer) -> Answer {
        taken.withLock { _ in
            begun.add(1, ordering: .acquiringAndReleasing)
            return body(Deadline(inMilliseconds: length))
        }
    }
}
