internal import UsherScene
public import UsherText

extension DecisionRecord {
    /// The record for people: one line, and one more for the error and each warning.
    ///
    ///     launch      clown-1    opens     done        https://clowntown.example/clowns/crusty  "Order Crusty"
    public func text(style: TerminalStyle) -> String {
        let what = isDryRun && action != .none ? "would \(action.rawValue)" : action.rawValue
        var columns = [
            style.emphasise(what.padded(to: isDryRun ? 16 : 10)),
            TerminalText.escape(session ?? scene ?? "-").padded(to: 10), reason.rawValue.padded(to: 10),
        ]
        if !isDryRun {
            columns.append(style.color(outcome.rawValue.padded(to: 10), outcome == .failed ? .red : .green))
        }
        columns.append(TerminalText.escape(target ?? "-"))
        if let title { columns.append("\"\(TerminalText.escape(title))\"") }
        var line = columns.joined(separator: "  ")
        if let rule { line += style.dim("  \(rule)") }
        if let error {
            line += "\n   \(style.color("error", .red)) \(TerminalText.escape(error.message))"
            if let at = error.at, !at.isEmpty { line += " at \(TerminalText.escape(at))" }
            line += style.dim(" [\(error.code)]")
            if let help = error.help { line += "\n   help: \(TerminalText.escape(help))" }
        }
        for note in warnings {
            line +=
                "\n   \(style.color("warning", .yellow)) \(TerminalText.escape(note.message))\(style.dim(" [\(note.name)]"))"
            if let help = note.help { line += "\n   help: \(TerminalText.escape(help))" }
        }
        if let seen { line += "\n   saw: \(TerminalText.escape(seen))" }
        return line
    }
}
