import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UsherJSON

@testable import UsherBus

/// Agents that ask for a permission: the built programs, real hooks, and notifications on a bus of the test's own.
@Suite("usher agent answer")
struct AgentAnswersTests {
    /// A server of notifications.
    private final class Screen: Sendable {
        struct Note: Sendable {
            var id: UInt32
            var body: String
            var buttons: [String]
        }

        private let bus: SessionBus
        /// All that were shown, in their order.
        private let shown = Mutex<[Note]>([])
        private let gone = Mutex<[UInt32]>([])

        init(_ bus: PrivateBus) throws {
            self.bus = SessionBus(environment: bus.environment)
            try self.bus.serve(NotificationServer.name) { [weak self] call in self?.answer(call) }
        }

        private func answer(_ call: BusMessage) -> BusReply? {
            switch call.member {
            case "GetCapabilities": return .values([.strings(["body", "actions"])])
            case "GetServerInformation":
                return .values([.string("screen"), .string("usher"), .string("1"), .string("1.2")])
            case "Notify":
                let replaced = call.arguments[1].uint32 ?? 0
                var words: [String] = []
                if case .array(let values, _) = call.arguments[5] { words = values.compactMap(\.string) }
                return shown.withLock { shown in
                    let id = replaced != 0 ? replaced : (shown.map(\.id).max() ?? 0) + 1
                    shown.append(
                        Note(
                            id: id, body: call.arguments[4].string ?? "",
                            buttons: stride(from: 0, to: words.count, by: 2).map { words[$0] }))
                    return .values([.uint32(id)])
                }
            case "CloseNotification":
                let id = call.arguments.first?.uint32 ?? 0
                gone.withLock { $0.append(id) }
                signal("NotificationClosed", id, .uint32(3))
                return .values([])
            default: return nil
            }
        }

        func press(_ note: Note, _ button: String) { signal("ActionInvoked", note.id, .string(button)) }

        private func signal(_ member: String, _ id: UInt32, _ value: BusValue) {
            try? bus.emit(
                BusMessage(
                    path: NotificationServer.path, interface: NotificationServer.name, member: member,
                    arguments: [.uint32(id), value]))
        }

        var notes: [Note] { shown.withLock { $0 } }
        var closed: [UInt32] { gone.withLock { $0 } }

        /// The notification with this number in the order, from 1.
        func note(_ number: Int) throws -> Note {
            try waitUntil("notification \(number) is shown") { notes.count >= number }
            return notes[number - 1]
        }
    }

    /// A program with a screen, and the hooks that it runs.
    private struct Desk {
        let usher: UsherProgram
        let screen: Screen

        /// Begins a hook; its process.
        @discardableResult
        func begin(_ name: String, _ agent: String, _ event: String) throws -> String {
            try usher.write(event, to: "\(name).json")
            let line = """
                (setsid -w usher agent event --agent \(agent) <\(name).json >\(name).out 2>\(name).errors & \
                echo $! >\(name).pid; wait $!; echo $? >\(name).status) >/dev/null 2>&1 & echo
                """
            _ = try usher.shell(line)
            try waitUntil("the hook has begun") { usher.text("\(name).pid").hasSuffix("\n") }
            return usher.text("\(name).pid").trimmingCharacters(in: .whitespacesAndNewlines)
        }

        func isRunning(_ name: String) -> Bool { !usher.text("\(name).status").hasSuffix("\n") }

        /// What the hook has printed, once it has ended with 0 and told nothing else.
        func end(_ name: String) throws -> String {
            try waitUntil("the hook has ended") { !isRunning(name) }
            #expect(usher.text("\(name).status") == "0\n" && usher.text("\(name).errors").isEmpty)
            return usher.text("\(name).out")
        }

        func report(_ agent: String, _ event: String) throws {
            let ending = try usher("agent", "event", "--agent", agent, event)
            #expect(ending.status == 0 && ending.output.isEmpty)
        }

        func agent(_ id: String = "agent-1") throws -> JSONValue {
            let all = try usher("agent", "list", "--all").json().elements ?? []
            return try #require(all.first { $0["id"]?.string == id })
        }
    }

    private func withDesk(_ settings: String = "", _ body: (Desk) throws -> Void) throws {
        let bus = try PrivateBus()
        let screen = try Screen(bus)
        try UsherProgram.run { program in
            var usher = program
            usher.environment.merge(bus.environment) { $1 }
            try usher.write(settings, to: "config/usher/usher.toml")
            try usher.withDaemon(config: usher.path("config/usher")) { try body(Desk(usher: usher, screen: screen)) }
        }
    }

    private static func request(_ command: String = "ls", session: String = "s1", more: String = "") -> String {
        #"{"session_id":"\#(session)","hook_event_name":"PermissionRequest","tool_name":"Bash","#
            + #""tool_input":{"command":"\#(command)"}\#(more)}"#
    }

