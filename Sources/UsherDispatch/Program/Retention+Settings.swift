public import UsherConfiguration
public import UsherStore

extension Store.Retention {
    /// How much is kept, by `[limits]` and `[deliveries]`.
    public init(_ settings: Settings) {
        self = .default
        sessionsPerApp = settings.disconnectedSessions
        sessionDays = settings.disconnectedDays
        deliveries = settings.deliveries.keepCount
        deliveryDays = settings.deliveries.keepDays
        megabytes = settings.deliveries.keepMegabytes
    }
}
