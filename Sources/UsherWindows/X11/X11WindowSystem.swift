internal import Synchronization
public import UsherActivation

/// An X server with a window manager that speaks EWMH, i3 included: windows by `x11:0x1400007`.
///
/// One connection, made on demand, lost with the server, made again by the next call. A handle is good for one life of the
/// server, which numbers its windows anew each time.
public final class X11WindowSystem: WindowSystem {
    /// How long a window may take to come forward.
    private static let focusLimit = 1000

    public let name = "x11"
    private let display: String
    private let connection = Mutex<X11Connection?>(nil)

    /// `environment` is Usher's own; of it, DISPLAY is used. Who may use the server is the library's business (XAUTHORITY).
    public init(environment: [String: String]) { display = environment["DISPLAY"] ?? "" }

    public var isAvailable: Bool { !display.isEmpty }

    public var isDesktop: Bool { true }

    public var support: WindowSupport {
        WindowSupport(name, [.list: .yes, .focus: .yes, .verify: .yes])
    }

    public func recognizes(handle: String) -> Bool { X11Handle(handle) != nil }

    public func windows() throws(ActivationFailure) -> WindowList {
        try withConnection { connection in
            let life = connection.life()
            let windows = connection.windows().filter { !$0.isHelper }
            return .success(WindowList(server: life.map(self.server), windows: windows.map(\.listed)))
        }
    }

    public func presence(of window: WindowReference) throws(ActivationFailure) -> WindowPresence {
        guard case .handle(let text, let server) = window, let handle = X11Handle(text) else { return .unknown }
        return try withConnection { connection in
            guard self.isAlive(server, on: connection) else { return .success(.gone) }
            let attributes = connection.askAttributes(of: handle.window)
            let state = connection.ask(.state, of: handle.window)
            let desktop = connection.ask(.desktopOfWindow, of: handle.window)
            let isManaged = !connection.numbers(desktop).isEmpty
            return .success(connection.isThere(attributes, state, isManaged: isManaged) ? .present : .gone)
        }
    }

    public func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting {
        let window = request.window
        guard case .handle(let text, let server) = window, let handle = X11Handle(text) else {
            throw failure("\(window.text) is no window", help: "a window is named like x11:0x1400007")
        }
        return try withConnection { connection in
            guard let life = connection.life(), self.isAlive(server, on: connection) else {
                return .failure(.windowGone(text))
            }
            guard connection.hasWindowManager() else {
                return .failure(
                    self.failure(
                        "no window manager that speaks EWMH runs on \(self.display)",
                        help: "start one: windows are brought forward by it"))
            }
            let end = connection.focus(handle.window, until: Deadline(inMilliseconds: Self.focusLimit))
            let seen = connection.describe([handle.window]).first
            let view: WindowSighting.View
            switch end {
            case .gone: return .failure(.windowGone(text))
            case .shown: view = .shown
            case .hidden(let instead): view = .hidden(seen: instead)
            }
            return .success(
                WindowSighting(
                    handle: handle.text, server: self.server(life), title: seen?.title, process: seen?.process,
                    view: view))
        }
    }

    public func find(processes: [Int32]) throws(ActivationFailure) -> WindowSighting? {
        try withConnection { connection in
            let windows = connection.windows().filter { !$0.isHelper }
            let found = processes.lazy.compactMap { process in windows.first { $0.process == process } }.first
            guard let found, let life = connection.life() else { return .success(nil) }
            let front = connection.numbers(connection.ask(.activeWindow, of: connection.root)).first ?? 0
            let instead = windows.first { $0.id == front }.map { "\($0.text) is in front" } ?? "no window is in front"
            return .success(
                WindowSighting(
                    handle: found.handle, server: self.server(life), title: found.title, process: found.process,
                    view: front == found.id ? .shown : .hidden(seen: instead)))
        }
    }

    public func launch(_ launch: WindowLaunch) throws(ActivationFailure) -> WindowSighting {
        throw failure("it makes no windows: programs make their own", help: "launch the program with exec")
    }

    public func type(_ keys: WindowKeys, into window: WindowReference) throws(ActivationFailure) {
        throw failure("nothing is typed into its windows", help: "show with exec")
    }

    public func isOnItsWay(nonce: String) -> Bool { false }

    public func plan(_ step: WindowStep) -> String {
        switch step {
        case .focus(let window): "x11: bring \(Printable.text(window.text)) forward, read it back"
        case .launch, .type, .navigate: "nothing: x11 only brings windows forward"
        }
    }

    // MARK: - The connection

    /// The server that has the handles of one life.
    private func server(_ life: String) -> String { "\(display)/\(life)" }

    private func isAlive(_ server: String?, on connection: borrowing X11Connection) -> Bool {
        guard let server else { return true }
        return connection.life().map { self.server($0).utf8.elementsEqual(server.utf8) } ?? false
    }

    private func failure(_ problem: String, help: String? = nil) -> ActivationFailure {
        .windowSystem(name, problem, help: help)
    }

    /// A connection that turns out to be lost is made again once, where it is an old one: the server may have been
    /// restarted since. A server that goes away in the middle is an error.
    private func withConnection<Answer: Sendable>(
        _ body: (inout X11Connection) -> Result<Answer, ActivationFailure>
    ) throws(ActivationFailure) -> Answer {
        let result: Result<Answer, ActivationFailure> = connection.withLock { held in
            if var old = held.take() {
                let answer = body(&old)
                if !old.isLost {
                    held = consume old
                    return answer
                }
            }
            guard var new = X11Connection(display: display) else {
                return .failure(failure("no X server answers at \(display)", help: "DISPLAY says which one"))
            }
            let answer = body(&new)
            if new.isLost { return .failure(failure("the X server \(display) went away")) }
            held = consume new
            return answer
        }
        return try result.get()
    }
}
