import Foundation
import TestSupport
import Testing
import UsherJSON

/// `usher terminal where|focus|attach`, with processes in a real tmux and without a desktop.
struct TerminalsTests {
    private static func members(_ value: JSONValue?) -> [String] { value?.members?.map(\.name) ?? [] }

    @Test func thePlaceOfAProcessIsNamed() throws {
        try UsherProgram.run { usher in
            let pid = try usher.shell("tmux new-session -d -P -F '#{pane_pid}' -- sleep 1000").lines[0]
            // Until it executes its program, it has the name of the server.
            try waitUntil("it runs") { try usher.shell("cat /proc/\(pid)/comm").lines == ["sleep"] }
            let found = try usher("terminal", "where", "--pid", pid)
            #expect(found.status == 0, "\(found.errors)")
            let place = found.json()
            #expect(
                Self.members(place) == [
                    "v", "found", "error", "process", "tty", "chain", "terminal", "windows", "tmux",
                ])
            #expect(place["found"]?.boolean == true && place["error"]?.kind == .null)
            #expect(Self.members(place["process"]) == ["pid", "start", "name"])
            #expect(place["process"]?["name"]?.string == "sleep")
            let step = place["chain"]?.elements?.first
            #expect(Self.members(step) == ["tty", "holder", "kind"] && step?["kind"]?.string == "tmux")
            #expect(Self.members(step?["holder"]) == ["pid", "name"] && step?["tty"]?.string == place["tty"]?.string)
            let tmux = try #require(place["tmux"]?.elements?.first)
            #expect(Self.members(tmux) == ["socket", "server", "pane", "sessions", "clients"])
            let socket = try #require(tmux["socket"]?.string)
            #expect(socket.hasSuffix("/tmux-\(getuid())/default") && tmux["pane"]?.string == "%0")
            #expect(tmux["clients"]?.elements?.isEmpty == true)

            // By its pane, and by its tty; nothing was written.
            for words in [
                ["--pane", "%0"], ["--pane", "%0", "--socket", socket], ["--tty", place["tty"]?.string ?? ""],
            ] {
                let same = try usher.run(["terminal", "where"] + words)
                #expect(same.status == 0 && same.json()["process"]?["pid"] == place["process"]?["pid"], "\(words)")
            }
            #expect(!FileManager.default.fileExists(atPath: usher.path("state")))
            // The daemon answers the same, and so does HTTP.
            try usher.write("", to: "config/usher/usher.toml")
            try usher.withDaemon(config: usher.path("config/usher")) {
                #expect(try usher("terminal", "where", "--pid", pid).output == found.output)
                let web = try usher.shell("curl -s --unix-socket s 'http://localhost/v1/terminals?pid=\(pid)'")
                #expect(web.json() == place)
                let focused = try usher.shell(
                    "curl -s --unix-socket s -H 'Content-Type: application/json' -d '{\"pid\":\(pid)}' http://localhost/v1/terminals/focus"
                )
                #expect(focused.json()["source"]?.string == "terminal", "\(focused.output)")
            }
        }
    }

    @Test(arguments: [
        (["--pid", "999999999"], 1, "terminal.gone"), (["--tty", "/dev/pts/99999"], 1, "terminal.gone"),
        (["--pane", "%0", "--socket", "/nowhere"], 1, "terminal.gone"),
        (["--pid", "x"], 2, "control.argument"), (["--pid", "0"], 2, "control.argument"),
        (["--tty", "x"], 2, "control.argument"), (["--pane", "5"], 2, "control.argument"),
        (["--pane", "@5"], 2, "control.argument"), (["--socket", "/nowhere"], 2, "control.argument"),
        (["--pid", "1", "--tty", "/dev/pts/0"], 2, "control.argument"),
    ])
    func whatIsNoPlaceIsRefused(_ words: [String], _ status: Int32, _ name: String) throws {
        try UsherProgram.run { usher in
            let found = try usher.run(["terminal", "where"] + words)
            #expect(found.status == status, "\(found.output) \(found.errors)")
            if status == 1 {
                #expect(found.json()["error"]?.string == name && found.json()["found"]?.boolean == false)
            } else {
                #expect(found.errors.contains(name + "]"), "\(found.errors)")
                let focused = try usher.run(["terminal", "focus"] + words)
                #expect(focused.status == 2 && focused.errors.contains(name + "]"))
            }
        }
    }

    @Test func aRecordSaysWhatWasSeen() throws {
        try UsherProgram.run { usher in
            let pid = try usher.shell("tmux new-session -d -P -F '#{pane_pid}' -- sleep 1000").lines[0]
            let detached = try usher("terminal", "focus", "--pid", pid)
            let record = detached.json()
            #expect(
                detached.status == 0 && record["outcome"]?.string == "done", "\(detached.output) \(detached.errors)")
            #expect(record["source"]?.string == "terminal" && record["action"]?.string == "focus")
            #expect(record["reason"]?.string == "explicit" && record["target"]?.kind == .null)
            #expect(record["app"]?.kind == .null && record["session"]?.kind == .null)
            #expect(record["warnings"]?.elements?.map(\.string) == ["seen.no-client"])
            #expect(record["evidence"]?["reason"]?.string == "seen.no-client")
            // A client in a terminal that is no window.
            _ = try usher.shell("setsid script -q -c 'tmux attach' /dev/null >/dev/null 2>&1 <>/dev/ptmx &")
            try waitUntil("a client is attached") { try !usher.shell("tmux list-clients").output.isEmpty }
            let seen = try usher("terminal", "focus", "--pane", "%0").json()
            #expect(seen["outcome"]?.string == "verified", "\(seen)")
            let evidence = try #require(seen["evidence"])
            #expect(
                Self.members(evidence) == [
                    "reason", "window", "keyboard", "off_screen", "covered", "locked", "terminal", "tab", "tmux",
                    "process",
                    "content", "unknown",
                ])
            #expect(evidence["unknown"]?.elements?.map(\.string) == ["window"])
            #expect(evidence["process"]?["pid"]?.int64.map(String.init) == pid)
            #expect(
                Self.members(evidence["tmux"]?.elements?.first) == [
                    "socket", "server", "client", "session", "window", "pane", "zoomed", "mode", "popup", "focused",
                ])
            // A locker on the display of the session.
            var locked = usher
            locked.environment["WAYLAND_DISPLAY"] = usher.path("display")
            #expect(try locked("terminal", "focus", "--pane", "%0").json()["evidence"]?["locked"]?.boolean == false)
            let locker = usher.path("swaylock")
            try Program.copy("/bin/sleep", to: locker)
            _ = try locked.shell("'\(locker)' 1000 >/dev/null 2>&1 & echo $! >locker")
            defer { _ = try? usher.shell("kill $(cat locker)") }
            try waitUntil("the session is locked") {
                try locked("terminal", "focus", "--pane", "%0").json()["evidence"]?["locked"]?.boolean == true
            }
            let hidden = try locked("terminal", "focus", "--pane", "%0").json()
            #expect(hidden["outcome"]?.string == "unverified" && hidden["evidence"]?["reason"]?.string == "seen.locked")
            #expect(try usher("terminal", "focus", "--pane", "%0").json()["outcome"]?.string == "verified")
            let listed = try usher("deliveries", "list", "--limit", "2").json().elements ?? []
            #expect(listed.count == 2 && listed.allSatisfy { $0["source"]?.string == "terminal" })
        }
    }

    @Test func theDoctorSaysWhatTerminalsDependOn() throws {
        try UsherProgram.run { usher in
            func checks() throws -> [String: JSONValue] {
                let checks = try usher("doctor", "--json").json()["terminal"]?.elements ?? []
                #expect(
                    checks.map { $0["check"]?.string } == [
                        "conditions", "accessibility", "program", "focus-events", "agents",
                    ])
                for check in checks {
                    #expect(Self.members(check) == ["check", "ok", "detail", "help"])
                    #expect((check["help"]?.kind == .null) == (check["ok"]?.boolean == true), "\(check)")
                }
                return Dictionary(
                    checks.map { ($0["check"]?.string ?? "", $0) }, uniquingKeysWith: { first, _ in first })
            }
            func isMet(_ name: String) throws -> Bool? { try checks()[name]?["ok"]?.boolean }
            let without = try checks()
            #expect(without["conditions"]?["ok"]?.boolean == false, "there is no desktop")
            #expect(without["conditions"]?["detail"]?.string?.contains("window") == true)
            #expect(without["accessibility"]?["ok"]?.boolean == false)
            #expect(without["focus-events"]?["ok"]?.boolean == true && without["agents"]?["ok"]?.boolean == true)
            _ = try usher.shell("tmux new-session -d -- sleep 1000; tmux set-option -g focus-events off")
            #expect(try isMet("focus-events") == false)
            _ = try usher.shell("tmux set-option -g focus-events on")
            #expect(try isMet("focus-events") == true)
            try usher.write("#!/bin/sh\n", to: "bin/terminal")
            _ = try usher.shell("chmod +x bin/terminal")
            try usher.write("[terminal]\nprogram = [\"/nowhere/terminal\"]\n", to: "config/usher/usher.toml")
            #expect(try isMet("program") == false)
            try usher.write(
                "[terminal]\nprogram = [\"\(usher.path("bin/terminal"))\"]\n", to: "config/usher/usher.toml")
            #expect(try isMet("program") == true)
            _ = try usher("agent", "install", "claude")
            #expect(try checks()["agents"]?["detail"]?.string == "claude installed")
            try usher.write("{", to: ".claude/settings.json")
            #expect(try isMet("agents") == false)
            let text = try usher.shell("script -q -c 'usher doctor' /dev/null </dev/null").output
            #expect(text.contains("terminals, agents: ") && !text.contains("terminals, program"), "\(text)")
        }
    }

    @Test func aNonceIsGoodForNothingByItself() throws {
        try UsherProgram.run { usher in
            for nonce in ["x", "../../etc/passwd", String(repeating: "0", count: 32)] {
                let ending = try usher("terminal", "attach", nonce)
                #expect(ending.status == 2 && ending.errors.contains("terminal.gone]"), "\(ending.errors)")
            }
        }
    }

    private static let app = """
        id = "example.own"

        [[scenes]]
        name = "main"
        launch = { exec = ["true"] }
        """

    @Test func aHandleIsChecked() throws {
        try UsherProgram.run { usher in
            try usher.write(Self.app, to: "config/usher/apps/own.toml")
            let connect = ["scene", "connect", "--app", "example.own", "--scene", "main", "--handle"]
            let dead = try usher.shell("sh -c 'echo $$'").lines[0]
            for (handle, name) in [
                ("foo", "scene.handle"), ("", "scene.handle"), ("x11:", "scene.handle"), ("process:x", "scene.handle"),
                ("process:1:2:3", "scene.handle"), ("%99", "scene.handle-gone"), ("@99", "scene.handle-gone"),
                ("process:\(dead)", "scene.handle-gone"),
            ] {
                let refused = try usher.run(connect + [handle])
                #expect(refused.status == 2 && refused.errors.contains(" \(name)]"), "\(handle): \(refused.errors)")
                #expect(refused.errors.contains("help: "))
            }
            #expect(try usher("scene", "list").json().elements?.isEmpty == true)
            let pid = try usher.shell("tmux new-session -d -P -F '#{pane_pid}' -- sleep 1000").lines[0]
            let made = try usher.run(connect + ["process:\(pid)"])
            let handle = made.json()["handle"]?.string ?? ""
            #expect(made.status == 0 && handle.hasPrefix("process:\(pid):"), "\(made.output) \(made.errors)")
            #expect(try usher("scene", "update", "main-1", "--handle", "foo").errors.contains(" scene.handle]"))
            // It comes forward as that process does, and its session ends with it.
            let focused = try usher("scene", "focus", "main-1").json()
            #expect(focused["evidence"]?["process"]?["pid"]?.int64.map(String.init) == pid, "\(focused)")
            #expect(focused["session"]?.string == "main-1" && focused["source"]?.string == "scene")
            try usher.withDaemon(config: usher.path("config/usher")) {
                _ = try usher.shell("tmux kill-server")
                try waitUntil("the session has ended") { try usher("scene", "list").json().elements?.isEmpty == true }
            }
        }
    }

    @Test func theWindowOfThisPlaceIsConnected() throws {
        try UsherProgram.run { usher in
            try usher.write(Self.app, to: "config/usher/apps/own.toml")
            let connect = "usher scene connect --app example.own --scene main --terminal"
            let none = try usher.shell("setsid -w \(connect)")
            #expect(none.status == 2 && none.errors.contains("scene.terminal]"), "\(none.output) \(none.errors)")
            _ = try usher.shell("tmux new-session -d -- sh -c '\(connect) >made 2>&1; mv made done; sleep 1000'")
            try waitUntil("it is connected") { !usher.text("done").isEmpty }
            let text = usher.text("done")
            #expect(text.contains(#""handle":"%0""#), "\(text)")
            // Of another server than the one that usherd asks, the process is the place.
            _ = try usher.shell(
                "tmux -L other new-session -d -- sh -c '\(connect) >made 2>&1; mv made other; sleep 1000'")
            try waitUntil("it is connected") { !usher.text("other").isEmpty }
            _ = try usher.shell("tmux -L other kill-server")
        }
    }
}
