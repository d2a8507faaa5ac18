import TestSupport
import Testing
import UsherJSON

/// What the log says of a configuration that is read again.
struct ReloadTests {
    @Test("a configuration that is refused: the log has the first error and where it is, and how many there are")
    func refused() throws {
        try UsherProgram.run { usher in
            try usher.write("id = \"example.a\"\n[[scenes]]\nname = \"main\"\n", to: "cfg/apps/a.toml")
            let ending = try usher.shell(
                """
                usherd --config cfg --socket s 2>log & daemon=$!
                until usher status >/dev/null 2>&1; do sleep 0.02; done
                usher reload >first 2>&1
                printf 'id = "example.a"\\n[[scenes]]\\nname = 7\\n[[scenes]]\\nname = 8\\n' >cfg/apps/a.toml
                usher reload >second 2>&1
                kill $daemon; wait $daemon
                """)
            #expect(ending.status == 0, "\(ending.errors)")
            #expect(usher.text("second").contains("2 errors"), "\(usher.text("second"))")
            let lines = usher.text("log").split(separator: "\n").filter { $0.contains("configuration-refused") }
            #expect(lines.count >= 1 && !usher.text("first").contains("error"))
            #expect(lines.allSatisfy { $0.contains("apps/a.toml:3:8: ") && $0.contains("errors") }, "\(lines)")
        }
    }
}
