public import UsherJSON
internal import UsherLog
internal import UsherScene
public import UsherText

/// An explanation for people: the decision, the app, the windows as a table, the truth of each condition, and what would
/// happen without the winner.
///
/// Made from the JSON form, so that a decision of last week reads like one of now.
public struct ExplanationText {
    private let value: JSONValue
    private let style: TerminalStyle
    /// How the text ends: `Nothing was done.`
    private let closing: String

    public init(_ value: JSONValue, style: TerminalStyle, closing: String = "Nothing was done.") {
        self.value = value
        self.style = style
        self.closing = closing
    }

    public var text: String {
        var lines = headline
        lines.append("")
        lines += redirection
        for owner in value["owners"]?.elements ?? [] where owner["wins"]?.boolean == false {
            lines.append(
                "claimed  \(string(owner["app"]))  \(string(owner["claim"]))"
                    + style.dim("      \(string(owner["at"]))"))
        }
        for refusal in value["refused"]?.elements ?? [] {
            lines.append(
                "not      \(string(refusal["app"]))  \(string(refusal["why"]))"
                    + style.dim("      \(string(refusal["at"]))"))
        }
        if let app = value["app"]?.string {
            var line = "app      \(style.emphasise(Printable.escaped(app)))"
            if let owner = value["owner"]?.string { line += "  \(Printable.escaped(owner))" }
            if let place = value["owner_at"]?.string { line += style.dim("      \(place)") }
            lines.append(line)
            lines.append(windows)
        }
        if !candidates.isEmpty {
            lines += [""] + candidateTable
            let missing = (value["candidates_total"]?.int64 ?? 0) - Int64(candidates.count)
            if missing > 0 { lines.append("    and \(missing) more windows that come later (--all shows them)") }
            lines += [""] + truths
        }
        if value["decision"]?["session"]?.string == nil, let configurations = value["configurations"]?.elements,
            !configurations.isEmpty
        {
            lines += [""] + table(of: configurations)
        }
        if let limit = value["limit"], limit.members != nil {
            lines += [
                "",
                "limit    \(limit["open"]?.int64 ?? 0) of \(limit["limit"]?.int64 ?? 0) windows are open"
                    + style.dim("      \(string(limit["at"]))"),
            ]
        }
        let near = value["near"]?.elements ?? []
        if !near.isEmpty { lines.append("") }
        for miss in near {
            let place = miss["session"]?.string ?? miss["scene"]?.string ?? miss["app"]?.string ?? ""
            let differences = (miss["difference"]?.elements ?? []).map { string($0) }.joined(separator: ", ")
            lines.append(
                "near     \(string(miss["id"]))  \(Printable.escaped(place)) accepts it (\(differences))"
                    + style.dim("      \(string(miss["at"]))"))
        }
        return (lines + ["", ending]).joined(separator: "\n")
    }

    private var candidates: [JSONValue] { value["candidates"]?.elements ?? [] }

    private func string(_ value: JSONValue?) -> String { Printable.escaped(value?.string ?? "") }

    private var headline: [String] {
        let decision = value["decision"] ?? .null
        var line = style.emphasise(string(decision["action"]))
        for name in ["url", "session", "scene"] {
            guard let subject = decision[name]?.string else { continue }
            line += " \(Printable.escaped(subject))"
            break
        }
        if let title = candidates.first(where: { $0["wins"]?.boolean == true })?["title"]?.string {
            line += "  \"\(Printable.escaped(title))\""
        }
        line = line.padded(to: 48) + "  " + string(decision["reason"])
        if let policy = decision["policy"]?.string { line += " (policy \(policy))" }
        if let rule = decision["rule"]?.string { line += style.dim("  \(Printable.escaped(rule))") }
        guard let error = decision["error"], error.members != nil else { return [line] }
        var lines = [
            line,
            "   \(style.color("error", .red)) \(string(error["message"]))\(style.dim(" [\(string(error["code"])) \(string(error["name"]))]"))",
        ]
        if let help = error["help"]?.string { lines.append("   help: \(Printable.escaped(help))") }
        return lines
    }

    /// Counts what is shown, or all there is.
    private var windows: String {
        let total = value["candidates_total"]?.int64 ?? 0
        if total > candidates.count { return "windows  \(total), as last seen" }
        let open = candidates.count { ["connected", "connecting"].contains($0["state"]?.string) }
        let gone = candidates.count - open
        let systems = (value["snapshot"]?["systems"]?.elements ?? []).compactMap(\.string).joined(separator: ", ")
        let isLive = value["snapshot"]?["source"]?.string == "live"
        let source = isLive ? systems.isEmpty ? "live" : "live from usherd (\(systems))" : "as last seen"
        return "windows  \(open) open\(gone > 0 ? ", \(gone) disconnected" : ""), \(source)"
    }

    private var candidateTable: [String] {
        let now = value["snapshot"]?["time_us"]?.int64 ?? 0
        var rows = [["", "session", "last used", "prefers", "can", "verdict"]]
        for candidate in candidates {
            var used = candidate["used"]?.int64.map { Instant.age(.microseconds(now - $0)) } ?? "never"
            if let state = candidate["state"]?.string, state != "connected" { used += ", \(state)" }
            rows.append([
                candidate["wins"]?.boolean == true ? ">" : "", string(candidate["session"]), used,
                yesOrNo(candidate["prefers"]), yesOrNo(candidate["can"]), string(candidate["verdict"]),
            ])
        }
        return TextTable.lines(rows, indent: 1)
    }

