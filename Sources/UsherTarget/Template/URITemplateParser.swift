internal import UsherText

/// Reads the text of a template, left to right, without looking back.
///
/// RFC 6570, section 2.
struct URITemplateParser {
    private let bytes: [UInt8]
    private let allowsHyphens: Bool
    private var index = 0

    /// - Parameter allowsHyphens: whether a name may have hyphens behind its first character, beyond the RFC.
    init(_ text: String, allowsHyphens: Bool) {
        bytes = Array(text.utf8)
        self.allowsHyphens = allowsHyphens
    }

    mutating func parse() throws(URITemplateError) -> [TemplatePart] {
        guard bytes.count <= URITemplate.maximumLength else { throw .templateTooLong(bytes.count) }
        var parts: [TemplatePart] = []
        var literal: [UInt8] = []
        while let byte = current {
            guard byte == ASCII.openBrace else {
                try readLiteral(into: &literal)
                continue
            }
            if !literal.isEmpty {
                parts.append(.literal(literal))
                literal = []
            }
            parts.append(.expression(try readExpression()))
        }
        if !literal.isEmpty { parts.append(.literal(literal)) }
        return parts
    }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    // MARK: Literals

    /// Reads one character or triplet outside an expression and encodes it where a URI could not hold it.
    private mutating func readLiteral(into literal: inout [UInt8]) throws(URITemplateError) {
        let byte = bytes[index]
        if byte == ASCII.percent {
            guard PercentEncoding.triplet(in: bytes, at: index) != nil else {
                throw .invalidPercent(at: index, found: found(at: index))
            }
            literal.append(contentsOf: bytes[index..<index + 3])
            index += 3
            return
        }
        if byte < 0x80 {
            guard PercentEncoding.isUnreserved(byte) || PercentEncoding.isReserved(byte) else {
                throw .invalidLiteral(byte, at: index, found: found(at: index))
            }
            literal.append(byte)
            index += 1
            return
        }
        let length = scalarLength(at: index)
        let text = String(decoding: bytes[index..<index + length], as: UTF8.self)
        guard let scalar = text.unicodeScalars.first, Self.isInternationalLiteral(scalar) else {
            throw .invalidLiteral(byte, at: index, found: found(at: index))
        }
        for byte in bytes[index..<index + length] { PercentEncoding.appendTriplet(byte, to: &literal) }
        index += length
    }

    /// `ucschar` and `iprivate` of the grammar.
    private static func isInternationalLiteral(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xA0...0xD7FF, 0xE000...0xFDCF, 0xFDF0...0xFFEF: true
        case 0x1_0000...0xD_FFFF, 0xE_1000...0x10_FFFF: scalar.value & 0xFFFF <= 0xFFFD
        default: false
        }
    }

    // MARK: Expressions

    private mutating func readExpression() throws(URITemplateError) -> TemplateExpression {
        let start = index
        index += 1
        var expression = TemplateExpression(operator: try readOperator(start: start), variables: [])
        while true {
            expression.variables.append(try readVariable(start: start))
            switch current {
            case ASCII.comma: index += 1
            case ASCII.closeBrace:
                index += 1
                return expression
            case nil: throw .unclosedExpression(at: start)
            default: throw unexpectedAfterVariable(expression.variables[expression.variables.count - 1])
            }
        }
    }

    private mutating func readOperator(start: Int) throws(URITemplateError) -> TemplateOperator {
        guard let byte = current else { throw .unclosedExpression(at: start) }
        if byte == ASCII.closeBrace { throw .emptyExpression(at: start) }
        switch byte {
        case UInt8(ascii: "="), UInt8(ascii: ","), UInt8(ascii: "!"), UInt8(ascii: "@"), UInt8(ascii: "|"):
            throw .reservedOperator(found(at: index), at: index)
        case 0: return .simple
        default:
            guard let known = TemplateOperator(rawValue: byte) else { return .simple }
            index += 1
            return known
        }
    }

    private mutating func readVariable(start: Int) throws(URITemplateError) -> TemplateVariable {
        let offset = index
        while try readNameCharacter(isFirst: index == offset) {}
        guard index > offset else {
            if index == bytes.count { throw .unclosedExpression(at: start) }
            throw .invalidName(at: index, found: found(at: index), hint: hintForName())
        }
        let name = String(decoding: bytes[offset..<index], as: UTF8.self)
        return TemplateVariable(name: name, modifier: try readModifier(), offset: offset)
    }

    /// Steps over one `varchar`, or over a dot between two; false where the name ends.
    private mutating func readNameCharacter(isFirst: Bool) throws(URITemplateError) -> Bool {
        guard let byte = current else { return false }
        switch byte {
        case ASCII.percent:
            guard PercentEncoding.triplet(in: bytes, at: index) != nil else {
                throw .invalidPercent(at: index, found: found(at: index))
            }
            index += 3
        case ASCII.period where !isFirst:
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0
            guard next.isASCIILetterOrDigit || next == ASCII.underscore || next == ASCII.percent else {
                throw .invalidName(
                    at: index + 1, found: found(at: index + 1), hint: "a dot stands between two parts of a name")
            }
            index += 1
        case ASCII.underscore: index += 1
        case UInt8(ascii: "-") where allowsHyphens && !isFirst: index += 1
        default:
            guard byte.isASCIILetterOrDigit else { return false }
            index += 1
        }
        return true
    }

    private mutating func readModifier() throws(URITemplateError) -> TemplateVariable.Modifier {
        var modifier = TemplateVariable.Modifier.none
        switch current {
        case ASCII.asterisk:
            index += 1
            modifier = .explode
        case ASCII.colon:
            index += 1
            let start = index
            var length = 0
            while let byte = current, (ASCII.zero...ASCII.nine).contains(byte), index - start < 5 {
                length = length * 10 + Int(byte - ASCII.zero)
                index += 1
            }
            guard (1...9999).contains(length), bytes[start] != ASCII.zero else {
                throw .invalidPrefix(at: start, found: found(at: start, length: max(index - start, 1)))
            }
            modifier = .prefix(length)
        default: return .none
        }
        if let byte = current, byte == ASCII.asterisk || byte == ASCII.colon {
            throw .invalidModifier(
                at: index, found: found(at: index), hint: "a variable has a prefix length or a '*', not both")
        }
        return modifier
    }

    // MARK: What went wrong

    private func unexpectedAfterVariable(_ variable: TemplateVariable) -> URITemplateError {
        let found = found(at: index)
        guard variable.modifier == .none else { return .invalidModifier(at: index, found: found, hint: nil) }
        return .invalidName(at: index, found: found, hint: hintForName(after: variable.name))
    }

    private func hintForName(after name: String? = nil) -> String? {
        guard let byte = current else { return nil }
        switch byte {
        case UInt8(ascii: " "): return "leave no spaces between the braces"
        case UInt8(ascii: "-"): return "a name has letters, digits, '_' and '.': write '_' for '-'"
        case UInt8(ascii: "="): return "templates have no default values"
        case UInt8(ascii: "$"): return "a name is written without '$'"
        case ASCII.openBrace: return name == nil ? "one brace is enough" : "close the expression with '}' first"
        case ASCII.asterisk: return "the '*' comes after the name: {name*}"
        case UInt8(ascii: "|"): return "several variables are separated by ','"
        default:
            if name != nil, TemplateOperator(rawValue: byte) != nil {
                return "an operator comes first: {\(Character(Unicode.Scalar(byte)))name}"
            }
            if name == nil, TemplateOperator(rawValue: byte) != nil { return "an expression has one operator" }
            return nil
        }
    }

    private func scalarLength(at index: Int) -> Int {
        var end = index + 1
        while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
        return end - index
    }

    private func found(at index: Int, length: Int? = nil) -> String {
        guard index < bytes.count else { return "the end of the template" }
        let end = min(index + (length ?? scalarLength(at: index)), bytes.count)
        let text = String(decoding: bytes[index..<end], as: UTF8.self)
        guard let scalar = text.unicodeScalars.first, scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) else {
            return text == " " ? "a space" : "'\(text)'"
        }
        return "U+" + String(repeating: "0", count: scalar.value < 0x10 ? 3 : 2)
            + String(scalar.value, radix: 16, uppercase: true)
    }
}

