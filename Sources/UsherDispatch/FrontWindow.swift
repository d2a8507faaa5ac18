internal import Synchronization
internal import UsherActivation

/// Keeps the window of the latest request in front, though scenes are brought forward side by side.
///
/// A person looks at one window. When an earlier request is done late, its window comes forward after that of a later one;
/// then the later one's is brought forward again.
final class FrontWindow: Sendable {
    private struct Front {
        var sequence: Int
        var handle: String
        var server: String?
    }

    private let front = Mutex<Front?>(nil)
    private let windowSystem: any WindowSystem

    init(_ windowSystem: any WindowSystem) {
        self.windowSystem = windowSystem
    }

    /// Called after a request's window was brought forward or launched.
    func settle(_ sequence: Int, handle: String?, server: String?) {
        guard let handle, windowSystem.recognizes(handle: handle) else { return }
        front.withLock { front in
            if let latest = front, latest.sequence > sequence {
                // Whether it is still there is the next request's business.
                if latest.handle != handle {
                    _ = try? windowSystem.focus(.handle(latest.handle, server: latest.server))
                }
            } else {
                front = Front(sequence: sequence, handle: handle, server: server)
            }
        }
    }
}
