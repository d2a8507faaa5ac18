public import UsherOperation
package import UsherScene

/// A move on the way from one identifier to another.
public struct HopAnswer: AnswerRecord, Hashable {
    public var from = ""
    public var to = ""
    public var note = ""

    public init() {}
    package init(_ hop: Redirection.Hop) { (from, to, note) = (hop.from.text, hop.to.text, hop.note) }

    public static let schema: String? = "Hop"
    public static let fields: [Field<Self>] = [
        Field(always: "from", \.from), Field(always: "to", \.to),
        Field(always: "note", \.note, "What sort of move, when and why"),
    ]
}
