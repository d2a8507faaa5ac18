internal import CLinux
internal import Glibc
internal import Synchronization
internal import UsherSystem

/// The thread of a server: waits for descriptors and for messages, and gives each connection its turn.
///
/// Everything in it belongs to one thread, and nothing is locked but the mailbox. It sleeps without a time-out while no
/// connection has a deadline.
final class EventLoop {
    let epoll: Int32
    let limits: HTTPServer.Limits
    let handler: any HTTPHandler
    let mailbox: LoopMailbox
    private let report: @Sendable (HTTPServerEvent) -> Void
    private(set) var now = Clock.now
    /// What is read goes here first. Its contents are good until the next read.
    var scratch = [UInt8](repeating: 0, count: 64 * 1024)
    var date = DateLine()
    let bodies: BodyMemory
    /// Unsent bytes of connections without a proof.
    private var unprovenOutput = 0
    private(set) var isDraining = false

    private var acceptor: Acceptor
    private var connections: [Connection?] = []
    private var generations: [UInt32] = []
    private var freeSlots: [Int] = []
    /// The slot of the connection that was inherited.
    private var inheritedSlot: Int?
    private var localCount = 0
    private var internetCount = 0

    private var dirty: [Connection] = []
    private var toBeRead: [Connection] = []
    /// When to look at deadlines; not before the earliest of them.
    private var nextSweep = Milliseconds.max
    private var drainDeadline = Milliseconds.max

    init?(
        listeners: [BoundListener], limits: HTTPServer.Limits, handler: any HTTPHandler, mailbox: LoopMailbox,
        events: @escaping @Sendable (HTTPServerEvent) -> Void
    ) {
        epoll = usher_epoll()
        guard epoll >= 0 else { return nil }
        self.limits = limits
        self.handler = handler
        self.mailbox = mailbox
        bodies = BodyMemory(limits)
        report = events
        acceptor = Acceptor(listeners, limits: limits)
        guard usher_epoll_add(epoll, mailbox.descriptor, UInt32(USHER_READABLE), Self.mailboxToken) == 0 else {
            close(epoll)
            return nil
        }
    }

    deinit { close(epoll) }

    // MARK: Turns

    private static let mailboxToken = UInt64.max
    /// The generation that no connection has; its slot is a listener's number.
    static let listenerGeneration = UInt32.max

    func run() {
        mailbox.own()
        acceptor.watch(on: epoll)
        var ready = [usher_ready](repeating: usher_ready(), count: 256)
        while !isDraining || !isEmpty {
            let count = unsafe usher_epoll_wait(epoll, &ready, Int32(ready.count), timeout)
            // Interrupted calls are not reported.
            if count < 0 {
                let reason = SystemError.text(errno)
                fatalError("epoll_wait: \(reason)")  // A fault of this program: the loop would spin on it.
            }
            now = Clock.now
            date.refresh()
            for i in 0..<Int(count) { handle(ready[i]) }
            readOn()
            deliver()
            finishTurn()
            acceptor.resume(on: epoll, now: now, isFull: (isFull(true), isFull(false)))
            if now >= nextSweep { sweep() }
            if now >= drainDeadline { abandon() }
        }
        for case .order(_, _, let order) in mailbox.shut() { order.peerGone() }
        acceptor.close(on: epoll)
    }

    private func handle(_ ready: usher_ready) {
        guard ready.token != Self.mailboxToken else { return mailbox.clearSignal() }
        let key = ConnectionKey(token: ready.token)
        if key.generation == Self.listenerGeneration {
            accept(Int(key.slot))
        } else if let connection = connection(key) {
            connection.ready(ready.events)
        }
    }

    /// Those that had more to read than one turn allows, or may read on.
    private func readOn() {
        guard !toBeRead.isEmpty else { return }
        let waiting = toBeRead
        toBeRead.removeAll(keepingCapacity: true)
        for connection in waiting where connection.isOpen {
            connection.isToBeRead = false
            connection.read()
        }
    }

    private var messages: [LoopMailbox.Message] = []

