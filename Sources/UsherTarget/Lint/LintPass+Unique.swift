// Unique: one content, and always the same.
extension LintPass {
    /// Values that were never filled in.
    mutating func judgePlaceholders() {
        guard parts.isBare || parts.hasAuthority else {
            // A message id stands in angle brackets, and the blobs of some pages belong to "null".
            if let last = parts.path.split(whereSeparator: { "-:_./".contains($0) }).last,
                Self.empties.contains(String(last))
            {
                find(.placeholder, last)
            }
            return
        }
        for segment in parts.segments {
            if isUnfilled(segment) { find(.placeholder, segment) }
        }
        for parameter in parts.query {
            if isUnfilled(parameter.value) || parameter.value.isEmpty && LintWords.names.contains(parameter.key) {
                find(.placeholder, parameter.text)
            }
        }
        if parts.text.hasPrefix("Optional(") { find(.placeholder, parts.text) }
        guard parts.isBare, !has(.placeholder) else { return }
        // order-undefined, user:null
        if let last = parts.text.split(whereSeparator: { "-:_.".contains($0) }).last, last != parts.text[...],
            Self.empties.contains(String(last)) || isUnfilled(String(last))
        {
            find(.placeholder, last)
        }
    }

    private static let empties: Set<String> = ["undefined", "null", "nil", "NaN"]

    private func isUnfilled(_ text: String) -> Bool {
        guard !text.isEmpty, text.utf8.count <= 256 else { return false }
        if LintWords.unfilled.contains(text.lowercased()) || text == "None" || text == "[object%20Object]" {
            return true
        }
        if text.contains("[object ") { return true }
        // The whole of a UUID may stand in braces.
        if TextShape.isUUID(text) { return false }
        for (open, close) in [("{", "}"), ("<", ">")] {
            if let start = text.range(of: open), let end = text[start.upperBound...].firstIndex(of: Character(close)),
                text[start.upperBound..<end].contains(where: \.isLetter)
            {
                return true
            }
        }
        // [id] and :id of routers' patterns
        if text.hasPrefix("["), text.hasSuffix("]"), text.utf8.dropFirst().dropLast().allSatisfy(ASCII.isLetter) {
            return text.utf8.count > 2
        }
        let rest = text.dropFirst()
        return text.hasPrefix(":") && !rest.isEmpty
            && rest.utf8.allSatisfy { ASCII.isLetter($0) || $0 == ASCII.underscore }
    }

    /// Words that stand for other content at another time.
    mutating func judgeMovingWords() {
        guard let leaf = parts.segments.last?.lowercased() else { return }
        if !parts.hasAuthority, parts.isBare, parts.segments.count == 1 {
            let words = leaf.split { $0 == "-" || $0 == " " || $0 == "_" }.map(String.init)
            if LintWords.moving.contains(leaf)
                || words.count <= 2 && words.first.map(Self.movingPrefixes.contains) == true
            {
                find(.moving, parts.text)
            }
            return
        }
        if LintWords.moving.contains(leaf), parts.hasAuthority || parts.segments.count > 1 { find(.moving, leaf) }
        for parameter in parts.query where LintWords.names.contains(parameter.key) {
            if LintWords.moving.contains(parameter.value.lowercased()) { find(.moving, parameter.text) }
        }
    }

    private static let movingPrefixes: Set<String> = [
        "current", "latest", "selected", "untitled", "unbenannt", "today",
    ]
}

extension String {
    /// Where `text` first stands; there is no Foundation here.
    fileprivate func range(of text: String) -> Range<String.Index>? {
        guard let first = text.first, text.count == 1, let start = firstIndex(of: first) else { return nil }
        return start..<index(after: start)
    }
}
