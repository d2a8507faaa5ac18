public import UsherJSON
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
            public var age: Int64
            public var weight: Double
            /// The app.
            public var from: String
        }

        /// Seconds.
        var halfLife: Int
        /// The newest first.
        public var events: [Event] = []
        /// What the question was about and is not offered.
        public var leftOut: [LeftOut] = []
    }

    public struct LeftOut: Sendable {
        public enum Reason: String, Sendable { case expired, ineligible, deleted, excluded, own, signal, old }

        public var title: String
        public var reason: Reason
    }

    public var kind: SuggestionKind
    public var title: String
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
    public var count: Int
    /// In millionths.
    public var score: Int64
    public var why: Why?
}

// MARK: - JSON

extension SuggestedItem {
    public var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("kind", .string(kind.rawValue)), .init("title", .string(title)),
            .init("subtitle", .text(subtitle)), .init("value", .text(value)), .init("app", .text(app)),
            .init("intent", .text(intent?.rawValue)), .init("target", .text(target)), .init("label", .text(label)),
            .init("attributes", attributes?.json ?? .null), .init("source", source?.json ?? .null),
            .init("last", .text(last?.text)), .init("count", .number(String(count))),
            .init("score", .millionths(score)),
        ]
        if let why { members.append(.init("why", why.json)) }
        return .object(members)
    }
}

extension SuggestedItem.Source {
    fileprivate var json: JSONValue {
        .object([
            .init("app", .string(app)), .init("name", .text(name)), .init("activity", .text(activity)),
            .init("url", .text(url)),
        ])
    }
}

extension SuggestedItem.Why {
    fileprivate var json: JSONValue {
        .object([
            .init("half_life_s", .number(String(halfLife))),
            .init(
                "events",
                .array(
                    events.map { event in
                        .object([
                            .init("time", .string(event.time.text)), .init("age_s", .millionths(event.age)),
                            .init("weight", .millionths(Decay.millionths(event.weight))),
                            .init("from", .string(event.from)),
                        ])
                    })),
            .init(
                "left_out",
                .array(
                    leftOut.map {
                        .object([.init("title", .string($0.title)), .init("reason", .string($0.reason.rawValue))])
                    })),
        ])
    }
}

extension JSONValue {
    fileprivate static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    /// A number of millionths, with as few decimals as it takes.
    fileprivate static func millionths(_ value: Int64) -> JSONValue {
        let (whole, rest) = value.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        var text = (value < 0 ? "-" : "") + String(whole)
        if rest > 0 {
            var digits = String(rest + 1_000_000).dropFirst()
            while digits.hasSuffix("0") { digits = digits.dropLast() }
            text += "." + digits
        }
        return .number(text)
    }
}
