internal import Glibc
internal import UsherSystem

/// Tells by inotify(7) when usherd may have begun to wait for browsers: no look at a clock while it does not run.
struct DaemonArrival: ~Copyable {
    private let inotify = Inotify()
    private let state: String

    /// Can be read when something has happened.
    var descriptor: Int32 { inotify.descriptor }

    /// The state folder is made where it is missing: a daemon will need it, too. nil with errno.
    init?(state: String) {
        self.state = state
        try? FileSystem.makeFolder(state)
        guard descriptor >= 0, inotify.watch(state, for: IN_CREATE, IN_MOVED_TO) >= 0 else { return nil }
        watchLock()
    }

    /// The lock stays where it is; a daemon writes into it.
    private func watchLock() { inotify.watch(state + "/" + DaemonLock.fileName, for: IN_MODIFY) }

    /// Where usherd waits for browsers, as far as it says so; from now on it is noticed when that appears.
    borrowing func socket() -> String? {
        watchLock()
        guard let holder = DaemonLock.holder(state: state), !holder.socket.isEmpty else { return nil }
        let path = BrowserSocket.path(beside: holder.socket)
        inotify.watch(FilePath.parent(of: path), for: IN_CREATE, IN_MOVED_TO)
        return path
    }

    /// Reads and drops the pending events.
    borrowing func drain() { inotify.drain() }
}
