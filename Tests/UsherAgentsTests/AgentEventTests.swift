import Testing
import UsherAgents
import UsherScene

/// What hooks of coding agents report.
struct AgentEventTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var agent: AgentName
        var text: String
        var change: AgentChange?

        init(_ agent: AgentName, _ text: String, _ change: AgentChange?) {
            (self.agent, self.text, self.change) = (agent, text, change)
        }

        var testDescription: String { "\(agent) \(text)" }
    }

    /// An event and its change; the members of the event beside the session's id.
    static let claude: [(String, AgentChange?)] = [
        (#""UserPromptSubmit","prompt":"secret""#, .working),
        (#""PreToolUse","tool_name":"Bash""#, .working),
        (#""PostToolUse","tool_name":"AskUserQuestion""#, .working),
        (#""PermissionDenied""#, .working),
        (#""PermissionRequest","tool_name":"Bash""#, .waiting(.permission)),
        (#""PermissionRequest","tool_name":"Bash","agent_id":"a1""#, .waiting(.permission)),
        (#""PermissionRequest","tool_name":"ExitPlanMode""#, .waiting(.question)),
        (#""Notification","notification_type":"permission_prompt""#, .waiting(.permission)),
        (#""PreToolUse","tool_name":"AskUserQuestion""#, .waiting(.question)),
        (#""PreToolUse","tool_name":"ExitPlanMode""#, .waiting(.question)),
        (#""Notification","notification_type":"elicitation_dialog""#, .waiting(.question)),
        (#""Notification","notification_type":"agent_needs_input""#, .waiting(.question)),
        (#""Notification","notification_type":"idle_prompt""#, nil),
        (#""Notification""#, nil),
        (#""Stop""#, .done(isSeen: false)),
        (#""StopFailure""#, .done(isSeen: false)),
        (#""SessionStart","source":"startup""#, .done(isSeen: true)),
        (#""SessionEnd","reason":"exit""#, .ended),
        (#""Stop","agent_id":"a1""#, nil),
        (#""PreToolUse","tool_name":"Bash","agent_id":"a1""#, nil),
        (#""SubagentStop","agent_id":"a1""#, nil),
        (#""stop""#, nil),
        (#""BeforeAgent""#, nil),
    ]

    static let cases: [Case] =
        [AgentName.claude, .codex].flatMap { agent in
            claude.map { Case(agent, #"{"session_id":"s","hook_event_name":\#($0)}"#, $1) }
        } + [
            Case(.codex, #"{"type":"agent-turn-complete","thread-id":"s"}"#, .done(isSeen: false)),
            Case(.gemini, #"{"session_id":"s","hook_event_name":"BeforeAgent"}"#, .working),
            Case(.gemini, #"{"session_id":"s","hook_event_name":"BeforeTool"}"#, .working),
            Case(.gemini, #"{"session_id":"s","hook_event_name":"AfterTool"}"#, .working),
            Case(
                .gemini, #"{"session_id":"s","hook_event_name":"Notification","notification_type":"ToolPermission"}"#,
                .waiting(.permission)),
            Case(.gemini, #"{"session_id":"s","hook_event_name":"Notification","notification_type":"x"}"#, nil),
            Case(.gemini, #"{"session_id":"s","hook_event_name":"AfterAgent"}"#, .done(isSeen: false)),
            Case(.gemini, #"{"session_id":"s","hook_event_name":"SessionStart"}"#, .done(isSeen: true)),
            Case(.gemini, #"{"session_id":"s","hook_event_name":"SessionEnd"}"#, .ended),
            Case(.gemini, #"{"session_id":"s","hook_event_name":"Stop"}"#, nil),
            Case(.copilot, #"{"sessionId":"s","type":"userPromptSubmitted"}"#, .working),
            Case(.copilot, #"{"sessionId":"s","type":"preToolUse"}"#, .working),
            Case(.copilot, #"{"sessionId":"s","type":"postToolUse"}"#, .working),
            Case(.copilot, #"{"sessionId":"s","type":"permissionRequest"}"#, .waiting(.permission)),
            Case(.copilot, #"{"sessionId":"s","type":"agentStop"}"#, .done(isSeen: false)),
            Case(.copilot, #"{"sessionId":"s","type":"sessionStart"}"#, .done(isSeen: true)),
            Case(.copilot, #"{"sessionId":"s","type":"sessionEnd"}"#, .ended),
            Case(
                .opencode, #"{"type":"session.status","properties":{"sessionID":"s","status":{"type":"busy"}}}"#,
                .working),
            Case(.opencode, #"{"type":"session.status","properties":{"sessionID":"s","status":"busy"}}"#, .working),
            Case(
                .opencode, #"{"type":"session.status","properties":{"sessionID":"s","status":{"type":"retry"}}}"#, nil),
            Case(.opencode, #"{"type":"permission.asked","properties":{"sessionID":"s"}}"#, .waiting(.permission)),
            Case(.opencode, #"{"type":"session.idle","properties":{"sessionID":"s"}}"#, .done(isSeen: false)),
            Case(.opencode, #"{"type":"session.deleted","properties":{"info":{"id":"s"}}}"#, .ended),
            Case(.opencode, #"{"type":"session.deleted","properties":{"info":{"id":"s","parentID":"p"}}}"#, nil),
        ]

    @Test(arguments: cases)
    func state(_ example: Case) throws {
        let event = try #require(AgentEvent(of: example.agent, parsing: Array(example.text.utf8)))
        #expect(event.change == example.change)
        #expect(event.session == "s")
    }

    @Test func nameOfTheCommandLineGoesFirst() throws {
        let text = #"{"session_id":"s","hook_event_name":"Stop","type":"x"}"#
        let event = try #require(AgentEvent(of: .claude, named: "SessionEnd", parsing: Array(text.utf8)))
        #expect(event.name == "SessionEnd")
        #expect(event.change == .ended)
    }

    static let unread: [(id: String, text: String)] = [
        ("nothing", ""), ("no JSON", "{"), ("an array", "[]"), ("a text", #""Stop""#),
        ("no event", #"{"session_id":"s"}"#), ("no session", #"{"hook_event_name":"Stop"}"#),
        ("an empty session", #"{"hook_event_name":"Stop","session_id":""}"#),
        ("a number for a session", #"{"hook_event_name":"Stop","session_id":1}"#),
        ("half a surrogate pair", #"{"hook_event_name":"Stop","session_id":"\ud800"}"#),
        ("an end in a text", #"{"hook_event_name":"Stop","session_id":"s"#),
    ]

    @Test(arguments: unread)
    func unreadable(_ example: (id: String, text: String)) {
        #expect(AgentEvent(of: .claude, parsing: Array(example.text.utf8)) == nil)
    }

    @Test(arguments: [(63, true), (64, false)])
    func depth(_ arrays: Int, _ isRead: Bool) {
        let nested = String(repeating: "[", count: arrays) + String(repeating: "]", count: arrays)
        let text = #"{"session_id":"s","hook_event_name":"Stop","x":\#(nested)}"#
        #expect((AgentEvent(of: .claude, parsing: Array(text.utf8)) != nil) == isRead)
    }

    @Test(arguments: [(0, true), (1, false)])
    func size(_ surplus: Int, _ isRead: Bool) {
        var text = Array(#"{"session_id":"s","hook_event_name":"Stop"}"#.utf8)
        text += [UInt8](repeating: 0x20, count: 16 << 20 - text.count + surplus)
        #expect((AgentEvent(of: .claude, parsing: text) != nil) == isRead)
    }

    @Test func longNamesAreCut() throws {
        let long = String(repeating: "a", count: 1023) + "ä" + "b"
        let text = #"{"session_id":"\#(long)","hook_event_name":"PreToolUse","tool_name":"\#(long)","cwd":"/\#(long)"}"#
        let event = try #require(AgentEvent(of: .claude, parsing: Array(text.utf8)))
        // The two bytes of ä do not fit.
        #expect(event.session == String(repeating: "a", count: 1023))
        #expect(event.tool == event.session)
        #expect(event.cwd == "/" + event.session)
    }

    static let requests: [(agent: AgentName, text: String, parts: [String])] = [
        (.claude, #""tool_name":"Bash","tool_input":{"command":"make"}"#, ["make"]),
        (
            .claude, #""tool_name":"Bash","tool_input":{"description":"Build","command":"make \"a\"","timeout":5}"#,
            [#"make "a""#, "description: Build", "timeout: 5"]
        ),
        (.claude, #""tool_name":"Read","tool_input":{"file_path":"/etc/hosts"}"#, ["/etc/hosts"]),
        (.claude, #""tool_name":"X","tool_input":{"a":[1, {"b":null}],"c":"d"}"#, [#"a: [1, {"b":null}]"#, "c: d"]),
        (.claude, #""tool_name":"X","tool_input":{},"message":"Look""#, ["Look"]),
        (.claude, #""message":"Claude needs your permission""#, ["Claude needs your permission"]),
        (.claude, #""tool_name":"X""#, []),
        // Nothing more than the tool; a part of a list that has no other member.
        (.claude, #""tool_name":"X","tool_input":{}"#, [""]),
        (.claude, #""toolName":"bash","toolInput":{"command":"rm x"}"#, ["rm x"]),
    ]

    @Test(arguments: requests)
    func request(_ example: (agent: AgentName, text: String, parts: [String])) throws {
        let text = #"{"session_id":"s","hook_event_name":"PermissionRequest",\#(example.text)}"#
        let event = try #require(AgentEvent(of: example.agent, parsing: Array(text.utf8)))
        #expect(event.request == example.parts)
    }

    @Test func requestOfOpenCode() throws {
        let text = #"""
            {"type":"permission.asked","cwd":"/w","properties":{"sessionID":"s","permission":"bash",
            "patterns":["git push","git push origin"],"metadata":{}}}
            """#
        let event = try #require(AgentEvent(of: .opencode, parsing: Array(text.utf8)))
        #expect(event.tool == "bash")
        #expect(event.cwd == "/w")
        #expect(event.request == ["git push", "git push origin"])
    }

    @Test func allThatOpenCodeSaysIsShown() throws {
        let text = #"""
            {"type":"permission.asked","properties":{"sessionID":"s","permission":"bash",
            "patterns":["rm x","ls"],"metadata":{"command":"ls","description":"list files"}}}
            """#
        let event = try #require(AgentEvent(of: .opencode, parsing: Array(text.utf8)))
        #expect(event.request == ["rm x", "ls", "description: list files"])
    }

    /// A prompt, and the input of a tool that waits for nothing, are not kept in the value.
    @Test func onlyRequestsAreRead() throws {
        let text = #"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"x"}}"#
        let event = try #require(AgentEvent(of: .claude, parsing: Array(text.utf8)))
        #expect(event.request.isEmpty)
    }

    @Test func namesAreBlankedForTerminals() {
        #expect(AgentEvent.blanked("a\u{1b}[31m\u{202e}b\nc é") == "a [31m b c é")
    }
}