    private func yesOrNo(_ truth: JSONValue?) -> String { truth?["result"]?.boolean == true ? "yes" : "no" }

    private var truths: [String] {
        var rows: [[String]] = []
        for candidate in candidates {
            rows += self.rows(string(candidate["session"]), "prefers", candidate["prefers"] ?? .null)
            if candidate["prefers"]?["result"]?.boolean != true {
                rows += self.rows("", "can", candidate["can"] ?? .null)
            }
        }
        return TextTable.lines(rows, indent: 1)
    }

    /// One row for a plain condition; a compound one has a row a term.
    private func rows(_ session: String, _ kind: String, _ truth: JSONValue) -> [[String]] {
        var rows = [[session, kind, string(truth["text"]), word(truth), place(of: truth)]]
        let terms = truth["terms"]?.elements ?? []
        guard terms.count > 1 else { return rows }
        for term in terms {
            guard let depth = term["depth"]?.int64, depth > 0 else { continue }
            let indent = String(repeating: "  ", count: Int(clamping: min(depth, 16)))
            let place = term["at"]?.string.map { String($0.split(separator: ":").suffix(2).joined(separator: ":")) }
            rows.append(["", "", indent + string(term["text"]), word(term), place ?? ""])
        }
        return rows
    }

    private func word(_ truth: JSONValue) -> String { truth["result"]?.boolean == true ? "true" : "false" }

    /// The source of a condition: its place in a file, or `set by the app`, or `default`.
    private func place(of truth: JSONValue) -> String {
        if let place = truth["at"]?.string { return Printable.escaped(place) }
        return truth["origin"]?.string == "session" ? "set by the app" : "default"
    }

    private func table(of configurations: [JSONValue]) -> [String] {
        let made = value["decision"]?["scene"]?.string
        var rows = [["", "scene", "opens", "", "verdict"]]
        for configuration in configurations {
            var opens = configuration["opens"]
            if opens?.members == nil { opens = Optional.none }
            rows.append([
                configuration["scene"]?.string == made ? ">" : "", string(configuration["scene"]),
                opens.map { string($0["text"]) } ?? "anything else", opens.map(place(of:)) ?? "",
                string(configuration["verdict"]),
            ])
        }
        return TextTable.lines(rows, indent: 1)
    }

    private var ending: String {
        var parts: [String] = []
        if let winner = value["decision"]?["session"]?.string, let other = value["without_winner"], other.members != nil
        {
            let name = other["session"]?.string ?? other["scene"]?.string.map { "a new \($0)" } ?? "nothing"
            parts.append(
                "without \(Printable.escaped(winner)): \(Printable.escaped(name)) (\(string(other["reason"]))).")
        }
        let plan = (value["plan"]?.elements ?? []).map { string($0) }
        if !plan.isEmpty { parts.append("would do: \(plan.joined(separator: ", ")).") }
        if !closing.isEmpty { parts.append(closing) }
        return parts.joined(separator: "   ")
    }
}

// MARK: - Redirection

extension ExplanationText {
    /// Where the target leads, hop by hop; which of its identifiers a window knew it by; and the tombstone of content that
    /// was deleted.
    private var redirection: [String] {
        let hops = value["hops"]?.elements ?? []
        var lines = hops.enumerated().map { index, hop in
            "hop \(index + 1)    \(string(hop["from"])) -> \(string(hop["to"]))  \(string(hop["note"]))"
        }
        let tied = value["tied"]?.elements ?? []
        if !tied.isEmpty {
            lines.append(
                "tied     to \(tied.prefix(4).map(string).joined(separator: ", "))\(tied.count > 4 ? " and more" : ""): "
                    + "they do not agree, so it stands for itself")
        }
        let aliases = value["aliases"]?.elements ?? []
        let tombstone = value["tombstone"]
        if let tombstone, tombstone.members != nil {
            let reason = tombstone["reason"]?.string == nil ? "" : ": \(string(tombstone["reason"]))"
            lines.append("deleted  \(string(tombstone["identifier"]))  \(string(tombstone["made"]))\(reason)")
            lines.append("fix the sender: send nothing for it any more")
            if value["plan"]?.elements?.isEmpty != false, let app = value["app"]?.string, closing != "" {
                lines.append("no program is run: \(Printable.escaped(app)) has no handlers.content-deleted")
            }
        } else if let newest = hops.last(where: { !["activity", "link"].contains($0["kind"]?.string) }) {
            lines.append("fix the sender: send \(string(newest["to"]))")
        }
        let onTheWay = hops.flatMap { [$0["from"]?.string, $0["to"]?.string] }.compactMap { $0 }
            .map(TargetContentIdentifier.init)
        let others = aliases.dropFirst(hops.isEmpty ? 1 : 0).filter { alias in
            !onTheWay.contains(TargetContentIdentifier(alias.string ?? ""))
        }
        for alias in others.prefix(8) { lines.append("older    \(string(alias))  leads to the same content") }
        if others.count > 8 { lines.append("         and \(others.count - 8) more") }
        if aliases.count > 1, let matched { lines.append("matched  \(matched)") }
        let notes = value["notes"]?.elements ?? []
        if !notes.isEmpty { lines.append("notes    \(notes.prefix(4).map(string).joined(separator: ", "))") }
        if notes.count > 4 { lines[lines.count - 1] += " and \(notes.count - 4) more" }
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
