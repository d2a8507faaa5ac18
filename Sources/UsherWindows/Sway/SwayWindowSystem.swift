internal import Glibc
internal import Synchronization
public import UsherActivation
internal import UsherText

/// The compositor sway, by its IPC: windows by `sway:12`, XWayland's among them.
///
/// Each call has a connection of its own, which costs some ten microseconds, so none is held up by another and none finds
/// its connection stale. A handle is good for one life of the compositor. Commands name containers by number, never by what
/// programs say of themselves: criteria are patterns, and jump elsewhere. Whether somebody is typing sway does not tell, so
/// `while-typing` makes no difference.
public final class SwayWindowSystem: WindowSystem {
    /// Numbers that were seen to be windows of one life of the compositor. It gives none twice.
    private struct Known {
        var server = ""
        var windows: Set<Int64> = []
    }

    public let name = "sway"
    let place: SwayPlace
    private let known = Mutex(Known())

    /// `environment` is Usher's own; of it, SWAYSOCK is used.
    public init(environment: [String: String]) { place = SwayPlace(path: environment["SWAYSOCK"] ?? "") }

    public var isAvailable: Bool { place.isKnown }

    public var isDesktop: Bool { true }

    /// SWAYSOCK is of a session that is over: the compositor's process, which is in the name, has ended.
    public var isLeftOver: Bool { place.isLeftOver }

    public var support: WindowSupport {
        do throws(ActivationFailure) {
            let version = try connected { (connection) throws(SwayProblem) in try connection.version() }
            return WindowSupport(
                version,
                [
                    .list: .yes, .focus: .yes, .verify: .yes, .watch: .yes, .launch: .yes,
                    .token: .no("its IPC brings windows forward without one"),
                ])
        } catch {
            return WindowSupport(name, nothing: error.message + (error.help.map { ": \($0)" } ?? ""))
        }
    }

    public func recognizes(handle: String) -> Bool { SwayHandle(handle) != nil }

    public func windows() throws(ActivationFailure) -> WindowList {
        try connected { (connection) throws(SwayProblem) in try self.look(&connection).list(server: connection.server) }
    }

    public func server(of handle: String) throws(ActivationFailure) -> String? {
        guard recognizes(handle: handle) else { return nil }
        do throws(SwayProblem) {
            return try place.connect().server
        } catch {
            switch error {
            case .unreachable(ECONNREFUSED), .unreachable(ENOENT), .noSocket, .ended: return nil
            default: throw failure(error)
            }
        }
    }

    public func presence(of window: WindowReference) throws(ActivationFailure) -> WindowPresence {
        guard case .handle(let text, let server) = window, let handle = SwayHandle(text) else { return .unknown }
        return try connected { (connection) throws(SwayProblem) in
            guard Self.isSame(server, connection.server) else { return .gone }
            return try self.look(&connection).window(handle.container) == nil ? .gone : .present
        }
    }

    public func find(processes: [Int32]) throws(ActivationFailure) -> WindowSighting? {
        try connected { (connection) throws(SwayProblem) in
            let tree = try self.look(&connection)
            for process in processes {
                guard let place = tree.nodes.firstIndex(where: { $0.isWindow && $0.process == process }) else {
                    continue
                }
                let view: WindowSighting.View = tree.nodes[place].isFocused ? .shown : .hidden(seen: tree.seen)
                return tree.sighting(of: place, server: connection.server, view)
            }
            return nil
        }
    }

    public func launch(_ launch: WindowLaunch) throws(ActivationFailure) -> WindowSighting {
        throw .windowSystem(
            name, "it makes no windows: programs make their own", help: "launch the program with exec")
    }

    public func type(_ keys: WindowKeys, into window: WindowReference) throws(ActivationFailure) {
        throw .windowSystem(name, "nothing is typed into its windows", help: "show with exec")
    }

    public func isOnItsWay(nonce: String) -> Bool { false }

    public func plan(_ step: WindowStep) -> String {
        switch step {
        case .focus(let window): "sway: bring \(Printable.text(window.text)) forward, read it back"
        case .launch, .type, .navigate: "nothing: sway only brings windows forward"
        }
    }

    // MARK: - What the other parts share

    func connected<Answer>(
        _ body: (inout SwayConnection) throws(SwayProblem) -> Answer
    ) throws(ActivationFailure) -> Answer {
        do throws(SwayProblem) {
            var connection = try place.connect()
            return try body(&connection)
        } catch {
            throw failure(error)
        }
    }

    /// Everything, now; what windows there are is remembered.
    func look(_ connection: inout SwayConnection) throws(SwayProblem) -> SwayTree {
        let tree = try connection.tree()
        let windows = Set(tree.nodes.lazy.filter(\.isWindow).map(\.id))
        let server = connection.server
        known.withLock { $0 = Known(server: server, windows: windows) }
        return tree
    }

    /// Whether a number was a window of this life when last looked: it still is that, or nothing.
    func isKnown(_ container: Int64, of server: String) -> Bool {
        known.withLock { $0.windows.contains(container) && $0.server.utf8.elementsEqual(server.utf8) }
    }

    static func isSame(_ wanted: String?, _ server: String) -> Bool {
        wanted.map { $0.utf8.elementsEqual(server.utf8) } ?? true
    }
}
