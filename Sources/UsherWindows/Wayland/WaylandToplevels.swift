internal import Dispatch
internal import Glibc
internal import Synchronization
package import UsherActivation
internal import UsherSystem
internal import UsherText

/// The windows of a compositor of the wlroots family: `zwlr_foreign_toplevel_management_v1` up to version 3, with focus, or
/// `ext_foreign_toplevel_list_v1`, which only lists.
///
/// Neither protocol reports processes or workspaces, and nothing relates the objects of one protocol to those of the other: if
/// a compositor offers both, only `zwlr_foreign_toplevel_management_v1` is used. Its objects belong to one connection: windows
/// are numbered in the order in which they appeared, and `server` names the connection, so that earlier handles are invalid
/// after a restart of the compositor or of this process. In `ext_foreign_toplevel_list_v1`, a window has an identifier that is
/// the same for all connections.
final class WaylandToplevels: ToplevelSource {
    let desktop = DesktopName.wlr
    private let path: String
    private let feed: Feed
    private let thread: Mutex<WatchThread?> = Mutex(nil)

    /// In milliseconds: how long a compositor may take for an answer.
    fileprivate static let patience = 2000

    /// nil where the environment names no compositor that offers one of the protocols.
    init?(environment: [String: String]) {
        guard let path = WaylandGlobals.path(in: environment),
            let globals = WaylandGlobals(path: path, until: Deadline(inMilliseconds: 1000)),
            Self.isOffered(by: globals)
        else { return nil }
        self.path = path
        feed = Feed(path)
    }

    /// Whether a compositor offers one of the protocols.
    static func isOffered(by globals: WaylandGlobals) -> Bool {
        ToplevelProtocol.allCases.contains { globals.interfaces.contains($0.interface) }
    }

    var isAvailable: Bool { true }

    func isID(_ text: String) -> Bool {
        // The identifiers of ext_foreign_toplevel_list_v1 have up to 32 printable characters.
        1...32 ~= text.utf8.count && text.utf8.allSatisfy { UInt8(ascii: "!")...UInt8(ascii: "~") ~= $0 }
    }

    var actions: Set<ToplevelAction> { feed.state.withLock { $0.canFocus } ? [.activate, .close] : [] }

    var knowsFocus: Bool { feed.state.withLock { $0.link?.windows == .management } }

    var support: WindowSupport {
        do throws(ActivationFailure) {
            guard try snapshot() != nil else {
                return WindowSupport(name, nothing: "no compositor answers at \(Printable.text(path))")
            }
        } catch {
            return WindowSupport(name, error)
        }
        let (link, canFocus) = feed.state.withLock { ($0.link, $0.canFocus) }
        let compositor = link?.compositor ?? "the compositor"
        let lacking = "\(compositor) offers \(ToplevelProtocol.list.interface) only"
        let isManaged = link?.windows == .management
        let remedy =
            link?.compositor == "sway"
            ? "; sway reports it by SWAYSOCK: systemctl --user import-environment SWAYSOCK, and restart usherd" : ""
        return WindowSupport(
            link?.compositor.map { "\(name) (\($0))" } ?? name,
            [
                .list: .yes,
                .focus: canFocus ? .yes : .no(isManaged ? "\(compositor) has no seat" : "\(lacking), which lists"),
                .verify: isManaged ? .yes : .no("\(lacking), which does not report the window in front"),
                .watch: .yes,
                .launch: .no("by app-id and title of `focus`: \(compositor) reports no process of a window\(remedy)"),
                .token: link?.hasTokens == true ? .yes : .no("\(compositor) has no xdg_activation_v1"),
            ])
    }

    // MARK: - Requests

    func snapshot() throws(ActivationFailure) -> ToplevelSnapshot? {
        start()
        let answered = DispatchSemaphore(value: 0)
        let isAnswered: Bool? = feed.state.withLock { state in
            switch state.phase {
            case .absent: return true
            case .connecting: state.beginning.append(answered)
            case .connected:
                guard let callback = state.newObject(),
                    state.send(WaylandRequest.bytes(WaylandConnection.display, 0, callback))
                else { return nil }
                state.link?.callbacks[callback] = answered
            }
            return false
        }
        guard let isAnswered, isAnswered || answered.wait(timeout: .now() + .milliseconds(Self.patience)) == .success
        else { throw .windowSystem(name, "the compositor at \(path) does not answer") }
        return feed.model.current
    }

