internal import Glibc

/// Tells by inotify(7) when usherd may have begun to wait for browsers: no look at a clock while it does not run.
struct DaemonArrival: ~Copyable {
    /// Can be read when something has happened.
    let descriptor: Int32
    private let state: String

    /// The state folder is made where it is missing: a daemon will need it, too. nil with errno.
    init?(state: String) {
        self.state = state
        var folder = state.utf8.first == UInt8(ascii: "/") ? "/" : ""
        for part in state.split(separator: "/") {
            folder += part + "/"
            _ = unsafe mkdir(folder, 0o700)
        }
        descriptor = inotify_init1(Int32(O_CLOEXEC) | Int32(O_NONBLOCK))
        guard descriptor >= 0 else { return nil }
        let appears = UInt32(IN_CREATE | IN_MOVED_TO)
        guard unsafe inotify_add_watch(descriptor, state, appears) >= 0 else { return nil }
        // The lock stays where it is; a daemon writes into it.
        _ = unsafe inotify_add_watch(descriptor, state + "/" + DaemonLock.fileName, UInt32(IN_MODIFY))
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Where usherd waits for browsers, as far as it says so; from now on it is noticed when that appears.
    borrowing func socket() -> String? {
        _ = unsafe inotify_add_watch(descriptor, state + "/" + DaemonLock.fileName, UInt32(IN_MODIFY))
        guard let holder = DaemonLock.holder(state: state), !holder.socket.isEmpty else { return nil }
        let path = BrowserSocket.path(beside: holder.socket)
        if let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) {
            _ = unsafe inotify_add_watch(descriptor, String(path[..<slash]), UInt32(IN_CREATE | IN_MOVED_TO))
        }
        return path
    }

    /// Reads and drops the pending events.
    borrowing func drain() {
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
        }
    }
}
