internal import UsherLog

extension LogEvent {
    static let suggestionNotMade = LogEvent(
        "suggestion-not-made", .warning, "what is suggested to an app could not be read",
        id: "c2b7d9a05e8f4b6f9d3e1a7c4f60b218")
    static let reminderFired = LogEvent(
        "reminder-fired", .info, "a reminder is due and is shown",
        id: "6f2b1f2f3cbb4b3e9a54c8d0e1a7b5c9")
}