    func request(
        _ action: ToplevelAction, of id: String, server: String, token: String?
    ) throws(ActivationFailure) {
        guard action == .activate || action == .close else { throw .windowSystem(name, "there is no such request") }
        let isSent: Bool? = feed.state.withLock { state in
            guard let link = state.link, link.server == server, let seat = link.seat, let target = link.targets[id]
            else { return nil }
            // Of zwlr_foreign_toplevel_handle_v1.
            if action == .close { return state.send(WaylandRequest.bytes(target.object, 5)) }
            let unminimise = target.isMinimized ? WaylandRequest.bytes(target.object, 3) : []
            return state.send(unminimise + WaylandRequest.bytes(target.object, 4, seat))
        }
        guard let isSent else { throw .windowGone("\(name):\(id)") }
        guard isSent else { throw .windowSystem(name, "the compositor at \(path) does not read requests") }
    }

    func wait(
        after serial: UInt64?, until deadline: Deadline?, or descriptor: Int32?
    ) throws(ActivationFailure) -> ToplevelSnapshot? {
        start()
        return feed.model.wait(after: serial, until: deadline, or: descriptor)
    }

    /// Begins to follow the compositor, at the first call.
    private func start() {
        thread.withLock { thread in
            guard thread == nil else { return }
            let feed = feed
            thread = WatchThread(named: "usher wlr") { feed.run(until: $0) }
        }
    }
}

extension ToplevelWindowSystem {
    /// nil where the environment names no compositor that offers one of the protocols.
    package static func wlr(environment: [String: String]) -> ToplevelWindowSystem? {
        WaylandToplevels(environment: environment).map { ToplevelWindowSystem($0) }
    }
}

private enum ToplevelProtocol: CaseIterable {
    case management, list

    var interface: String {
        switch self {
        case .management: "zwlr_foreign_toplevel_manager_v1"
        case .list: "ext_foreign_toplevel_list_v1"
        }
    }

    var version: UInt32 {
        switch self {
        case .management: 3
        case .list: 1
        }
    }
}

/// Follows a compositor through its lives, on a thread of its own.
private final class Feed: Sendable {
    enum Phase { case connecting, connected, absent }

    /// A window as requests need it.
    struct Target {
        var object: UInt32
        var isMinimized: Bool
    }

    /// What other threads need of the connection.
    struct Link {
        let descriptor: Int32
        let server: String
        let life: String?
        let compositor: String?
        let windows: ToplevelProtocol
        let hasTokens: Bool
        var nextObject: UInt32
        /// Numbers of objects that are gone; new ones get these first.
        var freeObjects: [UInt32] = []
        /// `wl_callback` objects, and the threads that wait for them.
        var callbacks: [UInt32: DispatchSemaphore] = [:]
        /// Number of the global, object.
        var seats: [(global: UInt32, object: UInt32)] = []
        var targets: [String: Target] = [:]

        var seat: UInt32? { seats.first?.object }
    }

    struct State {
        var phase = Phase.connecting
        var link: Link?
        /// Threads that wait for the first windows of a connection.
        var beginning: [DispatchSemaphore] = []

        var canFocus: Bool { link?.windows == .management && link?.seat != nil }

        mutating func newObject() -> UInt32? {
            guard let link else { return nil }
            if let free = link.freeObjects.last {
                self.link?.freeObjects.removeLast()
                return free
            }
            self.link?.nextObject += 1
            return link.nextObject
        }

        /// A compositor that does not read, with more than a socket buffer of requests sent, is taken for one that has
        /// ended: the thread connects again.
        func send(_ bytes: [UInt8]) -> Bool {
            guard let link else { return false }
            if WaylandConnection.send(bytes, to: link.descriptor) { return true }
            shutdown(link.descriptor, Int32(SHUT_RDWR))
            return false
        }
    }

    /// Counts the connections of this process.
    private static let connections = Atomic<UInt64>(0)

    let path: String
    let model = ToplevelModel()
    let state = Mutex(State())

    init(_ path: String) { self.path = path }

