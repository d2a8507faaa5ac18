internal import Synchronization
internal import UsherActivation

/// Keeps the window of the latest request in front, though scenes are brought forward side by side.
///
/// A person looks at one window. When an earlier request is done late, its window comes forward after that of a later one;
/// then the later one's is brought forward again.
final class FrontWindow: Sendable {
    private struct Front {
        var arrival: Int
        var handle: String
        var server: String?
    }

    private let front = Mutex<Front?>(nil)
    private let windowSystem: any WindowSystem

    init(_ windowSystem: any WindowSystem) {
        self.windowSystem = windowSystem
    }

    /// Called after a request's window was brought forward or launched; requests are numbered as they arrive.
    func restoreLatest(after arrival: Int, handle: String?, server: String?) {
        guard let handle, windowSystem.recognizes(handle: handle) else { return }
        var later: Front? = front.withLock { front in
            if let latest = front, latest.arrival > arrival { return latest.handle == handle ? nil : latest }
            front = Front(arrival: arrival, handle: handle, server: server)
            return nil
        }
        // Nothing is locked while windows are moved, so a still later one may have come forward just before this one's.
        while let latest = later {
            // Whether it is still there is the next request's business.
            _ = try? windowSystem.focus(.handle(latest.handle, server: latest.server))
            later = front.withLock { front in
                guard let front, front.arrival > latest.arrival, front.handle != latest.handle else { return nil }
                return front
            }
        }
    }
}
