/// How often a command that failed is tried again, and after how long.
public struct RetryPolicy: Sendable, Hashable {
    /// Tries in all, the first included.
    public var attempts: Int
    /// Before the second try, in milliseconds; twice as long before each further one.
    public var first: Int
    /// The longest wait, in milliseconds.
    public var limit: Int

    public static let defaultFirst = 1000
    public static let defaultLimit = 60_000

    public init(attempts: Int, first: Int = defaultFirst, limit: Int = defaultLimit) {
        self.attempts = attempts
        self.first = first
        self.limit = limit
    }
}
