internal import Glibc
internal import UsherSystem

/// Signals that files of some folders may have changed.
struct FileWatch: ~Copyable {
    private let inotify = Inotify()
    private var watches: [String: Int32] = [:]
    /// Why a folder that is there cannot be watched: the limits of inotify(7) are reached. nil where all are.
    private(set) var failure: SystemError?

    init() { if inotify.descriptor < 0 { failure = .last } }

    /// To be polled for input; -1 where the system gives none: then only SIGHUP reloads.
    var descriptor: Int32 { inotify.descriptor }

    /// Watches these folders, and no others.
    ///
    /// Folders and not files: editors write another file and rename it.
    mutating func watch(_ folders: Set<String>) {
        guard descriptor >= 0 else { return }
        for (folder, watch) in watches where !folders.contains(folder) {
            inotify.end(watch)
            watches[folder] = nil
        }
        let events =
            IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF
        for folder in folders where watches[folder] == nil {
            let watch = inotify.watch(folder, for: events)
            if watch >= 0 {
                watches[folder] = watch
            } else if errno == ENOSPC || errno == ENOMEM {
                failure = .last
            }
        }
    }

    /// Discards the events so far. True when a watched folder itself is gone, so that it has to be watched anew.
    mutating func drain() {
        inotify.drain()
        // A folder that was replaced has no watch any more: all are added again, which changes nothing where they still exist.
        let folders = Set(watches.keys)
        watches = [:]
        watch(folders)
    }
}
