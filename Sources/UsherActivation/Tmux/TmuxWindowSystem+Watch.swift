import Glibc
internal import UsherSystem

extension TmuxWindowSystem {
    /// By one client in control mode that only listens, for as long as a server runs; by inotify where none does.
    ///
    /// tmux tells of panes that close in another session than the client's with the next change only, and not that a
    /// person went from one terminal to another.
    public func watch(_ changed: @escaping @Sendable (WindowList) -> Void) -> (any WindowWatch)? {
        guard isAvailable else { return nil }
        return WatchThread(named: "watch tmux") { end in
            var pace = WatchPace(changed)
            self.watch(until: end, &pace)
        }
    }

    /// From one life of the server to the next.
    private func watch(until end: WatchThread.End, _ pace: inout WatchPace) {
        guard var wait = SocketWait(path: client.socket) else { return }
        // A server without sessions lets nobody listen, one that hangs answers nobody: neither tells when that is over.
        var pause: Int32 = 50
        while !end.hasCome {
            wait.begin()
            let list = try? windows()
            if let list { pace.tell(list, unless: end) }
            if let list, list.server == nil {
                guard wait.wait(or: end.descriptor) else { return }
                continue
            }
            if list != nil, follow(until: end, &pace) {
                pause = 50
            } else {
                pause = min(pause * 2, 2000)
            }
            var stop = pollfd(fd: end.descriptor, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&stop, 1, pause)
        }
    }

    /// Through one life of the server; false where nothing was heard of it.
    private func follow(until end: WatchThread.End, _ pace: inout WatchPace) -> Bool {
        guard awaitQuiet(or: end), var connected = connect(or: end) else { return false }
        return follow(&connected.listener, connected.first, until: end, &pace)
    }

    private func follow(
        _ listener: inout TmuxListener, _ first: TmuxListener.Heard?, until end: WatchThread.End,
        _ pace: inout WatchPace
    ) -> Bool {
        var first = first
        var hasHeard = false
        while true {
            let heard = first.take() ?? listener.listen(until: nil, or: end.descriptor)
            if case .nothing = heard { return hasHeard }
            hasHeard = true
            var isSlight = if case .slight = heard { true } else { false }
            var quiet = pace.quiet(isSlight: isSlight)
            while !quiet.isOver, !listener.hasEnded, !end.hasCome {
                guard case .change = listener.listen(until: quiet, or: end.descriptor), isSlight else { continue }
                isSlight = false
                quiet = .earlier(quiet, pace.quiet(isSlight: false))
            }
            if listener.hasEnded || end.hasCome { return true }
            guard let list = try? windows() else { return true }
            pace.tell(list, unless: end)
        }
    }

    /// Connects while no session is made here; with the first that was heard.
    private func connect(or end: WatchThread.End) -> Connected? {
        var listener: TmuxListener?
        var first: TmuxListener.Heard?
        gate.pass {
            listener = try? TmuxListener(client)
            first = listener?.listen(until: Deadline(inMilliseconds: 2000), or: end.descriptor)
        }
        guard let connected = listener.take() else { return nil }
        return Connected(listener: connected, first: first)
    }

    private struct Connected: ~Copyable {
        var listener: TmuxListener
        var first: TmuxListener.Heard?
    }

    /// Waits until no session came or went and nobody left a terminal for a while, such as the listener of a daemon that was
    /// killed just before: nothing of that may happen while the own one connects (`TmuxGate`). False at the end.
    private func awaitQuiet(or end: WatchThread.End) -> Bool {
        let deadline = Deadline(inMilliseconds: 3000)
        var last: [String]?
        repeat {
            let answer = try? client.run([
                ["list-sessions", "-F", "#{session_id} #{session_name}"], ["list-clients", "-F", "#{client_pid}"],
            ])
            guard case .lines(let now) = answer else { return true }
            if now == last { return true }
            last = now
            var stop = pollfd(fd: end.descriptor, events: Int16(POLLIN), revents: 0)
            if unsafe poll(&stop, 1, 150) > 0 { return false }
        } while !deadline.isOver
        return true
    }
}
