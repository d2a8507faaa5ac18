/// How an app's notifications are delivered, by how urgently they ask for attention.
///
/// It is about pushes alone: a shortcut, a link or an activity was chosen by a person already.
public struct DeliveryRule: Sendable, Hashable {
    public enum Delivery: String, Sendable, CaseIterable {
        /// The payload stands for a tapped notification: its window comes forward at once.
        case tapped = "focus"
        /// The notification is shown first; the click is a delivery of its own.
        case notify
        case none
    }

    /// Apple: UNNotificationInterruptionLevel. Absent from a payload means active.
    public enum Level: String, Sendable, CaseIterable {
        case passive, active
        case timeSensitive = "time-sensitive"
        case critical
    }

    public var fallback: Delivery
    /// What differs from `fallback`.
    public var levels: ShortMap<Level, Delivery>

    public init(_ fallback: Delivery, levels: ShortMap<Level, Delivery> = ShortMap()) {
        self.fallback = fallback
        self.levels = levels
    }

    public static let tapped = DeliveryRule(.tapped)
    public static let notify = DeliveryRule(.notify)

    /// If the rule distinguishes levels, a passive notification does not interrupt the user, unless its own level says
    /// so.
    public func delivery(of level: Level) -> Delivery {
        if let own = levels[level] { return own }
        return level == .passive && !levels.isEmpty && fallback == .tapped ? .notify : fallback
    }
}

/// How often a command that failed is tried again, and after how long.
public struct RetryPolicy: Sendable, Hashable {
    /// Tries in all, the first included.
    public var attempts: Int
    /// Before the second try, in milliseconds; twice as long before each further one.
    public var first: Int
    /// The longest wait, in milliseconds.
    public var limit: Int

    public static let maximumAttempts = 100
    public static let defaultFirst = 1000
    public static let defaultLimit = 60_000

    public init(attempts: Int, first: Int = defaultFirst, limit: Int = defaultLimit) {
        self.attempts = attempts
        self.first = first
        self.limit = limit
    }
}
