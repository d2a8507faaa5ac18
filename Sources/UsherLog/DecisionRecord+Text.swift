internal import UsherScene

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

/// Whether and how text is coloured: never where standard output is no terminal or `NO_COLOR` is set.
public struct TerminalStyle: Sendable {
    public var isColoured: Bool

    public init(isColoured: Bool) { self.isColoured = isColoured }

    public static let plain = TerminalStyle(isColoured: false)

    public enum Color: String, Sendable {
        case red = "31"
        case green = "32"
        case yellow = "33"
    }

    public func color(_ text: String, _ color: Color) -> String { wrap(text, color.rawValue) }
    public func emphasise(_ text: String) -> String { wrap(text, "1") }
    public func dim(_ text: String) -> String { wrap(text, "2") }

    private func wrap(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

extension String {
    /// With blanks up to `width` characters.
    public func padded(to width: Int) -> String {
        let missing = width - unicodeScalars.count
        return missing > 0 ? self + String(repeating: " ", count: missing) : self
    }
}
