public import UsherJSON
public import UsherLog
public import UsherOperation
public import UsherScene
internal import UsherText

/// The members of a record: they describe and read it. Records are written by `DecisionRecord.write`, on the hot path.
extension DecisionRecord: AnswerRecord {
    public init() {
        self.init(id: "", sequence: 0, time: Instant(microseconds: 0), source: "", configuration: "")
    }

    static let parentHelp = "Of a press on a notification: the id of the delivery that it was shown for"
    static let notificationActionHelp = "The button that was pressed; default is the notification itself"

    public static let schema: String? = "DecisionRecord"
    public static let summary =
        "What was decided for one payload, and what came of it. Members are only ever added."
    public static let fields: [Field<Self>] = [
        Field(constant: "v", 1), Field(always: "id", \.id, "UUIDv7"), Field(always: "seq", \.sequence),
        Field(always: "time", \.time),
        Field(always: "source", \.source, "", ["examples": ["webhook", "hook:github", "stdin", "control"]]),
        Field(always: "format", \.format), Field(always: "app", \.app), Field(always: "target", \.target),
        Field(always: "resolved", \.resolved), Field(always: "scene", \.scene), Field(always: "session", \.session),
        Field(always: "action", \.action), Field(always: "reason", \.reason), Field(always: "policy", \.policy),
        Field(always: "rule", \.rule, "file:line:column"), Field(always: "outcome", \.outcome),
        Field(always: "title", \.title), warningNames,
        Field(
            always: "latency_us",
            members: [
                Field(always: "decide", \.decideMicroseconds), Field(always: "act", \.actMicroseconds),
            ]),
        Field(always: "config", \.configuration, "", ["examples": ["sha256:0000"]]),
        Field(always: "dry_run", \.isDryRun), Field(always: "error", \.errorAnswer),
        Field(always: "sender_id", \.senderID),
        Field(always: "hook", \.hookName, "Of a hook's request: the name of the hook"),
        Field(ifAny: "warning_details", \.warnings),
        Field(ifAny: "handlers", \.handlers), Field(ifAny: "seen", \.seen),
        Field(ifAny: "moved_to", \.movedTo, "Of a link to a file that was moved: where it may be now"),
        Field(ifAny: "view", \.view), Field(ifAny: "parent", \.parent, parentHelp),
        Field(ifAny: "notification_action", \.notificationAction, notificationActionHelp),
        Field(ifAny: "schedule", \.scheduleID, "Of a scheduled notification: its id"),
        Field(ifAny: "recovered", \.isRecovered),
        Field(always: "evidence", \.evidence, "What shows whether the user sees the window"),
        Field(ifAny: "answer", \.answer, "To a sender that waits for it: the answer to the notification"),
    ]

    /// They are read from `warning_details`.
    private static let warningNames = Field<Self>(
        FieldDescription(name: "warnings", help: "", shape: [String].shape, isRequired: true), read: { _, _ in },
        write: { record, json in json.member("warnings", record.warnings.map(\.name)) })

    /// It is read from `source`.
    private var hookName: String? {
        get { hook }
        set {}
    }

    private var decideMicroseconds: Int? {
        get { decideTime.map { Int($0.microseconds) } }
        set { decideTime = newValue.map { .microseconds($0) } }
    }

    private var actMicroseconds: Int? {
        get { actTime.map { Int($0.microseconds) } }
        set { actTime = newValue.map { .microseconds($0) } }
    }

    private var scheduleID: String? {
        get { schedule?.id }
        set { schedule = newValue.map { Schedule(id: $0, due: time) } }
    }

    private var errorAnswer: ErrorAnswer? {
        get { error.map { ErrorAnswer($0, movedTo: movedTo) } }
        set { error = newValue?.diagnostic }
    }
}

extension DecisionRecord.Note: AnswerRecord {
    public init() { self.init(name: "", message: "") }

    public static let fields: [Field<Self>] = [
        Field(always: "name", \.name), Field(always: "message", \.message), Field(always: "at", \.pointer),
        Field(always: "help", \.help),
    ]
}

extension DecisionRecord.Answer: AnswerRecord {
    public init() { self.init(state: "") }

