internal import UsherJSON
internal import UsherLog
internal import UsherText

extension ExplanationText {
    /// Where the target leads, hop by hop; which of its identifiers a window knew it by; and the tombstone of content that
    /// was deleted.
    var redirection: [String] {
        let hops = value["hops"]?.elements ?? []
        var lines = hops.enumerated().map { index, hop in
            "hop \(index + 1)    \(string(hop["from"])) -> \(string(hop["to"]))  \(string(hop["note"]))"
        }
        let aliases = value["aliases"]?.elements ?? []
        let tombstone = value["tombstone"]
        if let tombstone, tombstone.members != nil {
            let reason = tombstone["reason"]?.string == nil ? "" : ": \(string(tombstone["reason"]))"
            lines.append("deleted  \(string(tombstone["identifier"]))  \(string(tombstone["made"]))\(reason)")
            lines.append("fix the sender: send nothing for it any more")
            if value["plan"]?.elements?.isEmpty != false, let app = value["app"]?.string, closing != "" {
                lines.append("nobody is told: \(TerminalText.escape(app)) has no handlers.content-deleted")
            }
        } else if let newest = hops.last {
            lines.append("fix the sender: send \(string(newest["to"]))")
        }
        let onTheWay = hops.flatMap { [$0["from"]?.string, $0["to"]?.string] }.compactMap { $0 }.map(TargetText.init)
        let others = aliases.dropFirst(hops.isEmpty ? 1 : 0).filter { alias in
            !onTheWay.contains(TargetText(alias.string ?? ""))
        }
        for alias in others.prefix(8) { lines.append("older    \(string(alias))  leads to the same content") }
        if others.count > 8 { lines.append("         and \(others.count - 8) more") }
        if aliases.count > 1, let matched { lines.append("matched  \(matched)") }
        return lines
    }

    /// By which identifier the winner was chosen.
    private var matched: String? {
        for candidate in value["candidates"]?.elements ?? [] where candidate["wins"]?.boolean == true {
            for name in ["prefers", "can"] {
                guard candidate[name]?["result"]?.boolean == true, candidate[name]?["matched"]?.string != nil else {
                    continue
                }
                return "\(string(candidate[name]?["matched"]))  of the window \(string(candidate["session"])) (\(name))"
            }
        }
        guard value["decision"]?["session"]?.string == nil, let scene = value["decision"]?["scene"]?.string else {
            return nil
        }
        for configuration in value["configurations"]?.elements ?? [] where configuration["scene"]?.string == scene {
            guard configuration["opens"]?["matched"]?.string != nil else { continue }
            return
                "\(string(configuration["opens"]?["matched"]))  by opens of the scene \(string(configuration["scene"]))"
        }
        return nil
    }
}

/// Identifiers are compared by their bytes.
private struct TargetText: Equatable {
    let text: String
    init(_ text: String) { self.text = text }
    static func == (one: Self, other: Self) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }
}
