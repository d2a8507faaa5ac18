/// Judges target content identifiers: whether they are unique, global and stable, as links to content must be.
///
/// An identifier that is kept in a note has to lead back to its content from every device and after years. What looks
/// as if it would not is found by form alone: nothing is looked up, and what cannot be known is not reproached. UUIDs,
/// numbers, hashes, slugs, dates that are part of a name, and names of registries (ISBN, DOI) are fine.
///
///     TargetLint.findings(in: "https://clowntown.example/clowns/crusty?utm_source=mail").map(\.code)  // [.tracking]
///     TargetLint.findings(in: "https://clowntown.example/clowns/crusty")                              // []
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
struct LintPass {
    let parts: IdentifierParts
    private(set) var words: [LintCode: [String]] = [:]

    init(_ identifier: String) { parts = IdentifierParts(identifier) }

    mutating func run() {
        judgeSpelling()
        judgePlaceholders()
        // What a registry or a protocol defines is as good as its definition: urn:, mailto:, tel:, geo: …
        guard parts.isBare || parts.hasAuthority || LintWords.judgedSchemes.contains(parts.lowercaseScheme) else {
            judgeSecrets()
            judgeMadeUpScheme()
            judgeOpaqueTitle()
            return
        }
        if TextShape.isDigits(parts.text) { find(.notGlobal, parts.text) }
        judgePlaces()
        judgeDevices()
        judgePersons()
        judgeSecrets()
        judgeMadeUpScheme()
        judgeQuery()
        judgeFragment()
        judgeTitle()
        judgeMovingWords()
    }

    mutating func find(_ code: LintCode, _ word: some StringProtocol) {
        words[code, default: []].append(String(word))
    }

    func has(_ code: LintCode) -> Bool { words[code] != nil }
}
