/// A kind of log entry: a constant message at one level, with a name and an id that never change.
///
/// A target declares its events in its `LogEvents.swift`. JSON lines have the name as `event`, journal entries as
/// `USHER_EVENT`; these also keep the id as `MESSAGE_ID`, so that `journalctl MESSAGE_ID=…` finds every entry of one kind
/// whatever its text (systemd.journal-fields(7)). Documentation/Operation.md has the table.
public struct LogEvent: Sendable {
    /// Words in lower case with hyphens between them; fixed like the id.
    public let name: StaticString
    public let level: LogLevel
    /// May be reworded: programs look at the name or the id.
    public let message: StaticString
    /// 128 bits as 32 hexadecimal digits, in lower case.
    public let id: StaticString

    public init(_ name: StaticString, _ level: LogLevel, _ message: StaticString, id: StaticString) {
        self.name = name
        self.level = level
        self.message = message
        self.id = id
    }

    /// The same event at another level.
    func at(_ level: LogLevel) -> LogEvent { LogEvent(name, level, message, id: id) }
}

extension LogEvent {
    /// At the level error if it has an error.
    static let decision = LogEvent(
        "decision", .notice, "a request was decided", id: "daab823fcb6d4d338d83bda35e3bdfad")
    static let journalMissing = LogEvent(
        "journal-missing", .warning, "there is no journal; the log goes to standard error",
        id: "337061d140f842f084cf310aac995556")
    static let requestsNotKept = LogEvent(
        "requests-not-kept", .warning, "requests to hooks cannot be written to the file that usher hook log shows",
        id: "f2a19fce11ae4aca81074405fbb8d0b4")
}
