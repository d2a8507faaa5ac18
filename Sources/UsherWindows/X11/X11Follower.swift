internal import UsherActivation
internal import UsherSystem

/// Keeps up with the windows of a server, on a connection of its own.
///
/// It asks for the events of a window before it reads it, and looks at everything again after any burst of them: a lost or
/// early event cannot leave it wrong. What cannot change without an event of its window is read when that event came.
struct X11Follower: ~Copyable {
    /// In milliseconds: how long windows are kept that are no longer listed. A window manager that is restarted lists none
    /// for a moment, and then the same windows again.
    private static let holdTime = 2000
    /// In milliseconds, after which everything is read once more: the active window is reported before its input focus, and
    /// a desktop before its windows.
    private static let settleTime = 100

    private var connection: X11Connection
    private let server: @Sendable (String) -> String
    private var known: [UInt32: X11Window] = [:]
    /// In the order of the last list.
    private var order: [UInt32] = []
    /// Windows that are listed no longer, and until when they are held.
    private var missing: [UInt32: Deadline] = [:]
    private var settle: Deadline?

    init(_ connection: consuming X11Connection, server: @escaping @Sendable (String) -> String) {
        self.connection = connection
        self.server = server
        self.connection.watchDesktop()
    }

    var isLost: Bool { connection.isLost }

    /// Whether something was heard since the last look.
    var hasNews: Bool { connection.eventSummary.isAny }

    /// Whether that is more than titles.
    var hasUrgentNews: Bool { connection.eventSummary.isUrgent }

    /// The windows now; nil where the server is gone.
    mutating func look() -> WindowList? {
        connection.limit = Deadline(inMilliseconds: X11Connection.patience)
        let hadNews = connection.eventSummary.isUrgent
        var changed = connection.eventSummary.changed
        // The next window may have the same number: it is another one, with events of its own to be asked for.
        for window in connection.eventSummary.destroyed { (known[window], missing[window]) = (nil, nil) }
        connection.eventSummary = X11EventSummary()
        var snapshot = connection.desktopSnapshot()
        guard let life = snapshot.life, !connection.isLost else { return nil }
        let views = connection.views(of: snapshot.clients + missing.keys)

        hold(snapshot)
        let server = server(life)
        let new = snapshot.clients.filter { known[$0] == nil }
        for window in new { connection.watchWindow(window) }
        changed.formUnion(new)
        for window in connection.describe(order.filter { changed.contains($0) }) { known[window.id] = window }
        if connection.isLost { return nil }

        snapshot.front = X11Window.scene(of: snapshot.front) { known[$0] }
        var windows: [WindowList.Window] = []
        windows.reserveCapacity(order.count)
        for id in order {
            guard var window = known[id], !window.isHelper, X11Window.scene(of: id, among: { known[$0] }) == id else {
                continue
            }
            if missing[id] == nil {
                guard let view = views[id] else { continue }
                window.view = view
            }
            windows.append(window.listed(at: snapshot, life: server))
        }
        settle = hadNews ? Deadline(inMilliseconds: Self.settleTime) : nil
        return WindowList(server: server, windows: windows)
    }

    /// Comes back when there is something to look at again, at the deadline, or when the descriptor can be read.
    mutating func wait(until deadline: Deadline, or descriptor: Int32) {
        var next = deadline
        if let settle { next = .earlier(next, settle) }
        for end in missing.values { next = .earlier(next, end) }
        connection.wait(until: next, or: descriptor)
    }

    /// Waits for more than titles.
    mutating func waitForUrgentNews(until deadline: Deadline, or descriptor: Int32) {
        // What is known already must not end the wait.
        connection.eventSummary.isAny = false
        connection.wait(until: deadline, or: descriptor)
        connection.eventSummary.isAny = true
    }

    /// Whether a look is due though nothing was heard.
    var isDue: Bool { settle?.isOver ?? false || missing.values.contains { $0.isOver } }

    /// Forgets windows that are gone, and keeps those for a while that are on no list and still there.
    private mutating func hold(_ snapshot: X11DesktopSnapshot) {
        let listed = Set(snapshot.clients)
        for window in listed { missing[window] = nil }
        var held: [UInt32] = []
        for window in order where !listed.contains(window) && known[window] != nil {
            let end = missing[window] ?? Deadline(inMilliseconds: Self.holdTime)
            if !end.isOver, connection.isThere(window) {
                missing[window] = end
                held.append(window)
            } else {
                missing[window] = nil
                known[window] = nil
            }
        }
        order = held + snapshot.clients
    }
}

/// What an X server reported by events: every change that may require a new look.
struct X11EventSummary {
    /// What the user did with the pointer or the keyboard while this client had grabbed both.
    enum Gesture {
        /// A button, and the child of the root that the pointer was over.
        case press(button: UInt8, over: UInt32)
        case release
        case key(UInt8)
    }

    /// Something happened that a call may wait for.
    var isAny = false
    /// Not just titles and the like, which may change many times a second.
    var isUrgent = false
    /// Another window may be the active one (`_NET_ACTIVE_WINDOW`).
    var activeWindow = false
    /// Another window may have the input focus.
    var inputFocus = false
    /// A window, or its user, may be elsewhere: shown, minimised, on another desktop, closed.
    var place = false
    /// The windows with changed properties or a changed state.
    var changed: Set<UInt32> = []
    /// The windows that are gone; new ones may have their numbers already.
    var destroyed: Set<UInt32> = []
    var gestures: [Gesture] = []
    /// The server's time in milliseconds, from the last answer to `askTime`; nil before one.
    var stamp: UInt32?
}
