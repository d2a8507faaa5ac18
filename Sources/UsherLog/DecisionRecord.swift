public import UsherJSON
public import UsherScene
public import UsherText

/// What was decided for one payload, and what came of it: one line on standard output.
///
/// The member names are a contract (Documentation/Records.md): members are only ever added.
public struct DecisionRecord: Sendable {
    /// Ours, a UUIDv7.
    public var id: String
    /// The sender's own id, where it sent one.
    public var senderID: String?
    /// The place of the payload in the input, from 1.
    public var sequence: Int { didSet { if sequence != oldValue { rendered = nil } } }
    public var time: Instant
    /// `stdin`, `open`, `shortcut` …
    public var source: String
    /// The hook whose request it is; nil for other sources.
    public var hook: String? {
        source.utf8.starts(with: Self.hookPrefix.utf8) ? String(source.dropFirst(Self.hookPrefix.count)) : nil
    }
    /// What the source of a hook's request begins with: `hook:NAME`.
    public static let hookPrefix = "hook:"
    /// The name of the payload's format; nil where it could not be read.
    public var format: String?
    public var app: String?
    public var target: String?
    public var resolved: String?
    public var scene: String?
    public var session: String?
    public var action: Action
    public var reason: Reason
    public var policy: Policy?
    public var rule: SourceLocation?
    public var outcome: Outcome
    public var title: String?
    public var warnings: [Note]
    /// How long deciding took.
    public var decideTime: Duration?
    /// How long acting took; nil where nothing was done.
    public var actTime: Duration?
    /// The configuration's digest.
    public var configuration: String
    public var isDryRun: Bool
    @Rare public var error: Diagnostic?
    /// The programs that were run.
    public var handlers: [HandlerRun]
    /// What was seen instead, where the effect could not be read back as requested.
    @Rare public var seen: String?
    /// Of a link to a file that was moved: `file:` URLs of where it may be now.
    public var movedTo: [String] = []
    /// How the window is seen, where that was read back.
    public var view: WindowView?
    /// Of a press on a notification: the delivery that it was shown for.
    @Rare public var parent: String?
    /// Of a press on a notification: the button; `default` is the notification itself.
    @Rare public var notificationAction: String?
    /// Of a scheduled notification.
    @Rare public var schedule: Schedule?
    /// What shows whether the user sees the window, where that was read.
    @Rare public var evidence: SeenEvidence?
    /// Whether this record finishes a delivery that an earlier run left behind.
    public var isRecovered: Bool
    /// For a sender that waits for the answer to its notification. It is in no record of the journal.
    @Rare public var answer: Answer?
    /// See `render`.
    private var rendered: Rendered?

    private final class Rendered: Sendable {
        let text: String

        init(_ text: String) { self.text = text }
    }

    /// What a scheduled notification is known by, and when it was to come.
    public struct Schedule: Sendable, Hashable {
        public var id: String
        /// Not written.
        public var due: Instant

        public init(id: String, due: Instant) { (self.id, self.due) = (id, due) }
    }

    /// The answer to a notification, or why there is none.
    public struct Answer: Sendable, Hashable {
        /// The button; `default` is the notification itself. nil: there is no answer.
        public var action: String?
        /// Where it was given: `notification` or `command`.
        public var by: String?
        /// What was given with it.
        public var message: String?
        /// `pressed`; without an answer the notification's state, `timeout`, or `not-shown`.
        public var state: String

        public init(action: String? = nil, by: String? = nil, message: String? = nil, state: String) {
            (self.action, self.by, self.message, self.state) = (action, by, message, state)
        }

        /// The notification, or one of its buttons, was pressed.
        public static func pressed(_ action: String) -> Self {
            Self(action: action, by: "notification", state: "pressed")
        }

        /// A command gave it.
        public static func given(_ action: String, _ message: String?) -> Self {
            Self(action: action, by: "command", message: message, state: "pressed")
        }

        /// Nothing was shown that could be answered.
        public static let notShown = Self(state: "not-shown")
        /// The sender waits no longer.
        public static let timeout = Self(state: "timeout")
    }

    /// A warning, or an error that was survived.
    public struct Note: Sendable, Hashable {
        public var name: String
        public var message: String
        public var pointer: String?
        public var help: String?

        public init(name: String, message: String, pointer: String? = nil, help: String? = nil) {
            self.name = name
            self.message = message
            self.pointer = pointer
            self.help = help
        }

        /// Whether it says that something else is in front, though the window was brought forward once more.
        public var isLoss: Bool { name == DiagnosticCode.seenLostFront.name }
    }

    public struct HandlerRun: Sendable, Hashable {
        /// `launch`, `focus`, `show`, `background`, `content-deleted`, `open-web`.
        public var verb: String
        public var program: String
        /// `exited`, `signalled`, `ended` (the exit status is not known), `timed-out`, `failed-to-start`, `running`.
        public var status: String
        public var code: Int?
        public var milliseconds: Int?
        /// The end of what it wrote on standard output; empty where it wrote nothing, or that was not captured.
        public var output: String
        /// The same of standard error.
        public var errorOutput: String

