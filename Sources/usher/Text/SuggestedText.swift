internal import UsherOperation
internal import UsherScene
internal import UsherSuggestions
internal import UsherSystem
internal import UsherText

extension Context {
    /// An array, or a table for people.
    func print(suggestions items: [SuggestedItem]) {
        if writesJSON { return printArray(items) }
        guard !items.isEmpty else { return errors.note("nothing is suggested: see usher help suggest") }
        let head = ["score", "suggestion", "from", "last"]
        output.write(TextTable.text([head] + items.map { SuggestedText.row($0).map { Printable.escaped($0) } }))
        for (number, item) in items.enumerated() {
            guard let why = item.why else { continue }
            output.write(SuggestedText.why(why, of: item, isLast: number == items.count - 1))
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
    static func row(_ item: SuggestedItem) -> [String] {
        let age = item.last.map { Instant.age(.now - $0) }
        return [item.scoreText.text, name(item), source(item) ?? "-", age ?? "-"]
    }

    /// A text as it is to be typed; others with what tells them apart.
    static func menuLine(_ item: SuggestedItem) -> String {
        if let value = item.value { return value }
        return name(item) + (source(item).map { $0 == item.title ? "" : " (\($0))" } ?? "")
    }

    /// The app where it was seen last.
    private static func source(_ item: SuggestedItem) -> String? { item.source?.name ?? item.source?.app }

    private static func name(_ item: SuggestedItem) -> String {
        let app = item.kind == .contact ? item.app : nil
        let parts = [item.label ?? item.title, item.subtitle, item.intent?.rawValue, app]
        return parts.compactMap { $0 }.joined(separator: " – ")
    }

    static func why(_ why: SuggestedItem.Why, of item: SuggestedItem, isLast: Bool) -> String {
        var lines = "\n\(Printable.escaped(item.title)): an event counts half after \(why.halfLife) s\n"
        for event in why.events {
            lines += "  \(event.weightText.text)  \(event.time.text)  \(Printable.escaped(event.from))\n"
        }
        guard isLast, !why.leftOut.isEmpty else { return lines }
        return lines + "\nleft out\n"
            + why.leftOut.map { "  \(Printable.escaped($0.title)): \($0.reason.rawValue)\n" }.joined()
    }
}
