import Foundation
import Testing
import UsherJSON

/// `usher scene …`, from the first window to the last.
struct ScenesTests {
    private static let crusty = "https://clowntown.example/clowns/crusty"

    private func connect(_ usher: UsherProgram, _ arguments: String...) throws -> UsherProgram.Ending {
        try usher.run(
            ["scene", "connect", "--config", UsherProgram.sampleConfiguration, "--app", "example.clowntown"] + arguments
        )
    }

    private func ids(_ usher: UsherProgram) throws -> [String?] {
        try usher("scene", "list").json().elements?.map { $0["session"]?.string } ?? []
    }

    @Test("an edited condition holds for windows that are open")
    func editedCondition() throws {
        try UsherProgram.run { usher throws in
            func write(_ can: String) throws {
                try usher.write(
                    """
                    id = "example.own"
                    schemes = ["own"]
                    [[scenes]]
                    name = "page"
                    \(can)
                    launch = { exec = ["true"] }
                    """, to: "config/usher/apps/own.toml")
            }
            func explained() throws -> [String] {
                let candidate = try usher("explain", "own:2", "--json").json()["candidates"]?.elements?.first
                return [candidate?["can"]?["text"]?.string, candidate?["can"]?["origin"]?.string].map { $0 ?? "-" }
            }
            try write("can = 'SELF == \"own:1\"'")
            #expect(try usher("scene", "connect", "--scene", "page").status == 0)
            #expect(try explained() == [#"SELF == "own:1""#, "configuration"])
            // Nothing has written into the store since.
            try write("can = 'SELF == \"own:2\"'")
            #expect(try explained() == [#"SELF == "own:2""#, "configuration"])
            let list = try usher("scene", "list").json().elements
            #expect(list?.first?["can"]?.string == #"SELF == "own:2""#)
            let push = #"{"aps":{"alert":"x","target-content-id":"own:2"}}"#
            let dry = try usher("dispatch", "--dry-run", "--json", input: push).json()
            #expect(dry["reason"]?.string == "can")
            try write("")
            #expect(try explained() == ["TRUEPREDICATE", "default"])
            #expect(try usher("scene", "update", "page-1", "--can", "SELF == 'x'").status == 0)
            #expect(try explained() == [#"SELF == "x""#, "session"])
        }
    }

    @Test("an edited condition holds for windows that are open, after a reload of usherd and after its restart")
    func editedConditionWithDaemon() throws {
        try UsherProgram.run { usher throws in
            /// `left` takes what ends in `end`, and `right` what ends in the other of 1 and 2.
            func write(_ key: String, _ end: Int) throws {
                let scenes = [("left", end), ("right", 3 - end)].map { name, end in
                    """
                    [[scenes]]
                    name = "\(name)"
                    \(key) = 'SELF ENDSWITH "\(end)"'
                    launch = { exec = ["true"] }
                    focus = { exec = ["true"] }

                    """
                }
                try usher.write(
                    "id = \"example.own\"\nschemes = [\"own\"]\n" + scenes.joined(),
                    to: "config/usher/apps/own.toml")
            }
            func sessions() throws -> [String?] {
                try ["1", "2"].map { end in
                    let push = #"{"aps":{"alert":"x","target-content-id":"own:\#(end)"}}"#
                    let record = try usher("dispatch", "--json", input: push + "\n").json()
                    #expect(record["action"]?.string == "focus", "\(record)")
                    return record["session"]?.string
                }
            }
            let (first, other) = (["left-1", "right-1"], ["right-1", "left-1"])
            for key in ["can", "prefers"] {
                try write(key, 1)
                if key == "can" {
                    for scene in ["left", "right"] { _ = try usher("scene", "connect", "--scene", scene) }
                }
                var found: [[String?]] = []
                try usher.withDaemon(config: usher.path("config/usher")) {
                    found.append(try sessions())
                    try write(key, 2)
                    _ = try usher("reload")
                    found.append(try sessions())
                }
                try usher.withDaemon(config: usher.path("config/usher")) { found.append(try sessions()) }
                try write(key, 1)
                try usher.withDaemon(config: usher.path("config/usher")) { found.append(try sessions()) }
                // As it began, reloaded, restarted, edited while none ran.
                #expect(found == [first, other, other, first], "\(key)")
            }
        }
    }

