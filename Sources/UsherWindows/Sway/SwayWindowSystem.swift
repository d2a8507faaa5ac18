internal import Glibc
internal import Synchronization
public import UsherActivation
internal import UsherScene
public import UsherSystem
internal import UsherText

/// The compositor sway, by its IPC: windows by `sway:12`, XWayland's among them.
///
/// Each call has a connection of its own, which costs some ten microseconds, so none is held up by another and none
/// finds its connection stale. A handle is good for one life of the compositor. Commands name containers by number,
/// never by values that programs set: criteria are patterns, and may match other windows. sway does not report whether
/// the user is typing, so `while-typing` has no effect.
public final class SwayWindowSystem: WindowSystem {
    /// Numbers that were seen to be windows of one life of the compositor. It gives none twice.
    private struct Known {
        var server = ""
        var windows: Set<Int64> = []
    }

    public let name = DesktopName.sway.rawValue
    private let socket: SwaySocket
    private let known = Mutex(Known())

    /// `environment` is Usher's own; of it, SWAYSOCK is used.
    public init(environment: [String: String]) { socket = SwaySocket(path: environment["SWAYSOCK"] ?? "") }

    public var isAvailable: Bool { socket.isKnown }

    public var isDesktop: Bool { true }

    /// SWAYSOCK is of a session that is over: the compositor's process, which is in the name, has ended.
    public var isLeftOver: Bool { socket.isLeftOver }

    public var support: WindowSupport {
        do throws(ActivationFailure) {
            let version = try connected { (connection) throws(I3Problem) in try connection.version() }
            return WindowSupport(version, allBut: [.token: "its IPC brings windows forward without one"])
        } catch {
            return WindowSupport(name, error)
        }
    }

    public func recognizes(handle: String) -> Bool { SwayHandle(handle) != nil }

    public func windows() throws(ActivationFailure) -> WindowList {
        try connected { (connection) throws(I3Problem) in try self.look(&connection).list(server: connection.server) }
    }

    public func server(of handle: String) throws(ActivationFailure) -> String? {
        guard recognizes(handle: handle) else { return nil }
        do throws(I3Problem) {
            return try socket.connect().server
        } catch {
            switch error {
            case .unreachable(ECONNREFUSED), .unreachable(ENOENT), .noSocket, .ended: return nil
            default: throw failure(error)
            }
        }
    }

    public func presence(of window: WindowReference) throws(ActivationFailure) -> WindowPresence {
        guard case .handle(let text, let server) = window, let handle = SwayHandle(text) else { return .unknown }
        return try connected { (connection) throws(I3Problem) in
            guard Self.isSame(server, connection.server) else { return .gone }
            return try self.look(&connection).window(handle.container) == nil ? .gone : .present
        }
    }

    public func find(processes: [Int32]) throws(ActivationFailure) -> WindowSighting? {
        try connected { (connection) throws(I3Problem) in
            let tree = try self.look(&connection)
            for process in processes {
                guard let socket = tree.nodes.firstIndex(where: { $0.isWindow && $0.process == process }) else {
                    continue
                }
                let view: WindowSighting.View = tree.nodes[socket].isFocused ? .shown : .hidden(seen: tree.seen)
                return tree.sighting(of: socket, server: connection.server, view)
            }
            return nil
        }
    }

    public func close(_ window: WindowReference) throws(ActivationFailure) {
        guard case .handle(let text, let server) = window, let handle = SwayHandle(text) else {
            throw .windowSystem(name, "\(window.text) is no window", help: "a window is named like sway:12")
        }
        try connected { (connection) throws(I3Problem) in
            guard Self.isSame(server, connection.server), try self.look(&connection).window(handle.container) != nil
            else { throw .gone(text) }
            try connection.run("[con_id=\(handle.container)] kill")
        }
    }

    // MARK: - What the other parts share

    private func connected<Answer>(
        _ body: (inout I3Connection) throws(I3Problem) -> Answer
    ) throws(ActivationFailure) -> Answer {
        do throws(I3Problem) {
            var connection = try socket.connect()
            return try body(&connection)
        } catch {
            throw failure(error)
        }
    }

    /// Everything, now.
    private func look(_ connection: inout I3Connection) throws(I3Problem) -> SwayTree {
        note(try connection.tree(), of: connection.server)
    }

    /// What windows there are is remembered.
    private func note(_ tree: SwayTree, of server: String) -> SwayTree {
        let windows = Set(tree.nodes.lazy.filter(\.isWindow).map(\.id))
        known.withLock { $0 = Known(server: server, windows: windows) }
        return tree
    }

    /// Whether a number was a window of this life when last looked: it still is that, or nothing.
    private func isKnown(_ container: Int64, of server: String) -> Bool {
        known.withLock { $0.windows.contains(container) && $0.server.hasSameBytes(as: server) }
    }

    private static func isSame(_ wanted: String?, _ server: String) -> Bool {
        wanted.map { $0.hasSameBytes(as: server) } ?? true
    }
}

// MARK: - Failures

