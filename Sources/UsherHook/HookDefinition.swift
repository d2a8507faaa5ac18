public import UsherJSON
public import UsherPayload
public import UsherScene
public import UsherTarget
internal import UsherText

/// `[hooks.NAME]`: how what some sender posts to `/hooks/NAME` becomes a notification.
public struct HookDefinition: Sendable, Hashable {
    /// Letters, digits, `.`, `-` and `_`.
    public var name: String
    public var location: SourceLocation
    public var app: String?
    public var signature: HookSignature
    /// All have to hold, in this order.
    public var conditions: [HookCondition] = []
    /// An array of the body: one notification for each of its elements.
    public var each: JSONReference?
    public var values: [HookValue] = []
    /// The sender's id of the event; nil leaves it to `webhook-id` and the like.
    public var id: HookIdentity?
    /// Expanded with the values.
    public var target: URITemplate?
    public var title: HookText?
    public var subtitle: HookText?
    public var body: HookText?
    public var thread: HookText?
    public var collapse: HookText?
    public var level: Notification.InterruptionLevel?

    public init(name: String, signature: HookSignature, location: SourceLocation) {
        self.name = name
        self.signature = signature
        self.location = location
    }
}

/// Where something is found in a request.
public enum HookPlace: Sendable, Hashable {
    case header(String)
    case query(String)
    /// A value of the body; of the element, where the hook has `each` and does not say otherwise.
    case pointer(JSONReference)
    /// A value of the body, also where the hook has `each`.
    case bodyPointer(JSONReference)
}

extension HookPlace: CustomStringConvertible {
    public var description: String {
        switch self {
        case .header(let name): "the header \(name)"
        case .query(let name): "the query's \(name)"
        case .pointer(let reference), .bodyPointer(let reference):
            reference.text.isEmpty ? "the body" : reference.text
        }
    }
}

/// A value by its name in templates.
public struct HookValue: Sendable, Hashable {
    public var name: String
    public var place: HookPlace
    /// Taken where there is nothing.
    public var fallback: String?

    public init(name: String, place: HookPlace, fallback: String? = nil) {
        self.name = name
        self.place = place
        self.fallback = fallback
    }
}

/// Where the id of an event comes from.
public enum HookIdentity: Sendable, Hashable {
    case place(HookPlace)
    case template(HookText)
}

/// What has to hold for a request to become a notification.
public struct HookCondition: Sendable, Hashable {
    public var place: HookPlace
    public var test: Test
    public var location: SourceLocation

    public enum Test: Sendable, Hashable {
        /// One of these.
        case equals([Constant])
        /// Whether there is anything; null counts as nothing.
        case exists(Bool)
        case prefix(String)
    }

    /// A value of a manifest to compare with. Headers and queries are compared with its text.
    public enum Constant: Sendable, Hashable {
        case string(String)
        case integer(Int64)
        case boolean(Bool)
    }

    public init(_ place: HookPlace, _ test: Test, location: SourceLocation) {
        self.place = place
        self.test = test
        self.location = location
    }
}

extension HookCondition.Constant {
    /// The value itself, without quotes.
    public var text: String {
        switch self {
        case .string(let text): text
        case .integer(let value): String(value)
        case .boolean(let value): String(value)
        }
    }
}

extension HookCondition.Constant: CustomStringConvertible {
    /// As JSON.
    public var description: String {
        if case .string(let text) = self { "\"\(text)\"" } else { text }
    }
}

/// A text with `{names}` of values; `{{` and `}}` are braces.
public struct HookText: Sendable, Hashable {
    public enum Part: Sendable, Hashable {
        case literal(String)
        case value(String)
    }

    public let text: String
    public let parts: [Part]

    /// - Parameter hasGroups: whether a dot may be in a name, as in `{header.NAME}`.
    public init(_ text: String, hasGroups: Bool = false) {
        let bytes = Array(text.utf8)
        var parts: [Part] = []
        var literal: [UInt8] = []
        var index = 0
        for place in Placeholders.occurrences(in: text, hasGroups: hasGroups) {
            literal += bytes[index..<place.offset]
            HookText.flush(&literal, into: &parts)
            parts.append(.value(place.name))
            index = place.offset + place.count
        }
        literal += bytes[index...]
        HookText.flush(&literal, into: &parts)
        self.text = text
        self.parts = parts
    }

    /// The names it uses, in order.
    public var names: [String] {
        parts.compactMap { if case .value(let name) = $0 { name } else { nil } }
    }

    /// The text with the values in place of their names; a name without a value leaves nothing.
    public func expand(_ values: [String: String]) -> String {
        parts.map { part in
            switch part {
            case .literal(let text): text
            case .value(let name): values[name] ?? ""
            }
        }.joined()
    }

    /// Ends a literal, its doubled braces made single.
    private static func flush(_ literal: inout [UInt8], into parts: inout [Part]) {
        guard !literal.isEmpty else { return }
        var single: [UInt8] = []
        var index = 0
        while index < literal.count {
            let byte = literal[index]
            single.append(byte)
            let isDoubled =
                (byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}")) && index + 1 < literal.count
                && literal[index + 1] == byte
            index += isDoubled ? 2 : 1
        }
        parts.append(.literal(String(decoding: single, as: UTF8.self)))
        literal = []
    }
}
