public import UsherConfiguration
internal import UsherScene
public import UsherStore

extension Store.Retention {
    /// How much is kept, by `[limits]`, `[deliveries]` and `[suggestions]`.
    public init(_ settings: Settings) {
        self = .default
        sessionsPerApp = settings.disconnectedSessions
        sessionDays = settings.disconnectedDays
        deliveries = settings.deliveries.keepCount
        deliveryDays = settings.deliveries.keepDays
        megabytes = settings.deliveries.keepMegabytes
        historyDays = settings.suggestions.keepDays
    }
}
