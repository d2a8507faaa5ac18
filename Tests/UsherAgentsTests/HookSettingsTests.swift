import Testing
import UsherAgents
import UsherScene
import UsherText

/// Hooks that are put into the settings of agents, and taken out.
struct HookSettingsTests {
    static let hooks = AgentHooks(of: .claude, program: "/opt/my programs/it's/usher", wait: 590)

    static let texts = [
        "", "\n", "{}", "{}\n", "{ }", "{\n}\n", "{\r\n}\r\n", #"{"a":1}"#, #"{ "a" : 1 }"#,
        "{\n    \"a\": 1\n}\n", "{\n\t\"a\": [1, 2],\n\t\"hooks\": {}\n}",
        "{\r\n  \"a\": \"//\",\r\n  \"hooks\": {\r\n  }\r\n}",
        "// first\n{\n  \"a\": 1 // \"hooks\": {\n  /* last { */\n}\n// after",
        "{\n  \"hooks\": { // mine\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]} // own\n"
            + "    ],\n    \"SessionEnd\": [],\n    \"Other\": 1\n  },\n  \"z\": \"\\\"/*\"\n}\n",
        #"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a usher agent event --agent claude"}]}]}}"#,
        "{\"hooks\":\n{\"Stop\"\n:[\n1,2\n]}}",
    ]

    /// What was inserted is all that is new, and the rest is what was there.
    @Test(arguments: texts)
    func insertionsAlone(_ text: String) throws {
        let before = Array(text.utf8)
        let installed = try HookSettings(before, of: .claude).installing(Self.hooks)
        let inserted = try #require(installed.inserted)
        #expect(inserted.count > 0)
        var rest: [UInt8] = []
        var place = 0
        for range in inserted {
            rest += installed.bytes[place..<range.lowerBound]
            place = range.upperBound
        }
        #expect(rest + installed.bytes[place...] == before)
        let after = try HookSettings(installed.bytes, of: .claude)
        #expect(Set(after.events) == Set(Self.hooks.events), "\(String(decoding: installed.bytes, as: UTF8.self))")
        #expect(after.areOf(Self.hooks.program))
        let again = after.installing(Self.hooks)
        #expect(again.bytes == installed.bytes && again.made.isEmpty)
        // Line ends are those of the file.
        let lines = installed.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        if text.contains("\r\n") { #expect(lines.dropLast().allSatisfy { $0.last == 0x0D }) }
        if !text.contains("\r\n") { #expect(!installed.bytes.contains(0x0D)) }
    }

    /// Without places that are known, the hooks go and nothing else.
    @Test(arguments: texts)
    func removal(_ text: String) throws {
        let settings = try HookSettings(Array(text.utf8), of: .claude)
        let installed = settings.installing(Self.hooks)
        let rest = try HookSettings(installed.bytes, of: .claude).removing(made: installed.made)
        let events = try HookSettings(rest, of: .claude).events
        #expect(events.isEmpty)
        let words = { (bytes: [UInt8]) in bytes.filter { $0 > 0x20 } }
        // An object that was inserted whole stays as an empty one.
        #expect(words(rest) == (settings.isEmpty ? Array("{}".utf8) : words(Array(text.utf8))))
    }

    @Test func whatIsBesideAHookStays() throws {
        let command = "usher agent event --agent claude"
        let text = """
            {"hooks":{"Stop":[{"matcher":"","hooks":[{"command":"mine"},{"command":"\(command)"},{"command":"b"}]},
            {"hooks":[{"command":"\(command)"}]}],"Old":[{"hooks":[{"command":"\(command)"}]}]}}
            """
        let rest = try HookSettings(Array(text.utf8), of: .claude).removing(made: [])
        #expect(
            String(decoding: rest, as: UTF8.self)
                == #"{"hooks":{"Stop":[{"matcher":"","hooks":[{"command":"mine"},{"command":"b"}]}],"Old":[]}}"#)
        let other = try HookSettings(Array(text.utf8), of: .codex).removing(made: [])
        #expect(other == Array(text.utf8))
    }

    @Test func anotherPathIsCorrectedInPlace() throws {
        let first = try HookSettings(Array("{\n}".utf8), of: .claude).installing(Self.hooks)
        let old = try HookSettings(first.bytes, of: .claude)
        let moved = AgentHooks(of: .claude, program: "/usr/bin/usher", wait: 590)
        #expect(!old.areOf(moved.program))
        let second = old.installing(moved)
        let fresh = try HookSettings(Array("{\n}".utf8), of: .claude).installing(moved)
        #expect(second.bytes == fresh.bytes && second.inserted == nil)
    }

    static let faults: [(String, HookSettings.Fault)] = [
        ("{\n  \"ä\": 1,,\n}", .syntax(LinePosition(line: 2, column: 10), "")),
        ("[]", .shape("the file is no object")), ("// none\n", .syntax(LinePosition(line: 2, column: 1), "")),
        ("{\"a\": 1 /* open", .syntax(LinePosition(line: 1, column: 9), "")),
        (#"{"hooks":[]}"#, .shape("hooks is no object")), (#"{"hooks":{"Stop":{}}}"#, .shape("hooks.Stop is no array")),
        (#"{"a":1,"a":2}"#, .syntax(LinePosition(line: 1, column: 8), "")),
    ]

    @Test(arguments: faults)
    func whatIsNotUnderstoodIsRefused(_ text: String, _ fault: HookSettings.Fault) throws {
        let found = #expect(throws: HookSettings.Fault.self) { try HookSettings(Array(text.utf8), of: .claude) }
        if case .syntax(let place, _) = fault, case .syntax(let found, _) = found {
            #expect(found == place)
        } else {
            #expect(found == fault)
        }
    }

    @Test func anElementOfAnEvent() throws {
        for (agent, expected) in [(AgentName.claude, "600}"), (.gemini, "10000}")] {
            let event = agent == .claude ? "PermissionRequest" : "BeforeTool"
            let installed = try HookSettings([], of: agent).installing(
                AgentHooks(of: agent, program: "/b/usher", wait: 590))
            let text = String(decoding: installed.bytes, as: UTF8.self)
            let element =
                #"{"hooks":[{"type":"command","command":"/b/usher agent event --agent \#(agent)","timeout":\#(expected)]}"#
            #expect(text.contains("    \"\(event)\": [\n      \(element)\n    ]"), "\(text)")
        }
    }

    @Test(arguments: AgentName.allCases)
    func ownFiles(_ agent: AgentName) {
        let hooks = AgentHooks(of: agent, program: "/b/usher", wait: 590)
        guard let text = hooks.ownFile else { return }
        #expect(AgentHooks.isOwnFile(Array(text.utf8), of: agent))
        #expect(!AgentHooks.isOwnFile(Array("{}".utf8), of: agent))
        #expect(!AgentHooks.isOwnFile(Array(text.replacing("usher agent", with: "x agents").utf8), of: agent))
        for event in hooks.events { #expect(text.contains("\"\(event)\"")) }
    }
}