    func run(until end: WatchThread.End) {
        WaylandConnection.stay(
            at: path, patience: WaylandToplevels.patience, until: end, absent: { lose(.absent) },
            { follow(&$0, until: end) })
    }

    /// The windows and the connection are gone.
    private func lose(_ phase: Phase) {
        model.publish(server: nil, windows: [])
        let waiting = state.withLock { state in
            let waiting = Array((state.link?.callbacks ?? [:]).values) + state.beginning
            state = State(phase: phase)
            return waiting
        }
        for thread in waiting { thread.signal() }
    }

    /// Through one connection; false where the compositor does not answer.
    private func follow(_ connection: inout WaylandConnection, until end: WatchThread.End) -> Bool {
        defer { lose(.connecting) }
        do throws(WaylandProblem) {
            let deadline = Deadline(inMilliseconds: WaylandToplevels.patience)
            guard let globals = try connection.globals(until: deadline, or: end.descriptor) else { return end.hasCome }
            guard let link = bind(globals, connection) else { return true }
            var windows = ToplevelObjects(link.windows, object: link.nextObject - 1)
            let begun = link.nextObject
            state.withLock { state in
                state.link = link
                state.link?.nextObject += 1
                _ = state.send(WaylandRequest.bytes(WaylandConnection.display, 0, begun))
            }
            var isBegun = false
            while true {
                while let message = try connection.nextReceived() {
                    if message.object == begun, !isBegun {
                        isBegun = true
                    } else {
                        take(message, &windows)
                    }
                }
                publish(&windows, isBegun: isBegun)
                guard try connection.fill(until: isBegun ? nil : deadline, or: end.descriptor) else {
                    return end.hasCome
                }
            }
        } catch {
            return true
        }
    }

    /// Binds the seats and the protocol; the last new object is that of the protocol. nil where the compositor has none.
    private func bind(_ globals: [WaylandGlobal], _ connection: borrowing WaylandConnection) -> Link? {
        let offered = ToplevelProtocol.allCases.lazy.compactMap { windows in
            globals.first { $0.interface == windows.interface }.map { (windows, $0) }
        }
        guard let (windows, global) = offered.first else { return nil }
        let number = Self.connections.add(1, ordering: .relaxed).newValue
        let own = "\(getpid()).\(ProcessStatus(pid: getpid())?.startTime ?? 0).\(number)"
        let life = connection.server(at: path)
        var link = Link(
            descriptor: connection.descriptor, server: windows == .management ? "\(life)/\(own)" : life,
            life: windows == .management ? life : nil, compositor: connection.compositor, windows: windows,
            hasTokens: globals.contains { $0.interface == "xdg_activation_v1" },
            nextObject: WaylandConnection.firstFreeObject)
        var requests: [UInt8] = []
        for seat in globals where seat.interface == Self.seat {
            link.seats.append((seat.number, link.nextObject))
            requests += Self.bind(seat, version: 1, &link)
        }
        requests += Self.bind(global, version: windows.version, &link)
        return WaylandConnection.send(requests, to: connection.descriptor) ? link : nil
    }

    private static let seat = "wl_seat"

    private static func bind(_ global: WaylandGlobal, version: UInt32, _ link: inout Link) -> [UInt8] {
        defer { link.nextObject += 1 }
        return WaylandRequest.bind(
            registry: WaylandConnection.registry, global, version: version, as: link.nextObject)
    }

    /// An event of the core protocol, or one about windows.
    private func take(_ message: WaylandMessage, _ windows: inout ToplevelObjects) {
        let isOurs = state.withLock { state in
            guard let number = message.arguments.number else { return false }
            switch (message.object, message.opcode) {
            // wl_display.delete_id
            case (WaylandConnection.display, 1): state.link?.freeObjects.append(number)
            // wl_registry.global, global_remove
            case (WaylandConnection.registry, 0):
                guard let global = WaylandGlobal(message.arguments), global.interface == Self.seat,
                    let object = state.newObject()
                else { return true }
                state.link?.seats.append((number, object))
                _ = state.send(
                    WaylandRequest.bind(registry: WaylandConnection.registry, global, version: 1, as: object))
            case (WaylandConnection.registry, 1): state.link?.seats.removeAll { $0.global == number }
            default:
                guard let waiting = state.link?.callbacks.removeValue(forKey: message.object) else { return false }
                // The windows before it are published first: see `publish`.
                windows.answered.append(waiting)
            }
            return true
        }
        if !isOurs { windows.take(message) }
    }

