internal import UsherJSON
internal import UsherOperation
internal import UsherText

/// An inspection for people: what a payload is, what it says, and what is wrong with it.
struct InspectionText {
    private let style: TerminalStyle
    private(set) var text = ""

    /// - Parameter inspection: as `payload inspect` writes it as JSON.
    init(_ inspection: JSONValue, style: TerminalStyle) {
        self.style = style
        let payload = InspectedPayload(inspection)
        guard let lines = payload.lines else {
            append(payload, heading: "")
            return
        }
        let payloads = lines.map { InspectedPayload($0) }
        for payload in payloads { append(payload, heading: "line \(payload.line)  ") }
        let invalid = payloads.count { !$0.isValid }
        text += "\(lines.count == 1 ? "one payload" : "\(lines.count) payloads"), "
        text += invalid == 0 ? "all valid\n" : "\(invalid) invalid\n"
    }

    private mutating func append(_ payload: InspectedPayload, heading: String) {
        let judgement = payload.isValid ? style.color("valid", .green) : style.color("invalid", .red)
        text += heading + style.emphasise(Printable.escaped(payload.kind)) + "  " + judgement + "\n"
        if payload.isValid {
            text += TextTable.text(payload.rows, indent: 3)
        } else {
            append(style.color("error", .red), payload.problem)
        }
        for warning in payload.details { append(style.color("warning", .yellow), warning) }
    }

    /// What is wrong, where, and the remedy.
    private mutating func append(_ what: String, _ problem: InspectedPayload.Problem) {
        text += "   \(what): \(Printable.escaped(problem.message ?? ""))"
        let pointer = Printable.escaped(problem.at ?? "")
        if !pointer.isEmpty { text += " at \(pointer)" }
        if let offset = problem.offset { text += ", byte \(offset)" }
        text += style.dim(" [\(Printable.escaped(problem.code ?? "")) \(Printable.escaped(problem.name ?? ""))]") + "\n"
        for line in problem.excerpt { text += "   \(line)\n" }
        if let help = problem.help { text += "   help: \(Printable.escaped(help))\n" }
    }
}

/// One payload of an inspection, as far as people are shown more than its members.
private struct InspectedPayload: AnswerRecord {
    struct Problem: AnswerRecord {
        var name: String?
        var code: String?
        var message: String?
        var at: String?
        var offset: Int?
        var excerpt: [String] = []
        var help: String?

        static let fields: [Field<Self>] = [
            Field(ifAny: "name", \.name), Field(ifAny: "code", \.code), Field(ifAny: "message", \.message),
            Field(ifAny: "at", \.at), Field(ifAny: "offset", \.offset), Field(ifAny: "help", \.help),
        ]
    }

    var lines: [JSONValue]?
    var line = 0
    var kind = ""
    var isValid = false
    var isDisplayable = false
    var details: [Problem] = []
    /// The error, where it is one. Its place is `pointer`: `at` is a number here.
    var problem = Problem()
    /// Every member that says something.
    private var members: [JSONValue.Member] = []

    init() {}

    init(_ value: JSONValue) {
        self = (try? InspectedPayload(reading: value)) ?? InspectedPayload()
        members = value.members ?? []
    }

    static let fields: [Field<Self>] = [
        Field(ifAny: "lines", \.lines), Field(ifAny: "line", \.line), Field(ifAny: "kind", \.kind),
        Field(ifAny: "valid", \.isValid), Field(ifAny: "displayable", \.isDisplayable),
        Field(ifAny: "details", \.details), Field(ifAny: "error", \.problem.name), Field(ifAny: "code", \.problem.code),
        Field(ifAny: "message", \.problem.message), Field(ifAny: "pointer", \.problem.at),
        Field(ifAny: "offset", \.problem.offset), Field(ifAny: "excerpt", \.problem.excerpt),
        Field(ifAny: "help", \.problem.help),
    ]

    /// Told by the heading, by errors and warnings, or in words of its own.
    private static let toldElsewhere: Set<String> = [
        "line", "kind", "valid", "error", "warnings", "details", "at", "message", "pointer", "displayable",
    ]

    /// What the payload says.
    var rows: [[String]] {
        var rows: [[String]] = []
        for member in members where !Self.toldElsewhere.contains(member.name) {
            let name = member.name == "target_content_id" ? "target" : String(member.name.map { $0 == "_" ? " " : $0 })
            switch member.value {
            case .string(let text): rows.append([name, Printable.escaped(text)])
            case .number(let digits): rows.append([name, digits])
            case .boolean(true): rows.append([name, "yes"])
            default: break
            }
        }
        rows.append(["shows something", isDisplayable ? "yes" : "no"])
        return rows
    }
}
