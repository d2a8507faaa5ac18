/// Whether notifications are needed: `when-seen`, `withdraw` and `replace` of `[notifications]`, in a manifest and in `usher.toml`.
///
/// A value that is nil is that of the more general rule, or the usual one.
public struct NoticeRule: Sendable, Hashable {
    /// What becomes of a notification whose content the user sees already.
    public enum WhenSeen: String, Sendable, CaseIterable { case skip, show }

    /// When a notification that is shown is taken away.
    public enum Withdrawal: String, Sendable, CaseIterable {
        /// The user comes to the window that it leads to.
        case onVisit = "on-visit"
        case never
    }

    /// Which older notification a new one replaces, beside that of its collapse id.
    public enum Replacement: String, Sendable, CaseIterable {
        case none
        /// That of the same app and target.
        case target
    }

    public var whenSeen: WhenSeen?
    public var withdraw: Withdrawal?
    public var replace: Replacement?

    public init() {}

    /// What this rule says, and for the rest a more general one.
    public func over(_ general: NoticeRule) -> NoticeRule {
        var rule = self
        rule.whenSeen = whenSeen ?? general.whenSeen
        rule.withdraw = withdraw ?? general.withdraw
        rule.replace = replace ?? general.replace
        return rule
    }

    public var skipsSeen: Bool { whenSeen != .show }
    public var withdrawsOnVisit: Bool { withdraw != .never }
    public var replacesTarget: Bool { replace == .target }
}
