internal import Synchronization
public import UsherActivation
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// An X server with a window manager that speaks EWMH, i3 included: windows by `x11:0x1400007`.
///
/// Each call has a connection to itself, one that an earlier call left or a new one, so none waits for another; only windows
/// that come forward take turns. A handle is good for one life of the server, which numbers its windows anew each time. A
/// server that hangs is given up after five seconds.
public final class X11WindowSystem: WindowSystem {
    public let name = "x11"
    private let text: String
    let display: X11Display?
    let environment: [String: String]
    /// How long a window may take to come forward.
    let focusLimit: Int
    let turn = X11Turn()
    /// Connections that nobody uses now.
    private let idle = Mutex<[X11Seat]>([])
    /// More are rarely used at once, and each costs the server something.
    private static let mostIdle = 2

    /// `environment` is Usher's own; of it, DISPLAY, XAUTHORITY and HOME are used.
    public convenience init(environment: [String: String]) { self.init(environment: environment, focusLimit: 3000) }

    init(environment: [String: String], focusLimit: Int) {
        text = environment["DISPLAY"] ?? ""
        display = X11Display(text)
        self.environment = environment
        self.focusLimit = focusLimit
    }

    public var isAvailable: Bool { !text.isEmpty }

    public var isDesktop: Bool { true }

    /// Whether the server lets us in, now.
    public var answers: Bool {
        do throws(X11Problem) {
            return try connected { $0.life() } != nil
        } catch {
            return false
        }
    }

    public func recognizes(handle: String) -> Bool { X11Handle(handle) != nil }

    public func windows() throws(ActivationFailure) -> WindowList {
        try withConnection { connection in
            let moment = connection.moment()
            let windows = connection.describe(moment.clients).filter { !$0.isHelper }
            let life = moment.life.map(self.server)
            return .success(WindowList(server: life, windows: windows.map { $0.listed(at: moment, life: life) }))
        }
    }

    public func server(of handle: String) throws(ActivationFailure) -> String? {
        guard recognizes(handle: handle) else { return nil }
        do throws(X11Problem) {
            return try connected { connection in
                guard let life = connection.life(), let window = X11Handle(handle)?.window else { return nil }
                return WindowServer.text(self.server(life), client: connection.client(of: window))
            }
        } catch {
            // One that only says nothing may have it yet.
            if case .silent = error { throw failure(error) }
            return nil
        }
    }

    public func presence(of window: WindowReference) throws(ActivationFailure) -> WindowPresence {
        guard case .handle(let text, let server) = window, let handle = X11Handle(text) else { return .unknown }
        return try withConnection { connection in
            guard self.isAlive(server, connection.life()) else { return .success(.gone) }
            let isSame = Self.isSame(connection.client(of: handle.window), server)
            return .success(isSame && connection.isThere(handle.window) ? .present : .gone)
        }
    }

    public func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting {
        let window = request.window
        guard case .handle(let text, let server) = window, let handle = X11Handle(text) else {
            throw failure("\(window.text) is no window", help: "a window is named like x11:0x1400007")
        }
        return try withConnection { connection in
            connection.watch(handle.window)
            defer { connection.stopWatching(handle.window) }
            return self.focus(handle, server, request.policy, &connection)
        }
    }

    public func find(processes: [Int32]) throws(ActivationFailure) -> WindowSighting? {
        try withConnection { connection in
            let moment = connection.moment()
            let windows = connection.describe(moment.clients).filter { !$0.isHelper }
            let found = processes.lazy.compactMap { process in windows.first { $0.process == process } }.first
            guard let found, let life = moment.life else { return .success(nil) }
            let instead =
                windows.first { $0.id == moment.front }.map { "\($0.text) is in front" } ?? "no window is in front"
            return .success(
                WindowSighting(
                    handle: found.handle, server: WindowServer.text(self.server(life), client: found.process),
                    title: found.title, process: found.process,
                    view: moment.front == found.id && moment.hasKeyboard ? .shown : .hidden(seen: instead)))
        }
    }

