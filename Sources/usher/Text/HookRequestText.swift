internal import UsherEngine
internal import UsherHook
internal import UsherOperation
internal import UsherText

/// Requests to hooks as commands print them for people.
enum HookRequestText {
    /// One request of the log: a line, and a line for each reason.
    static func text(_ entry: HookRequestRecord, style: TerminalStyle) -> String {
        let place = entry.hook.isEmpty ? entry.path : entry.hook
        var text =
            [
                entry.time.text, "\(entry.status)", coloured(entry.result.padded(to: 9), entry.result, style),
                Printable.escaped(place), Printable.escaped(entry.client),
            ].joined(separator: "  ") + "\n"
        if let original = entry.duplicateOf { text += duplicate(of: original, entry) }
        if let error = entry.error { text += problem(error, style) }
        text += reasons(entry.why, style)
        if entry.leftOut > 0 { text += "   \(entry.leftOut) more like it before this one\n" }
        return text
    }

    /// A problem with its remedy.
    static func problem(_ error: ErrorAnswer, _ style: TerminalStyle) -> String {
        problem(
            error.name, error.message, at: error.at, help: error.help, (error.line, error.column, error.excerpt), style)
    }

    private static func duplicate(of original: String, _ entry: HookRequestRecord) -> String {
        let text = "   duplicate of \(Printable.escaped(original)), which has the same "
        if entry.sameness == HookReplays.id.rawValue { return text + "id of the sender: nothing was done\n" }
        return text + "signed content: nothing was done\n"
            + "   help: replays = \"id\" in the hook's signature makes an event of each id\n"
    }

    /// Why a hook refuses a request, with its remedy.
    static func problem(_ reason: HookReasonAnswer, _ style: TerminalStyle) -> String {
        problem(
            reason.name, reason.message, at: reason.at, help: reason.help,
            (reason.line, reason.column, reason.excerpt), style)
    }

    private static func problem(
        _ name: String, _ message: String, at: String?, help: String?,
        _ place: (line: Int?, column: Int?, excerpt: [String]), _ style: TerminalStyle
    ) -> String {
        var text = "   \(style.color("error", .red)) \(Printable.escaped(message))"
        if let at, !at.isEmpty { text += " at \(Printable.escaped(at))" }
        text += style.dim(" [\(Printable.escaped(name))]") + "\n"
        if let line = place.line, let column = place.column {
            let excerpt = TextExcerpt(LinePosition(line: line, column: column), place.excerpt)
            // Written down by another process.
            for line in excerpt.text { text += "   \(Printable.escaped(line))\n" }
        }
        if let help { text += "   help: \(Printable.escaped(help))\n" }
        return text
    }

    /// Why hooks ignore an event.
    static func reasons(_ reasons: [HookReasonAnswer], _ style: TerminalStyle) -> String {
        reasons.map { reason in
            let place = Printable.escaped(reason.rule ?? "-")
            return "   \(Printable.escaped(reason.hook)): \(Printable.escaped(reason.message))  \(style.dim(place))\n"
        }.joined()
    }

    static func coloured(_ text: String, _ result: String, _ style: TerminalStyle) -> String {
        switch result {
        case "refused": style.color(text, .red)
        case "ignored": style.color(text, .yellow)
        default: style.color(text, .green)
        }
    }
}
