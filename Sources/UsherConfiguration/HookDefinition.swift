public import UsherJSON
public import UsherPayload
public import UsherScene
public import UsherTarget

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
