internal import UsherJSON
internal import UsherLog
internal import UsherText

/// An inspection for people: what a payload is, what it says, and what is wrong with it.
struct InspectionText {
    private let style: TerminalStyle
    private(set) var text = ""

    /// - Parameter inspection: as `payload inspect` writes it as JSON.
    init(_ inspection: JSONValue, style: TerminalStyle) {
        self.style = style
        guard let lines = inspection["lines"]?.elements else {
            append(inspection, heading: "")
            return
        }
        for line in lines { append(line, heading: "line \(line["line"]?.int64 ?? 0)  ") }
        let invalid = lines.count { $0["valid"]?.boolean != true }
        text += "\(lines.count == 1 ? "one payload" : "\(lines.count) payloads"), "
        text += invalid == 0 ? "all valid\n" : "\(invalid) invalid\n"
    }

    private mutating func append(_ payload: JSONValue, heading: String) {
        let isValid = payload["valid"]?.boolean == true
        let judgement = isValid ? style.color("valid", .green) : style.color("invalid", .red)
        text += heading + style.emphasise(string(payload["kind"])) + "  " + judgement + "\n"
        if isValid {
            text += TextTable.text(InspectionText.rows(of: payload), indent: 3)
        } else {
            append(style.color("error", .red), payload, place: payload["pointer"], name: payload["error"])
        }
        for warning in payload["details"]?.elements ?? [] {
            append(style.color("warning", .yellow), warning, place: warning["at"], name: warning["name"])
        }
    }

    /// What is wrong, where, and the remedy.
    private mutating func append(_ what: String, _ problem: JSONValue, place: JSONValue?, name: JSONValue?) {
        text += "   \(what): \(string(problem["message"]))"
        let pointer = string(place)
        if !pointer.isEmpty { text += " at \(pointer)" }
        if let offset = problem["offset"]?.int64 { text += ", byte \(offset)" }
        text += style.dim(" [\(string(problem["code"])) \(string(name))]") + "\n"
        if let help = problem["help"]?.string { text += "   help: \(Printable.escaped(help))\n" }
    }

    private func string(_ value: JSONValue?) -> String { Printable.escaped(value?.string ?? "") }

    /// Told by the heading, by errors and warnings, or in words of its own.
    private static let toldElsewhere: Set<String> = [
        "line", "kind", "valid", "error", "warnings", "details", "at", "message", "pointer", "displayable",
    ]

    /// What the payload says: every member that says something.
    private static func rows(of payload: JSONValue) -> [[String]] {
        var rows: [[String]] = []
        for member in payload.members ?? [] where !toldElsewhere.contains(member.name) {
            let name = member.name == "target_content_id" ? "target" : String(member.name.map { $0 == "_" ? " " : $0 })
            switch member.value {
            case .string(let text): rows.append([name, Printable.escaped(text)])
            case .number(let digits): rows.append([name, digits])
            case .boolean(true): rows.append([name, "yes"])
            default: break
            }
        }
        rows.append(["shows something", payload["displayable"]?.boolean == true ? "yes" : "no"])
        return rows
    }
}
