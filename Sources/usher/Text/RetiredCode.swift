/// An error code of an earlier version that nothing reports any more.
///
/// Its number and its name are never used again; `Scripts/generate-error-table` refuses it.
struct RetiredCode {
    let code: String
    let name: String
    /// A sentence: what is reported instead, or what to do.
    let instead: String

    private init(_ code: String, _ name: String, _ instead: String) {
        self.code = code
        self.name = name
        self.instead = instead
    }

    /// In the order of the numbers.
    static let all = [
        RetiredCode("U1512", "activity.content-attribute-set.type", "U1526 attributes.type is reported instead."),
        RetiredCode("U5208", "duplicate.scheme", "U5203 domain.claimed-twice is reported instead, as a warning."),
        RetiredCode("U7101", "lint.local-path", Self.notJudged),
        RetiredCode("U7102", "lint.local-host", Self.notJudged),
        RetiredCode("U7103", "lint.device", Self.notJudged),
        RetiredCode("U7104", "lint.device-store", Self.notJudged),
        RetiredCode("U7105", "lint.personal", Self.notJudged),
        RetiredCode("U7106", "lint.temporary-host", Self.notJudged),
        RetiredCode("U7201", "lint.session", Self.notJudged),
        RetiredCode("U7202", "lint.token", Self.notJudged),
        RetiredCode("U7203", "lint.timestamp", Self.notJudged),
        RetiredCode("U7204", "lint.view-state", Self.notJudged),
        RetiredCode("U7205", "lint.fragment", Self.notJudged),
        RetiredCode("U7206", "lint.tracking", Self.notJudged),
        RetiredCode("U7207", "lint.mutable-title", Self.notJudged),
        RetiredCode("U7303", "lint.moving", Self.notJudged),
        RetiredCode("U7304", "lint.relative", Self.notJudged),
        RetiredCode("U7501", "lint.different-identifiers", Self.notJudged),
        RetiredCode("U7502", "lint.only-webpage", Self.notJudged),
        RetiredCode("U7503", "lint.changed-identifier", Self.notJudged),
        RetiredCode("U7505", "lint.large-user-info", Self.notJudged),
        RetiredCode("U7506", "lint.no-title", Self.notJudged),
    ]

    private static let notJudged = "What an identifier means is not judged: only what is a mistake for certain."

    /// - Parameter word: a number or a name.
    static func named(_ word: String) -> RetiredCode? { all.first { $0.code == word || $0.name == word } }

    var text: String { "\(code) \(name) is not reported any more. \(instead)\n" }
}
