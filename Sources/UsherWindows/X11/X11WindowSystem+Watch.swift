internal import Glibc
public import UsherActivation
internal import UsherScene
public import UsherSystem

extension X11WindowSystem {
    /// Titles that change many times a second must not keep a caller busy who waits for something else.
    private static let titlePause = 100
    /// In milliseconds, between two looks of a watch.
    private static let leastRest = 25
    private static let longestRest = 1000
    /// In milliseconds, before a server is tried again of which nothing tells that it is there.
    private static let firstPause: Int32 = 50
    private static let localPause: Int32 = 1600
    private static let lastPause: Int32 = 25_600

    /// On a connection of its own, so that the others need not wait.
    public func change(
        after list: WindowList, until deadline: Deadline, or descriptor: Int32?
    ) throws(ActivationFailure) -> WindowList {
        if deadline.isOver { return try windows() }
        var follower: X11Follower
        do throws(X11Problem) {
            follower = X11Follower(try open()) { [self] in server($0) }
        } catch {
            throw failure(error)
        }
        let descriptor = descriptor ?? -1
        let patience = Deadline(inMilliseconds: Self.titlePause)
        while true {
            guard let now = follower.look() else { throw failure(X11Problem.ended) }
            if deadline.isOver || Self.canBeRead(descriptor) { return now }
            if now != list {
                if !Self.differInTitles(now, list) || patience.isOver { return now }
                follower.wait(until: .earlier(deadline, patience), or: descriptor)
            } else {
                follower.wait(until: deadline, or: descriptor)
            }
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
            // It hangs, which is not the end of its windows, or is on another machine. Nothing tells when it goes on.
            end.wait(until: Deadline(inMilliseconds: Int(pause)))
            pause = min(pause * 2, display.isLocal ? Self.localPause : Self.lastPause)
        }
    }

    /// Until the server is gone or hangs, or nobody wants to hear more.
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

    /// Whether a descriptor, where there is one, can be read now.
    private static func canBeRead(_ descriptor: Int32) -> Bool {
        var sign = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&sign, 1, 0) > 0
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

    /// On a connection of its own: while nobody points, others go on.
    public func pick(until deadline: Deadline) throws(ActivationFailure) -> WindowList.Window? {
        var connection: X11Connection
        do throws(X11Problem) {
            connection = try open()
        } catch {
            throw failure(error)
        }
        switch connection.pick(until: deadline) {
        case .window(let window):
            let moment = connection.moment()
            return window.listed(at: moment, life: moment.life.map(server))
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
                let reason = WindowSupport.Answer.no(noManager)
                return WindowSupport(
                    name,
                    [.list: reason, .focus: reason, .verify: reason, .watch: reason, .launch: reason, .token: .yes])
            }
            return WindowSupport(
                manager.isEmpty ? name : "\(name) (\(manager.lowercased()))",
                Dictionary(WindowSupport.Ability.allCases.map { ($0, .yes) }, uniquingKeysWith: { first, _ in first }))
        } catch {
            return WindowSupport(
                name,
                Dictionary(
                    WindowSupport.Ability.allCases.map { ($0, .no(error.message)) },
                    uniquingKeysWith: { first, _ in first }))
        }
    }
}

extension FocusPolicy.Prominence {
    /// Whether it is less than another one.
    static func < (one: Self, other: Self) -> Bool { one.rank > other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
