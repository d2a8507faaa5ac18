internal import UsherJSON
internal import UsherLog
internal import UsherText

/// Redirects for people, from the answers in JSON.
enum RedirectText {
    static func moved(_ answer: JSONValue) -> String {
        let redirect = answer["redirect"] ?? .null
        let known = answer["is_new"]?.boolean == false ? "  (already known)" : ""
        let rest = redirect["kind"]?.string == "prefix-move" ? "..." : ""
        var lines = ["\(string(redirect["source"]))\(rest) -> \(string(redirect["destination"]))\(rest)\(known)"]
        if let newest = answer["resolved"]?.string, newest != redirect["destination"]?.string,
            redirect["kind"]?.string == "move"
        {
            lines.append("which leads on to \(Printable.escaped(newest))")
        }
        return text(lines)
    }

    static func deleted(_ answer: JSONValue) -> String {
        let redirect = answer["redirect"] ?? .null
        let known = answer["is_new"]?.boolean == false ? " since \(string(redirect["made"]))" : ""
        return text(hops(answer) + ["\(string(redirect["source"])) is deleted\(known)"])
    }

    static func restored(_ answer: JSONValue) -> String {
        let redirect = answer["redirect"] ?? .null
        let what = redirect["kind"]?.string == "deleted" ? "is no longer deleted" : "has not moved any more"
        return text(["\(string(redirect["source"])) \(what)"] + hops(answer) + grave(answer))
    }

    static func list(_ answer: JSONValue) -> String {
        var rows = [["number", "kind", "made", "source", "leads to", "reason"]]
        let redirects = answer["redirects"]?.elements ?? []
        for redirect in redirects {
            rows.append([
                redirect["number"]?.numberText ?? "", string(redirect["kind"]),
                String(string(redirect["made"]).prefix(10)), string(redirect["source"]),
                string(redirect["destination"]), string(redirect["reason"]),
            ])
        }
        var lines = TextTable.lines(rows)
        let missing = (answer["total"]?.int64 ?? 0) - Int64(redirects.count)
        if missing > 0 { lines.append("and \(missing) more (--limit)") }
        let way = hops(answer) + grave(answer)
        return text(lines + (way.isEmpty ? [] : [""] + way))
    }

    private static func hops(_ answer: JSONValue) -> [String] {
        (answer["hops"]?.elements ?? []).enumerated().map { index, hop in
            "hop \(index + 1)  \(string(hop["from"])) -> \(string(hop["to"]))  \(string(hop["note"]))"
        }
    }

    private static func grave(_ answer: JSONValue) -> [String] {
        guard let tombstone = answer["tombstone"], tombstone.members != nil else { return [] }
        let reason = tombstone["reason"]?.string.map { ": \(Printable.escaped($0))" } ?? ""
        return ["\(string(tombstone["identifier"])) was deleted on \(string(tombstone["made"]).prefix(10))\(reason)"]
    }

    private static func string(_ value: JSONValue?) -> String { Printable.escaped(value?.string ?? "") }

    private static func text(_ lines: [String]) -> String { lines.joined(separator: "\n") + "\n" }
}
