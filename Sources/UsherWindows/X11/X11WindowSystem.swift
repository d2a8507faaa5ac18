internal import CXcb
internal import Glibc
internal import Synchronization
public import UsherActivation
internal import UsherScene
public import UsherSystem
internal import UsherText

/// An X server with a window manager that speaks EWMH, i3 included: windows by `x11:0x1400007`.
///
/// Each call has a connection to itself, one that an earlier call left or a new one, so none waits for another; only windows
/// that come forward take turns. A handle is good for one life of the server, which numbers its windows anew each time. A
/// server that hangs is given up after five seconds.
public final class X11WindowSystem: WindowSystem {
    public let name = DesktopName.x11.rawValue
    private let text: String
    private let display: X11Display?
    private let environment: [String: String]
    /// How long a window may take to come forward.
    private let focusLimit: Int
    /// Mostly it takes one or two milliseconds.
    private let focusLock = FocusLock(length: 100)
    /// Idle connections.
    private let idle = Mutex<[X11ConnectionSlot]>([])
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

    /// How long ago the keyboard or the pointer was used; nil where the server does not tell.
    public var timeSinceInput: Duration? {
        (try? connected { $0.timeSinceInput() }).flatMap { $0 }.map { .milliseconds($0) }
    }

    public func recognizes(handle: String) -> Bool { X11Handle(handle) != nil }