extension SwayWindowSystem {
    /// A problem in words.
    private func failure(_ problem: I3Problem) -> ActivationFailure {
        let path = socket.path
        switch problem {
        case .gone(let window): return .windowGone(window)
        case .noSocket:
            return .windowSystem(name, "no compositor is named here", help: "sway sets SWAYSOCK for what it starts")
        case .unreachable(ECONNREFUSED), .unreachable(ENOENT):
            return .windowSystem(
                name, "no compositor answers at \(path): it has ended",
                help: "SWAYSOCK is left over from an earlier session: start usherd within the one that runs")
        case .unreachable(EAGAIN), .silent:
            return .windowSystem(name, "the compositor at \(path) does not answer")
        case .unreachable(let code):
            return .windowSystem(name, "its socket cannot be used: \(SystemError.text(code)): \(path)")
        case .ended: return .windowSystem(name, "the compositor went away")
        case .garbled(let what): return .windowSystem(name, "\(path) speaks another language: \(what)")
        case .refused(let what): return .windowSystem(name, what)
        case .ambiguous(let paths):
            return .windowSystem(
                name, "no compositor answers at \(path), and several others run: \(paths.joined(separator: ", "))",
                help: "SWAYSOCK says which one")
        }
    }
}

// MARK: - Focus

extension SwayWindowSystem {
    /// How long a window may take to come forward.
    private static let limit = 700

    public func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting {
        guard case .handle(let text, let server) = request.window, let handle = SwayHandle(text) else {
            throw .windowSystem(name, "\(request.window.text) is no window", help: "a window is named like sway:12")
        }
        return try connected { (connection) throws(I3Problem) in
            guard Self.isSame(server, connection.server) else { throw .gone(text) }
            let policy = request.policy
            if policy.prominence == .focus, policy.placement == .go {
                if !self.isKnown(handle.container, of: connection.server) {
                    let tree = try self.look(&connection)
                    guard let socket = tree.window(handle.container) else { throw .gone(text) }
                    if tree.nodes[socket].isFocused {
                        return tree.sighting(of: socket, server: connection.server, .shown, isInFront: true)
                    }
                }
                if let sighting = try self.focusKnown(handle, &connection) { return sighting }
            }
            return try self.bring(handle, policy, &connection)
        }
    }

    /// In one round trip: the command, and everything as it is after it. nil where the window is not there, or not in front.
    private func focusKnown(
        _ handle: SwayHandle, _ connection: inout I3Connection
    ) throws(I3Problem) -> WindowSighting? {
        let deadline = Deadline(inMilliseconds: connection.patience)
        let command = I3Message.encode(.runCommand, "[con_id=\(handle.container)] focus")
        try connection.send(command + I3Message.encode(.tree), until: deadline)
        // It is refused where no container has the number any more, which the tree shows, too.
        _ = try connection.reply(to: .runCommand, until: deadline)
        let tree = note(
            SwayTree(try I3Connection.read(connection.reply(to: .tree, until: deadline))), of: connection.server)
        guard let socket = tree.window(handle.container), tree.nodes[socket].isFocused else { return nil }
        return tree.sighting(of: socket, server: connection.server, .shown, isInFront: true)
    }

    /// Looks, acts, and looks again; at most twice, the second time after something happened.
    private func bring(
        _ handle: SwayHandle, _ policy: FocusPolicy, _ connection: inout I3Connection
    ) throws(I3Problem) -> WindowSighting {
        try connection.subscribe(to: SwayEvent.names)
        let deadline = Deadline(inMilliseconds: Self.limit)
        var step: SwayFocusStep?
        var left = 3
        while true {
            let tree = try look(&connection)
            guard let socket = tree.window(handle.container) else { throw .gone(handle.text) }
            let current = step ?? SwayFocusStep(tree: tree, policy: policy)
            step = current
            func sighting(_ view: WindowSighting.View) -> WindowSighting {
                tree.sighting(
                    of: socket, server: connection.server, view, isInFront: policy.prominence == .focus)
            }
            if policy.prominence == .none { return sighting(.untouched) }
            if current.isDone(socket, in: tree) { return sighting(.shown) }
            if left > 0 {
                left -= 1
                switch current.commands(for: socket, in: tree) {
                case .run(let commands):
                    // What is refused shows in the next look.
                    do throws(I3Problem) {
                        try connection.run(commands)
                    } catch {
                        guard case .refused = error else { throw error }
                    }
                    connection.events = []
                    continue
                case .impossible(let why): return sighting(.hidden(seen: "\(tree.seen), \(why)"))
                }
            }
            // A rule or another program may have been faster; then something happens yet.
            guard try connection.nextEvent(until: deadline) else { return sighting(.hidden(seen: tree.seen)) }
        }
    }
}

extension SwayTree {
    /// - Parameter isInFront: whether `shown` means that it has the keyboard.
    fileprivate func sighting(
        of socket: Int, server: String, _ view: WindowSighting.View, isInFront: Bool = false
    ) -> WindowSighting {
        let handle = SwayHandle(nodes[socket].id).text
        var sighting = WindowSighting(
            handle: handle, server: server, title: title(of: socket), process: nodes[socket].process, view: view)
        if case .shown = view {
            if isInFront { sighting.front = .init(handle: handle, server: server) }
            sighting.exposure = exposure(of: socket)
        }
        return sighting
    }
}

