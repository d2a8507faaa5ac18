internal import CXcb
internal import Synchronization
internal import UsherScene
internal import UsherSystem

/// One window as it is observed at one snapshot.
struct X11Observation {
    var isThere: Bool
    var view: X11Window.View
    /// The active window.
    var front: UInt32
    /// Whether it is this one, and the keyboard goes into it.
    var hasKeyboard: Bool
    /// The desktop that the window is on, where that is not the one shown.
    var desktop: UInt32?
    /// The desktop that is shown.
    var shown: UInt32?
    var wantsAttention: Bool
    /// WM_HINTS.
    var hints: [UInt32]
    var life: String?
    /// The process that made the window.
    var client: Int32?
    /// The server's time.
    var time: UInt32?

    var hasUrgencyHint: Bool { (hints.first ?? 0) & X11Connection.urgencyFlag != 0 }
}

extension X11Connection {
    /// Numbers from here on are no desktops, but say all or none.
    private static let noDesktop: UInt32 = 0xFFFF_FFF0

    /// What has to be known before a window manager is asked for this, and not more: the server writes each answer by itself.
    /// In one round trip, and a few more where the keyboard is in a part of the window. `isFirst`: nothing was asked for yet.
    mutating func look(at window: UInt32, _ prominence: FocusPolicy.Prominence, isFirst: Bool) -> X11Observation {
        // Changes reported from here on may be missing in the answers.
        eventSummary = X11EventSummary()
        let manager = self.manager
        askTime()
        // Whether it heeds the request says more about a window manager than its own word, which is for the others.
        let isKnown = manager != nil && prominence == .focus && isFirst
        let check = isKnown ? nil : ask(.supportingCheck, of: root)
        let proof = isKnown ? nil : manager.map { ask(.supportingCheck, of: $0.window) }
        // A connection lasts no longer than a life.
        let mark = knownLife == nil ? ask(.life, of: root) : nil
        let (active, shown) = (ask(.activeWindow, of: root), ask(.currentDesktop, of: root))
        let (attributes, desktop) = (askAttributes(of: window), ask(.desktopOfWindow, of: window))
        let states = prominence == .urgent ? ask(.states, of: window) : nil
        let hints = prominence == .urgent ? ask(XCB_ATOM_WM_HINTS.rawValue, of: window) : nil
        let focused = askKeyboard()
        let maker = askProcess(of: window)

        if let check { recordManager(check, proof) }
        let life = mark.map { self.life($0) } ?? knownLife
        let (front, current) = (numbers(active).first ?? 0, numbers(shown).first)
        let (view, wanted) = (view(attributes), numbers(desktop).first)
        let marks = states.map { numbers($0) } ?? []
        let allHints = hints.map { numbers($0) } ?? []
        let keyboard = keyboard(focused)
        let client = process(maker)
        takeEvents()
        let isThere = view.map { isMeant($0, wanted, window) } ?? false
        let isElsewhere = wanted != nil && current != nil && wanted != current && wanted ?? 0 < Self.noDesktop
        return X11Observation(
            isThere: isThere, view: view ?? .unmapped, front: front,
            hasKeyboard: front == window && lies(keyboard, in: window), desktop: isElsewhere ? wanted : nil,
            shown: current, wantsAttention: marks.contains(atom(.stateAttention)), hints: allHints, life: life,
            client: client, time: eventSummary.stamp)
    }

    /// Whether there is such a window, and its program means it to be seen.
    mutating func isThere(_ window: UInt32) -> Bool {
        let (attributes, desktop) = (askAttributes(of: window), ask(.desktopOfWindow, of: window))
        let (view, wanted) = (view(attributes), numbers(desktop).first)
        return view.map { isMeant($0, wanted, window) } ?? false
    }

