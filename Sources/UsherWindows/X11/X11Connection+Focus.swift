internal import CXcb
internal import UsherActivation
internal import UsherScene

/// Brings a window as far forward as is asked, and knows when it is there.
extension X11Connection {
    /// How it ended.
    enum FocusEnd {
        case shown
        /// What is seen instead.
        case hidden(String)
        case gone
    }

    /// A request is a wish: unheeded it is said again, with a new time, and each time less soon. A window manager that is slow
    /// because it draws hundreds of windows gets no slower by it.
    private static let wishPatience = 80
    /// Some window managers lose what is asked for in the same breath as another desktop.
    private static let desktopPatience = 250

    /// Whatever a window manager does with the request, only what is seen counts. Each event leads to a new look.
    mutating func bring(
        _ window: UInt32, _ prominence: FocusPolicy.Prominence, _ placement: FocusPolicy.Placement,
        until deadline: Deadline
    ) -> FocusEnd {
        watch(window)
        defer { stopWatching(window) }
        var nextWish = Deadline(inMilliseconds: 0)
        var last: X11Wish?
        var patience = Self.wishPatience
        var isDesktopUnheeded = false
        while true {
            let look = look(at: window)
            guard look.isThere else { return .gone }
            // What covers it, where that is what matters.
            let above = prominence == .raise ? cover(of: window, look) : nil
            switch prominence {
            case .focus: if look.front == window, look.hasKeyboard { return .shown }
            case .raise: if look.view == .viewable, look.desktop == nil, above == nil { return .shown }
            case .urgent: if look.hasKeyboard || isMarked(window, look) { return .shown }
            case .none: return .shown
            }
            let wish = wish(look, prominence, placement, isDesktopUnheeded: isDesktopUnheeded)
            guard let wish, !isLost, !deadline.isOver else { return .hidden(description(of: look, window, above)) }
            if wish != last || nextWish.isOver {
                // Where nobody goes to another desktop by being asked, the window may still be brought forward.
                if wish == last, case .desktop = wish {
                    isDesktopUnheeded = true
                    continue
                }
                guard let time = look.time else { continue }
                if wish == .attention, !knows(.stateAttention) {
                    setUrgencyHint(look.hints, of: window)
                } else {
                    send(wish, about: window, time: time, instead: look.front)
                }
                patience = wish == last ? patience * 2 : Self.wishPatience
                last = wish
                if case .desktop = wish {
                    nextWish = Deadline(inMilliseconds: Self.desktopPatience)
                } else {
                    nextWish = Deadline(inMilliseconds: patience)
                }
            }
            wait(until: .earlier(deadline, nextWish))
        }
    }

    /// What to ask for next; nil where nothing would help.
    private func wish(
        _ look: X11Look, _ prominence: FocusPolicy.Prominence, _ placement: FocusPolicy.Placement,
        isDesktopUnheeded: Bool
    ) -> X11Wish? {
        switch prominence {
        case .focus, .raise:
            if look.desktop != nil, placement == .summon, let shown = look.shown { return .summon(shown) }
            if prominence == .raise { return knows(.restack) ? .raise : nil }
            if let desktop = look.desktop, !isDesktopUnheeded { return .desktop(desktop) }
            return .front
        case .urgent: return .attention
        case .none: return nil
        }
    }

    /// Whether the window manager says that it does this (EWMH 1.5, _NET_SUPPORTED).
    private func knows(_ ability: X11Atom) -> Bool { manager?.supported.contains(atom(ability)) ?? false }

    /// Whether it is marked as wanting attention: as the window manager sees it, where that tells.
    private mutating func isMarked(_ window: UInt32, _ look: X11Look) -> Bool {
        if look.wantsAttention { return true }
        guard knows(.stateAttention) else { return look.hasUrgencyHint }
        // i3 keeps it to itself.
        return manager?.name == "i3" && isUrgentInI3(window)
    }

    private mutating func description(of look: X11Look, _ window: UInt32, _ above: UInt32?) -> String {
        if look.hasKeyboard || look.front == window {
            return "the window is in front, but the keyboard goes elsewhere"
        }
        let seen = describe([above ?? look.front].filter { $0 != 0 }).first
        guard let seen else { return "no window is in front" }
        return "\(seen.text) is in front"
    }
}
