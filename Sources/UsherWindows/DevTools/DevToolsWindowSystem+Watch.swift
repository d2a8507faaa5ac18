internal import Glibc
internal import Synchronization
public import UsherActivation

extension DevToolsWindowSystem {
    public func change(
        after list: WindowList, until deadline: Deadline, or descriptor: Int32?
    ) throws(ActivationFailure) -> WindowList {
        let last = DevToolsMemory()
        guard let watch = watch({ last.note($0) }) else { return try windows() }
        defer { watch.stop() }
        while true {
            last.signal.clear()
            if let now = last.list, now != list { return now }
            let isOther = last.signal.wait(until: deadline, or: descriptor).other
            if isOther || deadline.isOver { return try windows() }
        }
    }

    public func watch(_ changed: @escaping @Sendable (WindowList) -> Void) -> (any WindowWatch)? {
        guard isAvailable else { return nil }
        let news = DevToolsNews(addresses, changed)
        let threads = addresses.compactMap { address in
            WatchThread(named: "watch devtools") { end in
                var pace = WatchPace { news.note($0, of: address) }
                self.watch(address, until: end, &pace)
            }
        }
        return DevToolsWatch(threads)
    }

    /// From one life of the browser to the next. Nothing tells of a new one: it is looked for, less and less often.
    private func watch(_ address: DevToolsAddress, until end: WatchThread.End, _ pace: inout WatchPace) {
        var pause = limits.back.lowerBound
        while !end.hasCome {
            do throws(DevToolsProblem) {
                var connection = try connect(address)
                let browser = try browser(connection.version, at: address)
                pause = limits.back.lowerBound
                try follow(&connection, browser, until: end, &pace)
            } catch {
                // One that hangs keeps its windows, once they are known.
                let hangs = if case .silent = error { true } else { false }
                if !hangs || !pace.hasTold { pace.tell(WindowList(server: nil, windows: []), unless: end) }
            }
            var stop = pollfd(fd: end.descriptor, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&stop, 1, Int32(clamping: pause))
            pause = min(pause * 2, limits.back.upperBound)
        }
    }

    /// Through one life of the browser.
    private func follow(
        _ connection: inout DevToolsConnection, _ browser: DevToolsBrowser, until end: WatchThread.End,
        _ pace: inout WatchPace
    ) throws(DevToolsProblem) {
        try connection.discover()
        while !end.hasCome {
            let look = try DevToolsLook(&connection)
            pace.tell(look.list(browser), unless: end)
            try connection.report(look.pages.map(\.target))
            guard try connection.wait(until: nil, or: end.descriptor) else { return }
            // A burst is one look.
            let quiet = pace.quiet(isSlight: false)
            var stop = pollfd(fd: end.descriptor, events: Int16(POLLIN), revents: 0)
            while !quiet.isOver, !end.hasCome { _ = unsafe poll(&stop, 1, quiet.remainingMilliseconds) }
        }
    }
}

/// The lists of several browsers as one, told when all have been heard of.
final class DevToolsNews: Sendable {
    private struct State: Sendable {
        var missing: Set<DevToolsAddress>
        var lists: [DevToolsAddress: WindowList] = [:]
    }

    private let order: [DevToolsAddress]
    private let changed: @Sendable (WindowList) -> Void
    /// Held while it is told: lists come one after the other.
    private let state: Mutex<State>

    init(_ addresses: [DevToolsAddress], _ changed: @escaping @Sendable (WindowList) -> Void) {
        order = addresses
        self.changed = changed
        state = Mutex(State(missing: Set(addresses)))
    }

    func note(_ list: WindowList, of address: DevToolsAddress) {
        state.withLock { state in
            state.lists[address] = list
            state.missing.remove(address)
            guard state.missing.isEmpty else { return }
            changed(DevToolsWindowSystem.joined(order.compactMap { state.lists[$0] }))
        }
    }
}

/// What a watch told last, for another thread.
final class DevToolsMemory: Sendable {
    let signal = BrowserSignal()
    private let told = Mutex<WindowList?>(nil)

    var list: WindowList? { told.withLock { $0 } }

    func note(_ list: WindowList) {
        told.withLock { $0 = list }
        signal.raise()
    }
}

/// A thread for each browser.
final class DevToolsWatch: WindowWatch {
    private let threads: [WatchThread]

    init(_ threads: [WatchThread]) { self.threads = threads }

    /// Not from within what it tells.
    func stop() { for thread in threads { thread.stop() } }
}
