/// A comparison operator; the raw value is its canonical spelling.
package enum PredicateOperator: String, Sendable, Hashable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case `in` = "IN"
    case contains = "CONTAINS"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case like = "LIKE"
    case between = "BETWEEN"
    case matches = "MATCHES"
    case conformsToType = "UTI-CONFORMS-TO"
    case equalsType = "UTI-EQUALS"
    /// `name:`, a method of the left operand.
    case selector = "selector"

    var takesOptions: Bool { self != .between && self != .selector }
}

/// Option letters behind an operator.
package struct PredicateOptions: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let caseInsensitive = PredicateOptions(rawValue: 1)
    package static let diacriticInsensitive = PredicateOptions(rawValue: 2)
    package static let localeSensitive = PredicateOptions(rawValue: 4)
    package static let normalized = PredicateOptions(rawValue: 8)

    init?(letter: UInt8) {
        switch letter | 0x20 {
        case UInt8(ascii: "c"): self = .caseInsensitive
        case UInt8(ascii: "d"): self = .diacriticInsensitive
        case UInt8(ascii: "l"): self = .localeSensitive
        case UInt8(ascii: "n"): self = .normalized
        default: return nil
        }
    }
}

package enum PredicateQuantifier: Sendable, Hashable {
    /// ANY and SOME.
    case any
    case all
    /// NOT ANY.
    case none
}
