internal import CXcb
internal import Glibc
internal import UsherActivation
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
    mutating func bring(_ attempt: inout X11FocusAttempt, _ look: inout X11Observation, until turn: Deadline)
        -> FocusEnd?
    {
        let window = attempt.window
        var hasAsked = false
        defer { if attempt.facts == nil { attempt.facts = facts(askFacts(of: window)) } }
        while true {
            guard look.isThere, attempt.isOf(client: look.client) else { return .gone }
            // Without a window manager, no window can be brought forward.
            guard manager != nil else { return nil }
            // What covers it, where that is what matters.
            let above = attempt.prominence == .raise ? cover(of: window, look) : nil
            switch attempt.prominence {
            case .focus: if look.front == window, look.hasKeyboard { return .shown }
            case .raise: if look.view == .viewable, look.desktop == nil, above == nil { return .shown }
            case .urgent: if look.hasKeyboard || isMarked(window, look) { return .shown }
            case .none: return .shown
            }
            guard let message = nextMessage(look, attempt), !isLost, !attempt.deadline.isOver else {
                return .hidden(description(of: look, window, above))
            }
            if message != attempt.last || attempt.nextRequest.isOver {
                // Where the window manager does not switch desktops on request, it may still bring the window forward.
                if message == attempt.last, case .desktop = message {
                    attempt.isDesktopIgnored = true
                    continue
                }
                if let time = look.time {
                    if message == .attention, !knows(.stateAttention) {
                        setUrgencyHint(look.hints, of: window)
                    } else {
                        send(message, about: window, time: time, instead: look.front)
                    }
                    attempt.recordRequest(message)
                    hasAsked = true
                }
            }
            // A call that only checks whether an earlier request took effect ends its turn at once, so that no other
            // call waits.
            if !hasAsked || turn.isOver { return nil }
            if wait(for: &attempt, since: look, until: turn) { return .shown }
            look = self.look(at: window, attempt.prominence, isFirst: false)
        }
    }

    /// True as soon as the window is in front and has the keyboard: both are read after the event that another window
    /// is active. False when it is time to look at everything again.
    private mutating func wait(
        for attempt: inout X11FocusAttempt, since look: X11Observation, until deadline: Deadline
    ) -> Bool {
        let window = attempt.window
        let limit = Deadline.earlier(.earlier(deadline, attempt.deadline), attempt.nextRequest)
        guard attempt.last == .front else {
            wait(until: limit)
            return false
        }
        // The server has time for this while the window manager is at work.
        let asked = askFacts(of: window)
        var isInFront = look.front == window
        if isInFront { watchWindow(window) }
        // Most events before the end say nothing about the result.
        wait(until: limit) { $0.activeWindow || $0.place || (isInFront && $0.inputFocus) }
        let facts = facts(asked)
        attempt.facts = facts
        while !eventSummary.place, !limit.isOver, !isLost {
            eventSummary = X11EventSummary()
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
            wait(until: limit) { $0.activeWindow || $0.place || (isInFront && $0.inputFocus) }
        }
        return false
    }

    /// What to ask for next; nil where nothing would help.
    private func nextMessage(_ look: X11Observation, _ attempt: X11FocusAttempt) -> X11ClientMessage? {
        switch attempt.prominence {
        case .focus, .raise:
            if look.desktop != nil, attempt.placement == .summon, let shown = look.shown { return .summon(shown) }
            if attempt.prominence == .raise { return knows(.restack) ? .raise : nil }
            if let desktop = look.desktop, !attempt.isDesktopIgnored { return .desktop(desktop) }
            return .front
        case .urgent: return .attention
        case .none: return nil
        }
    }

    /// Whether the window manager says that it does this (EWMH 1.5, _NET_SUPPORTED).
    func knows(_ ability: X11Atom) -> Bool { manager?.supported.contains(atom(ability)) ?? false }

    /// Whether it is marked as wanting attention: in the window manager's state, where the window manager publishes
    /// that.
    private mutating func isMarked(_ window: UInt32, _ look: X11Observation) -> Bool {
        if look.wantsAttention { return true }
        guard knows(.stateAttention) else { return look.hasUrgencyHint }
        return manager?.name == "i3" && isUrgentInI3(window)
    }

    /// i3 publishes it in no window property, and only on its own socket.
    private mutating func isUrgentInI3(_ window: UInt32) -> Bool {
        guard let path = text(ask(.i3Socket, of: root, atMost: Self.longestText)),
            var i3 = try? I3Connection(path: path, patience: 500), let tree = try? i3.tree()
        else { return false }
        return tree.nodes.first { $0.xWindow == Int64(window) }?.isUrgent ?? false
    }

    private mutating func description(of look: X11Observation, _ window: UInt32, _ above: UInt32?) -> String {
        if look.hasKeyboard || look.front == window {
            return "the window is in front, but the keyboard goes elsewhere"
        }
        let seen = describe([above ?? look.front].filter { $0 != 0 }).first
        guard let seen else { return "no window is in front" }
        return "\(seen.text) is in front"
    }
}

// MARK: - Raise

/// What lies over a window.
extension X11Connection {
    /// The first window that is above this one and covers a part of it; nil where it is seen whole. Docks and the like stay
    /// above everything.
    mutating func cover(of window: UInt32, _ look: X11Observation) -> UInt32? {
        guard look.view == .viewable, look.desktop == nil else { return nil }
        let order = numbers(ask(.stackingList, of: root))
        guard let place = order.lastIndex(of: window) else { return nil }
        let above = describe(Array(order[(place + 1)...])).filter {
            !$0.isHelper && $0.view == .viewable && !$0.isHidden
        }
        let all = [window] + above.map(\.id)
        let asked = all.map { askPlace(of: $0) }
        let places = zip(all, asked).map { (window: $0.0, place: self.place($0.1.size, $0.1.corner, hasBorder: false)) }
        guard let own = places.first?.place else { return nil }
        return places.dropFirst().last { $0.place?.overlaps(own) ?? false }?.window
    }
}
