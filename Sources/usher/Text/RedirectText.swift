internal import UsherEngine
internal import UsherNotes
internal import UsherText

/// Redirects for people.
enum RedirectText {
    static func moved(_ answer: RedirectChangeAnswer) -> String {
        let redirect = answer.redirect
        let known = answer.isNew == false ? "  (already known)" : ""
        let rest = redirect.kind == .prefixMove ? "..." : ""
        var lines = ["\(escaped(redirect.source))\(rest) -> \(escaped(redirect.destination))\(rest)\(known)"]
        if let newest = answer.resolved, newest != redirect.destination, redirect.kind == .move {
            lines.append("which leads on to \(escaped(newest))")
        }
        return text(lines)
    }

    static func deleted(_ answer: RedirectChangeAnswer) -> String {
        let known = answer.isNew == false ? " since \(answer.redirect.made.text)" : ""
        return text(hops(answer.hops) + ["\(escaped(answer.redirect.source)) is deleted\(known)"])
    }

    static func restored(_ answer: RedirectChangeAnswer) -> String {
        let what = answer.redirect.kind == .deleted ? "is no longer deleted" : "has not moved any more"
        return text(
            ["\(escaped(answer.redirect.source)) \(what)"] + hops(answer.hops) + grave(answer.tombstone ?? nil))
    }

    static func list(_ answer: RedirectListAnswer) -> String {
        var rows = [["number", "kind", "made", "source", "leads to", "reason"]]
        for redirect in answer.redirects {
            rows.append([
                "\(redirect.number)", redirect.kind.rawValue, String(redirect.made.text.prefix(10)),
                escaped(redirect.source), escaped(redirect.destination), escaped(redirect.reason),
            ])
        }
        var lines = TextTable.lines(rows)
        let missing = answer.total - answer.redirects.count
        if missing > 0 { lines.append("and \(missing) more (--limit)") }
        let way = hops(answer.hops ?? []) + grave(answer.tombstone ?? nil)
        return text(lines + (way.isEmpty ? [] : [""] + way))
    }

    private static func hops(_ hops: [HopAnswer]) -> [String] {
        hops.enumerated().map { index, hop in
            "hop \(index + 1)  \(escaped(hop.from)) -> \(escaped(hop.to))  \(escaped(hop.note))"
        }
    }

    private static func grave(_ tombstone: TombstoneAnswer?) -> [String] {
        guard let tombstone else { return [] }
        let reason = tombstone.reason.map { ": \(escaped($0))" } ?? ""
        return ["\(escaped(tombstone.identifier)) was deleted on \(tombstone.made.text.prefix(10))\(reason)"]
    }

    private static func escaped(_ text: String?) -> String { Printable.escaped(text ?? "") }

    private static func text(_ lines: [String]) -> String { lines.joined(separator: "\n") + "\n" }
}
