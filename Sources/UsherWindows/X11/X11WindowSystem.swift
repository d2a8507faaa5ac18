internal import Synchronization
public import UsherActivation
internal import UsherScene

/// An X server with a window manager that speaks EWMH, i3 included: windows by `x11:0x1400007`.
///
/// One connection for short questions, made on demand, lost with the server, made again by the next call; whatever waits
/// for long has its own. A handle is good for one life of the server, which numbers its windows anew each time. A server
/// that hangs is given up after five seconds.
public final class X11WindowSystem: WindowSystem {
    /// Somebody who pressed a key so short a time ago is typing.
    private static let typingPause: Int64 = 1500

    public let name = "x11"
    private let text: String
    let display: X11Display?
    let environment: [String: String]
    /// How long a window may take to come forward.
    private let focusLimit: Int
    private let connection = Mutex<X11Connection?>(nil)

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

    public func recognizes(handle: String) -> Bool { X11Handle(handle) != nil }

    public func windows() throws(ActivationFailure) -> WindowList {
        try withConnection { connection in
            let moment = connection.moment()
            let windows = connection.describe(moment.clients).filter { !$0.isHelper }
            return .success(
                WindowList(server: moment.life.map(self.server), windows: windows.map { $0.listed(at: moment) }))
        }
    }

    public func server(of handle: String) throws(ActivationFailure) -> String? {
        guard recognizes(handle: handle) else { return nil }
        return try withConnection { .success($0.life().map(self.server)) }
    }

    public func presence(of window: WindowReference) throws(ActivationFailure) -> WindowPresence {
        guard case .handle(let text, let server) = window, let handle = X11Handle(text) else { return .unknown }
        return try withConnection { connection in
            guard self.isAlive(server, connection.life()) else { return .success(.gone) }
            return .success(connection.isThere(handle.window) ? .present : .gone)
        }
    }

    public func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting {
        let window = request.window
        guard case .handle(let text, let server) = window, let handle = X11Handle(text) else {
            throw failure("\(window.text) is no window", help: "a window is named like x11:0x1400007")
        }
        return try withConnection { connection in
            let look = connection.look(at: handle.window)
            guard let life = look.life, self.isAlive(server, life) else { return .failure(.windowGone(text)) }
            guard connection.manager != nil else {
                return .failure(self.failure(self.noManager, help: Self.noManagerHelp))
            }
            guard look.isThere else { return .failure(.windowGone(text)) }
            var prominence = request.policy.prominence
            var isSpared = false
            if let less = request.policy.whileTyping, less < prominence, look.front != handle.window,
                let pause = connection.timeSinceKey(), pause < Self.typingPause
            {
                (prominence, isSpared) = (less, true)
            }
            var view = WindowSighting.View.untouched
            if prominence != .none {
                let deadline = Deadline(inMilliseconds: self.focusLimit)
                // Nothing but the server's silence ends it sooner.
                connection.limit = Deadline(inMilliseconds: self.focusLimit + X11Connection.patience)
                switch connection.bring(handle.window, prominence, request.policy.placement, until: deadline) {
                case .gone: return .failure(.windowGone(text))
                case .shown: view = .shown
                case .hidden(let instead): view = .hidden(seen: instead)
                }
            }
            let seen = connection.describe([handle.window]).first
            var sighting = WindowSighting(
                handle: handle.text, server: self.server(life), title: seen?.title, process: seen?.process, view: view)
            sighting.sparedTyping = isSpared
            return .success(sighting)
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
                    handle: found.handle, server: self.server(life), title: found.title, process: found.process,
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
        return time.flatMap(\.self).map { "usher-\(nonce)_TIME\($0)" }
    }

    public func plan(_ step: WindowStep) -> String {
        switch step {
        case .focus(let window): "x11: bring \(Printable.text(window.text)) forward, read it back"
        case .launch, .type, .navigate: "nothing: x11 only brings windows forward"
        }
    }

    // MARK: - The connection

    /// The server that has the handles of one life.
    func server(_ life: String) -> String { "\(text)/\(life)" }

    private func isAlive(_ server: String?, _ life: String?) -> Bool {
        guard let server else { return true }
        return life.map { self.server($0).utf8.elementsEqual(server.utf8) } ?? false
    }

    func failure(_ problem: String, help: String? = nil) -> ActivationFailure {
        .windowSystem(name, problem, help: help)
    }

    var noServer: ActivationFailure {
        guard display != nil else { return failure("\(text) is no display", help: "DISPLAY is written like :0") }
        return failure(
            "no X server answers at \(text), or it does not let us in",
            help: "DISPLAY says which one, XAUTHORITY its key")
    }

    var noManager: String { "no window manager that speaks EWMH runs on \(text)" }
    static let noManagerHelp = "start one: windows are brought forward by it"

    /// A connection that turns out to be lost is made again once, where it is an old one: the server may have been
    /// restarted since. A server that goes away in the middle is an error.
    func withConnection<Answer: Sendable>(
        _ body: (inout X11Connection) -> Result<Answer, ActivationFailure>
    ) throws(ActivationFailure) -> Answer {
        let result: Result<Answer, ActivationFailure> = connection.withLock { held in
            if var old = held.take() {
                old.limit = Deadline(inMilliseconds: X11Connection.patience)
                let answer = body(&old)
                if !old.isLost {
                    held = consume old
                    return answer
                }
                if old.isHung { return .failure(self.hung) }
            }
            guard let display, var new = X11Connection.open(display: display, environment: environment) else {
                return .failure(noServer)
            }
            let answer = body(&new)
            if new.isLost { return .failure(new.isHung ? hung : failure("the X server \(text) went away")) }
            held = consume new
            return answer
        }
        return try result.get()
    }

    private var hung: ActivationFailure {
        failure("the X server \(text) has not answered for \(X11Connection.patience / 1000) seconds")
    }
}
