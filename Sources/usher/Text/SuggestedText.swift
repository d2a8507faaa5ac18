internal import UsherJSON
internal import UsherPayload
internal import UsherScene
internal import UsherSystem
internal import UsherText

extension Context {
    /// An array, or a table for people.
    func print(suggestions items: [JSONValue]) {
        guard !writesJSON else { return printArray(items) { item, json in json.value(item) } }
        guard !items.isEmpty else { return errors.note("nothing is suggested: see usher help suggest") }
        let head = ["score", "suggestion", "from", "last"]
        output.write(TextTable.text([head] + items.map { SuggestedText.row($0).map { Printable.escaped($0) } }))
        for (number, item) in items.enumerated() {
            guard let why = item["why"] else { continue }
            output.write(SuggestedText.why(why, of: item, isLast: number == items.count - 1))
        }
    }

    /// A line each, for rofi and dmenu.
    func printMenu(of items: [JSONValue]) {
        var seen: Set<String> = []
        for item in items {
            let line = SuggestedText.menuLine(item)
            if seen.insert(line).inserted { output.write(Printable.escaped(line) + "\n") }
        }
    }
}

/// Suggestions for people.
private enum SuggestedText {
    static func row(_ item: JSONValue) -> [String] {
        let last = item["last"]?.string.flatMap { Instant(text: $0) }
        let age = last.map { Instant.age(.now - $0) }
        return [item["score"]?.numberText ?? "", name(item), source(item) ?? "-", age ?? "-"]
    }

    /// A text as it is to be typed; others with what tells them apart.
    static func menuLine(_ item: JSONValue) -> String {
        if let value = item["value"]?.string { return value }
        return name(item) + (source(item).map { $0 == item["title"]?.string ? "" : " (\($0))" } ?? "")
    }

    /// The app where it was seen last.
    private static func source(_ item: JSONValue) -> String? {
        item["source"]?["name"]?.string ?? item["source"]?["app"]?.string
    }

    private static func name(_ item: JSONValue) -> String {
        let app = item["kind"]?.string == SuggestionKind.contact.rawValue ? item["app"]?.string : nil
        let parts = [
            item["label"]?.string ?? item["title"]?.string, item["subtitle"]?.string, item["intent"]?.string, app,
        ]
        return parts.compactMap { $0 }.joined(separator: " – ")
    }

    static func why(_ why: JSONValue, of item: JSONValue, isLast: Bool) -> String {
        func text(_ value: JSONValue?) -> String { Printable.escaped(value?.string ?? "") }
        var lines =
            "\n\(text(item["title"])): an event counts half after \(why["half_life_s"]?.numberText ?? "") s\n"
        for event in why["events"]?.elements ?? [] {
            lines += "  \(event["weight"]?.numberText ?? "")"
            lines += "  \(text(event["time"]))  \(text(event["from"]))\n"
        }
        let leftOut = why["left_out"]?.elements ?? []
        guard isLast, !leftOut.isEmpty else { return lines }
        return lines + "\nleft out\n" + leftOut.map { "  \(text($0["title"])): \(text($0["reason"]))\n" }.joined()
    }
}
