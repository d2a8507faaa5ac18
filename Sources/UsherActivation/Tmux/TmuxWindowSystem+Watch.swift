import Glibc
internal import UsherSystem

extension TmuxWindowSystem {
    /// By hooks that wake a client which waits, for as long as a server runs; by inotify where none does.
    ///
    /// tmux before 3.3 does not tell that a person went from one terminal to another.
    public func watch(_ changed: @escaping @Sendable (WindowList) -> Void) -> (any WindowWatch)? {
        guard isAvailable else { return nil }
        return WatchThread(named: "watch tmux") { end in
            var pace = WatchPace(changed)
            self.watch(until: end, &pace)
            _ = try? client.run(TmuxHooks().unset)
        }
    }

    /// From one life of the server to the next.
    private func watch(until end: WatchThread.End, _ pace: inout WatchPace) {
        guard var wait = SocketWait(path: client.socket) else { return }
        removeHooksThatWereLeft()
        // A server that hangs answers nobody, and does not tell when that is over.
        var pause: Int32 = 50
        var told: WindowList?
        while !end.hasCome {
            wait.begin()
            // Hooks stand before the look: who waits afterwards is told of what the look did not see.
            let list = try? lookWithHooks()
            let isSlight = list?.differsInTitlesAlone(from: told) ?? false
            if let list {
                pace.tell(list, unless: end)
                told = list
            }
            if let list, list.server == nil {
                guard wait.wait(or: end.descriptor) else { return }
            } else if list != nil, awaitChange(until: end) {
                pause = 50
                end.wait(until: pace.quiet(isSlight: isSlight))
            } else {
                end.wait(until: Deadline(inMilliseconds: Int(pause)))
                pause = min(pause * 2, 2000)
            }
        }
    }

    private func lookWithHooks() throws(ActivationFailure) -> WindowList {
        let hooks = TmuxHooks()
        var world = try look([TmuxHooks.ask])
        if world.server != nil, !hooks.areSet(world.other) {
            _ = try client.run(hooks.set)
            world = try look()
        }
        return list(of: world)
    }

    /// Waits for a hook. False where the client that waits could not do so.
    private func awaitChange(until end: WatchThread.End) -> Bool {
        let hooks = TmuxHooks()
        guard var waiting = try? client.start(["wait-for", hooks.channel]) else { return false }
        var polled = [
            pollfd(fd: waiting.pidfd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: end.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        while unsafe poll(&polled, nfds_t(polled.count), -1) < 0, errno == EINTR {}
        if polled[1].revents != 0 { _ = try? client.run([hooks.wake]) }
        let exit = waiting.wait(until: Deadline(inMilliseconds: 1000))
        if exit == nil { waiting.stop() }
        return exit == .exited(0)
    }

    /// Of processes that were killed; clients that wait for one of them end.
    private func removeHooksThatWereLeft() {
        guard let world = try? ask([TmuxHooks.ask]) else { return }
        for hooks in TmuxHooks.left(world.other) { _ = try? client.run(hooks.unset) }
    }
}

extension WindowList {
    fileprivate func differsInTitlesAlone(from other: WindowList?) -> Bool {
        guard let other, self != other, windows.count == other.windows.count else { return false }
        var renamed = self
        for place in windows.indices { renamed.windows[place].title = other.windows[place].title }
        return renamed == other
    }
}
