internal import UsherText

/// Judges target content identifiers: whether they can lead back to their content at all.
///
/// Found is by form alone what is wrong for certain: nothing is looked up, and what may be meant so is not reproached.
///
///     TargetLint.findings(in: "https://clowntown.example/clowns/{clown}").map(\.code)  // [.placeholder]
///     TargetLint.findings(in: "https://clowntown.example/clowns/crusty")                // []
///
/// Linear in the length of the identifier.
public enum TargetLint {
    /// Everything that speaks against the identifier, at most one finding a code, in the order of the codes.
    public static func findings(in identifier: String) -> [LintFinding] {
        guard identifier.utf8.count <= URITemplate.maximumLength else {
            return [.make(.tooLong, ["\(identifier.utf8.count)"])]
        }
        guard !identifier.isEmpty else { return [.make(.empty, [])] }
        var lint = LintPass(identifier)
        lint.run()
        return LintCode.allCases.compactMap { code in lint.words[code].map { .make(code, $0) } }
    }
}

/// One identifier under judgement: its parts, and the words that were found so far.
private struct LintPass {
    let parts: IdentifierParts
    private(set) var words: [LintCode: [String]] = [:]

    init(_ identifier: String) { parts = IdentifierParts(identifier) }

    mutating func run() {
        judgeCharacters()
        judgePlaceholders()
        if parts.hasAuthority { judgeTriplets() }
        if let userInfo = parts.userInfo, parts.isWeb || userInfo.contains(":") { find(.credentials, userInfo) }
        if TextShape.isDigits(parts.text) { find(.notGlobal, parts.text) }
    }

    private mutating func find(_ code: LintCode, _ word: some StringProtocol) {
        words[code, default: []].append(String(word))
    }

    // MARK: Placeholders

    /// Values that were never filled in.
    private mutating func judgePlaceholders() {
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
            if isUnfilled(parameter.value) || parameter.value.isEmpty && Self.names.contains(parameter.key) {
                find(.placeholder, parameter.text)
            }
        }
        if parts.text.hasPrefix("Optional(") { find(.placeholder, parts.text) }
        guard parts.isBare, words[.placeholder] == nil else { return }
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
        if Self.unfilled.contains(text.lowercased()) || text == "None" || text == "[object%20Object]" {
            return true
        }
        if text.contains("[object ") { return true }
        // The whole of a UUID may stand in braces.
        if TextShape.isUUID(text) { return false }
        for (open, close) in [("{", "}"), ("<", ">")] as [(Character, Character)] {
            if let start = text.firstIndex(of: open), let end = text[start...].firstIndex(of: close),
                text[start..<end].contains(where: \.isLetter)
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

    private static let unfilled: Set<String> = [
        "(null)", "<nil>", "<null>", "[object object]", "nan", "nil", "null", "undefined", "%s", "%d", "%@", "#value!",
        "#ref!",
        "#n/a", "00000000-0000-0000-0000-000000000000",
    ]

    /// Parameters that name content, so that an empty value names none.
    private static let names: Set<String> = [
        "doc", "guid", "id", "item", "key", "note", "order", "product", "productid", "uuid",
    ]

    // MARK: Spelling

    /// White space, controls and invisible characters, written or encoded.
    private mutating func judgeCharacters() {
        let text = parts.text
        for scalar in IdentifierParts.decoded(text[...]).unicodeScalars where Self.isHazard(scalar) {
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return find(
                .spelling, "the character U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits)
        }
        if text.hasPrefix(" ") || text.hasSuffix(" ") {
            find(.spelling, "a space at the edge")
        } else if parts.hasAuthority, text.contains(" "), !text.contains("[object ") {
            find(.spelling, "a space")
        }
    }

    private static func isHazard(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0xA0, 0xAD, 0x200B...0x200F, 0x2028...0x202F, 0x2060...0x206F, 0xFEFF, 0xFFFD, 0x3000,
            0x2000...0x200A:
            true
        default: false
        }
    }

    private mutating func judgeTriplets() {
        guard words[.placeholder] == nil else { return }
        let bytes = Array(parts.path.utf8)
        var index = 0
        while index < bytes.count {
            guard bytes[index] == ASCII.percent else {
                index += 1
                continue
            }
            guard let value = PercentEncoding.triplet(in: bytes, at: index) else {
                if parts.segments.contains(where: { Self.unfilled.contains($0) }) { return }
                return find(.spelling, "a '%' without two hexadecimal digits")
            }
            let triplet = String(decoding: bytes[index..<index + 3], as: UTF8.self)
            if !PercentEncoding.isUpperCase(bytes[index..<index + 3]) {
                return find(.spelling, "lower case in '\(triplet)'")
            }
            if PercentEncoding.isUnreserved(value) { return find(.spelling, "'\(triplet)', which needs no encoding") }
            if value == ASCII.percent, index + 4 < bytes.count, Hexadecimal.value(of: bytes[index + 3]) != nil,
                Hexadecimal.value(of: bytes[index + 4]) != nil
            {
                return find(.spelling, "'%25', which is encoded twice")
            }
            index += 3
        }
    }
}
