import Testing
import UsherScene

/// Commands that users paste, with identifiers from any sender.
struct RestoreCommandTests {
    @Test(arguments: [
        ("https://a.example/x%20y,z", false, "https://a.example/x%20y,z"), ("a/", true, "a/ --prefix"),
        ("a:x; touch /tmp/x #", false, "'a:x; touch /tmp/x #'"), ("a?b&c", true, "'a?b&c' --prefix"),
        ("it's $(x) `y`", false, #"'it'\''s $(x) `y`'"#), ("-x", false, "-- -x"),
        ("--prefix", true, "--prefix -- --prefix"),
        ("~", false, "'~'"), ("", false, "''"), ("a\nb", false, "'a\nb'"),
        (String(repeating: "x", count: 1001), true, "ID --prefix"),
    ])
    func command(_ id: String, isPrefix: Bool, expected: String) {
        let command = TargetContentIdentifier(id).restoreCommand(isPrefix: isPrefix)
        #expect(command == "usher content restore " + expected)
    }
}
