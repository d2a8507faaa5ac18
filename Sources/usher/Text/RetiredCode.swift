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
    ]

    /// - Parameter word: a number or a name.
    static func named(_ word: String) -> RetiredCode? { all.first { $0.code == word || $0.name == word } }

    var text: String { "\(code) \(name) is not reported any more. \(instead)\n" }
}
