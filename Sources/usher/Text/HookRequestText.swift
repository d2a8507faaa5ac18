internal import UsherEngine
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
        if let error = entry.error { text += problem(error, style) }
        text += reasons(entry.why, style)
        if entry.leftOut > 0 { text += "   \(entry.leftOut) more like it before this one\n" }
        return text
    }

    /// A problem with its remedy.
    static func problem(_ error: ErrorAnswer, _ style: TerminalStyle) -> String {
        problem(error.name, error.message, at: error.at, help: error.help, style)
    }

    /// Why a hook refuses a request, with its remedy.
    static func problem(_ reason: HookReasonAnswer, _ style: TerminalStyle) -> String {
        problem(reason.name, reason.message, at: reason.at, help: reason.help, style)
    }

    private static func problem(
        _ name: String, _ message: String, at: String?, help: String?, _ style: TerminalStyle
    ) -> String {
        var text = "   \(style.color("error", .red)) \(Printable.escaped(message))"
        if let at, !at.isEmpty { text += " at \(Printable.escaped(at))" }
        text += style.dim(" [\(Printable.escaped(name))]") + "\n"
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
