/// A kind of log entry: what a constant message stands for, under an id that never changes.
///
/// The journal keeps the id as `MESSAGE_ID`, so that `journalctl MESSAGE_ID=…` finds every entry of one kind whatever its
/// text (systemd.journal-fields(7)). Documentation/Operation.md has the table.
public struct LogEvent: Sendable, Hashable {
    /// For people and for `USHER_EVENT`; fixed like the id.
    public var name: String
    public var level: LogLevel
    /// The logger's constant message.
    public var message: String
    /// 128 bits as 32 hexadecimal digits, in lower case.
    public var id: String

    init(_ name: String, _ level: LogLevel, _ message: String, _ id: String) {
        self.name = name
        self.level = level
        self.message = message
        self.id = id
    }

    /// The event that a message stands for.
    public static func named(byMessage message: String) -> LogEvent? { byMessage[message] }

    private static let byMessage = Dictionary(catalog.map { ($0.message, $0) }) { first, _ in first }
}
