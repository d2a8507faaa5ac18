import Foundation
import Testing
import UsherJSON

/// Empty input, output without a reader, terminals.
struct StreamsTests {
    @Test func emptyInput() throws {
        try UsherProgram.run { usher throws in
            let ending = try usher("predicate", "eval")
            #expect(ending.status == 0)
            #expect(ending.output.isEmpty)
            #expect(ending.errors.contains("standard input is empty"))
            #expect(try usher("predicate", "eval", "--quiet").errors.isEmpty)
            let payload = try usher("payload", "inspect", "-")
            #expect(payload.status == 1)
            #expect(payload.json()["error"]?.string == "json.empty")
        }
    }

    @Test func readerThatGoesAway() throws {
        try UsherProgram.run { usher throws in
            let text = String(repeating: #"{"format":"TRUEPREDICATE"}"# + "\n", count: 20_000)
            try usher.write(text, to: "many.jsonl")
            let ending = try usher.shell(
                "{ usher predicate eval many.jsonl; echo $? >status; } | head -n 1; cat status")
            #expect(ending.lines.last == "0")
            #expect(ending.errors.isEmpty)
        }
    }

    @Test func fullDisk() throws {
        try UsherProgram.run { usher throws in
            let ending = try usher.shell("usher version >/dev/full")
            #expect(ending.status == 1)
            #expect(ending.errors.contains("cannot write standard output: No space left on device"))
        }
    }

    /// `script` gives the program a terminal; its line ends are CR LF.
    private func onTerminal(_ usher: UsherProgram, _ line: String) throws -> String {
        try usher.shell("script -qec '\(line)' /dev/null </dev/null").output.replacingOccurrences(of: "\r", with: "")
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")))
    func textOnATerminal() throws {
        try UsherProgram.run { original throws in
            var usher = original
            usher.environment["NO_COLOR"] = "1"
            try usher.connectClowns()
            let list = try onTerminal(usher, "usher scene list")
            #expect(
                list == """
                       session  app                scene  state      last used  shows
                       clown-1  example.clowntown  clown  connected  never      https://clowntown.example/clowns/crusty
                       main-1   example.clowntown  main   connected  never      -

                    """)
            #expect(try onTerminal(usher, "usher scene list --json").hasPrefix("[\n{\"session\":\"clown-1\""))
            let manifest = UsherProgram.sampleConfiguration + "/apps/clown-town.toml"
            let checked = try onTerminal(usher, "usher check --config \(manifest)")
            #expect(checked.contains("routes  example.clowntown  3 of 3 hold\n"))
            #expect(!checked.unicodeScalars.contains("\u{1B}"))
            usher.environment["NO_COLOR"] = nil
            #expect(try onTerminal(usher, "usher help").unicodeScalars.contains("\u{1B}"))
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")))
    func mistakesOnATerminal() throws {
        try UsherProgram.run { original throws in
            var usher = original
            usher.environment["NO_COLOR"] = "1"
            usher.environment["USHER_CONFIG"] = UsherProgram.sampleConfiguration
            try usher.write("{\n  \"aps\": {},,\n  \"a\": 1\n}\n{\n  \"aps\": {}\n}\n", to: "two.json")
            for command in ["usher dispatch --dry-run <two.json", "usher dispatch --dry-run two.json"] {
                let text = try onTerminal(usher, "sh -c \"\(command)\"")
                #expect(
                    text.contains(
                        """
                        found ',' [U1004 json.syntax]
                           line 2, column 13
                           2 |   "aps": {},,
                                           ^
                           help: correct the text there
                        """), "\(text)")
                #expect(text.components(separatedBy: "error").count == 3, "\(text)")
            }
        }
    }

    /// Every command that reads lines calls one that is too long by the same name.
    @Test(
        arguments: [
            ("predicate eval", 1), ("payload inspect long.jsonl", 1), ("explain --cases -", 1),
            ("explain --payload -", 1),
            ("dispatch --dry-run", 1), ("scene connect --from -", 2),
        ])
    func lineThatIsTooLong(command: String, status: Int32) throws {
        try UsherProgram.run { original throws in
            var usher = original
            usher.environment["USHER_CONFIG"] = UsherProgram.sampleConfiguration
            let line = String(repeating: "[", count: 1 << 20) + "]"
            try usher.write(line, to: "long.jsonl")
            let ending = try usher.run(command.split(separator: " ").map(String.init), input: Data(line.utf8))
            #expect(ending.status == status)
            #expect((ending.output + ending.errors).contains("size.line-too-long"))
            #expect(!(ending.output + ending.errors).contains("json."))
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")))
    func inspectionOnATerminal() throws {
        try UsherProgram.run { original throws in
            var usher = original
            usher.environment["NO_COLOR"] = "1"
            try usher.write(
                #"{"aps":{"alert":{"title":"Hi\u001b[2J","bdoy":"x"},"badge":3,"target-content-id":"clown:crusty"}}"#,
                to: "hi.json")
            try usher.write(#"{"aps":{"target-content-id":5}}"#, to: "wrong.json")
            let valid = try onTerminal(usher, "usher payload inspect hi.json")
            #expect(
                valid == #"""
                    apns  valid
                       target           clown:crusty
                       title            Hi\u{1b}[2J
                       badge            3
                       shows something  yes
                       warning: bdoy is not defined here and is ignored at /aps/alert/bdoy, byte 46 [U1103 aps.unknown-key]
                       help: did you mean body?

                    """#)
            let invalid = try onTerminal(usher, "usher payload inspect wrong.json")
            #expect(
                invalid == """
                    apns  invalid
                       error: target-content-id is a number, not a string at /aps/target-content-id, byte 28 [U1203 target.type]
                       1 | {"aps":{"target-content-id":5}}
                                                       ^
                       help: quote it: "5"

                    """)
            _ = try usher.shell("{ cat hi.json; echo; cat wrong.json; } >both.jsonl")
            let lines = try onTerminal(usher, "usher payload inspect both.jsonl")
            #expect(lines.contains("line 1  apns  valid\n"))
            #expect(lines.contains("line 2  apns  invalid\n"))
            #expect(lines.hasSuffix("2 payloads, 1 invalid\n"))
            #expect(
                try onTerminal(usher, "usher payload inspect --json hi.json").hasPrefix(
                    #"{"kind":"apns","valid":true,"#))
        }
    }

    @Test func configurationErrorsGoToStandardError() throws {
        try UsherProgram.run { usher throws in
            try usher.write("id = \"example.a\"\nnaem = \"A\"\n", to: "broken.toml")
            let ending = try usher("scene", "connect", "--config", "broken.toml", "--scene", "main")
            #expect(ending.status == 2)
            #expect(ending.output.isEmpty)
            #expect(ending.errors.contains("broken.toml:2:1: error: "))
            #expect(ending.errors.contains("did you mean"))
            #expect(!usher.exists("state"))
        }
    }

    @Test func storeThatCannotBeOpened() throws {
        try UsherProgram.run { usher throws in
            try usher.write("this is no database, but long enough to differ from an empty file", to: "state/usher.db")
            let ending = try usher("scene", "list", "--state", "state")
            #expect(ending.status == 2)
            #expect(ending.output.isEmpty)
            #expect(ending.errors.hasPrefix("usher: "))
            #expect(ending.errors.contains("usher.db"))
            try usher.write("", to: "file")
            let other = try usher(
                "scene", "connect", "--state", "file/below", "--config", UsherProgram.sampleConfiguration, "--app",
                "example.clowntown", "--scene", "main")
            #expect(other.status == 2)
            #expect(other.errors.contains("Not a directory"))
        }
    }
}
