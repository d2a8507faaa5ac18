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
        return style.emphasise(Printable.escaped(link.title ?? link.target ?? "-")) + "  " + link.id + "\n"
            + TextTable.text(escaping: rows, indent: 3)
    }

    /// All suggestions in one line, for a status bar; empty where there is none.
    static func line(_ suggestions: [LinkedNoteAnswer]) -> String {
        guard let first = suggestions.first else { return "" }
        let more = suggestions.count > 1 ? " (+\(suggestions.count - 1))" : ""
        return Printable.escaped(first.text) + more
    }
}
