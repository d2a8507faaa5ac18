/// The reserved words of predicate text, matched whole and in any letter case.
package enum PredicateKeyword: String, CaseIterable, Sendable {
    case and = "AND"
    case or = "OR"
    case `in` = "IN"
    case not = "NOT"
    case all = "ALL"
    case any = "ANY"
    case some = "SOME"
    case none = "NONE"
    case like = "LIKE"
    case caseInsensitive = "CASEINSENSITIVE"
    case ci = "CI"
    case matches = "MATCHES"
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case between = "BETWEEN"
    case null = "NULL"
    case `nil` = "NIL"
    case `self` = "SELF"
    case `true` = "TRUE"
    case yes = "YES"
    case `false` = "FALSE"
    case no = "NO"
    case first = "FIRST"
    case last = "LAST"
    case size = "SIZE"
    case anyKey = "ANYKEY"
    case subquery = "SUBQUERY"
    case fetch = "FETCH"
    case cast = "CAST"
    case truePredicate = "TRUEPREDICATE"
    case falsePredicate = "FALSEPREDICATE"
    case conformsToType = "UTI-CONFORMS-TO"
    case equalsType = "UTI-EQUALS"

    private static let longest = 15

    /// The operator this word stands for behind a value.
    var comparison: PredicateOperator? {
        switch self {
        case .in: .in
        case .like: .like
        case .matches: .matches
        case .contains: .contains
        case .beginsWith: .beginsWith
        case .endsWith: .endsWith
        case .between: .between
        case .conformsToType: .conformsToType
        case .equalsType: .equalsType
        default: nil
        }
    }

    /// The keyword spelt by `word`, ASCII in any case.
    init?(_ word: ArraySlice<UInt8>) {
        guard word.count >= 2, word.count <= Self.longest else { return nil }
        self.init(rawValue: String(decoding: word, as: UTF8.self).uppercased())
    }
}
