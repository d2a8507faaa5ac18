internal import UsherJSON
internal import UsherScene
internal import UsherSuggestion
internal import UsherText

extension Context {
    /// An array, or a table for people.
    func print(suggestions items: [SuggestedItem], now: Instant) {
        guard !writesJSON else {
            return output.write(JSONValue.array(items.map(\.json)).text() + "\n")
        }
        guard !items.isEmpty else { return errors.note("nothing is suggested: see usher help suggest") }
        let head = ["score", "suggestion", "from", "last"]
        output.write(TextTable.text([head] + items.map { SuggestedText.row($0, now).map { Printable.escaped($0) } }))
        for (number, item) in items.enumerated() {
            guard let why = item.why else { continue }
            let text = SuggestedText.why(why, of: item, isLast: number == items.count - 1)
            output.write(Printable.escaped(text, keeping: "\n"))
        }
    }

    /// A line each, for rofi and dmenu.
    func printMenu(of items: [SuggestedItem]) {
        var seen: Set<String> = []
        for item in items {
            let line = SuggestedText.menuLine(item)
            if seen.insert(line).inserted { output.write(Printable.escaped(line) + "\n") }
        }
    }
}

/// Suggestions for people.
private enum SuggestedText {
    static func row(_ item: SuggestedItem, _ now: Instant) -> [String] {
        [
            item.json["score"]?.numberText ?? "", name(item), item.source.map { $0.name ?? $0.app } ?? "-",
            item.last.map { Instant.age(now - $0) } ?? "-",
        ]
    }

    /// A text as it is to be typed; others with what tells them apart.
    static func menuLine(_ item: SuggestedItem) -> String {
        if let value = item.value { return value }
        let source = item.source.map { $0.name ?? $0.app }
        return name(item) + (source.map { $0 == item.title ? "" : " (\($0))" } ?? "")
    }

    private static func name(_ item: SuggestedItem) -> String {
        let details = [item.subtitle, item.intent?.rawValue, item.kind == .contact ? item.app : nil]
        return ([item.label ?? item.title] + details.compactMap { $0 }).joined(separator: " – ")
    }

    static func why(_ why: SuggestedItem.Why, of item: SuggestedItem, isLast: Bool) -> String {
        var text = "\n\(item.title): an event counts half after \(why.halfLife) s\n"
        for event in item.json["why"]?["events"]?.elements ?? [] {
            text += "  \(event["weight"]?.numberText ?? "")"
            text += "  \(event["time"]?.string ?? "")  \(event["from"]?.string ?? "")\n"
        }
        guard isLast, !why.leftOut.isEmpty else { return text }
        return text + "\nleft out\n" + why.leftOut.map { "  \($0.title): \($0.reason.rawValue)\n" }.joined()
    }
}
