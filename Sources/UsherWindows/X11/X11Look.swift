internal import CXcb
internal import UsherActivation
internal import UsherScene

/// What a moment looks like, for one window.
struct X11Look {
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
    mutating func look(at window: UInt32, _ prominence: FocusPolicy.Prominence, isFirst: Bool) -> X11Look {
        // Changes reported from here on may be missing in the answers.
        news = X11News()
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

        if let check { take(check, proof) }
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
        return X11Look(
            isThere: isThere, view: view ?? .unmapped, front: front,
            hasKeyboard: front == window && lies(keyboard, in: window), desktop: isElsewhere ? wanted : nil,
            shown: current, wantsAttention: marks.contains(atom(.stateAttention)), hints: allHints, life: life,
            client: client, time: news.stamp)
    }

    /// Whether there is such a window, and its program means it to be seen.
    mutating func isThere(_ window: UInt32) -> Bool {
        let (attributes, desktop) = (askAttributes(of: window), ask(.desktopOfWindow, of: window))
        let (view, wanted) = (view(attributes), numbers(desktop).first)
        return view.map { isMeant($0, wanted, window) } ?? false
    }

    /// One that is minimised or on another desktop is not mapped either, but has a desktop or, where window managers know of
    /// none, a state (ICCCM 4.1.3.1): they take both from a window that is withdrawn (EWMH 1.5, _NET_WM_DESKTOP).
    private mutating func isMeant(_ view: X11Window.View, _ desktop: UInt32?, _ window: UInt32) -> Bool {
        view != .unmapped || desktop != nil || (numbers(ask(.state, of: window)).first ?? 0) != 0
    }
}
