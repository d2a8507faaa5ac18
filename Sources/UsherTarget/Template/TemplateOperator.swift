/// The operators of URI templates and how each one joins and encodes values.
///
/// RFC 6570, section 3.2.1 and appendix A.
enum TemplateOperator: UInt8, Sendable, CaseIterable {
    case simple = 0
    case reserved = 0x2B
    case fragment = 0x23
    case label = 0x2E
    case path = 0x2F
    case parameter = 0x3B
    case query = 0x3F
    case continuation = 0x26

    /// What comes before the first defined variable.
    var first: [UInt8] {
        switch self {
        case .simple, .reserved: []
        default: [rawValue]
        }
    }

    /// What comes between defined variables, and between the members of an exploded one.
    var separator: UInt8 {
        switch self {
        case .simple, .reserved, .fragment: ASCII.comma
        case .label: ASCII.period
        case .path: ASCII.slash
        case .parameter: ASCII.semicolon
        case .query, .continuation: ASCII.ampersand
        }
    }

    /// Whether a value is written after its variable's name.
    var isNamed: Bool {
        switch self {
        case .parameter, .query, .continuation: true
        default: false
        }
    }

    /// Whether reserved characters and percent-encoded triplets of a value are copied.
    var keepsReserved: Bool {
        switch self {
        case .reserved, .fragment: true
        default: false
        }
    }

    /// Whether a name whose value is empty is written without `=`.
    var omitsEmptyAssignment: Bool { self == .parameter }
}