    public func windows() throws(ActivationFailure) -> WindowList {
        try withConnection { connection in
            var snapshot = connection.desktopSnapshot()
            let windows = connection.scenes(of: &snapshot)
            let life = snapshot.life.map(self.server)
            return .success(WindowList(server: life, windows: windows.map { $0.listed(at: snapshot, life: life) }))
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

    /// By the window manager, which asks the program, or ends one that cannot be asked (EWMH 1.5, _NET_CLOSE_WINDOW).
    public func close(_ window: WindowReference) throws(ActivationFailure) {
        guard case .handle(let text, let server) = window, let handle = X11Handle(text) else {
            throw failure("\(window.text) is no window", help: "a window is named like x11:0x1400007")
        }
        try withConnection { (connection) -> Result<Void, ActivationFailure> in
            connection.watch(handle.window)
            defer { connection.stopWatching(handle.window) }
            let look = connection.look(at: handle.window, .none, isFirst: true)
            guard let life = look.life, isAlive(server, life), Self.isSame(look.client, server), look.isThere else {
                return .failure(.windowGone(handle.text))
            }
            guard connection.manager != nil else { return .failure(failure(noManager, help: Self.noManagerHelp)) }
            guard connection.knows(.closeWindow) else {
                return .failure(failure("the window manager closes no windows on request", help: "close it by hand"))
            }
            connection.send(.close, about: handle.window, time: look.time ?? 0, instead: 0)
            return .success(())
        }
    }

    public func find(processes: [Int32]) throws(ActivationFailure) -> WindowSighting? {
        try withConnection { connection in
            var snapshot = connection.desktopSnapshot()
            let windows = connection.scenes(of: &snapshot)
            let found = processes.lazy.compactMap { process in windows.first { $0.process == process } }.first
            guard let found, let life = snapshot.life else { return .success(nil) }
            let instead =
                windows.first { $0.id == snapshot.front }.map { "\($0.text) is in front" } ?? "no window is in front"
            return .success(
                WindowSighting(
                    handle: found.handle, server: WindowServer.text(self.server(life), client: found.process),
                    title: found.title, process: found.process,
                    view: snapshot.front == found.id && snapshot.hasKeyboard ? .shown : .hidden(seen: instead)))
        }
    }

    /// Of the form that startup notification has (Startup Notification 0.1, "startup ID"), with the server's time: window
    /// managers let a window come forward that was asked for later than the last key was pressed. No sequence is announced,
    /// so no cursor turns into a clock.
    public func startupToken(nonce: String) -> String? {
        let time = try? withConnection { .success($0.serverTime()) }
        return time.flatMap(\.self).map { StartupToken.text(nonce: nonce, time: $0) }
    }

    // MARK: - The connection

    /// One life of the server, as windows name it.
    private func server(_ life: String) -> String { "\(display?.text ?? text)/\(life)" }

    /// Whether the life that a handle is of, where it is known, goes on.
    private func isAlive(_ server: String?, _ life: String?) -> Bool {
        guard let server else { return true }
        return life.map { WindowServer.isSameLife(self.server($0), server) } ?? false
    }

    /// Whether a window that this client has made can be the one that was noted: a client's numbers are given to the next one.
    private static func isSame(_ client: Int32?, _ server: String?) -> Bool {
        guard let client, let noted = server.flatMap(WindowServer.client) else { return true }
        return client == noted
    }

    private func failure(_ problem: String, help: String? = nil) -> ActivationFailure {
        .windowSystem(name, problem, help: help)
    }

    private func failure(_ problem: X11Problem) -> ActivationFailure {
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

    private var noManager: String { "no window manager that speaks EWMH runs on \(text)" }
    private static let noManagerHelp = "start one: windows are brought forward by it"

    private func withConnection<Answer>(
        _ body: (inout X11Connection) -> Result<Answer, ActivationFailure>
    ) throws(ActivationFailure) -> Answer {
        let result = try Result { () throws(X11Problem) in try connected(body) }.mapError(failure).get()
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
    private func open() throws(X11Problem) -> X11Connection {
        guard let display else { throw .absent }
        return try X11Connection.open(display: display, environment: environment)
    }

    private func opened() throws(ActivationFailure) -> X11Connection {
        try Result { () throws(X11Problem) in try open() }.mapError(failure).get()
    }

    private func keep(_ connection: consuming X11Connection) {
        let slot = X11ConnectionSlot(connection)
        idle.withLock { if $0.count < Self.mostIdle { $0.append(slot) } }
    }
}

// MARK: - Focus

extension X11WindowSystem {
    /// A user whose last key press is not longer ago than this is typing; in milliseconds.
    private static let typingPause: Int64 = 1500

    /// In two round trips, where the window manager heeds it at once: one look before it is asked, and one at what is in front
    /// and has the keyboard after it says that it is done. `server` is what the handle is good for, where it is known; the
    /// window is watched.
    private func focus(
        _ handle: X11Handle, _ server: String?, _ policy: FocusPolicy, _ connection: inout X11Connection
    ) -> Result<WindowSighting, ActivationFailure> {
        let deadline = Deadline(inMilliseconds: focusLimit)
        var attempt: X11FocusAttempt?
        var isSpared = false
        while true {
            let end: Result<WindowSighting, ActivationFailure>? = focusLock.withLock { turn in
                connection.limit = Deadline(inMilliseconds: X11Connection.patience)
                var look = connection.look(
                    at: handle.window, attempt?.prominence ?? policy.prominence, isFirst: attempt == nil)
                guard let life = look.life, isAlive(server, life), Self.isSame(look.client, server) else {
                    return .failure(.windowGone(handle.text))
                }
                guard connection.manager != nil else { return .failure(failure(noManager, help: Self.noManagerHelp)) }
                guard look.isThere else { return .failure(.windowGone(handle.text)) }
                var current =
                    attempt
                    ?? X11FocusAttempt(
                        handle.window, of: look.client, policy.prominence, policy.placement, until: deadline)
                if attempt == nil, let less = policy.whileTyping, less < policy.prominence, look.front != handle.window,
                    let pause = connection.timeSinceKey(), pause < Self.typingPause
                {
                    current = X11FocusAttempt(handle.window, of: look.client, less, policy.placement, until: deadline)
                    isSpared = true
                    look = connection.look(at: handle.window, less, isFirst: false)
                }
                defer { attempt = current }
                let view: WindowSighting.View
                if current.prominence == .none {
                    view = .untouched
                    current.facts = connection.facts(connection.askFacts(of: handle.window))
                } else {
                    switch connection.bring(&current, &look, until: turn) {
                    case .gone: return .failure(.windowGone(handle.text))
                    case .shown: view = .shown
                    case .hidden(let instead): view = .hidden(seen: instead)
                    case nil: return nil
                    }
                }
                let client = current.facts?.process
                // It was closed meanwhile, and another one has its number.
                guard current.isOf(client: client), Self.isSame(client, server) else {
                    return .failure(.windowGone(handle.text))
                }
                var sighting = WindowSighting(
                    handle: handle.text, server: WindowServer.text(self.server(life), client: client),
                    title: current.facts?.title, process: client, view: view)
                sighting.sparedTyping = isSpared
                if case .shown = view {
                    if current.prominence == .focus {
                        sighting.front = .init(handle: handle.text, server: sighting.server)
                    }
                    if current.prominence != .urgent { sighting.exposure = self.exposure(of: handle, &connection) }
                }
                return .success(sighting)
            }
            if let end { return end }
            // Others have their turn meanwhile.
            if let attempt { connection.wait(until: .earlier(attempt.deadline, attempt.nextRequest)) }
        }
    }
}

extension X11WindowSystem {
    public func frontLoss(of text: String, until deadline: Deadline) throws(ActivationFailure) -> FrontLoss? {
        guard let handle = X11Handle(text) else { return nil }
        let begin = MonotonicClock.now
        return try withConnection { connection in
            connection.watchDesktop()
            defer { connection.stopWatching(connection.root) }
            while true {
                connection.eventSummary = X11EventSummary()
                connection.limit = Deadline(inMilliseconds: X11Connection.patience)
                let front = connection.numbers(connection.ask(.activeWindow, of: connection.root)).first ?? 0
                // While a window manager turns from one window to the next, none is active.
                if front != 0, front != handle.window, !connection.belongs(front, to: handle.window) {
                    guard connection.isThere(handle.window) else { return .success(nil) }
                    let seen = connection.describe([front]).first?.text ?? X11Handle(front).text
                    let elapsed = (MonotonicClock.now - begin).milliseconds
                    let pause = connection.timeSinceInput()
                    return .success(
                        FrontLoss(seen: "\(seen) is in front", mayBeWanted: pause.map { $0 <= elapsed } ?? false))
                }
                if deadline.isOver || connection.isLost { return .success(nil) }
                connection.wait(until: deadline) { $0.activeWindow }
            }
        }
    }
}

extension X11WindowSystem {
    /// How long a window may be covered that has the keyboard, in milliseconds: a window manager may raise it afterwards.
    private static let raiseLimit = 50
    /// And how long it may be off the screens: openbox lets one that was minimised fly in.
    private static let arrivalLimit = 500
    /// Between two looks meanwhile.
    private static let raisePause = 5

    private func exposure(of handle: X11Handle, _ connection: inout X11Connection) -> WindowExposure? {
        let (raised, arrived) = (Deadline(inMilliseconds: Self.raiseLimit), Deadline(inMilliseconds: Self.arrivalLimit))
        while true {
            guard let exposure = connection.exposure(of: handle.window) else { return nil }
            guard exposure.isOffScreen && !arrived.isOver || exposure.isCovered && !raised.isOver else {
                return exposure
            }
            _ = Poll.wait(for: -1, until: Deadline(inMilliseconds: Self.raisePause))
        }
    }

    public func exposure(of text: String) throws(ActivationFailure) -> WindowExposure? {
        guard let handle = X11Handle(text) else { return nil }
        return try withConnection { .success($0.exposure(of: handle.window)) }
    }

    public func isFrontFullscreen() throws(ActivationFailure) -> Bool? {
        try withConnection { connection in
            let front = connection.numbers(connection.ask(.activeWindow, of: connection.root)).first ?? 0
            guard front != 0 else { return .success(false) }
            let states = connection.numbers(connection.ask(.states, of: front))
            return .success(states.contains(connection.atom(.stateFullscreen)))
        }
    }
}

// MARK: - Startup

extension X11WindowSystem {
    /// Ends the sequence that a launcher has announced (Startup Notification 0.1, "remove"): its cursor is an arrow again.
    public func endStartup(_ token: String) {
        guard isAvailable else { return }
        _ = try? withConnection { connection in
            connection.broadcast(X11StartupMessage.remove(token))
            return .success(true)
        }
    }
}

/// A message about a starting program, to all clients that display startups (Startup Notification 0.1).
enum X11StartupMessage {
    static let begin = "_NET_STARTUP_INFO_BEGIN"
    static let more = "_NET_STARTUP_INFO"
    /// The bytes of one part.
    static let partSize = 20

    static func remove(_ id: String) -> String { "remove: ID=\(quoted(id))" }

    /// In quotation marks; a backslash stands before what would end them.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }

    /// Cut into parts, the end marked by a zero.
    static func parts(_ message: String) -> [[UInt8]] {
        let bytes = Array(message.utf8) + [0]
        return stride(from: 0, to: bytes.count, by: partSize).map { start in
            let part = Array(bytes[start..<min(start + partSize, bytes.count)])
            return part + [UInt8](repeating: 0, count: partSize - part.count)
        }
    }
}

extension X11Connection {
    /// Sends a message about a starting program to the root window; the clients that watch it join the parts.
    fileprivate mutating func broadcast(_ message: String) {
        let asked = [X11StartupMessage.begin, X11StartupMessage.more].map { (name: String) in
            unsafe xcb_intern_atom(connection, 0, UInt16(name.utf8.count), name)
        }
        var types: [UInt32] = []
        for cookie in asked {
            guard let reply = unsafe answer(cookie.sequence, as: xcb_intern_atom_reply_t.self) else { return }
            unsafe types.append(reply.pointee.atom)
            unsafe free(reply)
        }
        for (place, part) in X11StartupMessage.parts(message).enumerated() {
            // The layout of a ClientMessage in the protocol: eight bits a unit, one window for all parts.
            let head: [UInt32] = [UInt32(XCB_CLIENT_MESSAGE) | 8 << 8, own, types[place == 0 ? 0 : 1]]
            var event = unsafe head.withUnsafeBytes { unsafe Array($0) }
            event += part
            unsafe event.withUnsafeBytes { bytes in
                let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                _ = unsafe xcb_send_event(connection, 0, root, XCB_EVENT_MASK_PROPERTY_CHANGE.rawValue, start)
            }
        }
        // The window must exist until the server has processed the messages: it has when it answers this query.
        _ = keyboard(askKeyboard())
    }
}

// MARK: - Watch

extension X11WindowSystem {
    /// A caller that waits for another change must not be woken by titles that change many times a second; in
    /// milliseconds.
    private static let titlePause = 100
    /// In milliseconds, between two looks of a watch.
    private static let leastRest = 25
    private static let longestRest = 1000
    /// In milliseconds: the pause before the next attempt to connect to a server that cannot be watched for.
    private static let firstPause: Int32 = 50
    private static let localPause: Int32 = 1600
    private static let lastPause: Int32 = 25_600

    /// On a connection of its own, so that the others need not wait.
    public func change(
        after list: WindowList, until deadline: Deadline, or descriptor: Int32?
    ) throws(ActivationFailure) -> WindowList {
        if deadline.isOver { return try windows() }
        var follower = X11Follower(try opened()) { [self] in server($0) }
        let descriptor = descriptor ?? -1
        let patience = Deadline(inMilliseconds: Self.titlePause)
        while true {
            guard let now = follower.look() else { throw failure(X11Problem.ended) }
            if deadline.isOver || Poll.isReadable(descriptor) { return now }
            if now != list {
                if !Self.differInTitles(now, list) || patience.isOver { return now }
                follower.wait(until: .earlier(deadline, patience), or: descriptor)
            } else {
                follower.wait(until: deadline, or: descriptor)
            }
        }
    }

    public func windows(
        until deadline: Deadline, where holds: (WindowList) -> Bool
    ) throws(ActivationFailure) -> WindowList {
        var follower = X11Follower(try opened()) { [self] in server($0) }
        while true {
            guard let now = follower.look() else { throw failure(X11Problem.ended) }
            if deadline.isOver || holds(now) { return now }
            follower.wait(until: deadline, or: -1)
        }
    }

    public func watch(_ changed: @escaping @Sendable (WindowList) -> Void) -> (any WindowWatch)? {
        guard let display else { return nil }
        return WatchThread(named: "watch X11") { end in
            var pace = WatchPace(changed)
            self.watch(display, until: end, &pace)
        }
    }

    /// From one life of the server to the next.
    private func watch(_ display: X11Display, until end: WatchThread.End, _ pace: inout WatchPace) {
        guard var wait = SocketWait(path: display.path) else { return }
        var pause = Self.firstPause
        while !end.hasCome {
            wait.begin()
            do throws(X11Problem) {
                let connection = try X11Connection.open(display: display, environment: environment)
                follow(X11Follower(connection) { [self] in server($0) }, until: end, &pace)
                pause = Self.firstPause
                continue
            } catch {
                if case .absent = error {
                    pace.tell(WindowList(server: nil, windows: []), unless: end)
                    if display.isLocal {
                        guard wait.wait(or: end.descriptor) else { return }
                        continue
                    }
                }
            }
            // It hangs, which is not the end of its windows, or is on another machine. No event reports that it answers
            // again.
            end.wait(until: Deadline(inMilliseconds: Int(pause)))
            pause = min(pause * 2, display.isLocal ? Self.localPause : Self.lastPause)
        }
    }

    /// Until the server is gone or hangs, or the watch is stopped.
    private func follow(_ given: consuming X11Follower, until end: WatchThread.End, _ pace: inout WatchPace) {
        var follower = given
        let clock = ContinuousClock()
        while true {
            let start = clock.now
            guard let list = follower.look() else { return }
            let rest = Deadline(inMilliseconds: Self.rest(after: clock.now - start))
            pace.tell(list, unless: end)
            while !follower.isDue, !follower.hasNews {
                if end.hasCome || follower.isLost { return }
                follower.wait(until: Deadline(inMilliseconds: .max), or: end.descriptor)
            }
            // What happens meanwhile is looked at together; what matters more than a title ends the longer wait.
            var isSlight = !follower.isDue && !follower.hasUrgentNews
            var quiet = pace.quiet(isSlight: isSlight)
            while !quiet.isOver, !end.hasCome, !follower.isLost {
                if isSlight {
                    follower.waitForUrgentNews(until: quiet, or: end.descriptor)
                    guard follower.hasUrgentNews else { continue }
                    isSlight = false
                    quiet = .earlier(quiet, pace.quiet(isSlight: false))
                } else {
                    end.wait(until: quiet)
                }
            }
            if end.hasCome || follower.isLost { return }
            end.wait(until: rest)
            if end.hasCome { return }
        }
    }

    /// A server that is slow, or has hundreds of windows and a window manager that draws them all, has better things to do than
    /// to be looked at.
    private static func rest(after look: Duration) -> Int {
        let (seconds, attoseconds) = look.components
        let milliseconds = Int(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
        return min(max(milliseconds * 4, leastRest), longestRest)
    }

    /// Whether they are the same windows in the same places, under other titles.
    private static func differInTitles(_ one: WindowList, _ other: WindowList) -> Bool {
        func untitled(_ list: WindowList) -> WindowList {
            var list = list
            for place in list.windows.indices { list.windows[place].title = "" }
            return list
        }
        return untitled(one) == untitled(other)
    }

    /// On a connection of its own: other calls continue while this one waits for the user.
    public func pick(until deadline: Deadline) throws(ActivationFailure) -> WindowList.Window? {
        var connection = try opened()
        switch connection.pick(until: deadline) {
        case .window(let window):
            let snapshot = connection.desktopSnapshot()
            return window.listed(at: snapshot, life: snapshot.life.map(server))
        case .nothing: return nil
        case .busy:
            if connection.isLost { throw failure(X11Problem.ended) }
            throw failure("another program has the pointer", help: "close its menu or dialog, and point again")
        }
    }

    public var support: WindowSupport {
        do throws(ActivationFailure) {
            let manager = try withConnection { connection in
                _ = connection.hasWindowManager()
                return .success(connection.manager?.name)
            }
            guard let manager else {
                var support = WindowSupport(name, nothing: noManager)
                support.answers[.token] = .yes
                return support
            }
            return WindowSupport(manager.isEmpty ? name : "\(name) (\(manager.lowercased()))")
        } catch {
            return WindowSupport(name, nothing: error.message)
        }
    }
}
