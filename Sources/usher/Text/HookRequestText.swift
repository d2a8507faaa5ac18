internal import UsherJSON
internal import UsherText

/// Requests to hooks as commands print them for people.
enum HookRequestText {
    /// One request of the log: a line, and a line for each reason.
    static func text(_ entry: JSONValue, style: TerminalStyle) -> String {
        let result = entry["result"]?.string ?? "-"
        let status = entry["status"]?.int64.map(String.init) ?? "-"
        let hook = entry["hook"]?.string ?? ""
        let place = hook.isEmpty ? entry["path"]?.string ?? "-" : hook
        var text =
            [
                Printable.escaped(entry["time"]?.string ?? "-"), status,
                coloured(result.padded(to: 9), result, style), Printable.escaped(place),
                Printable.escaped(entry["client"]?.string ?? "-"),
            ].joined(separator: "  ") + "\n"
        if let error = entry["error"], error.kind == .object { text += problem(error, style) }
        text += reasons(entry["why"]?.elements ?? [], style)
        if let count = entry["left_out"]?.int64, count > 0 {
            text += "   \(count) more like it before this one\n"
        }
        return text
    }

    /// A problem with its remedy.
    static func problem(_ error: JSONValue, _ style: TerminalStyle) -> String {
        var text = "   \(style.color("error", .red)) \(Printable.escaped(error["message"]?.string ?? ""))"
        if let at = error["at"]?.string, !at.isEmpty { text += " at \(Printable.escaped(at))" }
        text += style.dim(" [\(Printable.escaped(error["name"]?.string ?? ""))]") + "\n"
        if let help = error["help"]?.string { text += "   help: \(Printable.escaped(help))\n" }
        return text
    }

    /// Why hooks ignore an event.
    static func reasons(_ reasons: [JSONValue], _ style: TerminalStyle) -> String {
        reasons.map { reason in
            let place = Printable.escaped(reason["rule"]?.string ?? "-")
            let name = Printable.escaped(reason["hook"]?.string ?? "")
            return "   \(name): \(Printable.escaped(reason["message"]?.string ?? ""))  \(style.dim(place))\n"
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
