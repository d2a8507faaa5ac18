internal import UsherJSON
internal import UsherLog
internal import UsherText

/// Links and suggestions for people.
enum LinkText {
    /// One link with everything about it.
    static func text(_ link: JSONValue, style: TerminalStyle) -> String {
        var rows = [["note", text(link, "note")]]
        if let app = link["app"]?.string { rows.append(["app", app]) }
        for identifier in link["identifiers"]?.elements ?? [] {
            rows.append([text(identifier, "kind"), text(identifier, "identifier")])
        }
        for hop in link["hops"]?.elements ?? [] {
            rows.append(["moved to", "\(text(hop, "to"))  (\(text(hop, "note")))"])
        }
        if let deleted = link["deleted"]?.string { rows.append(["deleted", deleted]) }
        if let type = link["activity"]?["activityType"]?.string { rows.append(["activity", type]) }
        rows.append(["made", text(link, "created")])
        let escaped = rows.map { $0.map { Printable.escaped($0) } }
        return style.emphasise(Printable.escaped(link["title"]?.string ?? text(link, "target"))) + "  "
            + text(link, "id") + "\n" + TextTable.text(escaped, indent: 3)
    }

    /// The rows of a table of many links, with the heads of its columns.
    static func rows(_ links: [JSONValue]) -> [[String]] {
        var rows = [["link", "title", "leads to"]]
        for link in links {
            let place = link["deleted"]?.string ?? text(link, "resolved")
            rows.append([text(link, "id"), link["title"]?.string ?? "-", place].map { Printable.escaped($0) })
        }
        return rows
    }

    /// The rows of a table of suggestions, with the heads of its columns.
    static func rows(ofSuggestions suggestions: [JSONValue]) -> [[String]] {
        var rows = [["note", "says", "about"]]
        for suggestion in suggestions {
            let via = suggestion["via"]?.elements?.last.map { "  (\(text($0, "note")))" } ?? ""
            let cells = [text(suggestion, "note"), text(suggestion, "text"), text(suggestion, "identifier") + via]
            rows.append(cells.map { Printable.escaped($0) })
        }
        return rows
    }

    /// All suggestions in one line, for a status bar; empty where there is none.
    static func line(_ suggestions: [JSONValue]) -> String {
        guard let first = suggestions.first else { return "" }
        let more = suggestions.count > 1 ? " (+\(suggestions.count - 1))" : ""
        return Printable.escaped(text(first, "text")) + more
    }

    private static func text(_ value: JSONValue, _ name: String) -> String { value[name]?.string ?? "-" }
}
