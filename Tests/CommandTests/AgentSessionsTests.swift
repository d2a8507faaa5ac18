import Foundation
import TestSupport
import Testing
import UsherJSON

/// What hooks report, with real processes: an agent is a script in tmux.
@Suite("usher agent event")
struct AgentSessionsTests {
    /// An agent that reports what it reads from a pipe, a line an event.
    private static let agent = """
        #!/bin/sh
        while read -r line; do usher agent event --agent claude "$line"; echo >>handled; done <events
        """

    private func agents(_ usher: UsherProgram, all: Bool = false) throws -> [JSONValue] {
        try #require(usher.run(["agent", "list"] + (all ? ["--all"] : [])).json().elements)
    }

    private static func event(_ name: String, _ more: String = "", session: String = "s1") -> String {
        #"{"session_id":"\#(session)","hook_event_name":"\#(name)"\#(more)}"#
    }

    /// A line of shell that sends a file to the daemon, as another process than `usher`, and prints the answers.
    private static func sending(_ file: String) -> String {
        """
        python3 -c 'import socket
        s = socket.socket(socket.AF_UNIX)
        s.connect("s")
        s.sendall(open("\(file)", "rb").read())
        s.shutdown(socket.SHUT_WR)
        print(s.makefile().read())'
        """
    }

    private func withAgent(_ body: (UsherProgram, String, (String) throws -> Void) throws -> Void) throws {
        try UsherProgram.run { usher in
            try usher.write("", to: "config/usher/usher.toml")
            try usher.writeProgram(Self.agent, to: "claude")
            _ = try usher.shell("mkfifo events")
            try usher.withDaemon(config: usher.path("config/usher")) {
                let pid = try usher.shell("tmux new-session -d -P -F '#{pane_pid}' -- ./claude").lines[0]
                // Held open, so that the agent does not read an end.
                let held = try #require(FileHandle(forWritingAtPath: usher.path("events")))
                defer { try? held.close() }
                var count = 0
                try body(usher, pid) { event in
                    count += 1
                    try held.write(contentsOf: Data((event + "\n").utf8))
                    try waitUntil("event \(count) is handled") { usher.text("handled").utf8.count >= count }
                }
            }
        }
    }

