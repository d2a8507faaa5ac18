internal import Glibc
public import UsherActivation
public import UsherSystem

extension SwayWindowSystem {
    public func change(
        after list: WindowList, until deadline: Deadline, or descriptor: Int32?
    ) throws(ActivationFailure) -> WindowList {
        try connected { (connection) throws(SwayProblem) in
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
        try connected { (connection) throws(SwayProblem) in
            try connection.subscribe(to: SwayEvent.names)
            while let message = try connection.receive(until: deadline) {
                guard let event = SwayEvent(message), event.change == .focus, let container = event.container else {
                    continue
                }
                let tree = try self.look(&connection)
                if let place = tree.window(container) {
                    return WindowList(server: connection.server, windows: [tree.listed(place)]).windows.first
                }
            }
            return nil
        }
    }

    /// From one life of the compositor to the next.
    private func watch(until end: WatchThread.End, _ pace: inout WatchPace) {
        guard var wait = place.makeWait() else { return }
        while !end.hasCome {
            wait.begin()
            do throws(SwayProblem) {
                var connection = try place.connect()
                try follow(&connection, until: end, &pace)
            } catch {
                switch error {
                case .silent, .unreachable(EAGAIN):
                    // It hangs, which is not the end of its windows. Nothing tells when it goes on.
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
        _ connection: inout SwayConnection, until end: WatchThread.End, _ pace: inout WatchPace
    ) throws(SwayProblem) {
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
