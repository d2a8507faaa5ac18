/// What a request does at most while the user should not be disturbed: `quiet` of a manifest and of `usher.toml`.
///
/// It applies to requests that the user has not tapped. It never makes a request do more than it would without.
public struct QuietRule: Sendable, Hashable {
    /// Why the user should not be disturbed.
    public enum State: String, Sendable, CaseIterable {
        /// The notification server shows nothing for now.
        case doNotDisturb = "do-not-disturb"
        /// The window in front fills its screen.
        case fullscreen
        /// The session is locked.
        case locked
    }

    /// From most to least.
    public enum Act: String, Sendable, CaseIterable, Comparable {
        /// As without the rule.
        case focus
        /// The window comes to the front without the keyboard.
        case raise
        /// The window is marked as wanting attention.
        case urgent
        /// A notification is shown first.
        case notify
        /// Nothing.
        case none

        /// Whether it is less than another one.
        public static func < (one: Act, other: Act) -> Bool { one.rank > other.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// States without an act make no difference.
    public var acts: [State: Act]

    public init(_ acts: [State: Act] = [:]) { self.acts = acts }

    public var isEmpty: Bool { acts.isEmpty }

    /// The acts of this rule, and for other states those of a more general one.
    public func over(_ general: QuietRule) -> QuietRule {
        general.isEmpty ? self : QuietRule(acts.merging(general.acts) { own, _ in own })
    }

    /// The least of the acts for the states that hold; nil where none holds.
    ///
    /// - Parameter holds: asked only about states that have an act, and about no further one after `none`.
    public func act(where holds: (State) -> Bool) -> Act? {
        var least: Act?
        for state in State.allCases {
            guard let act = acts[state], least != Act.none, least.map({ act < $0 }) ?? true, holds(state) else {
                continue
            }
            least = act
        }
        return least
    }
}

extension FocusPolicy.Prominence: Comparable {
    /// Whether it is less than another one.
    public static func < (one: Self, other: Self) -> Bool { one.rank > other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension QuietRule.Act {
    /// How far a window may come forward.
    public var prominence: FocusPolicy.Prominence {
        switch self {
        case .focus: .focus
        case .raise: .raise
        case .urgent: .urgent
        case .notify, .none: .none
        }
    }

    /// What an action becomes. A web page cannot be opened without coming to the front, so it is only notified of.
    public func limit(_ action: Action) -> Action {
        switch (action, self) {
        case (.none, _), (.background, _): action
        case (_, .none): .none
        case (.notify, _): .notify
        case (_, .notify), (.openWeb, .urgent): .notify
        default: action
        }
    }
}
