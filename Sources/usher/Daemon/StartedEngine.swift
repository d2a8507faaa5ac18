internal import Synchronization
internal import UsherControl

/// The engine that this command has started, if any.
final class StartedEngine: Sendable {
    private let client = Mutex<ControlClient?>(nil)

    func set(_ started: ControlClient) { client.withLock { $0 = started } }

    /// Waits until the engine has closed the store, so that the state folder can be copied or removed when the command has
    /// ended. An engine that other commands use as well runs on and is not waited for.
    func leave() {
        let started = client.withLock { client in
            defer { client = nil }
            return client
        }
        started?.leave()
    }
}
