internal import CLinux
internal import Glibc

extension HTTPServer.Limits {
    /// How many connections there may be at a time, with as many descriptors as this process can get.
    public var mostConnections: Int {
        let descriptors = usher_raise_descriptor_limit(65_536)
        return max(1, connections ?? min(4096, max(16, descriptors - max(64, descriptors / 4))))
    }
}

/// The listeners of a loop: which connections are accepted, and what happens when there are too many.
///
/// epoll would report a listener with connections that cannot be accepted again and again, so the loop stops watching
/// it for a moment.
struct Acceptor {
    private(set) var listeners: [BoundListener]
    /// A reserved descriptor. When descriptors run out, it is closed so that one more connection can be accepted and
    /// then closed.
    private var reserve: Int32
    private let most: Int
    private var watched: [Bool]
    /// When listeners that were put aside for lack of descriptors are watched again.
    private(set) var pausedUntil = Milliseconds.max
    var hasRoomAgain = false
    private var isClosed = false
    private var quietUntil: (full: Milliseconds, failed: Milliseconds) = (0, 0)
    private let user = geteuid()

    init(_ listeners: [BoundListener], limits: HTTPServer.Limits) {
        self.listeners = listeners
        watched = listeners.map { _ in false }
        most = limits.mostConnections
        reserve = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    }

    /// The limit for connections of one kind of listener. It is lower for network listeners, so that network clients
    /// can never take all connections from the user of this machine.
    func room(isLocal: Bool) -> Int { isLocal ? most : most - most / 8 }

    func isOurs(_ index: Int) -> Bool { !isClosed && listeners[index].isOurs }

    // MARK: Watching

    mutating func watch(on epoll: Int32) {
        for index in listeners.indices { setWatched(true, index, epoll) }
    }

    private mutating func setWatched(_ isWatched: Bool, _ index: Int, _ epoll: Int32) {
        guard watched[index] != isWatched, !isClosed else { return }
        watched[index] = isWatched
        let key = ConnectionKey(slot: UInt32(index), generation: EventLoop.listenerGeneration)
        if isWatched {
            _ = usher_epoll_add(epoll, listeners[index].descriptor, UInt32(USHER_READABLE), key.token)
        } else {
            _ = usher_epoll_remove(epoll, listeners[index].descriptor)
        }
    }

    /// The limit is reached: stops watching a listener until a connection closes.
    mutating func putAside(_ index: Int, on epoll: Int32) { setWatched(false, index, epoll) }

    /// File descriptors have run out, in this process or in the whole system: stops watching for 100 ms, or until a
    /// connection closes.
    mutating func pause(on epoll: Int32, now: Milliseconds) {
        for index in listeners.indices { setWatched(false, index, epoll) }
        pausedUntil = now + 100
    }

    mutating func resume(on epoll: Int32, now: Milliseconds, isFull: (local: Bool, internet: Bool)) {
        guard hasRoomAgain || now >= pausedUntil else { return }
        hasRoomAgain = false
        pausedUntil = .max
        for index in listeners.indices where !(listeners[index].isLocal ? isFull.local : isFull.internet) {
            setWatched(true, index, epoll)
        }
    }

    // MARK: Taking connections

    enum Arrival {
        case connection(Int32, HTTPPeer)
        /// A peer of another user; more connections may wait.
        case refused(user: UInt32)
        case none
        case outOfDescriptors(Int32)
    }

    func accept(_ index: Int) -> Arrival {
        var address = usher_address()
        while true {
            let descriptor = unsafe usher_accept(listeners[index].descriptor, &address)
            guard descriptor >= 0 else {
                switch errno {
                case ECONNABORTED, EINTR: continue
                case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .outOfDescriptors(errno)
                default: return .none
                }
            }
            guard !listeners[index].isLocal || address.user == user || address.user == 0 else {
                _ = Glibc.close(descriptor)
                return .refused(user: address.user)
            }
            return .connection(descriptor, address.peer(listeners[index]))
        }
    }

    /// Accepts one connection and closes it at once, so that its client does not wait.
    mutating func shed(_ index: Int) {
        guard reserve >= 0 else { return }
        _ = Glibc.close(reserve)
        var address = usher_address()
        let descriptor = unsafe usher_accept(listeners[index].descriptor, &address)
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        reserve = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    }

    /// Whether it is time for another report; they are few under attack.
    mutating func mayReport(
        _ kind: WritableKeyPath<(full: Milliseconds, failed: Milliseconds), Milliseconds>, _ now: Milliseconds
    ) -> Bool {
        guard now >= quietUntil[keyPath: kind] else { return false }
        quietUntil[keyPath: kind] = now + 10_000
        return true
    }

    mutating func reloadCertificates(now: Milliseconds, report: (HTTPServerEvent) -> Void) {
        for index in listeners.indices {
            switch listeners[index].certificate?.reload(now: now) {
            case .reloaded: report(.certificateReloaded(listener: listeners[index].label))
            case .failed(let message):
                report(.certificateFailed(listener: listeners[index].label, message: message))
            case .unchanged, nil: break
            }
        }
    }

    mutating func close(on epoll: Int32) {
        guard !isClosed else { return }
        // Closing is not enough: epoll goes on reporting a listener that another process has open, too.
        for index in listeners.indices { setWatched(false, index, epoll) }
        isClosed = true
        pausedUntil = .max
        for listener in listeners { listener.close() }
        if reserve >= 0 { _ = Glibc.close(reserve) }
        reserve = -1
    }
}