    private static func claude(_ decision: String) -> String {
        #"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{\#(decision)}}}"# + "\n"
    }

    private static let copilot =
        #"{"sessionId":"s1","type":"permissionRequest","toolName":"bash","toolArgs":{"command":"ls"}}"#
    private static let openCode =
        #"{"type":"permission.asked","properties":{"id":"p1","sessionID":"s1","permission":"bash","patterns":["ls"]}}"#

    @Test(
        "a press is what the hook prints, in the form of its agent",
        arguments: [
            ("claude", request(), claude(#""behavior":"allow""#), claude(#""behavior":"deny","message":"not now""#)),
            ("codex", request(), claude(#""behavior":"allow""#), claude(#""behavior":"deny","message":"not now""#)),
            (
                "copilot", copilot, #"{"behavior":"allow"}"# + "\n",
                #"{"behavior":"deny","message":"not now"}"# + "\n"
            ),
            ("opencode", openCode, #"{"reply":"once"}"# + "\n", #"{"reply":"reject"}"# + "\n"),
        ])
    func presses(_ agent: String, _ event: String, _ allowed: String, _ denied: String) throws {
        try withDesk { desk in
            try desk.begin("first", agent, event)
            let first = try desk.screen.note(1)
            #expect(first.buttons == ["default", "allow", "deny"] && first.body.lowercased() == "bash: ls")
            try waitUntil("it can be answered") { try desk.agent()["answerable"] == true }
            #expect(try desk.agent()["state"]?.string == "waiting" && desk.isRunning("first"))
            desk.screen.press(first, "allow")
            #expect(try desk.end("first") == allowed)
            #expect(try desk.agent()["state"]?.string == "working" && desk.agent()["answerable"] == false)

            try desk.begin("second", agent, event)
            _ = try desk.screen.note(2)
            try waitUntil("it can be answered") { try desk.agent()["answerable"] == true }
            let given = try desk.usher("agent", "answer", "s1", "deny", "--message", "not now")
            #expect(given.status == 0 && given.json()["answer"]?["action"]?.string == "deny", "\(given.errors)")
            #expect(try desk.agent()["state"]?.string == "working")
            #expect(try desk.end("second") == denied)
            // Once.
            let again = try desk.usher("agent", "answer", "agent-1", "allow")
            #expect(again.status == 2 && again.errors.contains(" answer.given]"), "\(again.errors)")
            // The message is nowhere in the state.
            #expect(try desk.usher.shell("grep -rlE 'not now|ls a-secret' state").status == 1)
        }
    }

    @Test("without --message a denial says where it comes from")
    func denial() throws {
        try withDesk { desk in
            try desk.begin("hook", "claude", Self.request())
            desk.screen.press(try desk.screen.note(1), "deny")
            #expect(try desk.end("hook") == Self.claude(#""behavior":"deny","message":"Denied with Usher""#))
        }
    }

    @Test("the wait ends with nothing: its time, another state, a newer request, the end of the session")
    func ends() throws {
        try withDesk("[agents]\nanswer = \"2s\"\n") { desk in
            try desk.begin("late", "claude", Self.request("one"))
            #expect(try desk.screen.note(1).buttons == ["default", "allow", "deny"])
            #expect(try desk.end("late").isEmpty)
            // The notification stays without the buttons.
            let rest = try desk.screen.note(2)
            #expect(rest.id == 1 && rest.buttons == ["default"] && rest.body == "Bash: one")
            #expect(try desk.agent()["state"]?.string == "waiting" && desk.agent()["answerable"] == false)
            let refused = try desk.usher("agent", "answer", "agent-1", "allow")
            #expect(refused.status == 2 && refused.errors.contains(" agent.cannot-answer]"), "\(refused.errors)")
        }
        try withDesk { desk in
            try desk.begin("first", "claude", Self.request("one"))
            #expect(try desk.screen.note(1).buttons.count == 3)
            try desk.begin("newer", "claude", Self.request("two"))
            #expect(try desk.end("first").isEmpty)
            let second = try desk.screen.note(2)
            #expect(second.id == 1 && second.body == "Bash: two" && second.buttons == ["default", "allow", "deny"])
            // The agent's own notification of the same is no newer request.
            try desk.report(
                "claude",
                #"{"session_id":"s1","hook_event_name":"Notification","notification_type":"permission_prompt","message":"m"}"#
            )
            #expect(desk.isRunning("newer"))
            try desk.report("claude", #"{"session_id":"s1","hook_event_name":"PostToolUse","tool_name":"Bash"}"#)
            #expect(try desk.end("newer").isEmpty)
            try waitUntil("it is taken away") { desk.screen.closed == [1] }
            #expect(desk.screen.notes.count == 2)
            try desk.begin("third", "claude", Self.request("three"))
            _ = try desk.screen.note(3)
            try desk.report("claude", #"{"session_id":"s1","hook_event_name":"SessionEnd"}"#)
            #expect(try desk.end("third").isEmpty)
            try waitUntil("it is taken away") { desk.screen.closed == [1, 2] }
        }
    }

    @Test("the hook, or usherd, is killed")
    func killed() throws {
        try withDesk { desk in
            let hook = try desk.begin("hook", "claude", Self.request())
            _ = try desk.screen.note(1)
            _ = try desk.usher.shell("pkill -9 -s \(hook)")
            let rest = try desk.screen.note(2)
            #expect(rest.id == 1 && rest.buttons == ["default"])
            #expect(try desk.agent()["answerable"] == false && desk.agent()["state"]?.string == "waiting")
            try desk.begin("other", "claude", Self.request())
            _ = try desk.screen.note(3)
            try waitUntil("it can be answered") { try desk.agent()["answerable"] == true }
            let daemon = try desk.usher("status").json()["pid"]?.int64 ?? 0
            _ = try desk.usher.shell("kill -9 \(daemon)")
            #expect(try desk.end("other").isEmpty)
        }
    }

    @Test("what has buttons, and which")
    func buttons() throws {
        let long = String(repeating: "x", count: 994)
        try withDesk("[agents.codex]\nanswer = \"0s\"\n") { desk in
            // Nothing waits: the agent takes no answer, it is a question, the settings say so.
            let gemini = #"{"session_id":"g","hook_event_name":"Notification","notification_type":"ToolPermission"}"#
            try desk.report("gemini", gemini)
            try desk.report("codex", Self.request(session: "c"))
            try desk.report(
                "claude", #"{"session_id":"q","hook_event_name":"PermissionRequest","tool_name":"ExitPlanMode"}"#)
            for number in 1...3 { #expect(try desk.screen.note(number).buttons == ["default"]) }
            try desk.begin("whole", "claude", Self.request(long, session: "w"))
            #expect(try desk.screen.note(4).buttons == ["default", "allow", "deny"])
            try desk.begin("long", "claude", Self.request(long + "y", session: "l"))
            let note = try desk.screen.note(5)
            #expect(note.buttons == ["default", "deny"] && note.body.hasSuffix("x…"))
            try waitUntil("it can be answered") { try desk.agent("agent-5")["answerable"] == true }
            let refused = try desk.usher("agent", "answer", "l", "allow")
            #expect(refused.status == 2 && refused.errors.contains(" answer.action]"), "\(refused.errors)")
            try desk.begin(
                "turned", "claude", Self.request(#"a\u202e\u0007b"#, session: "t", more: #","agent_id":"a""#))
            let turned = try desk.screen.note(6)
            #expect(turned.body == #"Bash: a\u{202e}\u{7}b"# && turned.buttons.count == 3)
        }
        try withDesk("[agents]\nshow = \"name\"\n") { desk in
            try desk.begin("hook", "claude", Self.request())
            #expect(try desk.screen.note(1).buttons == ["default", "deny"] && desk.screen.notes[0].body == "Bash")
            desk.screen.press(desk.screen.notes[0], "deny")
            _ = try desk.end("hook")
        }
    }

    /// The JavaScript program that Debian has, where it is installed.
    private static let script = "/usr/" + "bin/node"

    /// Tells the plugin of events, and prints what it asks of OpenCode.
    private static let openCodeHost = """
        import { Usher } from "./usher.mjs"
        import { existsSync } from "node:fs"
        const parents = { task: "s1" }
        let replied
        const reply = new Promise((resolve) => (replied = resolve))
        const client = {
          session: { get: async ({ path }) => ({ data: { parentID: parents[path.id] } }) },
          postSessionIdPermissionsPermissionId: async (call) => replied(call),
        }
        const { event } = await Usher({ client })
        const send = (type, properties) => event({ event: { type, properties } })
        await send("session.status", { sessionID: "s1", status: { type: "busy" } })
        await send("session.idle", { sessionID: "task" })
        await send("session.created", { info: { id: "other", parentID: "task" } })
        await send("session.idle", { sessionID: "other" })
        await send("permission.asked", { id: "p1", sessionID: "other", permission: "bash", patterns: ["ls"] })
        console.log(JSON.stringify(await reply))
        await send("permission.asked", { id: "p2", sessionID: "s1", permission: "bash", patterns: ["rm"] })
        await send("permission.asked", { id: "p3", sessionID: "s1", permission: "bash", patterns: ["mv"] })
        await send("permission.replied", { sessionID: "s1", requestID: "p2", reply: "once" })
        while (!existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 20))
        await send("permission.replied", { sessionID: "s1", requestID: "p3", reply: "once" })
        """

    @Test(
        "the plugin of OpenCode replies with what its hook prints",
        .enabled(if: FileManager.default.isExecutableFile(atPath: script)))
    func plugin() throws {
        try withDesk { desk in
            #expect(try desk.usher("agent", "install", "opencode").status == 0)
            try desk.usher.write(desk.usher.text("config/opencode/plugins/usher.js"), to: "usher.mjs")
            try desk.usher.write(Self.openCodeHost, to: "host.mjs")
            _ = try desk.usher.shell(
                "(\(Self.script) host.mjs >node.out 2>node.errors; echo $? >node.status) >/dev/null 2>&1 &")
            let note = try desk.screen.note(1)
            // Sessions of tasks are none of their own, and their questions are their user's.
            let all = try desk.usher("agent", "list", "--all").json().elements ?? []
            #expect(all.map { $0["session_id"]?.string } == ["s1"], "\(desk.usher.text("node.errors"))")
            #expect(note.body == "bash: ls")
            desk.screen.press(note, "allow")
            try waitUntil("it is replied") { desk.usher.text("node.out").hasSuffix("\n") }
            #expect(
                desk.usher.text("node.out")
                    == #"{"path":{"id":"other","permissionID":"p1"},"body":{"response":"once"}}"# + "\n")
            // What the user answers in the terminal ends its own wait alone.
            #expect(try desk.screen.note(2).body == "bash: rm")
            #expect(try desk.screen.note(3).body == "bash: mv")
            try waitUntil("it can be answered") { try desk.agent()["answerable"] == true }
            try desk.usher.write("", to: "go")
            try waitUntil("it is taken away") { desk.screen.closed.count == 2 }
            #expect(try desk.agent()["state"]?.string == "working")
            try waitUntil("the plugin has ended") { desk.usher.text("node.status") == "0\n" }
        }
    }

    @Test("over HTTP; too many senders wait")
    func overHTTP() throws {
        try withDesk { desk in
            func post(_ id: String, _ body: String) throws -> (status: String, code: String?) {
                let ending = try desk.usher.shell(
                    "curl -s --unix-socket s -w '\\n%{http_code}' -H 'Content-Type: application/json' -d '\(body)'"
                        + " http://localhost/v1/agents/\(id)/answer")
                let lines = ending.lines
                let answer = try JSONValue(parsing: Array((lines.first ?? "").utf8))
                return (lines.last ?? "", answer["error"]?["name"]?.string ?? answer["answer"]?["action"]?.string)
            }
            #expect(try post("agent-1", #"{"action":"allow"}"#) == ("404", "agent.unknown"))
            try desk.begin("hook", "claude", Self.request())
            _ = try desk.screen.note(1)
            try waitUntil("it can be answered") { try desk.agent()["answerable"] == true }
            #expect(try post("agent-1", #"{"action":"perhaps"}"#).status == "400")
            #expect(try post("agent-1", #"{"action":"deny","message":"no"}"#) == ("200", "deny"))
            #expect(try desk.end("hook") == Self.claude(#""behavior":"deny","message":"no""#))
            #expect(try post("agent-1", #"{"action":"allow"}"#) == ("409", "answer.given"))
            try desk.report("claude", #"{"session_id":"s1","hook_event_name":"Stop"}"#)
            #expect(try post("agent-1", #"{"action":"allow"}"#) == ("409", "agent.cannot-answer"))

            // As many senders wait as may: a hook does not, and its notification has no buttons.
            try desk.usher.write(
                """
                import json, socket, time
                held = []
                push = '{"aps":{"alert":"x","target-content-id":"usher-agent:agent-1","category":"permission"}}'
                for number in range(256):
                    held.append(socket.socket(socket.AF_UNIX))
                    held[-1].connect("s")
                    arguments = {"input": push, "app": "usher.agents", "wait": "action"}
                    held[-1].sendall(json.dumps({"id": 1, "command": "dispatch", "arguments": arguments}).encode() + b"\\n")
                open("held", "w").close()
                time.sleep(600)

                """, to: "hold.py")
            _ = try desk.usher.shell("python3 hold.py >/dev/null 2>&1 & echo $! >holder")
            defer { _ = try? desk.usher.shell("kill $(cat holder)") }
            try waitUntil("they wait") {
                desk.usher.exists("held")
                    && desk.screen.notes.count { $0.buttons == ["default", "allow", "deny"] } == 257
            }
            try desk.report("claude", Self.request())
            try waitUntil("it is shown") { desk.screen.notes.last?.buttons == ["default"] }
            #expect(try desk.agent()["state"]?.string == "waiting")
        }
    }
}