    public static let fields: [Field<Self>] = [
        Field(always: "action", \.action, "The button; default is the notification itself. null: there is no answer"),
        Field(always: "by", \.by, "notification or command: where it was given"),
        Field(always: "message", \.message, "What the command gave with it"),
        Field(
            always: "state", \.state, "pressed; without an answer the notification's state, timeout, or not-shown"),
    ]
}

extension DecisionRecord.HandlerRun: AnswerRecord {
    public init() { self.init(verb: "", program: "", status: "") }

    public static let fields: [Field<Self>] = [
        Field(always: "verb", \.verb), Field(always: "program", \.program), Field(always: "status", \.status),
        Field(always: "code", \.code), Field(always: "ms", \.milliseconds), Field(ifAny: "output", \.givenOutput),
        Field(ifAny: "error_output", \.givenErrorOutput),
    ]

    private var givenOutput: String? {
        get { output.isEmpty ? nil : output }
        set { output = newValue ?? "" }
    }

    private var givenErrorOutput: String? {
        get { errorOutput.isEmpty ? nil : errorOutput }
        set { errorOutput = newValue ?? "" }
    }
}

extension WindowView: FieldChoice {}

/// `path:line:column`.
extension SourceLocation: FieldValue {
    public static var shape: ValueShape { ValueShape(.text) }

    public static func read(
        _ value: JSONValue, _ name: String, at place: String
    ) throws(ControlError) -> SourceLocation {
        let text = try String.read(value, name, at: place)
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count >= 3, let column = Int(parts[parts.count - 1]), let line = Int(parts[parts.count - 2]) else {
            throw .argument("\(name) is no place in a file", at: place)
        }
        return SourceLocation(path: parts.dropLast(2).joined(separator: ":"), line: line, column: column)
    }

    public func write(to json: inout JSONWriter) { json.value(description) }
}

extension SeenEvidence: AnswerRecord {
    public static let schema: String? = "Evidence"
    public static let summary = "What was read after the last change, to know whether the user sees the window"
    public static let fields: [Field<Self>] = [
        Field(always: "reason", \.reason, "The name of the first condition that does not hold"),
        Field(always: "window", \.window), Field(always: "keyboard", \.hasKeyboard),
        Field(always: "off_screen", \.offScreenDecimal, "The part of it that is on no screen"),
        Field(always: "covered", \.coveredDecimal, "The part of the rest that is covered"),
        Field(always: "locked", \.isLocked), Field(always: "terminal", \.terminal), Field(always: "tab", \.tab),
        Field(always: "tmux", \.tmux, "The inner server first"), Field(always: "process", \.process),
        Field(always: "content", \.content), Field(always: "unknown", \.unknown, "What nothing tells of here"),
    ]

    private var offScreenDecimal: Decimal? {
        get { offScreen.map { Decimal("\($0)") } }
        set { offScreen = newValue.flatMap { Double($0.text) } }
    }

    private var coveredDecimal: Decimal? {
        get { covered.map { Decimal("\($0)") } }
        set { covered = newValue.flatMap { Double($0.text) } }
    }
}

extension SeenEvidence.Tab: FieldChoice {}

extension SeenEvidence.Unknown: FieldChoice {}

extension SeenEvidence.Tmux: AnswerRecord {
    public init() { self.init(socket: "", server: 0) }

    public static let fields: [Field<Self>] = [
        Field(always: "socket", \.socket), Field(always: "server", \.serverNumber), Field(always: "client", \.client),
        Field(always: "session", \.session), Field(always: "window", \.window), Field(always: "pane", \.pane),
        Field(always: "zoomed", \.isZoomed, "Another pane is zoomed over it"),
        Field(always: "mode", \.mode, "copy-mode and the like"), Field(always: "popup", \.hasPopup),
        Field(always: "focused", \.isFocused),
    ]

    private var serverNumber: Int {
        get { Int(server) }
        set { server = Int32(clamping: newValue) }
    }
}

extension SeenEvidence.Process: AnswerRecord {
    public init() { self.init(pid: 0, start: 0, name: "") }

    public static let fields: [Field<Self>] = [
        Field(always: "pid", \.number), Field(always: "start", \.ticks, "Field 22 of /proc/PID/stat"),
        Field(always: "name", \.name),
    ]

    private var number: Int {
        get { Int(pid) }
        set { pid = Int32(clamping: newValue) }
    }

    private var ticks: Int {
        get { Int(clamping: start) }
        set { start = UInt64(clamping: newValue) }
    }
}
