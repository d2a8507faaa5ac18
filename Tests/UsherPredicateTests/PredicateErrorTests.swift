import Testing
import UsherPredicate

/// What is said about text that is no scene condition.
struct PredicateErrorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var text: String
        var kind: PredicateError.Kind
        var code: String
        var offset: Int
        /// A part of the hint, or of the message where there is none.
        var says: String

        var testDescription: String { text }

        init(_ text: String, _ kind: PredicateError.Kind, _ code: String, _ offset: Int, _ says: String) {
            self.text = text
            self.kind = kind
            self.code = code
            self.offset = offset
            self.says = says
        }
    }

    static let syntax: [Case] = [
        Case("", .syntax, "predicate.empty", 0, "TRUEPREDICATE"),
        Case(" \n", .syntax, "predicate.empty", 2, "TRUEPREDICATE"),
        Case("SELF", .syntax, "predicate.syntax", 0, "compare it"),
        Case("'a' OR SELF == 'b'", .syntax, "predicate.syntax", 0, "compare it"),
        Case("BLOCKPREDICATE(1) AND length(SELF)", .syntax, "predicate.syntax", 22, "compare it"),
        Case("TRUE", .syntax, "predicate.syntax", 0, "compare it"),
        Case("SELF == 'a' AND 'b'", .syntax, "predicate.syntax", 16, "compare it"),
        Case("SELF ==", .syntax, "predicate.missing-operand", 7, "a quoted string"),
        Case("== 'a'", .syntax, "predicate.syntax", 0, "SELF"),
        Case("LIKE 'a'", .syntax, "predicate.missing-operand", 0, "begins with SELF"),
        Case("SELF == 'a", .syntax, "predicate.unterminated-string", 8, "close it"),
        Case("SELF == 'a\\", .syntax, "predicate.unterminated-string", 10, "close it"),
        Case("SELF == 'a\\*'", .syntax, "predicate.unknown-escape", 10, "\\\\*"),
        Case("SELF == '\\q'", .syntax, "predicate.unknown-escape", 9, "backslash"),
        Case("SELF == '\\u00'", .syntax, "predicate.unknown-escape", 9, "4 hexadecimal"),
        Case("SELF == '\\08'", .syntax, "predicate.unknown-escape", 9, "3 octal"),
        Case("SELF == '\\ud83e'", .syntax, "predicate.unknown-escape", 9, "both halves"),
        Case("SELF == ‘a’", .syntax, "predicate.syntax", 8, "straight quotes"),
        Case("SELF == «a»", .syntax, "predicate.syntax", 8, "straight quotes"),
        Case("SELF\u{A0}== 'a'", .syntax, "predicate.syntax", 4, "ordinary space"),
        Case("SELF == münchen", .syntax, "predicate.syntax", 9, "quotes around"),
        Case("SELF NOT IN {'a'}", .syntax, "predicate.unknown-operator", 5, "write NOT SELF IN"),
        Case("SELF not like 'a'", .syntax, "predicate.unknown-operator", 5, "write NOT SELF LIKE"),
        Case("SELF === 'a'", .syntax, "predicate.unknown-operator", 5, "write =="),
        Case("SELF =! 'a'", .syntax, "predicate.unknown-operator", 5, "write !="),
        Case("SELF == !'a'", .syntax, "predicate.syntax", 8, "NOT SELF"),
        Case("SELF == 'it's'", .syntax, "predicate.syntax", 12, "quotes of the other kind"),
        Case("SELF == my id", .syntax, "predicate.syntax", 11, "'my id'"),
        Case("SELF 'a'", .syntax, "predicate.syntax", 5, "write =="),
        Case("SELF IN ('a', 'b')", .syntax, "predicate.syntax", 12, "braces"),
        Case("SELF == 'a' & SELF == 'b'", .syntax, "predicate.syntax", 19, "AND or &&"),
        Case("SELF == \\'a\\'", .syntax, "predicate.syntax", 8, "inside quotes"),
        Case("SELF <=> 'a'", .syntax, "predicate.unknown-operator", 5, "‘<=>’"),
        Case("SELF >< 'a'", .syntax, "predicate.unknown-operator", 5, "‘><’"),
        Case("SELF BEGINS WITH 'a'", .syntax, "predicate.unknown-operator", 5, "write BEGINSWITH"),
        Case("SELF STARTSWITH 'a'", .syntax, "predicate.unknown-operator", 5, "write BEGINSWITH"),
        Case("SELF BEGINWITH 'a'", .syntax, "predicate.unknown-operator", 5, "did you mean BEGINSWITH?"),
        Case("SELF LKE 'a'", .syntax, "predicate.unknown-operator", 5, "did you mean LIKE?"),
        Case("SELF IS 'a'", .syntax, "predicate.unknown-operator", 5, "write =="),
        Case("SELF == 'a' ADN SELF == 'b'", .syntax, "predicate.syntax", 12, "did you mean AND?"),
        Case("SELF == 'a' garbage", .syntax, "predicate.syntax", 12, "AND or OR"),
        Case("SELF == 'a' == 'b'", .syntax, "predicate.syntax", 12, "do not chain"),
        Case("(SELF == 'a') == 'b'", .syntax, "predicate.syntax", 1, "AND or OR"),
        Case("SELF == TRUEPREDICATE", .syntax, "predicate.syntax", 8, "AND or OR"),
        Case("SELF BETWEEN[c] {'a', 'b'}", .syntax, "predicate.unknown-option", 12, "remove the brackets"),
        Case("SELF ==[x] 'a'", .syntax, "predicate.unknown-option", 8, "c ignores case"),
        Case("SELF ==[] 'a'", .syntax, "predicate.unknown-option", 8, "[c], [d] or [cd]"),
        Case("SELF ==[c 'a'", .syntax, "predicate.unknown-option", 10, "[c], [d] or [cd]"),
        Case("(SELF == 'a'", .syntax, "predicate.unbalanced", 12, "‘(’ is not closed"),
        Case("SELF == 'a')", .syntax, "predicate.unbalanced", 11, "closes nothing"),
        Case("SELF IN {'a'", .syntax, "predicate.unbalanced", 12, "‘{’ is not closed"),
        Case("SELF IN {'a' 'b'}", .syntax, "predicate.syntax", 13, "written \\'"),
        Case("SELF == LIKE", .syntax, "predicate.missing-operand", 8, "'LIKE'"),
        Case("SELF == FIRST", .syntax, "predicate.value", 8, "'FIRST'"),
        Case("SELF == NOT 'a'", .syntax, "predicate.value", 8, "NOT SELF"),
        Case("ANY TRUEPREDICATE", .syntax, "predicate.syntax", 4, "AND or OR"),
        Case("SELF LIKE *a*", .syntax, "predicate.syntax", 10, "inside quotes"),
        Case("SELF LIKE 'a'*", .syntax, "predicate.missing-operand", 14, "inside the quotes"),
        Case("SELF LIKE 'a'?", .syntax, "predicate.syntax", 13, "inside the quotes"),
        Case("SELF == https://a.example", .syntax, "predicate.syntax", 13, "inside quotes"),
        Case("SELF == 12ab", .syntax, "predicate.value", 8, "quotes"),
        Case("SELF == 0x", .syntax, "predicate.value", 8, "quotes"),
        Case("SELF. == 'a'", .syntax, "predicate.syntax", 6, "a name is missing"),
        Case("$ == 'a'", .syntax, "predicate.syntax", 1, "a name is missing"),
        Case("SELF == % 'a'", .syntax, "predicate.syntax", 8, "format argument"),
        Case("SELF MATCHES 'a' AND", .syntax, "predicate.missing-operand", 20, "SELF"),
    ]

    static let unsupported: [Case] = [
        Case("SELF MATCHES 'a.*'", .unsupported, "predicate.unknown-operator", 5, "LIKE with * and ?"),
        Case("NOT BLOCKPREDICATE(0x600) OR SELF == 'a'", .unsupported, "predicate.value", 4, "as text"),
        Case("BLOCKPREDICATE(1) == 1", .unsupported, "predicate.value", 0, "as text"),
        Case("SELF isKindOfClass: 'a'", .unsupported, "predicate.unknown-operator", 5, "BEGINSWITH"),
        Case("FUNCTION(SELF, 'length') == 1", .unsupported, "predicate.unknown-operator", 0, "BEGINSWITH"),
        Case("SELF.length > 3", .unsupported, "predicate.key-path", 0, "SELF itself"),
        Case("SELF == clown", .unsupported, "predicate.key-path", 8, "'clown'"),
        Case("SLEF == 'a'", .unsupported, "predicate.key-path", 0, "did you mean SELF?"),
        Case("@count == 'a'", .unsupported, "predicate.key-path", 0, "only SELF"),
        Case("#like == 'a'", .unsupported, "predicate.key-path", 0, "only SELF"),
        Case("SELF == com.example.a", .unsupported, "predicate.key-path", 8, "'com.example.a'"),
        Case("SELF[0] == 'a'", .unsupported, "predicate.value", 0, "index"),
        Case("uppercase(SELF) == 'A'", .unsupported, "predicate.value", 0, "[c]"),
        Case("CAST(SELF, 'NSNumber') == 1", .unsupported, "predicate.value", 0, "[c]"),
        Case("TERNARY(SELF == 'a', 'b', 'c') == 'b'", .unsupported, "predicate.value", 0, "[c]"),
        Case("SUBQUERY(SELF, $x, $x == 'a').@count > 0", .unsupported, "predicate.value", 0, "[c]"),
        Case("SELF == $X", .unsupported, "predicate.unknown-variable", 8, "not substituted here"),
        Case("$x := 'a' == SELF", .unsupported, "predicate.unknown-variable", 0, "not substituted here"),
        Case("SELF == %@", .unsupported, "predicate.value", 8, "substituted first"),
        Case("SELF LIKE 'a' * 'b'", .unsupported, "predicate.value", 14, "inside the quotes"),
        Case("SELF == 'a' + 'b'", .unsupported, "predicate.value", 12, "one pair of quotes"),
        Case("SELF == my-id", .unsupported, "predicate.value", 10, "'my-id'"),
        Case("SELF == -1", .unsupported, "predicate.value", 8, "arithmetic"),
        Case("SELF == 5", .unsupported, "predicate.value", 8, "'5'"),
        Case("SELF == YES", .unsupported, "predicate.value", 8, "'YES'"),
        Case("SELF UTI-CONFORMS-TO 'a'", .unsupported, "predicate.unknown-operator", 5, "text of the identifier"),
        Case("SELF ==[l] 'a'", .unsupported, "predicate.unknown-option", 5, "[c], [d] or [cd]"),
        Case("SELF ==[n] 'a'", .unsupported, "predicate.unknown-option", 5, "[c], [d] or [cd]"),
        Case("ANY SELF == 'a'", .unsupported, "predicate.quantifier", 4, "ANY {'a', 'b'}"),
        Case("SELF == {'a'}", .unsupported, "predicate.value", 8, "SELF IN"),
        Case("{'a'} IN {'a'}", .unsupported, "predicate.value", 0, "SELF IN"),
        Case("SELF IN {{'a'}}", .unsupported, "predicate.value", 9, "one pair"),
        Case("SELF BETWEEN {'a'}", .unsupported, "predicate.value", 13, "BETWEEN {'a', 'f'}"),
        Case("SELF BETWEEN 'a'", .unsupported, "predicate.value", 13, "BETWEEN {'a', 'f'}"),
        Case("TRUEPREDICATE OR SELF MATCHES 'a'", .unsupported, "predicate.unknown-operator", 22, "LIKE"),
    ]

    @Test(arguments: syntax + unsupported)
    func namesThePlaceAndTheRemedy(_ example: Case) throws {
        let error = try #require(throws: PredicateError.self) { try ScenePredicate(parsing: example.text) }
        #expect(error.kind == example.kind)
        #expect(error.code == example.code)
        #expect(error.offset == example.offset)
        #expect(error.offset + error.length <= example.text.utf8.count)
        let said = ([error.description, error.found ?? ""] + error.expected).joined(separator: " | ")
        #expect(said.contains(example.says))
    }

    @Test func shortensWhatItQuotes() throws {
        let text = "SELF == " + String(repeating: "x", count: 5000)
        let error = try #require(throws: PredicateError.self) { try ScenePredicate(parsing: text) }
        #expect(error.length == 5000)
        #expect(error.description.count < 300)
    }
}
