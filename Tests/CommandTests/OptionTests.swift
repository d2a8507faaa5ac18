import Testing
import UsherJSON

/// Where options may stand, and how their values are written.
struct OptionTests {
    static let placements: [[String]] = [
        ["scene", "list", "--state", "here", "--json"],
        ["--state", "here", "--json", "scene", "list"],
        ["scene", "--json", "list", "--state=here"],
        ["--state=here", "scene", "--json", "list", "--quiet", "--json"],
        ["scene", "list", "--state", "here", "--log-format", "json", "--log-level=debug"],
    ]

    @Test(arguments: placements)
    func anywhereOnTheLine(_ arguments: [String]) throws {
        try UsherProgram.run { usher throws in
            let ending = try usher.run(arguments)
            #expect(ending.status == 0)
            #expect(ending.output == "[]\n")
        }
    }

    @Test func valueThatLooksLikeAnOption() throws {
        try UsherProgram.run { usher throws in
            let config = "--config=\(UsherProgram.sampleConfiguration)"
            let connected = try usher(
                "scene", "connect", config, "--app", "example.clowntown", "--scene", "main", "--title",
                "--exec=/bin/true", "--target=--json", "--session", "-")
            #expect(connected.status == 0, "\(connected.errors)")
            #expect(connected.json()["title"]?.string == "--exec=/bin/true")
            #expect(connected.json()["target"]?.string == "--json")
            #expect(connected.json()["session"]?.string == "-")
        }
    }

    /// Help offers the formats that are read. Those that are only known are refused as such.
    @Test func formatsThatAreRead() throws {
        try UsherProgram.run { usher throws in
            let help = try usher("dispatch", "--help").output
            #expect(help.contains("--format auto|apns|simctl|shortcut|activity|envelope"))
            let refused = try usher("dispatch", "--format", "ntfy", input: "{}")
            #expect(refused.status == 2)
            #expect(refused.errors.contains("the format ntfy is not read yet"), "\(refused.errors)")
            let unknown = try usher("dispatch", "--format", "gotify", input: "{}")
            #expect(unknown.status == 2)
            #expect(unknown.errors.contains("--format cannot be"), "\(unknown.errors)")
            let inspected = try usher("payload", "inspect", "--format", "fcm", "-", input: "{}")
            #expect(inspected.json()["error"]?.string == "format.unsupported")
        }
    }

    @Test func operandsAfterTwoDashes() throws {
        try UsherProgram.run { usher throws in
            let ending = try usher("predicate", "print", "--", "--json")
            #expect(ending.status == 1)
            #expect(ending.json()["format"]?.string == "--json")
        }
    }

    @Test func stateIsWhereTheOptionThenTheEnvironmentSays() throws {
        try UsherProgram.run { original throws in
            var usher = original
            let config = ["--config", UsherProgram.sampleConfiguration]
            let connect = ["scene", "connect", "--app", "example.clowntown", "--scene", "main"] + config
            #expect(try usher.run(connect).status == 0)
            #expect(usher.exists("state/usher/usher.db"))
            usher.environment["USHER_STATE"] = usher.path("elsewhere")
            #expect(try usher.run(connect).status == 0)
            #expect(usher.exists("elsewhere/usher.db"))
            #expect(try usher.run(connect + ["--state", usher.path("third")]).status == 0)
            #expect(usher.exists("third/usher.db"))
        }
    }

    @Test(arguments: ["90s", "2h", "09:00", "yesterday 09:00", "Friday 09:00", "2026-11-25T09:00:00+01:00"])
    func sinceTakesTimesThatHavePassed(_ time: String) throws {
        try UsherProgram.run { usher throws in
            for words in [["deliveries", "list"], ["forget", "--dry-run"]] {
                let ending = try usher.run(words + ["--since", time])
                #expect(ending.status == 0, "\(ending.errors)")
                let refused = try usher.run(words + ["--since", "tomorrow 09:00"])
                #expect(
                    refused.status == 2 && refused.errors.contains("is no time [U6303 control.argument]\nhelp: such as")
                )
            }
        }
    }

    @Test(arguments: [["version"], ["--version"], ["--json", "--version"]])
    func version(_ arguments: [String]) throws {
        try UsherProgram.run { usher throws in
            let ending = try usher.run(arguments)
            #expect(ending.status == 0)
            #expect(ending.output.hasPrefix("usher "))
        }
    }
}
