internal import Synchronization

/// Keeps an idle connection until a call takes it.
final class X11Seat: Sendable {
    private let connection: Mutex<X11Connection?>

    init(_ connection: consuming X11Connection) { self.connection = Mutex(connection) }

    /// nil from the second time on.
    func take() -> X11Connection? { connection.withLock { $0.take() } }
}
