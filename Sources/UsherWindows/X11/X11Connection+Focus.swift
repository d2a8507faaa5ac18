internal import CXcb
internal import UsherActivation
internal import UsherScene

/// A window on its way forward.
struct X11Effort {
    let window: UInt32
    let prominence: FocusPolicy.Prominence
    let placement: FocusPolicy.Placement
    /// When it is given up.
    let deadline: Deadline
    fileprivate var last: X11Wish?
    fileprivate var patience = Self.wishPatience
    fileprivate var isDesktopUnheeded = false
    /// When the same is asked for again.
    fileprivate(set) var nextWish = Deadline(inMilliseconds: 0)

    /// A request is a wish: unheeded it is said again, with a new time, and each time less soon. A window manager that is slow
    /// because it draws hundreds of windows gets no slower by it.
    private static let wishPatience = 80
    /// Some window managers lose what is asked for in the same breath as another desktop.
    private static let desktopPatience = 250

    init(
        _ window: UInt32, _ prominence: FocusPolicy.Prominence, _ placement: FocusPolicy.Placement,
        until deadline: Deadline
    ) {
        self.window = window
        self.prominence = prominence
        self.placement = placement
        self.deadline = deadline
    }

    fileprivate mutating func note(_ wish: X11Wish) {
        patience = wish == last ? patience * 2 : Self.wishPatience
        last = wish
        if case .desktop = wish {
            nextWish = Deadline(inMilliseconds: Self.desktopPatience)
        } else {
            nextWish = Deadline(inMilliseconds: patience)
        }
    }
}

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
        while true {
            guard look.isThere else { return .gone }
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
                // Where nobody goes to another desktop by being asked, the window may still be brought forward.
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
            // Who only looks whether an earlier wish was heeded keeps nobody waiting.
            if !hasAsked || turn.isOver { return nil }
            wait(for: effort, since: look, until: turn)
            look = self.look(at: window)
        }
    }

    /// Comes back when the window may have come forward, at the deadline, or when it is time to ask again.
    private mutating func wait(for effort: X11Effort, since look: X11Look, until deadline: Deadline) {
        let limit = Deadline.earlier(.earlier(deadline, effort.deadline), effort.nextWish)
        guard effort.last == .front else { return wait(until: limit) }
        // Of what happens on its way most says nothing yet: the window in front is told of when all is done.
        let isInFront = look.front == effort.window
        wait(until: limit) { $0.front || $0.place || (isInFront && $0.keyboard) }
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
