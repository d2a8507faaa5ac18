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
            Printable.escaped(session ?? scene ?? "-").padded(to: 10), reason.rawValue.padded(to: 10),
        ]
        if !isDryRun {
            let effect = outcome.rawValue + (outcome == .verified ? view.map { ", \($0.text)" } ?? "" : "")
            columns.append(style.color(effect.padded(to: 10), outcome == .failed ? .red : .green))
        }
        columns.append(Printable.escaped(target ?? "-"))
        if let title { columns.append("\"\(Printable.escaped(title))\"") }
        var line = columns.joined(separator: "  ")
        if let rule { line += style.dim("  \(rule)") }
        if let error {
            line += "\n   \(style.color("error", .red)) \(Printable.escaped(error.message))"
            if let at = error.at, !at.isEmpty { line += " at \(Printable.escaped(at))" }
            line += style.dim(" [\(error.code)]")
            for excerpt in error.excerpt?.text ?? [] { line += "\n   \(excerpt)" }
            if let help = error.help { line += "\n   help: \(Printable.escaped(help))" }
        }
        for note in warnings {
            line +=
                "\n   \(style.color("warning", .yellow)) \(Printable.escaped(note.message))\(style.dim(" [\(note.name)]"))"
            if let help = note.help { line += "\n   help: \(Printable.escaped(help))" }
        }
        if let answer {
            let text = answer.action.map { "\($0) (\(answer.by ?? answer.state))" } ?? "none (\(answer.state))"
            line += "\n   answer: \(Printable.escaped(text))"
            if let message = answer.message { line += ", \"\(Printable.escaped(message))\"" }
        }
        if let seen { line += "\n   saw: \(Printable.escaped(seen))" }
        return line
    }
}
