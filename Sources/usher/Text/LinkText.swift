internal import UsherActivities
internal import UsherEngine
internal import UsherNotes
internal import UsherOperation
internal import UsherText

/// Links and suggestions for people.
enum LinkText {
    /// One link with everything about it.
    static func text(_ link: LinkAnswer, style: TerminalStyle) -> String {
        var rows = [["note", link.note]]
        if let app = link.app { rows.append(["app", app]) }
        for identifier in link.identifiers { rows.append([identifier.kind.rawValue, identifier.identifier]) }
        for hop in link.hops { rows.append(["moved to", "\(hop.to)  (\(hop.note))"]) }
        if let deleted = link.deleted { rows.append(["deleted", deleted]) }
        if let activity = try? link.activity??.value() { rows.append(["activity", activity.activityType]) }
        rows.append(["made", link.created.text])
        let escaped = rows.map { $0.map { Printable.escaped($0) } }
        return style.emphasise(Printable.escaped(link.title ?? link.target ?? "-")) + "  " + link.id + "\n"
            + TextTable.text(escaped, indent: 3)
    }

    /// The rows of a table of many links, with the heads of its columns.
    static func rows(_ links: [LinkAnswer]) -> [[String]] {
        [["link", "title", "leads to"]]
            + links.map { link in
                [link.id, link.title ?? "-", link.deleted ?? link.resolved ?? "-"].map { Printable.escaped($0) }
            }
    }

    /// The rows of a table of suggestions, with the heads of its columns.
    static func rows(ofSuggestions suggestions: [LinkedNoteAnswer]) -> [[String]] {
        [["note", "says", "about"]]
            + suggestions.map { suggestion in
                let via = suggestion.via.last.map { "  (\($0.note))" } ?? ""
                return [suggestion.note, suggestion.text, suggestion.identifier + via].map { Printable.escaped($0) }
            }
    }

    /// All suggestions in one line, for a status bar; empty where there is none.
    static func line(_ suggestions: [LinkedNoteAnswer]) -> String {
        guard let first = suggestions.first else { return "" }
        let more = suggestions.count > 1 ? " (+\(suggestions.count - 1))" : ""
        return Printable.escaped(first.text) + more
    }
}
