internal import CXcb
internal import UsherActivation

/// Brings a window forward, and knows when it is there.
extension X11Connection {
    /// How it ended.
    enum FocusEnd {
        case shown
        /// What is seen instead.
        case hidden(String)
        case gone
    }

    /// What a moment looks like, for one window.
    private struct Look {
        var isThere: Bool
        var front: UInt32
        var hasKeyboard: Bool
        /// The desktop that must be shown first.
        var desktop: UInt32?
    }

    /// A request is a wish: unheeded it is said again, with a new time.
    private static let patience = 80
    /// Some window managers lose what is asked for in the same breath as another desktop.
    private static let desktopPatience = 250

    /// Whatever a window manager does with the request, only what is seen counts: the window is the active one, and the
    /// keyboard goes into it. Each event leads to a new look; the request brings a minimised window back as well.
    mutating func focus(_ window: UInt32, until deadline: Deadline) -> FocusEnd {
        watch(window)
        defer { stopWatching() }
        var nextWish = Deadline(inMilliseconds: 0)
        var askedDesktop: UInt32?
        while true {
            let look = look(at: window)
            guard look.isThere else { return .gone }
            if look.front == window, look.hasKeyboard { return .shown }
            if isLost || deadline.isOver { return .hidden(description(of: look, window)) }
            let isElsewhere = look.desktop != nil && look.desktop != askedDesktop
            if isElsewhere || nextWish.isOver || (askedDesktop != nil && look.desktop == nil) {
                guard let time = serverTime(until: deadline) else { continue }
                if isElsewhere, let desktop = look.desktop {
                    askForDesktop(desktop, time: time)
                    askedDesktop = desktop
                    nextWish = Deadline(inMilliseconds: Self.desktopPatience)
                } else {
                    askForFront(window, time: time, instead: look.front)
                    if look.desktop == nil { askedDesktop = nil }
                    nextWish = Deadline(inMilliseconds: Self.patience)
                }
            }
            wait(until: .earlier(deadline, nextWish))
        }
    }

    /// In one round trip, and a few more where the keyboard is in a part of the window.
    private func look(at window: UInt32) -> Look {
        let attributes = askAttributes(of: window)
        let state = ask(.state, of: window)
        let desktop = ask(.desktopOfWindow, of: window)
        let current = ask(.currentDesktop, of: root)
        let active = ask(.activeWindow, of: root)
        let focused = askKeyboard()
        let (wanted, shown) = (numbers(desktop).first, numbers(current).first)
        let isThere = isThere(attributes, state, isManaged: wanted != nil)
        let front = numbers(active).first ?? 0
        let keyboard = keyboard(focused)
        let isElsewhere = wanted != nil && shown != nil && wanted != shown && wanted != 0xFFFF_FFFF
        return Look(
            isThere: isThere, front: front, hasKeyboard: front == window && lies(keyboard, in: window),
            desktop: isElsewhere ? wanted : nil)
    }

    /// Whether there is such a window, and its program means it to be seen. One that is minimised or on another desktop is
    /// not mapped either, but has a state (ICCCM 4.1.3.1) or, where it was never shown, a desktop: window managers take
    /// that from a window that is withdrawn (EWMH 1.5, _NET_WM_DESKTOP).
    func isThere(
        _ attributes: xcb_get_window_attributes_cookie_t, _ state: xcb_get_property_cookie_t, isManaged: Bool
    ) -> Bool {
        let isMapped = isMapped(attributes)
        let hasState = (numbers(state).first ?? 0) != 0
        return isMapped.map { $0 || hasState || isManaged } ?? false
    }

    private func description(of look: Look, _ window: UInt32) -> String {
        if look.front == window { return "the window is in front, but the keyboard goes elsewhere" }
        guard look.front != 0, let front = describe([look.front]).first else { return "no window is in front" }
        return "\(front.text) is in front"
    }
}