    private func publish(_ windows: inout ToplevelObjects, isBegun: Bool) {
        guard isBegun else { return }
        let listed = windows.listed
        let (link, waiting) = state.withLock { state in
            state.link?.targets = windows.targets
            if !windows.closed.isEmpty {
                _ = state.send(windows.closed.flatMap { WaylandRequest.bytes($0, windows.kind == .management ? 7 : 0) })
            }
            state.phase = .connected
            let waiting = state.beginning + windows.answered
            state.beginning = []
            return (state.link, waiting)
        }
        windows.closed = []
        windows.answered = []
        model.publish(server: link?.server, life: link?.life, windows: listed)
        for thread in waiting { thread.signal() }
    }
}

/// The objects of windows, as the thread follows them.
private struct ToplevelObjects {
    private struct Window {
        let object: UInt32
        /// As the last `done` left it; nil before the first.
        var shown: Toplevel?
        var next: Toplevel
        /// The object of its parent.
        var parent: UInt32?
    }

    let kind: ToplevelProtocol
    private let manager: UInt32
    /// In the order in which they came.
    private var windows: [Window] = []
    private var count: UInt64 = 0
    /// Objects that the compositor has no use for any more.
    var closed: [UInt32] = []
    var answered: [DispatchSemaphore] = []

    init(_ kind: ToplevelProtocol, object: UInt32) {
        self.kind = kind
        manager = object
    }

    var listed: [Toplevel] { windows.compactMap(\.shown) }

    var targets: [String: Feed.Target] {
        var targets: [String: Feed.Target] = [:]
        for window in windows {
            if let shown = window.shown {
                targets[shown.id] = Feed.Target(object: window.object, isMinimized: shown.isMinimized)
            }
        }
        return targets
    }

    mutating func take(_ message: WaylandMessage) {
        if message.object == manager {
            // toplevel; the other event, finished, says that no more come.
            guard message.opcode == 0, let object = message.arguments.number else { return }
            count += 1
            windows.append(Window(object: object, next: Toplevel(id: String(count), title: "")))
            return
        }
        guard let place = windows.firstIndex(where: { $0.object == message.object }) else { return }
        switch kind {
        case .management: manage(message, place)
        case .list: list(message, place)
        }
    }

    /// `zwlr_foreign_toplevel_handle_v1`
    private mutating func manage(_ message: WaylandMessage, _ place: Int) {
        let arguments = message.arguments
        switch message.opcode {
        case 0: windows[place].next.title = arguments.text ?? ""
        case 1: windows[place].next.appID = Self.named(arguments.text)
        case 4:
            let states = arguments.numbers ?? []
            windows[place].next.isMinimized = states.contains(1)
            windows[place].next.isFocused = states.contains(2)
            windows[place].next.isFullscreen = states.contains(3)
        case 5: show(place)
        case 6: close(place)
        case 7: windows[place].parent = arguments.number.flatMap { $0 == 0 ? nil : $0 }
        default: break
        }
    }

    /// `ext_foreign_toplevel_handle_v1`
    private mutating func list(_ message: WaylandMessage, _ place: Int) {
        switch message.opcode {
        case 0: close(place)
        case 1: show(place)
        case 2: windows[place].next.title = message.arguments.text ?? ""
        case 3: windows[place].next.appID = Self.named(message.arguments.text)
        case 4:
            guard let id = message.arguments.text, !id.isEmpty else { return }
            let old = windows[place].next
            windows[place].next = Toplevel(id: id, title: old.title)
            windows[place].next.appID = old.appID
        default: break
        }
    }

    private mutating func show(_ place: Int) {
        windows[place].next.parent = windows[place].parent.flatMap { parent in
            windows.first { $0.object == parent }?.next.id
        }
        windows[place].shown = windows[place].next
    }

    private mutating func close(_ place: Int) {
        closed.append(windows[place].object)
        windows.remove(at: place)
    }

    private static func named(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }
}