    @Test("a session follows its events, and ends with its process")
    func states() throws {
        try withAgent { usher, pid, report in
            try report(Self.event("SessionStart", #","cwd":"/tmp/circus tent""#))
            let first = try #require(try agents(usher).first)
            #expect(
                first.members?.map(\.name) == [
                    "id", "agent", "session_id", "state", "kind", "since", "seen", "tool", "title", "cwd", "pid",
                    "start",
                    "tty", "answerable", "delivery",
                ])
            #expect(first["id"]?.string == "agent-1" && first["agent"]?.string == "claude")
            #expect(first["state"]?.string == "done" && first["seen"]?.string != nil)
            #expect(first["pid"]?.int64.map(String.init) == pid && first["cwd"]?.string == "/tmp/circus tent")
            #expect(first["tty"]?.string?.hasPrefix("/dev/pts/") == true)
            let scene = try #require(try usher("scene", "list").json().elements?.first)
            #expect(scene["id"]?.string == "agent-1" && scene["app"]?.string == "usher.agents")
            #expect(scene["handle"]?.string?.hasPrefix("process:\(pid):") == true)
            #expect(scene["title"]?.string == "claude: circus tent")

            try report(Self.event("UserPromptSubmit", #","prompt":"a secret""#))
            let working = try #require(try agents(usher).first)
            #expect(working["state"]?.string == "working" && working["seen"]?.kind == .null)
            try report(Self.event("PreToolUse", #","tool_name":"Bash","tool_input":{"command":"another secret"}"#))
            let same = try #require(try agents(usher).first)
            #expect(same["since"] == working["since"] && same["tool"]?.string == "Bash")
            let input = #","tool_name":"Bash","tool_input":{"command":"a third secret"}"#
            try report(Self.event("PermissionRequest", input))
            let waiting = try #require(try agents(usher).first)
            #expect(waiting["state"]?.string == "waiting" && waiting["kind"]?.string == "permission")
            #expect(waiting["since"] != working["since"])
            try report(Self.event("Stop"))
            let done = try #require(try agents(usher).first)
            #expect(done["state"]?.string == "done" && done["seen"]?.kind == .null && done["kind"]?.kind == .null)

            // A second session of the same process has its place.
            try report(Self.event("SessionStart", session: "s2"))
            #expect(try agents(usher).map { $0["session_id"]?.string } == ["s2"])
            #expect(try agents(usher, all: true).map { $0["state"]?.string } == ["ended", "done"])
            try report(Self.event("SessionEnd", session: "s2"))
            #expect(try agents(usher).isEmpty && usher("scene", "list").json().elements?.isEmpty == true)
            try report(Self.event("Stop"))
            let back = try #require(try agents(usher).first)
            #expect(back["id"]?.string == "agent-1" && back["pid"]?.int64.map(String.init) == pid)

            _ = try usher.shell("tmux kill-server")
            try waitUntil("the session has ended") { try agents(usher).isEmpty }
            #expect(try usher("scene", "list").json().elements?.isEmpty == true)
            #expect(try agents(usher, all: true).allSatisfy { $0["state"]?.string == "ended" })
            // What was asked is nowhere in the state.
            #expect(try usher.shell("grep -rl secret state").status == 1)
            #expect(try usher.shell("grep -rl 'circus tent' state").status == 0)
        }
    }

    @Test("a hook without the agent among its parents keeps the process, and else has none")
    func otherParents() throws {
        try withAgent { usher, pid, report in
            try report(Self.event("SessionStart"))
            #expect(try usher("agent", "event", "--agent", "claude", Self.event("Stop")).status == 0)
            #expect(try agents(usher).first?["pid"]?.int64.map(String.init) == pid)
            let other = Self.event("Stop", session: "s2")
            #expect(try usher.shell("setsid -w usher agent event --agent claude '\(other)'").status == 0)
            let second = try #require(try agents(usher).last)
            #expect(second["session_id"]?.string == "s2" && second["state"]?.string == "done")
            #expect(try agents(usher).count == 2)
        }
    }

    @Test("a chain that another process sends is not believed")
    func foreignChain() throws {
        try withAgent { usher, pid, _ in
            let start = try usher.shell("cut -d' ' -f22 /proc/\(pid)/stat").lines[0]
            let call = """
                {"id":1,"command":"agent.event","arguments":{"agent":"claude","session":"s1","state":"done",\
                "parents":[{"pid":1,"start":1},{"pid":\(pid),"start":\(start)}]}}
                """
            try usher.write(call + "\n", to: "call")
            let answer = try usher.shell(Self.sending("call"))
            #expect(answer.json()["result"] != nil, "\(answer.output) \(answer.errors)")
            let found = try #require(try agents(usher).first)
            #expect(found["pid"]?.kind == .null && found["state"]?.string == "done")
        }
    }

    @Test("a parent that is none of the sender's is not believed")
    func foreignParent() throws {
        try withAgent { usher, pid, report in
            let start = try usher.shell("cut -d' ' -f22 /proc/\(pid)/stat").lines[0]
            try usher.write(
                """
                import json, os, socket
                own = int(open("/proc/self/stat").read().rpartition(")")[2].split()[19])
                parents = [{"pid": os.getpid(), "start": own}, {"pid": \(pid), "start": \(start)}]
                call = {"agent": "claude", "session": "s1", "state": "done", "parents": parents}
                s = socket.socket(socket.AF_UNIX)
                s.connect("s")
                s.sendall((json.dumps({"id": 1, "command": "agent.event", "arguments": call}) + "\\n").encode())
                print(s.makefile().readline())

                """, to: "forge.py")
            let answer = try usher.shell("python3 forge.py")
            #expect(answer.json()["result"] != nil, "\(answer.output) \(answer.errors)")
            #expect(try agents(usher).first?["pid"]?.kind == .null)
            try report(Self.event("Stop"))
            #expect(try agents(usher).first?["pid"]?.int64.map(String.init) == pid)
        }
    }

    @Test("without parents, Codex is the only one in its folder")
    func candidates() throws {
        try UsherProgram.run { usher in
            try usher.write("", to: "config/usher/usher.toml")
            try usher.writeProgram("#!/bin/sh\nread -r line\n", to: "codex")
            try FileManager.default.createDirectory(atPath: usher.path("tent"), withIntermediateDirectories: true)
            try usher.withDaemon(config: usher.path("config/usher")) {
                func start(_ folder: String) throws -> String {
                    try usher.shell(
                        "tmux new-session -d -P -F '#{pane_pid}' -c \(usher.path(folder)) -- \(usher.path("codex"))"
                    ).lines[0]
                }
                func report(_ session: String) throws {
                    let event =
                        #"{"session_id":"\#(session)","hook_event_name":"SessionStart","cwd":"\#(usher.path("tent"))"}"#
                    #expect(try usher("agent", "event", "--agent", "codex", event).status == 0)
                }
                func pid(_ session: String) throws -> String? {
                    let found = try agents(usher).first { $0["session_id"]?.string == session }
                    return try #require(found)["pid"]?.int64.map(String.init)
                }
                let elsewhere = try start("config")
                try report("s1")
                // The tests may run in a terminal of their own.
                guard try pid("s1") == nil else { return }
                let first = try start("tent")
                try waitUntil("it runs") { try usher.shell("cat /proc/\(first)/comm").output == "codex\n" }
                try report("s1")
                #expect(try pid("s1") == first && first != elsewhere)
                // Another session has the other one; two are too many.
                let second = try start("tent")
                try waitUntil("it runs") { try usher.shell("cat /proc/\(second)/comm").output == "codex\n" }
                try report("s2")
                #expect(try pid("s2") == second)
                for _ in 0..<2 {
                    let more = try start("tent")
                    try waitUntil("it runs") { try usher.shell("cat /proc/\(more)/comm").output == "codex\n" }
                }
                try report("s3")
                #expect(try pid("s3") == nil)
                let lost = try usher("agent", "focus", "s3")
                #expect(
                    lost.status == 1 && lost.json()["error"]?["name"]?.string == "agent.ambiguous", "\(lost.output)")
                #expect(lost.json()["error"]?["help"]?.string?.contains("/dev/pts/") == true)
            }
        }
    }

    @Test("the last event is that of the hooks, not that of a state")
    func lastEvent() throws {
        try withAgent { usher, _, report in
            func last() throws -> String? {
                try usher("agent", "status", "claude").json().elements?.first?["last_event"]?.string
            }
            #expect(try last() == nil)
            try report(Self.event("UserPromptSubmit"))
            let first = try last()
            try report(Self.event("PreToolUse"))
            let second = try last()
            #expect(first != nil && second ?? "" > first ?? "")
            #expect(try agents(usher).first?["since"]?.string == first)
        }
    }

    @Test("the one that waits comes forward, then the one that is done and not seen")
    func next() throws {
        try withAgent { usher, pid, report in
            let none = try usher("agent", "next")
            #expect(none.status == 0 && none.json()["action"]?.string == "none", "\(none.output) \(none.errors)")
            #expect(none.json()["outcome"]?.string == "skipped" && none.json()["source"]?.string == "agent")
            #expect(none.json()["warnings"]?.elements?.map(\.string) == ["agent.none"])
            try report(Self.event("Stop"))
            let first = try usher("agent", "next").json()
            #expect(first["source"]?.string == "agent" && first["session"]?.string == "agent-1", "\(first)")
            #expect(first["action"]?.string == "focus" && first["error"]?.kind == .null)
            #expect(first["evidence"]?["process"]?["pid"]?.int64.map(String.init) == pid)
            #expect(try usher("agent", "focus", "s1").json()["session"]?.string == "agent-1")
            try waitUntil("the visit is noted") { try agents(usher).first?["seen"]?.string != nil }
            #expect(try usher("agent", "next").json()["action"]?.string == "none")
            try report(Self.event("PermissionRequest", #","tool_name":"Bash""#))
            for _ in 0..<2 { #expect(try usher("agent", "next").json()["session"]?.string == "agent-1") }
            let unknown = try usher("agent", "focus", "agent-7")
            #expect(unknown.status == 2 && unknown.errors.contains(" agent.unknown]"), "\(unknown.errors)")
            let web = try usher.shell("curl -s --unix-socket s -X POST http://localhost/v1/agents/agent-1/focus")
            #expect(web.json()["source"]?.string == "agent", "\(web.output)")
            // One without a process has no place.
            let other = Self.event("Stop", session: "s2")
            #expect(try usher.shell("setsid -w usher agent event --agent claude '\(other)'").status == 0)
            if try agents(usher).last?["pid"]?.kind == .null {
                let lost = try usher("agent", "focus", "s2")
                #expect(lost.status == 1 && lost.json()["error"]?["name"]?.string == "terminal.none", "\(lost.output)")
                #expect(lost.json()["outcome"]?.string == "failed" && lost.json()["session"]?.string == "agent-2")
                let kept = try usher("deliveries", "list").json().elements?.first
                #expect(kept?["id"] == lost.json()["id"] && kept?["state"]?.string == "failed")
            }
        }
    }

    @Test("whatever happens, the status is 0 and nothing is printed or started")
    func neverInTheWay() throws {
        try UsherProgram.run { usher in
            for words in [
                ["--agent", "claude", Self.event("Stop")], ["--agent", "claude", "{"], ["--agent", "other", "{}"], [],
                ["--agent"], ["--no-such-option"], ["a", "b", "c"],
                ["--agent", "claude", "--state", "/dev/null", "{}"],
            ] {
                let ending = try usher.run(["agent", "event"] + words)
                #expect(ending.status == 0 && ending.output.isEmpty && ending.errors.isEmpty, "\(words) \(ending)")
            }
            #expect(try usher("agent", "event", "--agent", "claude", input: Self.event("Stop")).status == 0)
            #expect(!usher.exists("state"))
            #expect(try agents(usher).isEmpty)
            // The positive control: with usherd, the same from standard input has an effect.
            try usher.write("", to: "config/usher/usher.toml")
            try usher.withDaemon(config: usher.path("config/usher")) {
                let ending = try usher("agent", "event", "--agent", "claude", input: Self.event("Stop"))
                #expect(ending.status == 0 && ending.output.isEmpty)
                #expect(try agents(usher).map { $0["state"]?.string } == ["done"])
                let web = try usher.shell("curl -s --unix-socket s http://localhost/v1/agents")
                #expect(web.json().elements?.count == 1)
            }
        }
    }

    @Test("of too many sessions without processes the oldest goes")
    func limitOfOpenOnes() throws {
        try UsherProgram.run { usher in
            try usher.write("", to: "config/usher/usher.toml")
            try usher.withDaemon(config: usher.path("config/usher")) {
                var lines = ""
                for index in 1...201 {
                    let arguments = #"{"agent":"codex","session":"s\#(index)","state":"done","parents":[]}"#
                    lines += #"{"id":1,"command":"agent.event","arguments":\#(arguments)}"# + "\n"
                }
                try usher.write(lines, to: "calls")
                _ = try usher.shell(Self.sending("calls"))
                let all = try agents(usher)
                #expect(all.count == 200 && all.first?["session_id"]?.string == "s2")
                #expect(all.last?["session_id"]?.string == "s201")
                let scenes = try usher("scene", "list").json().elements
                #expect(scenes?.count == 200 && scenes?.contains { $0["id"]?.string == "agent-1" } == false)
            }
        }
    }

    @Test("of too many sessions those that ended first go")
    func limit() throws {
        try UsherProgram.run { usher in
            try usher.write("", to: "config/usher/usher.toml")
            try usher.withDaemon(config: usher.path("config/usher")) {
                var lines = ""
                for index in 1...201 {
                    for state in index == 150 ? ["done"] : ["done", "ended"] {
                        let arguments = #"{"agent":"codex","session":"s\#(index)","state":"\#(state)","parents":[]}"#
                        lines += #"{"id":1,"command":"agent.event","arguments":\#(arguments)}"# + "\n"
                    }
                }
                try usher.write(lines, to: "calls")
                _ = try usher.shell(Self.sending("calls"))
                let all = try agents(usher, all: true)
                #expect(all.count == 200 && all.first?["session_id"]?.string == "s2")
                #expect(try agents(usher).map { $0["session_id"]?.string } == ["s150"])
            }
        }
    }
}
