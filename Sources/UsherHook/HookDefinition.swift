public import UsherJSON
public import UsherScene
public import UsherTarget
internal import UsherText

/// `[hooks.NAME]`: how a request to `/hooks/PATH` becomes a notification, a background command or an answer.
public struct HookDefinition: Sendable, Hashable {
    /// Letters, digits, `.`, `-` and `_`.
    public var name: String
    /// The last part of the URL's path; several hooks may share it.
    public var path: String
    public var location: SourceLocation
    /// The folder of the file in which the hook stands, absolute.
    public var folder = ""
    /// All hooks of a path have the same.
    public var signature: HookSignature
    public var input: [HookInput] = [.json]
    /// Judged after the signature and before everything else, in this order.
    public var answers: [HookAnswer] = []
    /// All have to hold, in this order.
    public var conditions: [HookCondition] = []
    /// An array of the body: one notification for each of its elements.
    public var each: HookElements?
    public var values: [HookValue] = []
    /// The sender's id of the event; nil leaves it to `defaultID`.
    public var id: HookIdentity?
    public var defaultID = HookDefaultID()
    public var app: HookText?
    public var session: HookText?
    /// Expanded with the values.
    public var target: URITemplate?
    public var title: HookText?
    public var subtitle: HookText?
    public var body: HookText?
    public var thread: HookText?
    public var collapse: HookText?
    public var level: HookText?
    /// Seconds from now, or a date of RFC 3339.
    public var expires: HookText?
    /// A command that is run in the background instead of opening a window.
    public var run: Command?
    /// The answer to an accepted event.
    public var accepted = HookReply(status: 202)
    /// The answer to an event that no hook of the path accepts.
    public var unmatched = Unmatched.status(200)
    /// What `usher check` verifies.
    public var expectations: [HookExpectation] = []

    public enum Unmatched: Sendable, Hashable {
        /// A success with this status: 200, 202 or 204.
        case status(Int)
        /// 422 `hook.no-match`.
        case error
    }

    public init(name: String, signature: HookSignature, location: SourceLocation) {
        self.name = name
        path = name
        self.signature = signature
        self.location = location
    }

    /// The methods that the `input` of some hook of a path accepts, as `Allow` lists them.
    public static func methods(of hooks: [HookDefinition]) -> [String] {
        hooks.contains { $0.input.contains(.query) } ? ["GET", "POST"] : ["POST"]
    }
}

/// `each`: an array of the body, and which of its elements count.
public struct HookElements: Sendable, Hashable {
    public var pointer: JSONReference
    /// A `pointer` in them starts at the element. Elements for which one does not hold are left out.
    public var conditions: [HookCondition]

    public init(_ pointer: JSONReference, conditions: [HookCondition] = []) {
        self.pointer = pointer
        self.conditions = conditions
    }
}

/// A place in a request.
public enum HookSelector: Sendable, Hashable {
    case header(String)
    case query(String)
    /// A value of the body; of the element, where the hook has `each` and does not say otherwise.
    case pointer(JSONReference)
    /// A value of the body, also where the hook has `each`.
    case bodyPointer(JSONReference)

    /// The pointer as text; nil for a header and a parameter of the query.
    var pointerText: String? {
        switch self {
        case .pointer(let reference), .bodyPointer(let reference): reference.text
        case .header, .query: nil
        }
    }
}

extension HookSelector: CustomStringConvertible {
    public var description: String {
        switch self {
        case .header(let name): "the header \(name)"
        case .query(let name): "the query's \(name)"
        case .pointer(let reference), .bodyPointer(let reference):
            reference.text.isEmpty ? "the body" : reference.text
        }
    }
}

/// A value by its name in templates: the first source that has something counts.
public struct HookValue: Sendable, Hashable {
    public var name: String
    public var sources: [HookSource]

    public init(name: String, sources: [HookSource]) {
        self.name = name
        self.sources = sources
    }
}

/// Where a value is taken from, and what is made of it.
public struct HookSource: Sendable, Hashable {
    /// The first of these with something in it counts.
    public var places: [HookSelector]
    /// Undone before anything else is looked at; what cannot be decoded counts as missing.
    public var decoding: Decoding?
    /// What a text is replaced by.
    public var map: [String: String]
    /// The replacement for texts that `map` does not have; nil leaves them as they are.
    public var mapDefault: String?
    /// Taken where there is nothing.
    public var fallback: String?

    public enum Decoding: Sendable, Hashable {
        /// Base64 of a text.
        case base64
        /// JSON in a string, perhaps in Base64: the value at a pointer within it.
        case json(at: JSONReference, isBase64: Bool)
    }

    public init(
        _ places: [HookSelector], decoding: Decoding? = nil, map: [String: String] = [:], mapDefault: String? = nil,
        fallback: String? = nil
    ) {
        self.places = places
        self.decoding = decoding
        self.map = map
        self.mapDefault = mapDefault
        self.fallback = fallback
    }
}

/// Where the id of an event comes from.
public enum HookIdentity: Sendable, Hashable {
    case place(HookSelector)
    case template(HookText)
}

/// `[[hooks.NAME.answers]]`: an answer to a challenge of the sender. Nothing is delivered.
public struct HookAnswer: Sendable, Hashable {
    public var conditions: [HookCondition]
    public var values: [HookValue]
    public var content: Content
    public var status: Int

    public enum Content: Sendable, Hashable {
        case text(HookText)
        /// Its strings are templates.
        case json(JSONValue)

        public func hash(into hasher: inout Hasher) {
            switch self {
            case .text(let text): hasher.combine(text)
            case .json(let value): hasher.combine(value.text())
            }
        }
    }

    /// Whether a code of a value (`{hmac.NAME}`) is in the answer.
    public var usesCode: Bool {
        switch content {
        case .text(let text): text.text.contains("{hmac.")
        case .json(let value): value.text().contains("{hmac.")
        }
    }

    public init(conditions: [HookCondition], values: [HookValue], content: Content, status: Int = 200) {
        self.conditions = conditions
        self.values = values
        self.content = content
        self.status = status
    }
}

/// An answer as it is sent.
public struct HookReply: Sendable, Hashable {
    public var status: Int
    /// nil where there is no body.
    public var type: String?
    /// nil stands for the usual answer with this status.
    public var body: [UInt8]?

    public init(status: Int, type: String? = nil, body: [UInt8]? = nil) {
        self.status = status
        self.type = type
        self.body = body
    }
}

/// `[[hooks.NAME.expect]]`: a request, and what the hooks of the path have to make of it. The signature is not judged.
public struct HookExpectation: Sendable, Hashable {
    /// The file of the request or of its body, absolute.
    public var file: String
    /// Whether the file is a request that `usher hook listen` wrote; else it is the body alone.
    public var isRequest: Bool
    public var headers: [HookRequest.Header] = []
    public var query: String?
    public var method: String?
    public var hook: String?
    public var result: Result?
    public var target: String?
    public var title: String?
    public var count: Int?
    /// A dotted name.
    public var error: String?
    public var location: SourceLocation

    public enum Result: String, Sendable, CaseIterable { case accepted, ignored, answered, refused }

    public init(file: String, isRequest: Bool, location: SourceLocation) {
        self.file = file
        self.isRequest = isRequest
        self.location = location
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

    /// - Parameter hasGroups: whether a dot may be in a name, as in `{hmac.NAME}`.
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
