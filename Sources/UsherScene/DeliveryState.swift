/// The life of one request in the journal, from arrival to outcome.
public enum DeliveryState: String, Sendable, CaseIterable {
    /// Journalled, not yet decided.
    case accepted
    /// Decided and claimed; its effect has not begun.
    case resolved
    /// Its effect has begun: an attempt and a launch nonce are in the journal.
    case acting
    case done, failed, expired, collapsed, duplicate

    public var isTerminal: Bool {
        switch self {
        case .accepted, .resolved, .acting: false
        case .done, .failed, .expired, .collapsed, .duplicate: true
        }
    }
}

/// What an activation does.
public enum Action: String, Sendable, CaseIterable {
    case focus, launch
    case openWeb = "open-web"
    case notify, background, none
}

/// What became of it.
public enum Outcome: String, Sendable, CaseIterable {
    /// The effect was read back.
    case verified
    /// Accepted; cannot be read back here.
    case done
    case unverified, failed
    /// A dry run, or nothing to do.
    case skipped
}

/// Why a request that has a window was not carried out as a tap.
public enum Policy: String, Sendable, CaseIterable {
    case background, passive, typing, rate, quiet, seen
}
