internal import CXcb
internal import UsherActivation

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
    var title: String?
    var process: Int32?
    var life: String?
    /// The server's time.
    var time: UInt32?

    var hasUrgencyHint: Bool { (hints.first ?? 0) & X11Connection.urgencyFlag != 0 }
}

extension X11Connection {
    /// Numbers from here on are no desktops, but say all or none.
    private static let noDesktop: UInt32 = 0xFFFF_FFF0

    /// All that bringing a window forward asks, and what is told of it afterwards. In one round trip, and a few more where the
    /// keyboard is deep within the window.
    mutating func look(at window: UInt32) -> X11Look {
        // What is told from here on may be missing in the answers.
        news = X11News()
        let manager = self.manager
        askTime()
        let check = ask(.supportingCheck, of: root)
        let proof = manager.map { ask(.supportingCheck, of: $0.window) }
        let (mark, active, shown) = (ask(.life, of: root), ask(.activeWindow, of: root), ask(.currentDesktop, of: root))
        let attributes = askAttributes(of: window)
        let (state, states, desktop) = (
            ask(.state, of: window), ask(.states, of: window), ask(.desktopOfWindow, of: window)
        )
        let hints = ask(XCB_ATOM_WM_HINTS.rawValue, of: window)
        let (name, oldName) = (
            ask(.name, of: window, atMost: Self.longestText),
            ask(XCB_ATOM_WM_NAME.rawValue, of: window, atMost: Self.longestText)
        )
        let (process, tree, focused) = (askProcess(of: window), askTree(of: window), askKeyboard())

        take(check, proof)
        let life = life(mark)
        let (front, current) = (numbers(active).first ?? 0, numbers(shown).first)
        let view = view(attributes)
        let (hasState, marks, wanted) = ((numbers(state).first ?? 0) != 0, numbers(states), numbers(desktop).first)
        let allHints = numbers(hints)
        let (title, oldTitle) = (text(name), text(oldName))
        let (client, children) = (self.process(process), self.tree(tree)?.children ?? [])
        let keyboard = keyboard(focused)
        takeEvents()
        let isThere = view.map { $0 != .unmapped || hasState || wanted != nil } ?? false
        let isElsewhere = wanted != nil && current != nil && wanted != current && wanted ?? 0 < Self.noDesktop
        return X11Look(
            isThere: isThere, view: view ?? .unmapped, front: front,
            hasKeyboard: front == window && lies(keyboard, in: window, children: children),
            desktop: isElsewhere ? wanted : nil, shown: current, wantsAttention: marks.contains(atom(.stateAttention)),
            hints: allHints, title: title ?? oldTitle, process: client, life: life, time: news.stamp)
    }

    /// Whether there is such a window, and its program means it to be seen. One that is minimised or on another desktop is
    /// not mapped either, but has a state (ICCCM 4.1.3.1) or, where it was never shown, a desktop: window managers take
    /// that from a window that is withdrawn (EWMH 1.5, _NET_WM_DESKTOP).
    mutating func isThere(_ window: UInt32) -> Bool {
        let attributes = askAttributes(of: window)
        let (state, desktop) = (ask(.state, of: window), ask(.desktopOfWindow, of: window))
        let view = view(attributes)
        let (hasState, isManaged) = ((numbers(state).first ?? 0) != 0, !numbers(desktop).isEmpty)
        return view.map { $0 != .unmapped || hasState || isManaged } ?? false
    }
}
