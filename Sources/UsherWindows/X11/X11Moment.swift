internal import UsherActivation

/// What the window manager shows at one moment.
struct X11Moment: Sendable {
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