extension SwayWindowSystem {
    /// sway does not report whether the user did it.
    public func frontLoss(of text: String, until deadline: Deadline) throws(ActivationFailure) -> FrontLoss? {
        guard let handle = SwayHandle(text) else { return nil }
        return try connected { (connection) throws(I3Problem) in
            try connection.subscribe(to: SwayEvent.names)
            // It may have been lost before the events were asked for.
            var focused = try connection.focusedContainer()
            while true {
                if let other = focused, other != handle.container {
                    let tree = try self.look(&connection)
                    guard tree.window(handle.container) != nil else { return nil }
                    if let socket = tree.focused, tree.nodes[socket].isWindow, tree.nodes[socket].id != handle.container
                    {
                        return FrontLoss(seen: tree.seen, mayBeWanted: false)
                    }
                }
                focused = nil
                while focused == nil {
                    var next = connection.events.first
                    if next == nil {
                        next = try connection.receive(until: deadline)
                    } else {
                        connection.events.removeFirst()
                    }
                    guard let message = next else { return nil }
                    if let event = SwayEvent(message), event.change == .focus { focused = event.container }
                }
            }
        }
    }
}

extension SwayWindowSystem {
    public func isFrontFullscreen() throws(ActivationFailure) -> Bool? {
        try connected { (connection) throws(I3Problem) in
            let tree = try self.look(&connection)
            // A container may fill the screen with all windows that are in it.
            return tree.focused.map { tree.fillsScreen($0) } ?? false
        }
    }

    public func exposure(of text: String) throws(ActivationFailure) -> WindowExposure? {
        guard let handle = SwayHandle(text) else { return nil }
        return try connected { (connection) throws(I3Problem) in
            let tree = try self.look(&connection)
            return tree.window(handle.container).flatMap(tree.exposure)
        }
    }
}

// MARK: - Watch

extension SwayWindowSystem {
    public func change(
        after list: WindowList, until deadline: Deadline, or descriptor: Int32?
    ) throws(ActivationFailure) -> WindowList {
        try connected { (connection) throws(I3Problem) in
            try connection.subscribe(to: SwayEvent.names)
            while true {
                let now = try self.look(&connection).list(server: connection.server)
                if now != list || deadline.isOver { return now }
                // What happened during the look may be in it or not.
                if connection.events.isEmpty {
                    guard try connection.receive(until: deadline, or: descriptor ?? -1) != nil else {
                        return try self.look(&connection).list(server: connection.server)
                    }
                }
                connection.events = []
            }
        }
    }

    public func watch(_ changed: @escaping @Sendable (WindowList) -> Void) -> (any WindowWatch)? {
        guard isAvailable else { return nil }
        return WatchThread(named: "watch sway") { end in
            var pace = WatchPace(changed)
            self.watch(until: end, &pace)
        }
    }

    public func pick(until deadline: Deadline) throws(ActivationFailure) -> WindowList.Window? {
        try connected { (connection) throws(I3Problem) in
            try connection.subscribe(to: SwayEvent.names)
            while let message = try connection.receive(until: deadline) {
                guard let event = SwayEvent(message), event.change == .focus, let container = event.container else {
                    continue
                }
                let tree = try self.look(&connection)
                if let socket = tree.window(container) {
                    return WindowList(server: connection.server, windows: [tree.listed(socket)]).windows.first
                }
            }
            return nil
        }
    }

    /// From one life of the compositor to the next.
    private func watch(until end: WatchThread.End, _ pace: inout WatchPace) {
        guard var wait = socket.makeWait() else { return }
        while !end.hasCome {
            wait.begin()
            do throws(I3Problem) {
                var connection = try socket.connect()
                try follow(&connection, until: end, &pace)
            } catch {
                switch error {
                case .silent, .unreachable(EAGAIN):
                    // It hangs, which is not the end of its windows. No event reports that it answers again.
                    end.wait(until: Deadline(inMilliseconds: 1000))
                default:
                    pace.tell(WindowList(server: nil, windows: []), unless: end)
                    guard wait.wait(or: end.descriptor) else { return }
                }
            }
        }
    }

    /// Through one life of the compositor.
    private func follow(
        _ connection: inout I3Connection, until end: WatchThread.End, _ pace: inout WatchPace
    ) throws(I3Problem) {
        try connection.subscribe(to: SwayEvent.names)
        while true {
            let list = try look(&connection).list(server: connection.server)
            pace.tell(list, unless: end)
            var next = connection.events.first
            connection.events = []
            if next == nil { next = try connection.receive(until: nil, or: end.descriptor) }
            guard let first = next, !end.hasCome else { return }
            var quiet = pace.quiet(isSlight: SwayEvent(first)?.change == .title)
            while !quiet.isOver, let more = try connection.receive(until: quiet, or: end.descriptor) {
                if SwayEvent(more)?.change != .title { quiet = .earlier(quiet, pace.quiet(isSlight: false)) }
            }
            if end.hasCome { return }
        }
    }
}
