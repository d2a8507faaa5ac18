internal import Synchronization

/// Keeps sessions from being made while a client in control mode connects.
///
/// tmux 3.3 and older tells clients in control mode of sessions that come and go, and of terminals that are left, even before
/// they have said all that they are; then it falls over a null pointer, with everything that runs in it.
final class TmuxGate: Sendable {
    private let lock = Mutex(())

    func pass<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        try lock.withLock { (_) throws(Failure) in try body() }
    }
}
