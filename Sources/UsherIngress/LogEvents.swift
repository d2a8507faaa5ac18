internal import UsherLog

extension LogEvent {
    static let secretsExposed = LogEvent(
        "secrets-exposed", .warning,
        "other users can read a file with secrets; make it readable for its owner only (chmod 600)",
        id: "863f013661014cbfa53e299afe59bdbe")
    static let secretsUnreadable = LogEvent(
        "secrets-unreadable", .error, "secrets cannot be read; requests that need them are refused",
        id: "f8cce565964e4a4ba7cab5ca317e4f58")
    static let requestRefused = LogEvent(
        "request-refused", .info, "a request was refused",
        id: "27b1e2a8f84a494babf02def20ea2c8c")
}