        public init(
            verb: String, program: String, status: String, code: Int? = nil, milliseconds: Int? = nil,
            output: String = "", errorOutput: String = ""
        ) {
            self.verb = verb
            self.program = program
            self.status = status
            self.code = code
            self.milliseconds = milliseconds
            self.output = output
            self.errorOutput = errorOutput
        }
    }

    public init(
        id: String, sequence: Int, time: Instant, source: String, configuration: String, action: Action = .none,
        reason: Reason = .invalid, outcome: Outcome = .skipped, isDryRun: Bool = false
    ) {
        self.id = id
        self.sequence = sequence
        self.time = time
        self.source = source
        self.configuration = configuration
        self.action = action
        self.reason = reason
        self.outcome = outcome
        self.isDryRun = isDryRun
        self.warnings = []
        self.handlers = []
        self.isRecovered = false
    }
}

extension DecisionRecord {
    /// Appends the record as one JSON object.
    public func write(to json: inout JSONWriter) {
        let escaping = json.escaping
        json.beginObject()
        // What every record has is written in one piece, which is one check of the memory.
        json.members(room: 768 + roomForTexts) { text in
            text.appendJSON("\"v\":1,\"id\":", id, escaping)
            text.append(",\"seq\":")
            text.appendDecimal(Int64(sequence))
            text.append(",\"time\":\"")
            time.append(to: &text)
            text.appendJSON("\",\"source\":", source, escaping)
            text.appendJSON(",\"format\":", format, escaping)
            text.appendJSON(",\"app\":", app, escaping)
            text.appendJSON(",\"target\":", target, escaping)
            text.appendJSON(",\"resolved\":", resolved, escaping)
            text.appendJSON(",\"scene\":", scene, escaping)
            text.appendJSON(",\"session\":", session, escaping)
            text.appendJSON(",\"action\":", action.rawValue, escaping)
            text.appendJSON(",\"reason\":", reason.rawValue, escaping)
            text.appendJSON(",\"policy\":", policy?.rawValue, escaping)
            text.append(",\"rule\":")
            text.appendJSON(rule, escaping)
            text.appendJSON(",\"outcome\":", outcome.rawValue, escaping)
            text.appendJSON(",\"title\":", title, escaping)
            text.append(",\"warnings\":[")
            for place in warnings.indices {
                if place > 0 { text.append(",") }
                text.appendJSON(warnings[place].name, escaping)
            }
            text.append("],\"latency_us\":{\"decide\":")
            text.appendJSON(decideTime?.microseconds)
            text.append(",\"act\":")
            text.appendJSON(actTime?.microseconds)
            text.appendJSON("},\"config\":", configuration, escaping)
            text.append(isDryRun ? ",\"dry_run\":true" : ",\"dry_run\":false")
            if error == nil {
                text.appendJSON(",\"error\":null,\"sender_id\":", senderID, escaping)
                text.appendJSON(",\"hook\":", hook, escaping)
            }
        }
        if let error {
            json.key("error")
            error.write(to: &json, movedTo: movedTo)
            json.member("sender_id", senderID)
            json.member("hook", hook)
        }
        if !warnings.isEmpty {
            json.beginArray("warning_details")
            for note in warnings { note.write(to: &json) }
            json.endArray()
        }
        if !handlers.isEmpty {
            json.beginArray("handlers")
            for run in handlers { run.write(to: &json) }
            json.endArray()
        }
        if let seen { json.member("seen", seen) }
        if !movedTo.isEmpty { json.member("moved_to", movedTo) }
        if let view { json.member("view", view.rawValue) }
        if let parent { json.member("parent", parent) }
        if let notificationAction { json.member("notification_action", notificationAction) }
        if let schedule { json.member("schedule", schedule.id) }
        if isRecovered { json.member("recovered", true) }
        if let evidence {
            json.key("evidence")
            evidence.write(to: &json)
        } else {
            json.nullMember("evidence")
        }
        if let answer {
            json.key("answer")
            answer.write(to: &json)
        }
        json.endObject()
    }

    private var roomForTexts: Int {
        // Added one by one: an array of them would be made for each record.
        JSONWriter.room(for: id) + 2 * JSONWriter.room(for: source) + JSONWriter.room(for: format)
            + JSONWriter.room(for: app)
            + JSONWriter.room(for: target) + JSONWriter.room(for: resolved) + JSONWriter.room(for: scene)
            + JSONWriter.room(for: session) + JSONWriter.room(for: rule?.path) + JSONWriter.room(for: title)
            + JSONWriter.room(for: configuration) + JSONWriter.room(for: senderID)
            + warnings.reduce(0) { $0 + JSONWriter.room(for: $1.name) }
    }

