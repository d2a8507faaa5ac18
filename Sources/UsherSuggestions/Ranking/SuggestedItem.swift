public import UsherJSON
public import UsherOperation
public import UsherPayload
public import UsherScene
public import UsherText

/// One suggestion, with where it comes from.
public struct SuggestedItem: Sendable {
    /// Where it was seen last.
    public struct Source: Sendable {
        public var app: String
        /// The app's name; nil where the app is not known.
        public var name: String?
        /// The activity's id.
        public var activity: String?
        /// The web page.
        public var url: String?
    }

    public struct Why: Sendable {
        public struct Event: Sendable {
            public var time: Instant
            /// In microseconds; an event of the future has 0.
            public var age: Int64 = 0
            public var weight = 0.0
            /// The app.
            public var from = ""
        }

        /// Seconds.
        public var halfLife: Int
        /// The newest first.
        public var events: [Event] = []
        /// What the question was about and is not offered.
        public var leftOut: [LeftOut] = []
    }

    public struct LeftOut: Sendable {
        public enum Reason: String, FieldChoice { case expired, ineligible, deleted, excluded, own, signal, old }

        public var title: String
        public var reason = Reason.old
    }

    public var kind: SuggestionKind
    public var title = ""
    public var subtitle: String?
    /// What is put into a text field.
    public var value: String?
    public var app: String?
    public var intent: Intent?
    public var target: String?
    /// What a button for it says.
    public var label: String?
    public var attributes: ContentAttributes?
    public var source: Source?
    /// The time of the newest event.
    public var last: Instant?
    public var count = 0
    /// In millionths.
    public var score: Int64 = 0
    public var why: Why?
}

// MARK: - Members

extension SuggestedItem: AnswerRecord {
    public init() { self.init(kind: .place) }

    public static let schema: String? = "SuggestedItem"
    public static let summary = "What the user looked at or did lately and may need next"
    public static let fields: [Field<Self>] = [
        Field(always: "kind", \.kind), Field(always: "title", \.title),
        Field(always: "subtitle", \.subtitle, "Of a place: its address"),
        Field(always: "value", \.value, "What is put into a text field"), Field(always: "app", \.app),
        Field(always: "intent", \.intentName), Field(always: "target", \.target, "The identifier of the content"),
        Field(always: "label", \.label, "What a button for it says"),
        Field(
            always: "attributes", \.attributes, "contentAttributeSet of the newest activity",
            ["type": ["object", "null"]]),
        Field(always: "source", \.source, "Where it was seen last"), Field(always: "last", \.last),
        Field(always: "count", \.count, "How many events"), Field(always: "score", \.scoreText),
        Field(ifAny: "why", \.why),
    ]

    private var intentName: String? {
        get { intent?.rawValue }
        set { intent = newValue.flatMap(Intent.init(rawValue:)) }
    }

    public var scoreText: Decimal {
        get { Decimal(millionths: score) }
        set { score = newValue.millionths }
    }
}

extension SuggestionKind: FieldChoice {}

extension ContentAttributes: FieldValue {
    public static var shape: ValueShape { ValueShape(.json) }

    public static func read(
        _ value: JSONValue, _ name: String, at place: String
    ) throws(ControlError) -> ContentAttributes {
        do throws(Fault) {
            return try ContentAttributes(stored: value, mapItem: nil)
        } catch {
            throw .argument("\(name) is no contentAttributeSet", at: place)
        }
    }

    public func write(to json: inout JSONWriter) { json.value(self.json) }
}

extension SuggestedItem.Source: AnswerRecord {
    public init() { self.init(app: "") }

    public static let schema: String? = "SuggestionSource"
    public static let fields: [Field<Self>] = [
        Field(always: "app", \.app), Field(always: "name", \.name, "Of the app"),
        Field(always: "activity", \.activity), Field(always: "url", \.url, "The web page"),
    ]
}

extension SuggestedItem.Why: AnswerRecord {
    public init() { self.init(halfLife: 0) }

    public static let schema: String? = "SuggestionReasons"
    public static let summary = "Where why=1 was asked for"
    public static let fields: [Field<Self>] = [
        Field(always: "half_life_s", \.halfLife), Field(always: "events", \.events),
        Field(always: "left_out", \.leftOut),
    ]
}

extension SuggestedItem.Why.Event: AnswerRecord {
    public init() { self.init(time: Instant(microseconds: 0)) }

    public static let fields: [Field<Self>] = [
        Field(always: "time", \.time), Field(always: "age_s", \.ageText), Field(always: "weight", \.weightText),
        Field(always: "from", \.from, "The app"),
    ]

    private var ageText: Decimal {
        get { Decimal(millionths: age) }
        set { age = newValue.millionths }
    }

    public var weightText: Decimal {
        get { Decimal(millionths: Decay.millionths(weight)) }
        set { weight = Double(newValue.text) ?? 0 }
    }
}

extension SuggestedItem.LeftOut: AnswerRecord {
    public init() { self.init(title: "") }

    public static let fields: [Field<Self>] = [Field(always: "title", \.title), Field(always: "reason", \.reason)]
}

extension Decimal {
    /// With as few decimals as it takes.
    fileprivate init(millionths value: Int64) {
        let (whole, rest) = value.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        var text = (value < 0 ? "-" : "") + String(whole)
        if rest > 0 {
            var digits = String(rest + 1_000_000).dropFirst()
            while digits.hasSuffix("0") { digits = digits.dropLast() }
            text += "." + digits
        }
        self.init(text)
    }

    /// 0 for what is none.
    fileprivate var millionths: Int64 {
        let parts = text.split(separator: ".", maxSplits: 1)
        let decimals = (parts.count > 1 ? String(parts[1].prefix(6)) : "") + "000000"
        return Int64((parts.first.map(String.init) ?? "") + decimals.prefix(6)) ?? 0
    }
}
