internal import Glibc

/// Signals that files of some folders may have changed, through inotify(7).
struct FileWatch: ~Copyable {
    /// To be polled for input; -1 where the system gives none: then only SIGHUP reloads.
    let descriptor: Int32
    private var watches: [String: Int32] = [:]

    init() {
        descriptor = inotify_init1(Int32(O_CLOEXEC) | Int32(O_NONBLOCK))
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Watches these folders, and no others.
    ///
    /// Folders and not files: editors write another file and rename it.
    mutating func watch(_ folders: Set<String>) {
        guard descriptor >= 0 else { return }
        for (folder, watch) in watches where !folders.contains(folder) {
            inotify_rm_watch(descriptor, watch)
            watches[folder] = nil
        }
        let events = UInt32(
            IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF)
        for folder in folders where watches[folder] == nil {
            let watch = unsafe inotify_add_watch(descriptor, folder, events)
            if watch >= 0 { watches[folder] = watch }
        }
    }

    /// Discards the events so far. True when a watched folder itself is gone, so that it has to be watched anew.
    mutating func drain() {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while unsafe buffer.withUnsafeMutableBytes({ unsafe read(descriptor, $0.baseAddress, $0.count) }) > 0 {}
        // A folder that was replaced has no watch any more: all are added again, which changes nothing where they still exist.
        let folders = Set(watches.keys)
        watches = [:]
        watch(folders)
    }
}
