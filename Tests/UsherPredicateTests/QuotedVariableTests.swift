import Testing
import UsherPredicate

/// `$NAME` within the quotes of a string is text.
@Suite struct QuotedVariableTests {
    @Test(arguments: [
        ("SELF == $TARGET", ""), ("SELF == '$TARGET'", "TARGET@9"), ("SELF == \"$TARGET\"", "TARGET@9"),
        ("SELF LIKE '*/$CLOWN/x' OR SELF == $TARGET", "CLOWN@13"), ("SELF == 'it\\'s $A' AND SELF == $B", "A@15"),
        ("SELF == 'a\"$A' AND SELF == \"b'$B\"", "A@11 B@30"), ("SELF MATCHES '^x$'", ""), ("SELF == '$'", ""),
        ("SELF == '$A $B_2'", "A@9 B_2@12"), ("'$A", "A@1"), ("'\\", ""), ("", ""),
    ])
    func found(_ text: String, _ expected: String) {
        let found = ScenePredicateTemplate.quotedVariables(in: text).map { "\($0.name)@\($0.offset)" }
        #expect(found.joined(separator: " ") == expected)
    }
}
