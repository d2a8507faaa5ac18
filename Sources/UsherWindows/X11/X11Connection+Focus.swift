internal import CXcb
internal import UsherScene
internal import UsherSystem

/// Brings a window as far forward as is asked, and knows when it is there.
extension X11Connection {
    /// How it ended.
    enum FocusEnd {
        case shown
        /// What is seen instead.
        case hidden(String)
        case gone
    }

    /// Whatever a window manager does with the request, only what is seen counts: what may have brought the window there leads
    /// to a new look. nil where it is not there when the turn ends. `look` is one that was just taken, and the last one
    /// afterwards; the window is watched.
    mutating func bring(_ effort: inout X11Effort, _ look: inout X11Look, until turn: Deadline) -> FocusEnd? {
        let window = effort.window
        var hasAsked = false
        defer { if effort.facts == nil { effort.facts = facts(askFacts(of: window)) } }
        while true {
            guard look.isThere, effort.isOf(client: look.client) else { return .gone }
            // Without a window manager, no window can be brought forward.
            guard manager != nil else { return nil }
            // What covers it, where that is what matters.
            let above = effort.prominence == .raise ? cover(of: window, look) : nil
            switch effort.prominence {
            case .focus: if look.front == window, look.hasKeyboard { return .shown }
            case .raise: if look.view == .viewable, look.desktop == nil, above == nil { return .shown }
            case .urgent: if look.hasKeyboard || isMarked(window, look) { return .shown }
            case .none: return .shown
            }
            guard let wish = wish(look, effort), !isLost, !effort.deadline.isOver else {
                return .hidden(description(of: look, window, above))
            }
            if wish != effort.last || effort.nextWish.isOver {
                // Where the window manager does not switch desktops on request, it may still bring the window forward.
                if wish == effort.last, case .desktop = wish {
                    effort.isDesktopUnheeded = true
                    continue
                }
                if let time = look.time {
                    if wish == .attention, !knows(.stateAttention) {
                        setUrgencyHint(look.hints, of: window)
                    } else {
                        send(wish, about: window, time: time, instead: look.front)
                    }
                    effort.note(wish)
                    hasAsked = true
                }
            }
            // A call that only checks whether an earlier request took effect ends its turn at once, so that no other
            // call waits.
            if !hasAsked || turn.isOver { return nil }
            if wait(for: &effort, since: look, until: turn) { return .shown }
            look = self.look(at: window, effort.prominence, isFirst: false)
        }
    }

    /// True as soon as the window is in front and has the keyboard: both are read after the event that another window
    /// is active. False when it is time to look at everything again.
    private mutating func wait(
        for effort: inout X11Effort, since look: X11Look, until deadline: Deadline
    ) -> Bool {
        let window = effort.window
        let limit = Deadline.earlier(.earlier(deadline, effort.deadline), effort.nextWish)
        guard effort.last == .front else {
            wait(until: limit)
            return false
        }
        // The server has time for this while the window manager is at work.
        let asked = askFacts(of: window)
        var isInFront = look.front == window
        if isInFront { watchWindow(window) }
        // Most events before the end say nothing about the result.
        wait(until: limit) { $0.front || $0.place || (isInFront && $0.keyboard) }
        let facts = facts(asked)
        effort.facts = facts
        while !news.place, !limit.isOver, !isLost {
            news = X11News()
            let (active, focused) = (ask(.activeWindow, of: root), askKeyboard())
            let wasInFront = isInFront
            isInFront = numbers(active).first == window
            let keyboard = keyboard(focused)
            if isInFront, lies(keyboard, in: window, children: facts.children) { return true }
            // The property of some comes first. Asked for from now on, the keyboard may have come already.
            if isInFront, !wasInFront {
                watchWindow(window)
                continue
            }
            wait(until: limit) { $0.front || $0.place || (isInFront && $0.keyboard) }
        }
        return false
    }

    /// What to ask for next; nil where nothing would help.
    private func wish(_ look: X11Look, _ effort: X11Effort) -> X11Wish? {
        switch effort.prominence {
        case .focus, .raise:
            if look.desktop != nil, effort.placement == .summon, let shown = look.shown { return .summon(shown) }
            if effort.prominence == .raise { return knows(.restack) ? .raise : nil }
            if let desktop = look.desktop, !effort.isDesktopUnheeded { return .desktop(desktop) }
            return .front
        case .urgent: return .attention
        case .none: return nil
        }
    }

    /// Whether the window manager says that it does this (EWMH 1.5, _NET_SUPPORTED).
    private func knows(_ ability: X11Atom) -> Bool { manager?.supported.contains(atom(ability)) ?? false }

    /// Whether it is marked as wanting attention: in the window manager's state, where the window manager publishes
    /// that.
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
