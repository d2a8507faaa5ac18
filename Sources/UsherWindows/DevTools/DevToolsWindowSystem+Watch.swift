internal import Glibc
internal import Synchronization
public import UsherActivation
public import UsherSystem

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
                var connection = try DevToolsConnection(address, patience: limits.answer, or: end.descriptor)
                try connection.discover()
                // Only one that can be looked at is back.
                let look = try DevToolsLook(&connection)
                pause = limits.back.lowerBound
                hanging.note(address, hangs: false)
                try follow(&connection, look, at: address, until: end, &pace)
            } catch {
                // One that hangs keeps its windows, once they are known.
                let hangs = if case .silent = error { true } else { false }
                hanging.note(address, hangs: hangs)
                if !hangs || !pace.hasTold { pace.tell(WindowList(server: nil, windows: []), unless: end) }
            }
            end.wait(until: Deadline(inMilliseconds: pause))
            pause = min(pause * 2, limits.back.upperBound)
        }
        hanging.note(address, hangs: false)
    }

    /// Through one life of the browser.
    private func follow(
        _ connection: inout DevToolsConnection, _ first: DevToolsLook, at address: DevToolsAddress,
        until end: WatchThread.End, _ pace: inout WatchPace
    ) throws(DevToolsProblem) {
        let browser = browser(connection, at: address)
        var look = first
        while true {
            pace.tell(look.list(browser), unless: end)
            try connection.report(look.pages.map(\.target))
            guard try connection.wait(until: nil) else { return }
            // A burst is one look.
            let quiet = pace.quiet(isSlight: false)
            end.wait(until: quiet)
            look = try DevToolsLook(&connection)
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

/// The browsers that a watch found hanging: while they do, nobody else waits for them to learn what they show.
final class HangingBrowsers: Sendable {
    private let addresses = Mutex<Set<DevToolsAddress>>([])

    func note(_ address: DevToolsAddress, hangs: Bool) {
        addresses.withLock { addresses in
            addresses.remove(address)
            if hangs { addresses.insert(address) }
        }
    }

    func has(_ address: DevToolsAddress) -> Bool { addresses.withLock { $0.contains(address) } }
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
