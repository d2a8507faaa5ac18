internal import UsherLog

extension LogEvent {
    static let activityBecameCurrent = LogEvent(
        "activity-became-current", .info, "an activity became current",
        id: "38e8bcbde289476794198a4f52725fb4")
    static let userInfoNotFresh = LogEvent(
        "user-info-not-fresh", .warning, "an app did not supply current user info",
        id: "97078cc9ab63487d98b396abfc8f7737")
    static let pageNotKept = LogEvent(
        "page-not-kept", .warning, "the page in front of a browser could not become an activity",
        id: "a898286b78bf4f4b87aec4a2a46b5865")
    static let noteSuggested = LogEvent(
        "note-suggested", .info, "a note about this content was found",
        id: "86639fa3c7ac452481818c074d875bff")
}
