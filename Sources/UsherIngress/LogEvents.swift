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
        "request-refused", .notice, "a request was refused",
        id: "27b1e2a8f84a494babf02def20ea2c8c")
    static let hookAccepted = LogEvent(
        "hook-accepted", .info, "a hook accepted a request", id: "20b11eef7bc54a358832a4327544c7c3")
    static let hookIgnored = LogEvent(
        "hook-ignored", .info, "a hook ignored a request", id: "786e5a000608418294e2d6fb74f696f6")
    static let hookAnswered = LogEvent(
        "hook-answered", .info, "a hook answered a request itself", id: "9369d48ff15a492ab99f34503694b762")
    static let hookRefused = LogEvent(
        "hook-refused", .notice, "a hook refused a request", id: "11191a04168348c299746dde07c08868")
    static let hookUnknown = LogEvent(
        "hook-unknown", .notice, "a request came to a path that is not served",
        id: "54f400bb22c148a0ab758a4e40a03d23")
}
