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
    public var error: Diagnostic?
    /// The programs that were run.
    public var handlers: [HandlerRun]
    /// What was seen instead, where the effect could not be read back as requested.
    public var seen: String?
    /// Of a link to a file that was moved: `file:` URLs of where it may be now.
    public var movedTo: [String] = []
    /// How the window is seen, where that was read back.
    public var view: WindowView?
    /// Of a press on a notification: the delivery that it was shown for.
    public var parent: String?
    /// Of a press on a notification: the button; `default` is the notification itself.
    public var notificationAction: String?
    /// Whether this record finishes a delivery that an earlier run left behind.
    public var isRecovered: Bool
    /// See `withText`.
    private var rendered: Rendered?

    private final class Rendered: Sendable {
        let text: String

        init(_ text: String) { self.text = text }
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
        json.beginObject()
        json.member(.version, 1)
        json.member(.id, id)
        json.member(.sequence, Int64(sequence))
        json.member(.time) { time.append(to: &$0) }
        json.member(.source, source)
        json.member(.format, format)
        json.member(.app, app)
        json.member(.target, target)
        json.member(.resolved, resolved)
        json.member(.scene, scene)
        json.member(.session, session)
        json.member(.action, action.rawValue)
        json.member(.reason, reason.rawValue)
        json.member(.policy, policy?.rawValue)
        if let rule { json.member(.rule) { rule.append(to: &$0) } } else { json.member(.rule, nil as String?) }
        json.member(.outcome, outcome.rawValue)
        json.member(.title, title)
        json.key(.warnings)
        json.beginArray()
        for note in warnings { json.value(note.name) }
        json.endArray()
        json.key(.latency)
        json.beginObject()
        json.member(.decide, decideTime?.microseconds)
        json.member(.act, actTime?.microseconds)
        json.endObject()
        json.member(.configuration, configuration)
        json.member(.dryRun, isDryRun)
        if let error {
            json.key(.error)
            error.write(to: &json, movedTo: movedTo)
        } else {
            json.member(.error, nil as String?)
        }
        json.member(.senderID, senderID)
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
        if isRecovered { json.member("recovered", true) }
        json.endObject()
    }

    /// The same record with its text, which is made once for the journal, the sender and subscribers. Of what is changed
    /// afterwards, only `sequence` makes the text anew.
    public func withText() -> DecisionRecord {
        var record = self
        record.rendered = Rendered(rendering)
        return record
    }

    /// The same record with one more warning, and its text.
    public func adding(_ note: Note) -> DecisionRecord {
        var record = self
        record.rendered = nil
        record.warnings.append(note)
        return record.withText()
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

extension SourceLocation {
    /// Appends `description`.
    fileprivate func append(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: path.utf8)
        bytes.append(UInt8(ascii: ":"))
        bytes.appendDecimal(Int64(line))
        bytes.append(UInt8(ascii: ":"))
        bytes.appendDecimal(Int64(column))
    }
}

extension Diagnostic {
    /// Writes `{"code","name","message","at","offset","help"}`, as records, logs and answers have it.
    ///
    /// - Parameter movedTo: of the error of a file that was moved: where it may be now.
    public func write(to json: inout JSONWriter, movedTo: [String] = []) {
        json.beginObject()
        json.member("code", code.code)
        json.member("name", code.name)
        json.member("message", message)
        json.member("at", at)
        json.member("offset", offset)
        json.member("help", help)
        if !movedTo.isEmpty { json.member("moved_to", movedTo) }
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

// The members of every record.
extension JSONName {
    fileprivate static let version = JSONName("v")
    fileprivate static let id = JSONName("id")
    fileprivate static let sequence = JSONName("seq")
    fileprivate static let time = JSONName("time")
    fileprivate static let source = JSONName("source")
    fileprivate static let format = JSONName("format")
    fileprivate static let app = JSONName("app")
    fileprivate static let target = JSONName("target")
    fileprivate static let resolved = JSONName("resolved")
    fileprivate static let scene = JSONName("scene")
    fileprivate static let session = JSONName("session")
    fileprivate static let action = JSONName("action")
    fileprivate static let reason = JSONName("reason")
    fileprivate static let policy = JSONName("policy")
    fileprivate static let rule = JSONName("rule")
    fileprivate static let outcome = JSONName("outcome")
    fileprivate static let title = JSONName("title")
    fileprivate static let warnings = JSONName("warnings")
    fileprivate static let latency = JSONName("latency_us")
    fileprivate static let decide = JSONName("decide")
    fileprivate static let act = JSONName("act")
    fileprivate static let configuration = JSONName("config")
    fileprivate static let dryRun = JSONName("dry_run")
    fileprivate static let error = JSONName("error")
    fileprivate static let senderID = JSONName("sender_id")
}
