public import UsherEngine
public import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherTarget
public import UsherText

/// A redirect.
public struct RedirectAnswer: AnswerRecord {
    public enum Kind: String, FieldChoice {
        case move
        case prefixMove = "prefix-move"
        case deleted
    }

    public var number = 0
    public var kind = Kind.move
    public var source = ""
    public var destination: String?
    public var made = Instant(microseconds: 0)
    public var reason: String?

    public init() {}
    init(_ stored: Store.Redirect) {
        (number, kind) = (Int(stored.number), Kind(rawValue: stored.kind.rawValue) ?? .move)
        (source, destination, reason) = (stored.source.text, stored.destination?.text, stored.reason)
        made = Instant(microseconds: stored.made)
    }

    public static let schema: String? = "Redirect"
    public static let fields: [Field<Self>] = [
        Field(always: "number", \.number), Field(always: "kind", \.kind), Field(always: "source", \.source),
        Field(always: "destination", \.destination), Field(always: "made", \.made), Field(always: "reason", \.reason),
    ]
}

/// That content was deleted.
public struct TombstoneAnswer: AnswerRecord {
    public var identifier = ""
    public var made = Instant(microseconds: 0)
    public var reason: String?

    public init() {}
    init(_ stored: Redirection.Tombstone) {
        (identifier, reason) = (stored.identifier.text, stored.reason)
        made = Instant(microseconds: stored.made)
    }

    public static let schema: String? = "Tombstone"
    public static let fields: [Field<Self>] = [
        Field(always: "identifier", \.identifier), Field(always: "made", \.made), Field(always: "reason", \.reason),
    ]
}

/// A redirect that was made or taken back.
public struct RedirectChangeAnswer: AnswerRecord {
    public var redirect = RedirectAnswer()
    /// Of one that was made.
    public var isNew: Bool?
    public var resolved: String?
    public var hops: [HopAnswer] = []
    /// Of one that was taken back.
    public var tombstone: TombstoneAnswer??
    /// Of a move.
    public var findings: [FindingAnswer]?
    private var givenWarnings: [String]?
    public var warnings: [String] {
        get { givenWarnings ?? [] }
        set { givenWarnings = newValue }
    }

    public init() {}
    init(_ change: Store.RedirectChange) {
        redirect = RedirectAnswer(change.redirect)
        hops = change.redirection.hops.map(HopAnswer.init)
    }

    public static let schema: String? = "RedirectAnswer"
    public static let fields: [Field<Self>] = [
        Field(always: "redirect", \.redirect),
        Field(ifAny: "is_new", \.isNew, "False where it was so already"),
        Field(ifAny: "resolved", \.resolved, "What the identifier leads to in the end"),
        Field(
            always: "hops", \.hops, "And how; of a deletion, to the identifier that has the tombstone"),
        Field(ifAny: "tombstone", \.tombstone), Field(ifAny: "findings", \.findings),
        Field(ifAny: "warnings", \.givenWarnings),
    ]
}

/// Redirects.
public struct RedirectListAnswer: AnswerRecord {
    public var redirects: [RedirectAnswer] = []
    public var total = 0
    /// Of one identifier.
    public var resolved: String?
    public var hops: [HopAnswer]?
    public var tombstone: TombstoneAnswer??
    public var aliases: [String]?

    public init() {}

    public static let schema: String? = "RedirectList"
    public static let fields: [Field<Self>] = [
        Field(always: "redirects", \.redirects), Field(always: "total", \.total, "How many there are in all"),
        Field(ifAny: "resolved", \.resolved, "With target: what it is called now"), Field(ifAny: "hops", \.hops),
        Field(ifAny: "tombstone", \.tombstone),
        Field(
            ifAny: "aliases", \.aliases,
            "With target: every identifier of the same content, the newest first"),
    ]
}
