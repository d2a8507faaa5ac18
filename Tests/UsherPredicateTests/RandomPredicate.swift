import TestSupport

/// Predicate texts that are well-formed scene conditions, in many spellings.
enum RandomPredicate {
    static let tokens = [
        "SELF", "self", "'a'", "\"b\"", "'\\n'", "'\\x4'", "'", "(", ")", "{", "}", "[", "]", "[c]", "[cd]", "[l]", ",",
        ".",
        "==", "=", "!=", "<", "<=", "=>", "<>", "===", "AND", "OR", "NOT", "!", "&&", "||", "&", "|", "IN", "LIKE",
        "CONTAINS", "BEGINSWITH", "ENDSWITH", "BETWEEN", "MATCHES", "ANY", "ALL", "NONE", "SOME", "TRUEPREDICATE",
        "FALSEPREDICATE", "nil", "NULL", "1", "0x1F", "2.5", "YES", "$x", ":=", "%@", "%", "+", "-", "*", "**", "/",
        "~",
        "<<", "f(", "CAST(", "SUBQUERY(", "FIRST", "name", "#in", "@count", "x:", "a:b:(", "?", ";", "‘", "é", "\u{A0}",
        "UTI-EQUALS", "UTI-", "_",
    ]

    private static let letters = [
        "a", "b", "A", "é", "e\u{301}", "ß", "\\", "\"", "'", "*", "?", "\n", "\u{1}", "\u{7F}", "\u{85}", "小", "が",
        "🤡", " ",
        "/", "İ", "ς", "각", "$", "%",
    ]

    static func word(using generator: inout SeededGenerator) -> String {
        (0..<Int.random(in: 0...5, using: &generator)).map { _ in pick(letters, &generator) }.joined()
    }

    private static func pick<T>(_ choices: [T], _ generator: inout SeededGenerator) -> T {
        choices[Int.random(in: 0..<choices.count, using: &generator)]
    }

    private static func quoted(using generator: inout SeededGenerator) -> String {
        let quote = pick(["'", "\""], &generator)
        let body = word(using: &generator).unicodeScalars.map { scalar -> String in
            if scalar == "\\" || String(scalar) == quote { return "\\\(scalar)" }
            return scalar == "\n" ? pick(["\n", "\\n", "\\012", "\\x0a", "\\u000A"], &generator) : String(scalar)
        }
        return quote + body.joined() + quote
    }

    private static func value(using generator: inout SeededGenerator) -> String {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0...2: pick(["SELF", "self", "(SELF)"], &generator)
        case 3: pick(["nil", "NULL"], &generator)
        default: quoted(using: &generator)
        }
    }

    private static func array(_ count: Int, using generator: inout SeededGenerator) -> String {
        "{" + (0..<count).map { _ in value(using: &generator) }.joined(separator: pick([",", ", "], &generator)) + "}"
    }

    private static func comparison(using generator: inout SeededGenerator) -> String {
        let options = pick(["", "", "[c]", "[d]", " [dc]", "[CD]"], &generator)
        let plain = [
            "==", "=", "!=", "<>", "<", "<=", "=<", ">", ">=", "=>", " BEGINSWITH", " endswith", " CONTAINS", " LIKE",
            " IN",
        ]
        let few = Int.random(in: 0...3, using: &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: return "\(value(using: &generator)) IN\(options) \(array(few, using: &generator))"
        case 1: return "\(array(few, using: &generator)) CONTAINS\(options) \(value(using: &generator))"
        case 2: return "\(value(using: &generator)) BETWEEN \(array(2, using: &generator))"
        case 3:
            let quantifier = pick(["ANY", "SOME", "ALL", "NONE", "any"], &generator)
            let operation = pick(plain, &generator)
            return "\(quantifier) \(array(few, using: &generator))\(operation)\(options) \(value(using: &generator))"
        default:
            return "\(value(using: &generator))\(pick(plain, &generator))\(options) \(value(using: &generator))"
        }
    }

    static func text(depth: Int, using generator: inout SeededGenerator) -> String {
        let choice = depth == 0 ? 0 : Int.random(in: 0..<6, using: &generator)
        switch choice {
        case 0, 1: return comparison(using: &generator)
        case 2: return pick(["TRUEPREDICATE", "falsepredicate"], &generator)
        case 3: return pick(["NOT ", "!"], &generator) + "(" + text(depth: depth - 1, using: &generator) + ")"
        default:
            let joint = choice == 4 ? pick([" AND ", " && "], &generator) : pick([" OR ", "||"], &generator)
            return (0..<Int.random(in: 2...3, using: &generator)).map { _ in
                let inner = text(depth: depth - 1, using: &generator)
                return Bool.random(using: &generator) ? "(\(inner))" : inner
            }.joined(separator: joint)
        }
    }
}