    /// Handles posted messages. An answer may let the next pipelined request proceed, and that may be answered at once:
    /// so this repeats a few rounds before other connections get their turn.
    private func deliver() {
        for _ in 0..<8 {
            mailbox.removeAll(into: &messages)
            guard !messages.isEmpty else { return }
            for message in messages {
                switch message {
                case .order(let key, let exchange, let order):
                    if let connection = connection(key), case .speaking(let conversation) = connection.stage {
                        conversation.perform(order, exchange: exchange)
                    } else {
                        order.peerGone()
                    }
                case .stop(let seconds): drain(seconds)
                case .stopIfUnused: stopIfUnused()
                case .stopListening:
                    acceptAll()
                    acceptor.close(on: epoll)
                }
            }
            messages.removeAll(keepingCapacity: true)
            readOn()
        }
    }

    private func finishTurn() {
        guard !dirty.isEmpty else { return }
        let waiting = dirty
        dirty.removeAll(keepingCapacity: true)
        for connection in waiting {
            connection.isDirty = false
            connection.finishTurn()
        }
        while unprovenOutput > limits.unprovenOutput, closeLargestOutput() {}
    }

    /// A connection without a proof has so many more unsent bytes, or fewer.
    func addUnprovenOutput(_ change: Int) { unprovenOutput += change }

    /// Closes the connection that takes most memory with answers that its client does not read.
    private func closeLargestOutput() -> Bool {
        var largest: Connection?
        for case let connection? in connections where connection.unprovenOutput > largest?.unprovenOutput ?? 0 {
            largest = connection
        }
        largest?.close()
        return largest != nil
    }

    private var timeout: Int32 {
        // The last steps of a turn (finishTurn, sweep, abandon) may close connections and thereby post new messages.
        if !toBeRead.isEmpty || !dirty.isEmpty || !mailbox.isEmpty { return 0 }
        let next = min(nextSweep, drainDeadline, acceptor.pausedUntil)
        guard next != .max else { return -1 }
        return next <= now ? 0 : Int32(min(next - now, 60_000)) + 1
    }

    // MARK: Lists

    func mark(_ connection: Connection) {
        guard !connection.isDirty else { return }
        connection.isDirty = true
        dirty.append(connection)
    }

    func readAgain(_ connection: Connection) {
        guard !connection.isToBeRead else { return }
        connection.isToBeRead = true
        toBeRead.append(connection)
    }

    // MARK: Connections

    private func connection(_ key: ConnectionKey) -> Connection? {
        let slot = Int(key.slot)
        guard slot < connections.count, generations[slot] == key.generation else { return nil }
        return connections[slot]
    }

