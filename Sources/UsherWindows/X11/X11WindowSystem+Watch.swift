public import UsherActivation
internal import UsherScene

extension X11WindowSystem {
    /// Titles that change many times a second must not keep a caller busy who waits for something else.
    private static let titlePause = 100

    /// On a connection of its own, so that the others need not wait.
    public func change(
        after list: WindowList, until deadline: Deadline, or descriptor: Int32?
    ) throws(ActivationFailure) -> WindowList {
        if deadline.isOver { return try windows() }
        guard let display, let connection = X11Connection.open(display: display, environment: environment) else {
            throw noServer
        }
        var follower = X11Follower(connection) { [self] in server($0) }
        let descriptor = descriptor ?? -1
        let patience = Deadline(inMilliseconds: Self.titlePause)
        while true {
            guard let now = follower.look() else { throw failure("the X server went away") }
            if deadline.isOver || X11Bell.canBeRead(descriptor) { return now }
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
        return X11Watch(display: display, environment: environment, server: { [self] in server($0) }, changed)
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
        guard let display, var connection = X11Connection.open(display: display, environment: environment) else {
            throw noServer
        }
        switch connection.pick(until: deadline) {
        case .window(let window):
            let moment = connection.moment()
            var listed = window.listed(at: moment)
            listed.server = moment.life.map(server)
            return listed
        case .nothing: return nil
        case .busy:
            if connection.isLost { throw failure("the X server went away") }
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
