internal import UsherLog

extension LogEvent {
    static let scheduleFired = LogEvent(
        "schedule-fired", .info, "the time of a scheduled notification has come",
        id: "63e7c81115f643a89c1e515ccc6e25ac")
}
