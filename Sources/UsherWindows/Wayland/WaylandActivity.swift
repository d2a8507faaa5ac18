internal import Glibc
internal import Synchronization
internal import UsherActivation
internal import UsherSystem
internal import UsherText

/// When the user of a Wayland session used a key or the pointer: by `ext_idle_notifier_v1`, or by `org_kde_kwin_idle`, which
/// compositors had before it.
///
/// The compositor reports that there was no input for some time, and that there is some again. Nothing is done between these
/// events.
public final class WaylandActivity: Sendable {
    private let follower: IdleFollower
    private let thread: WatchThread

    /// nil where the environment names no compositor.
    ///
    /// - Parameter pause: shorter ones are not noticed.
    public init?(environment: [String: String], pause: Duration) {
        guard let path = WaylandGlobals.path(in: environment) else { return nil }
        let follower = IdleFollower(path, pause)
        guard let thread = WatchThread(named: "usher idle", { follower.run(until: $0) }) else { return nil }
        (self.follower, self.thread) = (follower, thread)
    }

    /// How long ago that was, zero for less than the pause; nil where that is not known: the compositor has no such protocol, or
    /// was asked less than a pause ago.
    public var timeSinceInput: Duration? { follower.timeSinceInput }
}

private final class IdleFollower: Sendable {
    private struct State {
        /// When the compositor was asked for the events; nil without one that has them.
        var begin: MonotonicInstant?
        /// An event has come.
        var isSure = false
        /// The objects, one for each seat, and those whose seat has no input.
        var all: Set<UInt32> = []
        var idle: Set<UInt32> = []
        /// When the last seat had had none for the pause.
        var since: MonotonicInstant?
    }

    private let path: String
    private let pause: Duration
    private let state = Mutex(State())

    /// In milliseconds: how long a compositor may take for an answer.
    private static let patience = 2000
    /// How much later than due an event may be.
    private static let slack = Duration.seconds(1)

    init(_ path: String, _ pause: Duration) { (self.path, self.pause) = (path, pause) }

    var timeSinceInput: Duration? {
        let now = MonotonicClock.now
        return state.withLock { state in
            guard let begin = state.begin else { return nil }
            if let since = state.since { return now - since + pause }
            return state.isSure || now - begin >= pause + Self.slack ? .zero : nil
        }
    }

    func run(until end: WatchThread.End) {
        WaylandConnection.stay(at: path, patience: Self.patience, until: end) { connection in
            defer { state.withLock { $0 = State() } }
            return follow(&connection, until: end)
        }
    }

    /// Through one connection; false where the compositor does not answer.
    private func follow(_ connection: inout WaylandConnection, until end: WatchThread.End) -> Bool {
        do throws(WaylandProblem) {
            let deadline = Deadline(inMilliseconds: Self.patience)
            guard let globals = try connection.globals(until: deadline, or: end.descriptor) else { return end.hasCome }
            guard ask(globals, connection) else { return true }
            while true {
                while let message = try connection.nextReceived() { take(message) }
                guard try connection.fill(until: nil, or: end.descriptor) else { return true }
            }
        } catch {
            return true
        }
    }

    /// Asks for the events of each seat. False where the compositor does not read. One without the protocol has no events.
    private func ask(_ globals: [WaylandGlobal], _ connection: borrowing WaylandConnection) -> Bool {
        guard let found = IdleProtocol.offered(by: globals) else { return true }
        var requests: [UInt8] = []
        var next = WaylandConnection.firstFreeObject
        func bind(_ global: WaylandGlobal, version: UInt32) -> UInt32 {
            defer { next += 1 }
            requests += WaylandRequest.bind(
                registry: WaylandConnection.registry, global, version: version, as: next)
            return next
        }
        let notifier = bind(found.global, version: found.kind.version)
        let milliseconds = UInt32(clamping: pause.milliseconds)
        var all: Set<UInt32> = []
        for seat in globals where seat.interface == "wl_seat" {
            let seat = bind(seat, version: 1)
            let request =
                switch found.kind {
                // get_input_idle_notification counts input alone; get_idle_notification no pause in which a film plays.
                case .notifier:
                    WaylandRequest.bytes(notifier, found.global.version >= 2 ? 2 : 1, next, milliseconds, seat)
                // get_idle_timeout
                case .kde: WaylandRequest.bytes(notifier, 0, next, seat, milliseconds)
                }
            requests += request
            all.insert(next)
            next += 1
        }
        guard !all.isEmpty else { return true }
        state.withLock { state in
            state = State()
            (state.begin, state.all) = (MonotonicClock.now, all)
        }
        return WaylandConnection.send(requests, to: connection.descriptor)
    }

    private func take(_ message: WaylandMessage) {
        state.withLock { state in
            guard state.all.contains(message.object) else { return }
            switch message.opcode {
            case 0: state.idle.insert(message.object)
            case 1: state.idle.remove(message.object)
            default: return
            }
            state.isSure = true
            state.since = state.idle == state.all ? state.since ?? MonotonicClock.now : nil
        }
    }
}

private enum IdleProtocol: CaseIterable {
    case notifier, kde

    var interface: String {
        switch self {
        case .notifier: "ext_idle_notifier_v1"
        case .kde: "org_kde_kwin_idle"
        }
    }

    var version: UInt32 {
        switch self {
        case .notifier: 2
        case .kde: 1
        }
    }

    static func offered(by globals: [WaylandGlobal]) -> (kind: IdleProtocol, global: WaylandGlobal)? {
        allCases.lazy.compactMap { kind in
            globals.first { $0.interface == kind.interface }.map { (kind, $0) }
        }.first
    }
}
