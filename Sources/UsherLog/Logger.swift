internal import Synchronization
internal import UsherJSON
internal import UsherSystem
public import UsherText

/// How much a log line matters.
public enum LogLevel: Int, Sendable, Comparable, CaseIterable {
    case debug, info, notice, warning, error

    public var name: String {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .notice: "notice"
        case .warning: "warning"
        case .error: "error"
        }
    }

    /// As syslog counts (RFC 5424, 6.2.1).
    var priority: Int {
        switch self {
        case .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        }
    }

    public init?(name: String) {
        guard let level = LogLevel.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    public static func < (one: LogLevel, other: LogLevel) -> Bool { one.rawValue < other.rawValue }
}

/// The form of log lines on standard error.
public enum LogFormat: String, Sendable, CaseIterable {
    /// One JSON object a line.
    case json
    /// For people.
    case text
    /// An entry of systemd's journal, in its native protocol; only for a `JournalSink`.
    case journal
}

/// A value of a log line's metadata.
public enum LogValue: Sendable {
    case text(String)
    case number(Int64)
    case boolean(Bool)
    case list([String])
    /// A member without a value: null in JSON, left out elsewhere.
    case null

    /// As text and the journal show it; nil where they leave it out.
    fileprivate var text: String? {
        switch self {
        case .text(let text): text
        case .number(let number): String(number)
        case .boolean(let flag): String(flag)
        case .list(let texts): texts.joined(separator: " ")
        case .null: nil
        }
    }
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    public init(stringLiteral value: String) { self = .text(value) }
    public init(integerLiteral value: Int64) { self = .number(value) }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

/// Structured log lines: an event with its constant message, and data under dotted keys.
public struct Logger: Sendable {
    public var level: LogLevel
    public var format: LogFormat
    public var style: TerminalStyle
    /// The program's name in the journal (`SYSLOG_IDENTIFIER`).
    public var identifier = "usher"
    private var sink: any LogSink

    public init(
        level: LogLevel = .notice, format: LogFormat = .json, style: TerminalStyle = .plain,
        sink: any LogSink = StandardErrorSink()
    ) {
        self.level = level
        self.format = format
        self.style = style
        self.sink = sink
    }

    /// Changes where entries go, and their form with it.
    public mutating func direct(to destination: LogDestination) {
        format = destination.format
        sink = destination.sink
        guard destination.lacksJournal else { return }
        log(.journalMissing, ["log.format": .text(format.rawValue)])
    }

    /// Writes one line; metadata that is nil is left out.
    ///
    /// - Parameter level: instead of the event's own.
    public func log(
        _ event: LogEvent, at level: LogLevel? = nil, _ metadata: KeyValuePairs<String, LogValue?> = [:]
    ) {
        let event = level.map { event.at($0) } ?? event
        guard event.level >= self.level else { return }
        switch format {
        case .json: sink.write(jsonLine(event, metadata))
        case .text: sink.write(Array((textLine(event, metadata) + "\n").utf8))
        case .journal: sink.write(journalEntry(event, metadata))
        }
    }

    /// Whether a line of an event would be written, for callers whose metadata are many.
    func takes(_ event: LogEvent, at level: LogLevel? = nil) -> Bool { (level ?? event.level) >= self.level }

    private func jsonLine(_ event: LogEvent, _ metadata: KeyValuePairs<String, LogValue?>)
        -> [UInt8]
    {
        var json = JSONWriter(capacity: Self.lineLength)
        json.beginObject()
        json.member("time", Instant.now.text)
        json.member("level", event.level.name)
        json.member("event", event.name.description)
        json.member("message", event.message.description)
        for (key, value) in metadata {
            switch value {
            case nil: break
            case .text(let text): json.member(key, text)
            case .number(let number): json.member(key, number)
            case .boolean(let flag): json.member(key, flag)
            case .list(let texts): json.member(key, texts)
            case .null: json.member(key, Optional<String>.none)
            }
        }
        json.endObject()
        json.newline()
        return json.bytes
    }

    private func textLine(_ event: LogEvent, _ metadata: KeyValuePairs<String, LogValue?>)
        -> String
    {
        let color: TerminalStyle.Color? = event.level == .error ? .red : event.level == .warning ? .yellow : nil
        var line = "\(identifier): " + (color.map { style.color(event.level.name, $0) + ": " } ?? "")
        line += event.message.description
        for (key, value) in metadata {
            if let text = value?.text { line += style.dim("  \(key)=") + Printable.escaped(text) }
        }
        return line
    }

    /// PRIORITY and MESSAGE come first: `JournalSink` looks for them there.
    ///
    /// MESSAGE is what `journalctl` shows, so it has the data too, made safe to show and cut; each value also has a field of
    /// its own, whole.
    private func journalEntry(_ event: LogEvent, _ metadata: KeyValuePairs<String, LogValue?>)
        -> [UInt8]
    {
        var text = event.message.description
        var fields: [(String, String)] = []
        for (key, value) in metadata {
            guard let whole = value?.text else { continue }
            fields.append((JournalEntry.fieldName(key), whole))
            let shown = whole.unicodeScalars.prefix(Logger.shownLength)
            text += "  \(key)=" + Printable.escaped(String(shown)) + (shown.endIndex < whole.endIndex ? "…" : "")
        }
        var entry = JournalEntry()
        entry.append("PRIORITY", String(event.level.priority))
        entry.append("MESSAGE", text)
        entry.append("SYSLOG_IDENTIFIER", identifier)
        entry.append("MESSAGE_ID", event.id.description)
        entry.append("USHER_EVENT", event.name.description)
        for (name, value) in fields { entry.append(name, value) }
        return entry.bytes
    }

    /// Longer than most lines, in bytes.
    private static let lineLength = 1024

    /// How much of a value a journal entry's MESSAGE shows, in characters.
    private static let shownLength = 256
}

/// Where log lines go.
public protocol LogSink: Sendable {
    /// Takes one whole line, its end included; from a logger with the format `journal`, takes one entry.
    func write(_ line: [UInt8])
}

/// Standard error, one write a line.
public struct StandardErrorSink: LogSink {
    public init() {}

    public func write(_ line: [UInt8]) { _ = FileOutput.write(line, to: 2) }
}

/// Keeps the lines: for tests.
public final class MemorySink: LogSink {
    private let kept = Mutex<[String]>([])

    public init() {}

    public func write(_ line: [UInt8]) { kept.withLock { $0.append(String(decoding: line, as: UTF8.self)) } }

    public var lines: [String] { kept.withLock { $0 } }
}

/// Where a program's log goes, and in which form.
public struct LogDestination: Sendable {
    public var format: LogFormat
    public var sink: any LogSink
    /// The journal was asked for and is not there.
    public var lacksJournal = false

    /// Follows what was asked for; else the journal where standard error leads there anyway, text on a terminal, and
    /// JSON elsewhere. Where the journal was asked for and there is none, JSON.
    ///
    /// - Parameters:
    ///   - requested: `--log-format` or `[log] format`.
    ///   - journalStream: the value of `JOURNAL_STREAM`.
    public init(
        requested: LogFormat?, journalStream: String?, isTerminal: Bool, journalPath: String = JournalSink.systemPath
    ) {
        let asksForJournal = requested == .journal
        if asksForJournal || requested == nil && JournalStream.isStandardError(journalStream),
            let journal = JournalSink(path: journalPath)
        {
            format = .journal
            sink = journal
        } else {
            format = asksForJournal ? .json : requested ?? (isTerminal ? .text : .json)
            sink = StandardErrorSink()
            lacksJournal = asksForJournal
        }
    }
}