    private func add(_ descriptor: Int32, peer: HTTPPeer, listener: BoundListener, isInherited: Bool = false) {
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = free
        } else {
            slot = connections.count
            connections.append(nil)
            generations.append(0)
        }
        let key = ConnectionKey(slot: UInt32(slot), generation: generations[slot])
        let connection = Connection(self, descriptor: descriptor, key: key, peer: peer, listener: listener)
        connections[slot] = connection
        if isInherited { inheritedSlot = slot }
        if connection.isLocal { localCount += 1 } else { internetCount += 1 }
        mailbox.openConnections.store(localCount + internetCount, ordering: .relaxed)
        if !connection.begin() { connection.close() }
    }

    func remove(_ connection: Connection) {
        let slot = Int(connection.key.slot)
        connections[slot] = nil
        // The last generation is the listeners'.
        generations[slot] = (generations[slot] + 1) % (Self.listenerGeneration - 1)
        freeSlots.append(slot)
        if connection.isLocal { localCount -= 1 } else { internetCount -= 1 }
        mailbox.openConnections.store(localCount + internetCount, ordering: .relaxed)
        acceptor.hasRoomAgain = true
        if slot == inheritedSlot {
            inheritedSlot = nil
            if !isEmpty { report(.inheritedConnectionClosed) }
        }
        if isEmpty, !isDraining { report(.noConnections) }
    }

    private var isEmpty: Bool { localCount + internetCount == 0 }

    // MARK: Time

    /// A deadline was set. They mostly move back, so that a look at all of them is rare.
    func scheduleSweep(before deadline: Milliseconds) {
        guard deadline < nextSweep else { return }
        nextSweep = max(deadline, lastSweep + 250)
    }

    private var lastSweep: Milliseconds = 0
    private var lastWaitNumber: UInt64 = 0

    func nextWaitNumber() -> UInt64 {
        lastWaitNumber += 1
        return lastWaitNumber
    }

    private func sweep() {
        lastSweep = now
        nextSweep = .max
        var next = Milliseconds.max
        for connection in connections {
            guard let connection else { continue }
            connection.checkDeadlines()
            if connection.isOpen { next = min(next, connection.nextDeadline) }
        }
        scheduleSweep(before: next)
        finishTurn()
    }

    /// Closes a network connection in favour of a new one: the one that has been idle for the longest, else the one
    /// without a proof whose request has been arriving for the longest. False when all are busy otherwise.
    private func closeSlowest() -> Bool {
        var idlest: Connection?
        var slowest: Connection?
        for case let connection? in connections where !connection.isLocal {
            if connection.isIdle {
                if connection.waitNumber < idlest?.waitNumber ?? .max { idlest = connection }
            } else if connection.isArriving, !connection.isProven {
                if connection.waitNumber < slowest?.waitNumber ?? .max { slowest = connection }
            }
        }
        let chosen = idlest ?? slowest
        chosen?.close()
        return chosen != nil
    }

    // MARK: The end

    private func stopIfUnused() {
        acceptAll()
        guard isEmpty, !isDraining else { return }
        isDraining = true
        acceptor.close(on: epoll)
    }

    /// Takes the connections that were made before this moment.
    private func acceptAll() {
        for index in acceptor.listeners.indices where acceptor.isOurs(index) { accept(index) }
    }

    private func drain(_ seconds: Double) {
        drainDeadline = min(drainDeadline, now + Clock.milliseconds(seconds))
        guard !isDraining else { return }
        // Connections that were made before the stop are accepted, so that their clients still get an answer.
        acceptAll()
        isDraining = true
        acceptor.close(on: epoll)
        for connection in connections { connection?.drain() }
    }

    private func abandon() {
        drainDeadline = .max
        if !isEmpty { report(.drainIncomplete(connections: localCount + internetCount)) }
        for connection in connections { connection?.close() }
    }
}

// MARK: - Accepting

extension EventLoop {
    /// Takes connections until there are none, or no room; a flood of them does not keep others waiting.
    private func accept(_ index: Int) {
        guard !isDraining else { return }
        acceptor.reloadCertificates(now: now, report: report)
        let listener = acceptor.listeners[index]
        for round in 0..<64 {
            if isFull(listener.isLocal) {
                // Only the first one is known to wait: for others, epoll reports the listener again.
                guard round == 0 else { return }
                if !makeRoom(listener) { return acceptor.putAside(index, on: epoll) }
            }
            switch acceptor.accept(index) {
            case .connection(let descriptor, let peer):
                add(descriptor, peer: peer, listener: listener)
            case .refused(let user):
                report(.strangerRefused(listener: listener.label, user: user))
            case .none:
                return
            case .outOfDescriptors(let error):
                if acceptor.mayReport(\.failed, now) {
                    report(.acceptFailed(listener: listener.label, message: SystemError.text(error)))
                }
                acceptor.shed(index)
                return acceptor.pause(on: epoll, now: now)
            }
        }
    }

    /// Takes over a connection of this user, as one of the first listener.
    func adopt(_ inherited: HTTPServer.InheritedConnection) {
        guard usher_adopt_connection(inherited.descriptor) == 0, let listener = acceptor.listeners.first else { return }
        let address = HTTPPeer.Address.local(user: geteuid(), group: getegid(), process: getppid())
        add(
            inherited.descriptor, peer: HTTPPeer(address: address, listener: inherited.label), listener: listener,
            isInherited: true)
    }

    private func isFull(_ isLocal: Bool) -> Bool {
        let count = isLocal ? localCount + internetCount : internetCount
        return count >= acceptor.room(isLocal: isLocal)
    }

    private func makeRoom(_ listener: BoundListener) -> Bool {
        if acceptor.mayReport(\.full, now) { report(.full(connections: localCount + internetCount)) }
        return closeSlowest()
    }
}

extension EventLoop {
    /// For answers that may be silent for long: a peer that vanished is found out.
    func keepAlive(_ connection: Connection) {
        if !connection.isLocal { usher_keep_alive(connection.descriptor) }
    }
}