extension URITemplateError {
    fileprivate static func invalidPercent(at offset: Int, found: String) -> Self {
        Self(
            .syntax, at: offset, found: found, expected: "'%' with two hexadecimal digits",
            hint: "write %25 for a percent sign")
    }

    fileprivate static func invalidLiteral(_ byte: UInt8, at offset: Int, found: String) -> Self {
        switch byte {
        case ASCII.closeBrace:
            return Self(
                .syntax, at: offset, found: found, expected: "a '{' before it",
                hint: "write %7D for the character itself")
        case UInt8(ascii: "<"):
            return Self(
                .syntax, at: offset, found: found, expected: "a character that a URI may hold",
                hint: "a variable is written {name}")
        default:
            return Self(
                .syntax, at: offset, found: found, expected: "a character that a URI may hold",
                hint: byte < 0x80 ? "write \(PercentEncoding.encode([byte], keeping: { _ in false }))" : nil)
        }
    }

    fileprivate static func unclosedExpression(at offset: Int) -> Self {
        Self(
            .syntax, at: offset, found: "the end of the template", expected: "a '}' for this '{'",
            hint: "write %7B for the character itself")
    }

    fileprivate static func emptyExpression(at offset: Int) -> Self {
        Self(.syntax, at: offset, found: "'{}'", expected: "the name of a variable")
    }

    fileprivate static func reservedOperator(_ found: String, at offset: Int) -> Self {
        Self(
            .syntax, at: offset, found: found, expected: "a name, or one of + # . / ; ? &",
            hint: "= , ! @ | are kept for later versions of URI templates")
    }

    fileprivate static func invalidName(at offset: Int, found: String, hint: String?) -> Self {
        Self(.syntax, at: offset, found: found, expected: "a letter, digit, '_' or ',' or '}'", hint: hint)
    }

    fileprivate static func invalidPrefix(at offset: Int, found: String) -> Self {
        Self(.syntax, at: offset, found: found, expected: "a prefix length from 1 to 9999")
    }

    fileprivate static func invalidModifier(at offset: Int, found: String, hint: String?) -> Self {
        Self(.syntax, at: offset, found: found, expected: "',' or '}'", hint: hint)
    }
}

/// A piece of a parsed template: text to be copied, or an expression to be expanded.
enum TemplatePart: Sendable {
    /// The bytes of the expansion, already percent-encoded.
    case literal([UInt8])
    case expression(TemplateExpression)

    var variables: [TemplateVariable] {
        switch self {
        case .literal: []
        case .expression(let expression): expression.variables
        }
    }
}

/// What stands between two braces: an operator and the variables it is applied to.
struct TemplateExpression: Sendable {
    var `operator`: TemplateOperator
    var variables: [TemplateVariable]
}

/// One occurrence of a variable in an expression.
struct TemplateVariable: Sendable {
    enum Modifier: Sendable, Hashable {
        case none
        case prefix(Int)
        case explode
    }

    var name: String
    /// Where the name stands among the names of the template.
    var index = 0
    var modifier: Modifier
    /// Where the name stands in the template, in UTF-8 bytes.
    var offset: Int
}

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