    @Test("sessions of a renamed scene are reported")
    func removedSceneIsReported() throws {
        try UsherProgram.run { usher throws in
            func write(_ scene: String) throws {
                try usher.write(
                    "id = \"example.own\"\n[[scenes]]\nname = \"\(scene)\"\nlaunch = { exec = [\"true\"] }\n",
                    to: "config/usher/apps/own.toml")
            }
            try write("old")
            for _ in 1...2 { #expect(try usher("scene", "connect", "--scene", "old").status == 0) }
            #expect(try !usher("scene", "list").errors.contains("no scene"))
            try write("new")
            let hidden = try usher("scene", "list")
            #expect(hidden.json().elements?.isEmpty == true)
            #expect(!hidden.errors.contains("no scene"))
            let list = try usher("scene", "list", "--all")
            #expect(list.status == 0)
            #expect(list.json().elements?.count == 2)
            #expect(list.errors.components(separatedBy: "example.own has no scene \"old\" any more").count == 2)
            // Nor do they show anything, until their scene is back.
            func decision() throws -> [String?] {
                let decision = try usher("explain", "own:1", "--app", "example.own").json()["decision"]
                return [decision?["session"]?.string, decision?["scene"]?.string, decision?["reason"]?.string]
            }
            #expect(try decision() == [nil, "new", "default"])
            let report = try usher("explain", "own:1", "--app", "example.own").json()
            #expect(report["candidates_total"]?.int64 == 0 && report["candidates"]?.elements?.isEmpty == true)
            try write("old")
            #expect(try decision() == ["old-2", "old", "can"])
            try write("new")
            // Another configuration has other apps.
            let other = try usher("scene", "list", "--config", UsherProgram.sampleConfiguration)
            #expect(!other.errors.contains("no scene"), "\(other.errors)")
        }
    }

    @Test func lifeOfAWindow() throws {
        try UsherProgram.run { usher throws in
            let main = try connect(usher, "--scene", "main")
            #expect(main.status == 0)
            #expect(main.json()["session"]?.string == "main-1")
            #expect(main.json()["used"]?.kind == .null)
            #expect(main.json()["can"]?.string == "TRUEPREDICATE")
            let window = try usher.shell("tmux new-session -d -P -F '#{window_id}' -- sleep 1000").lines[0]
            let clown = try connect(usher, "--scene", "clown", "--target", Self.crusty, "--handle", window).json()
            #expect(clown["session"]?.string == "clown-1")
            #expect(clown["prefers"]?.string == "SELF == \"\(Self.crusty)\"")
            #expect(clown["state"]?.string == "connected")
            #expect(clown["handle"]?.string == window)

            let active = try usher("scene", "activate", "main-1").json()
            #expect(active["used"]?.string?.hasSuffix("Z") == true)
            #expect(try ids(usher) == ["main-1", "clown-1"])

            let updated = try usher("scene", "update", "main-1", "--prefers", "SELF ENDSWITH '/bozo'").json()
            #expect(updated["prefers"]?.string == "SELF ENDSWITH \"/bozo\"")
            #expect(updated["can"]?.string == "TRUEPREDICATE")

            let gone = try usher("scene", "disconnect", "clown-1").json()
            #expect(gone["state"]?.string == "disconnected")
            #expect(gone["handle"]?.kind == .null)
            #expect(gone["prefers"]?.string == "SELF == \"\(Self.crusty)\"")

            #expect(try usher("scene", "close", "main-1").status == 0)
            #expect(try ids(usher) == ["clown-1"])
            let again = try usher("scene", "close", "main-1")
            #expect(again.status == 2)
            #expect(again.errors.contains("there is no session \"main-1\""))
            // A number is never given twice: an old name must not lead to a new window.
            #expect(try connect(usher, "--scene", "main").json()["session"]?.string == "main-2")
        }
    }

    @Test func listMakesNothing() throws {
        try UsherProgram.run { usher throws in
            #expect(try usher("scene", "list").output == "[]\n")
            #expect(!usher.exists("state"))
        }
    }

    @Test func conditionWithoutItsTargetIsFalse() throws {
        try UsherProgram.run { usher throws in
            let ending = try connect(usher, "--scene", "clown")
            #expect(ending.status == 0)
            #expect(ending.json()["can"]?.string == "FALSEPREDICATE")
            #expect(ending.errors.contains("warning: can of scene clown uses the target, and none is given"))
        }
    }

    struct Mistake: CustomTestStringConvertible {
        var arguments: [String]
        var messages: [String]
        var testDescription: String { arguments.joined(separator: " ") }
    }

    static let mistakes = [
        Mistake(
            arguments: ["--app", "example.clowntwon", "--scene", "main"], messages: ["did you mean example.clowntown?"]),
        Mistake(arguments: ["--app", "example.clowntown", "--scene", "clwn"], messages: ["did you mean clown?"]),
        Mistake(
            arguments: ["--app", "example.clowntown"], messages: ["which scene of example.clowntown?", "main, clown"]),
        Mistake(arguments: ["--scene", "main"], messages: ["which app? there are 5", "example.clowntown"]),
        Mistake(
            arguments: ["--app", "example.clowntown", "--scene", "main", "--target", ""], messages: ["cannot be empty"]),
        Mistake(
            arguments: ["--app", "example.clowntown", "--scene", "main", "--session", ""], messages: ["cannot be empty"]
        ),
        Mistake(
            arguments: ["--app", "example.clowntown", "--scene", "main", "--can", "SELF == "],
            messages: ["usher: --can: ", "\n  SELF == \n          ^\n"]),
        Mistake(
            arguments: ["--app", "example.clowntown", "--scene", "main", "--can", "SELF MATCHES 'x'"],
            messages: ["usher: --can: ", "\n  SELF MATCHES 'x'\n", "^~~~~~~"]),
        Mistake(
            arguments: ["--app", "example.clowntown", "--scene", "clown", "--prefers", "SELF == $CLWN"],
            messages: ["usher: --prefers: ", "$CLWN"]),
        Mistake(arguments: ["--config", "/nowhere/at-all"], messages: ["/nowhere/at-all", "usher init"]),
    ]

    @Test(arguments: mistakes)
    func mistakeIsNamed(_ mistake: Mistake) throws {
        try UsherProgram.run { usher throws in
            let config = mistake.arguments[0] == "--config" ? [] : ["--config", UsherProgram.sampleConfiguration]
            let ending = try usher.run(["scene", "connect"] + config + mistake.arguments)
            #expect(ending.status == 2)
            #expect(ending.output.isEmpty)
            for message in mistake.messages { #expect(ending.errors.contains(message), "\(ending.errors)") }
            #expect(!usher.exists("state"))
        }
    }

    // MARK: In bulk

    @Test func manyLines() throws {
        try UsherProgram.run { usher throws in
            let lines = (0..<2000).map { number in
                #"{"app":"example.clowntown","scene":"clown","target":"https://clowntown.example/clowns/c\#(number)"}"#
            }
            let ending = try usher(
                "scene", "connect", "--config", UsherProgram.sampleConfiguration, "--from", "-",
                input: lines.joined(separator: "\r\n") + "\n")
            #expect(ending.status == 0)
            let made = ending.json().elements ?? []
            #expect(made.count == 2000)
            #expect(made.first?["session"]?.string == "clown-1")
            #expect(made.last?["prefers"]?.string == "SELF == \"https://clowntown.example/clowns/c1999\"")
            #expect(try usher("scene", "list").json().elements?.count == 2000)
        }
    }

    @Test func lineWithAMistakeConnectsNothing() throws {
        try UsherProgram.run { usher throws in
            try usher.write(
                """
                {"app":"example.clowntown","scene":"main"}
                {"app":"example.clowntown","scene":"mian"}

                {"app":"example.clowntown","scene":"main","can":"SELF =="}
                {"app":"example.clowntown","scene":"main","handel":"@1"}
                [1]
                {"app":"example.clowntown","scene":"main",}
                {"app":"example.clowntown","scene":7}
                """, to: "windows.jsonl")
            let ending = try usher(
                "scene", "connect", "--config", UsherProgram.sampleConfiguration, "--from", "windows.jsonl")
            #expect(ending.status == 2)
            #expect(ending.output.isEmpty)
            for message in [
                "windows.jsonl:2: there is no scene", "windows.jsonl:4: --can: ", "did you mean handle?",
                "windows.jsonl:6: the line is an array", "windows.jsonl:7: ", "windows.jsonl:8: scene is a number",
                "6 lines of windows.jsonl cannot be used: nothing was done",
            ] {
                #expect(ending.errors.contains(message), "\(message) in \(ending.errors)")
            }
            #expect(!usher.exists("state"))
        }
    }

    @Test func emptyInputConnectsNothing() throws {
        try UsherProgram.run { usher throws in
            let ending = try usher(
                "scene", "connect", "--config", UsherProgram.sampleConfiguration, "--from", "-", input: "\n \r\n")
            #expect(ending.status == 0)
            #expect(ending.output == "[]\n")
            #expect(ending.errors.contains("standard input has no lines"))
        }
    }

    @Test("a window that is connected again without a target still shows what it showed")
    func connectedAgain() throws {
        try UsherProgram.run { usher in
            let first = [
                "scene", "connect", "--config", UsherProgram.sampleConfiguration, "--app", "example.clowntown",
            ]
            let target = "https://clowntown.example/clowns/crusty"
            _ = try usher.run(first + ["--scene", "clown", "--session", "mine", "--target", target])
            let again = try usher.run(first + ["--scene", "clown", "--session", "mine", "--handle", "x11:0x7"])
            #expect(again.status == 0, "\(again.errors)")
            #expect(again.json()["target"]?.string == target)
            #expect(again.json()["prefers"]?.string == "SELF == \"\(target)\"")
            let line = #"{"app":"example.clowntown","scene":"clown","session":"mine"}"#
            let bulk = try usher.run(
                ["scene", "connect", "--config", UsherProgram.sampleConfiguration, "--from", "-"],
                input: Data((line + "\n").utf8))
            #expect(bulk.json().elements?.first?["prefers"]?.string == "SELF == \"\(target)\"")
        }
    }

    @Test("update without options prints the window; close takes conditions as the others do")
    func optionsAreOptional() throws {
        try UsherProgram.run { usher in
            try usher.connectClowns()
            #expect(try usher("scene", "update", "main-1").json()["session"]?.string == "main-1")
            let closed = try usher("scene", "close", "main-1", "--can", "TRUEPREDICATE")
            #expect(closed.status == 0, "\(closed.errors)")
        }
    }
}
