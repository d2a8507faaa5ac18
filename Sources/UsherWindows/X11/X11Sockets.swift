internal import Glibc

/// Tells that a server may have come: a socket appeared where those of local servers are (inotify(7)).
struct X11Sockets: ~Copyable {
    let descriptor: Int32
    /// Whether a new server is heard of at all: one that is reached by TCP is not.
    let canTell: Bool

    init(_ display: X11Display) {
        descriptor = inotify_init1(Int32(O_CLOEXEC) | Int32(O_NONBLOCK))
        let events = UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_ATTRIB)
        canTell =
            unsafe display.isLocal && descriptor >= 0
            && inotify_add_watch(descriptor, X11Display.folder, events) >= 0
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Which one it was says the server itself.
    borrowing func clear() {
        guard descriptor >= 0 else { return }
        var room = [UInt8](repeating: 0, count: 4096)
        while unsafe read(descriptor, &room, room.count) > 0 {}
    }
}
