internal import Synchronization
internal import UsherConfiguration
internal import UsherLog

/// Logs decisions, as far as `[log] decisions` of the configuration in use says.
final class DecisionLog: Sendable {
    private let logger: Logger
    private let logged: Mutex<Settings.LoggedDecisions?>

    init(_ logger: Logger, _ settings: Settings) {
        self.logger = logger
        logged = Mutex(settings.loggedDecisions)
    }

    func replace(with settings: Settings) { logged.withLock { $0 = settings.loggedDecisions } }

    func log(_ record: DecisionRecord) {
        switch logged.withLock({ $0 }) ?? .all {
        case .all: logger.log(record)
        case .failures: if record.error != nil { logger.log(record) }
        case .none: break
        }
    }
}