    /// Whether a window is a dialog of another one (ICCCM 4.1.2.6, WM_TRANSIENT_FOR), or of a dialog of it.
    mutating func belongs(_ window: UInt32, to owner: UInt32) -> Bool {
        var current = window
        // A client may name windows in a circle.
        for _ in 0..<8 {
            guard let next = numbers(ask(XCB_ATOM_WM_TRANSIENT_FOR.rawValue, of: current)).first, next != 0 else {
                return false
            }
            if next == owner { return true }
            current = next
        }
        return false
    }

    /// One that is minimised or on another desktop is not mapped either, but has a desktop or, where window managers know of
    /// none, a state (ICCCM 4.1.3.1): they take both from a window that is withdrawn (EWMH 1.5, _NET_WM_DESKTOP).
    private mutating func isMeant(_ view: X11Window.View, _ desktop: UInt32?, _ window: UInt32) -> Bool {
        view != .unmapped || desktop != nil || (numbers(ask(.state, of: window)).first ?? 0) != 0
    }
}

/// An attempt to bring one window forward.
struct X11FocusAttempt {
    let window: UInt32
    let prominence: FocusPolicy.Prominence
    let placement: FocusPolicy.Placement
    /// When it is given up.
    let deadline: Deadline
    var last: X11ClientMessage?
    private var interval = Self.requestInterval
    var isDesktopIgnored = false
    /// The process that made the window, as it was first seen.
    private let client: Int32?
    /// What is known of the window besides.
    var facts: X11Facts?
    /// When the same is asked for again.
    private(set) var nextRequest = Deadline(inMilliseconds: 0)

    /// In milliseconds. A request that the window manager ignores is sent again with a new time, each time after a longer
    /// interval, so that a window manager that draws hundreds of windows is not slowed down further.
    private static let requestInterval = 80
    /// In milliseconds. Some window managers lose a request that follows a change of desktop at once.
    private static let desktopInterval = 250

    init(
        _ window: UInt32, of client: Int32?, _ prominence: FocusPolicy.Prominence, _ placement: FocusPolicy.Placement,
        until deadline: Deadline
    ) {
        self.window = window
        self.client = client
        self.prominence = prominence
        self.placement = placement
        self.deadline = deadline
    }

    /// Whether this can still be the window: its number may have been given to another client's meanwhile.
    func isOf(client: Int32?) -> Bool { client == nil || self.client == nil || client == self.client }

    mutating func recordRequest(_ request: X11ClientMessage) {
        interval = request == last ? interval * 2 : Self.requestInterval
        last = request
        if case .desktop = request {
            nextRequest = Deadline(inMilliseconds: Self.desktopInterval)
        } else {
            nextRequest = Deadline(inMilliseconds: interval)
        }
    }
}

/// What the window manager shows at one snapshot.
struct X11DesktopSnapshot: Sendable {
    /// In the order in which they were opened.
    var clients: [UInt32] = []
    /// The active window; 0 for none.
    var front: UInt32 = 0
    /// Whether the keyboard goes into the active window.
    var hasKeyboard = false
    /// The desktop that is shown.
    var desktop: UInt32?
    var desktopNames: [String] = []
    /// i3 shows a workspace on each screen, of which only one is the current desktop.
    var hasManyScreens = false
    /// Which life of the server it is.
    var life: String?

    /// As its user named it, else counted from one.
    func name(ofDesktop desktop: UInt32) -> String {
        if let place = Int(exactly: desktop), desktopNames.indices.contains(place), !desktopNames[place].isEmpty {
            return desktopNames[place]
        }
        return "desktop \(UInt64(desktop) + 1)"
    }
}

/// A window manager that says what it does (EWMH 1.5, _NET_SUPPORTING_WM_CHECK).
struct X11Manager: Sendable {
    /// Its own window, which points to itself for as long as it runs.
    var window: UInt32
    var name: String
    var supported: Set<UInt32>
}

/// Keeps an idle connection until a call takes it.
final class X11ConnectionSlot: Sendable {
    private let connection: Mutex<X11Connection?>

    init(_ connection: consuming X11Connection) { self.connection = Mutex(connection) }

    /// nil from the second time on.
    func take() -> X11Connection? { connection.withLock { $0.take() } }
}