    /// Makes the text, once for the journal, the sender and subscribers. Of what is changed afterwards, only `sequence` makes it
    /// anew.
    ///
    /// - Parameter bytes: where it is written first, whatever is there.
    public mutating func render(in bytes: inout [UInt8]) {
        bytes.removeAll(keepingCapacity: true)
        JSONWriter.append(to: &bytes) { write(to: &$0) }
        rendered = Rendered(String(decoding: bytes, as: UTF8.self))
    }

    /// The same record with one more warning, and its text.
    public func adding(_ note: Note) -> DecisionRecord {
        var record = self
        record.rendered = nil
        record.warnings.append(note)
        if note.isLoss {
            (record.outcome, record.view, record.seen) = (.unverified, nil, note.message)
            record.evidence?.reason = note.name
        }
        var bytes: [UInt8] = []
        record.render(in: &bytes)
        return record
    }

    /// The same record with the answer to its notification, and its text.
    public func answered(_ answer: Answer) -> DecisionRecord {
        var record = self
        record.rendered = nil
        record.answer = answer
        var bytes: [UInt8] = []
        record.render(in: &bytes)
        return record
    }

    /// Appends the record as one line of JSON Lines.
    public func appendLine(to bytes: inout [UInt8]) {
        if let rendered {
            assert(rendered.text == rendering, "a record was changed after its text was made")
            bytes += rendered.text.utf8
            bytes.append(0x0A)
            return
        }
        JSONWriter.append(to: &bytes) { json in
            write(to: &json)
            json.newline()
        }
    }

    /// The record as JSON text.
    public var json: String {
        guard let rendered else { return rendering }
        assert(rendered.text == rendering, "a record was changed after its text was made")
        return rendered.text
    }

    private var rendering: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.usualSize)
        JSONWriter.append(to: &bytes) { write(to: &$0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Few records are longer, in bytes.
    public static let usualSize = 1024
}

extension OutputSpan<UInt8> {
    /// Appends `description` as a string, or null.
    fileprivate mutating func appendJSON(_ location: SourceLocation?, _ escaping: JSONWriter.Escaping) {
        appendJSON(location?.path, escaping)
        guard let location else { return }
        // Goes on behind the path.
        _ = removeLast()
        append(UInt8(ascii: ":"))
        appendDecimal(Int64(location.line))
        append(UInt8(ascii: ":"))
        appendDecimal(Int64(location.column))
        append(UInt8(ascii: "\""))
    }
}

extension Diagnostic {
    /// Writes `{"code","name","message","at","offset","line","column","help"}`, as records, logs and answers have it.
    ///
    /// - Parameter movedTo: of the error of a file that was moved: where it may be now.
    public func write(to json: inout JSONWriter, movedTo: [String] = []) {
        json.beginObject()
        json.member("code", code.code)
        json.member("name", code.name)
        json.member("message", message)
        json.member("at", at)
        json.member("offset", offset)
        json.member("line", excerpt?.position.line)
        json.member("column", excerpt?.position.column)
        json.member("help", help)
        if let excerpt { json.member("excerpt", excerpt.lines) }
        if !movedTo.isEmpty { json.member("moved_to", movedTo) }
        json.endObject()
    }
}

extension DecisionRecord.Answer {
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("action", action)
        json.member("by", by)
        json.member("message", message)
        json.member("state", state)
        json.endObject()
    }
}

extension DecisionRecord.Note {
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("name", name)
        json.member("message", message)
        json.member("at", pointer)
        json.member("help", help)
        json.endObject()
    }
}

extension DecisionRecord.HandlerRun {
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("verb", verb)
        json.member("program", program)
        json.member("status", status)
        json.member("code", code)
        json.member("ms", milliseconds)
        if !output.isEmpty { json.member("output", output) }
        if !errorOutput.isEmpty { json.member("error_output", errorOutput) }
        json.endObject()
    }
}

extension SeenEvidence {
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("reason", reason)
        json.member("window", window)
        json.member("keyboard", hasKeyboard)
        for (name, part) in [("off_screen", offScreen), ("covered", covered)] {
            if let part { json.member(name, raw: "\(part)".utf8) } else { json.nullMember(name) }
        }
        json.member("locked", isLocked)
        json.member("terminal", terminal)
        json.member("tab", tab?.rawValue)
        json.beginArray("tmux")
        for place in tmux {
            json.beginObject()
            json.member("socket", place.socket)
            json.member("server", Int(place.server))
            json.member("client", place.client)
            json.member("session", place.session)
            json.member("window", place.window)
            json.member("pane", place.pane)
            json.member("zoomed", place.isZoomed)
            json.member("mode", place.mode)
            json.member("popup", place.hasPopup)
            json.member("focused", place.isFocused)
            json.endObject()
        }
        json.endArray()
        if let process {
            json.beginObject("process")
            json.member("pid", Int(process.pid))
            json.member("start", Int(clamping: process.start))
            json.member("name", process.name)
            json.endObject()
        } else {
            json.nullMember("process")
        }
        json.member("content", content)
        json.member("unknown", unknown.map(\.rawValue))
        json.endObject()
    }
}
