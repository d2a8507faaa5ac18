/// The option letters of a comparison that change how text is folded.
struct FoldingOptions: OptionSet, Sendable, Hashable {
    let rawValue: UInt8

    static let caseInsensitive = FoldingOptions(rawValue: 1)
    static let diacriticInsensitive = FoldingOptions(rawValue: 2)

    /// `[c]`, `[d]`, `[cd]`, or nothing.
    var canonicalText: String {
        switch rawValue & 3 {
        case 1: "[c]"
        case 2: "[d]"
        case 3: "[cd]"
        default: ""
        }
    }
}