    public func launch(_ launch: WindowLaunch) throws(ActivationFailure) -> WindowSighting {
        throw failure("it makes no windows: programs make their own", help: "launch the program with exec")
    }

    public func type(_ keys: WindowKeys, into window: WindowReference) throws(ActivationFailure) {
        throw failure("nothing is typed into its windows", help: "show with exec")
    }

    public func isOnItsWay(nonce: String) -> Bool { false }

    /// Of the form that startup notification has (Startup Notification 0.1, "startup ID"), with the server's time: window
    /// managers let a window come forward that was asked for later than the last key was pressed. No sequence is announced,
    /// so no cursor turns into a clock.
    public func startupToken(nonce: String) -> String? {
        let time = try? withConnection { .success($0.serverTime()) }
        return time.flatMap(\.self).map { StartupToken.text(nonce: nonce, time: $0) }
    }

    public func plan(_ step: WindowStep) -> String {
        switch step {
        case .focus(let window): "x11: bring \(Printable.text(window.text)) forward, read it back"
        case .launch, .type, .navigate: "nothing: x11 only brings windows forward"
        }
    }

    // MARK: - The connection

    /// One life of the server, as windows name it.
    func server(_ life: String) -> String { "\(display?.text ?? text)/\(life)" }

    /// Whether the life that a handle is of, where it is known, goes on.
    func isAlive(_ server: String?, _ life: String?) -> Bool {
        guard let server else { return true }
        return life.map { WindowServer.isSameLife(self.server($0), server) } ?? false
    }

    /// Whether a window that this client has made can be the one that was noted: a client's numbers are given to the next one.
    static func isSame(_ client: Int32?, _ server: String?) -> Bool {
        guard let client, let noted = server.flatMap(WindowServer.client) else { return true }
        return client == noted
    }

    func failure(_ problem: String, help: String? = nil) -> ActivationFailure {
        .windowSystem(name, problem, help: help)
    }

    func failure(_ problem: X11Problem) -> ActivationFailure {
        guard display != nil else { return failure("\(text) is no display", help: "DISPLAY is written like :0") }
        return switch problem {
        case .absent:
            failure(
                "no X server answers at \(text), or it does not let us in",
                help: "DISPLAY says which one, XAUTHORITY its key")
        case .ended: failure("the X server \(text) went away")
        case .silent: failure("the X server \(text) has not answered for \(X11Connection.patience / 1000) seconds")
        }
    }

    var noManager: String { "no window manager that speaks EWMH runs on \(text)" }
    static let noManagerHelp = "start one: windows are brought forward by it"

    func withConnection<Answer>(
        _ body: (inout X11Connection) -> Result<Answer, ActivationFailure>
    ) throws(ActivationFailure) -> Answer {
        let result: Result<Answer, ActivationFailure>
        do throws(X11Problem) {
            result = try connected(body)
        } catch {
            throw failure(error)
        }
        return try result.get()
    }

    /// A connection that turns out to be lost is made again once, where it is an old one: the server may have been
    /// restarted since. A server that goes away in the middle is an error.
    private func connected<Answer>(_ body: (inout X11Connection) -> Answer) throws(X11Problem) -> Answer {
        if var old = idle.withLock({ $0.popLast() })?.take() {
            old.limit = Deadline(inMilliseconds: X11Connection.patience)
            let answer = body(&old)
            if !old.isLost {
                keep(old)
                return answer
            }
            if old.isHung { throw .silent }
        }
        var new = try open()
        let answer = body(&new)
        if new.isLost { throw new.isHung ? .silent : .ended }
        keep(new)
        return answer
    }

    /// One of the caller's own.
    func open() throws(X11Problem) -> X11Connection {
        guard let display else { throw .absent }
        return try X11Connection.open(display: display, environment: environment)
    }

    private func keep(_ connection: consuming X11Connection) {
        let seat = X11Seat(connection)
        idle.withLock { if $0.count < Self.mostIdle { $0.append(seat) } }
    }
}
