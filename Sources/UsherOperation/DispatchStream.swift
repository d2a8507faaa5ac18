internal import UsherJSON
public import UsherScene
public import UsherText

/// `dispatch` with `"stream":"lines"`: payloads that follow the command as raw bytes, until `StreamWord.end`. Records come
/// back as they are, a line each, in the order of the input; then `StreamEnd` answers the command.
public struct DispatchStream: Call, Hashable {
    public typealias Answer = StreamAnswer

    /// The `source` in the records of payloads that are not from a file.
    public var source: String?
    /// Goes before what the payloads say.
    public var app: String?
    /// The name of a payload format; else it is found out.
    public var format: String?
    /// For the first window that is opened.
    public var token: String?
    /// The delivery whose handler sends these, if one does: they do not wait behind it.
    public var parent: String?
    /// The web pages that the client was opened for (`USHER_OPEN_WEB`): they are not opened again.
    public var openedPages: [String] = []
    /// The place of its first payload, for the records' `seq`.
    public var first = 1
    /// What records wait for: `action`, the answers to their notifications.
    public var wait: String?
    /// For how long; nil for the longest time.
    public var timeout: String?

    public init() {}
    public init(
        source: String? = nil, app: String? = nil, format: String? = nil, token: String? = nil, parent: String? = nil,
        openedPages: [String] = [], first: Int = 1
    ) {
        self.source = source
        self.app = app
        self.format = format
        self.token = token
        self.parent = parent
        self.openedPages = openedPages
        self.first = first
    }

    public static let name = DispatchPayload.name
    public static let operation = Operation<Self>(
        "shows payloads that follow as bytes; answered after their records", .act,
        [
            Field(
                "stream", .text, "`lines`",
                read: { (reader, _) throws(ControlError) in
                    let kind = try reader.requiredText("stream")
                    guard kind == "lines" else {
                        throw .unknown(.controlArgument, "stream", kind, among: ["lines"], at: reader.pointer("stream"))
                    }
                },
                write: { $1.member("stream", "lines") }),
            Field("source", \.source, "where records say that they came from"),
            Field("app", \.app, "overrides the payloads' app"),
            Field("format", \.format, "the payload format; else it is recognised"),
            .token(\.token),
            Field("parent", \.parent, "the delivery whose handler sends these: they do not wait behind that one"),
            Field("opened_pages", \.openedPages, "web pages that the client was opened for: they are not opened again"),
            Field(
                "seq", .number, "the number of the first payload, for the records",
                read: { (reader, call) throws(ControlError) in
                    if let first = try reader.integer("seq", in: 1...Int.max / 2) { call.first = first }
                },
                write: { if $0.first > 1 { $1.member("seq", $0.first) } }),
            .wait(\.wait), .timeout(\.timeout),
        ])

    public func checkCombination(at place: String) throws(ControlError) {
        try DispatchPayload.checkTimeout(timeout, wait, at: place)
    }
}

/// A line of a client between the bytes of a stream.
public enum StreamWord: Sendable, Hashable {
    /// So many bytes of the current input follow; the number alone.
    case bytes(Int)
    /// Another input begins; `file` before its form where it is from a file. The first is a stream from none. Line and column follow
    /// where another engine has taken the bytes before.
    case begin(InputForm, isFromFile: Bool, at: LinePosition = LinePosition())
    /// `0`: no more follows.
    case end
    /// No more follows; what has not begun ends as interrupted. Also after `end`.
    case cancel
    /// No more follows; what was not taken yet is dropped.
    case stop

    /// The most bytes that follow one line.
    public static let longest = 1 << 20

    /// nil where it is none of them.
    public init?(line: [UInt8]) {
        var words = String(decoding: line, as: UTF8.self).split(separator: " ").map(String.init)
        var place = LinePosition()
        if words.count > 2, let line = Int(words[words.count - 2]), let column = Int(words[words.count - 1]) {
            guard line > 0, column > 0 else { return nil }
            place = LinePosition(line: line, column: column)
            words.removeLast(2)
            guard InputForm(rawValue: words[words.count - 1]) != nil else { return nil }
        }
        switch (words.first, words.count) {
        case ("cancel", 1): self = .cancel
        case ("stop", 1): self = .stop
        case ("file", 2):
            guard let form = InputForm(rawValue: words[1]) else { return nil }
            self = .begin(form, isFromFile: true, at: place)
        case (let word?, 1):
            if let form = InputForm(rawValue: word) {
                self = .begin(form, isFromFile: false, at: place)
            } else if let count = Int(word), 0...StreamWord.longest ~= count {
                self = count == 0 ? .end : .bytes(count)
            } else {
                return nil
            }
        default: return nil
        }
    }

    /// Its end included.
    public var line: [UInt8] {
        let text =
            switch self {
            case .bytes(let count): String(count)
            case .begin(let form, let isFromFile, let place):
                (isFromFile ? "file " : "") + form.rawValue
                    + (place == LinePosition() ? "" : " \(place.line) \(place.column)")
            case .end: "0"
            case .cancel: "cancel"
            case .stop: "stop"
            }
        return Array((text + "\n").utf8)
    }
}

/// The answer to a stream, after its last record.
public struct StreamEnd: AnswerRecord, Hashable {
    /// Payloads with a record, and how many of these have an error.
    public var handled = 0
    public var errors = 0
    /// Payloads without a record.
    public var unanswered = 0
    /// Other deliveries are in progress, as those that a killed run left behind: `DeliveriesWait` is answered after them.
    public var hasOthers = false

    public init() {}

    public init(handled: Int, errors: Int = 0, unanswered: Int = 0, hasOthers: Bool = false) {
        self.handled = handled
        self.errors = errors
        self.unanswered = unanswered
        self.hasOthers = hasOthers
    }

    public static let fields: [Field<Self>] = [
        Field(always: "handled", \.handled), Field(always: "errors", \.errors),
        Field(ifAny: "unanswered", \.someUnanswered), Field(ifAny: "others", \.hasOthers),
    ]

    private var someUnanswered: Int? {
        get { unanswered > 0 ? unanswered : nil }
        set { unanswered = newValue ?? 0 }
    }
}

/// The same, and why some payloads have no record.
public struct StreamAnswer: AnswerRecord {
    public var end = StreamEnd()
    public var failure: ControlError?

    public init() {}
    public init(_ end: StreamEnd, failure: ControlError?) { (self.end, self.failure) = (end, failure) }

    public static let fields: [Field<Self>] =
        StreamEnd.fields.map { $0.within(\.end) } + [Field(ifAny: "error", \.failure)]
}
