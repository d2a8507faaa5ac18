public import UsherOperation
public import UsherScene

/// A move or a tie on the way from one identifier to another.
public struct HopAnswer: AnswerRecord, Hashable {
    public var from = ""
    public var to = ""
    public var kind = Redirection.Hop.Kind.move
    public var note = ""

    public init() {}
    package init(_ hop: Redirection.Hop) { (from, to, kind, note) = (hop.from.text, hop.to.text, hop.kind, hop.note) }

    public static let schema: String? = "Hop"
    public static let fields: [Field<Self>] = [
        Field(always: "from", \.from), Field(always: "to", \.to), Field(always: "kind", \.kind),
        Field(always: "note", \.note, "What sort of hop, when and why"),
    ]
}

extension Redirection.Hop.Kind: FieldChoice {}
