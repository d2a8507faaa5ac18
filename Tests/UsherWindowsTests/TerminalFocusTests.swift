import Foundation
import TestSupport
import Testing
import UsherScene
import UsherSystem

@testable import UsherActivation
@testable import UsherWindows

/// A process is found through what holds its terminal, and a key that is typed then shows which one has the keyboard.
@Suite("The terminal of a process", .serialized)
struct TerminalFocusTests {
    private static func kinds(_ place: TerminalPlace) -> [TerminalStep.Kind] { place.path.steps.map(\.kind) }

    @Test("is found through tmux, script and a parent, whatever variables say")
    func place() throws {
        let desk = try TerminalDesk(.openbox)
        let plain = try desk.terminal("plain", desk.witness("p"))
        let own = desk.activator.place(of: .process(try desk.process("p")))
        #expect(own.failure == nil && Self.kinds(own) == [.terminal])
        #expect(own.path.terminal?.name == "xterm" && own.path.windows.map(\.handle) == [plain])
        #expect(own.process?.start == ProcessStatus(pid: try desk.process("p"))?.startTime)

        let inScript = try desk.terminal(
            "script",
            ["script", "-q", "-c", "exec " + desk.witness("s").map { "'\($0)'" }.joined(separator: " "), "/dev/null"])
        let relayed = desk.activator.place(of: .process(try desk.process("s")))
        #expect(Self.kinds(relayed) == [.relay, .terminal] && relayed.path.windows.map(\.handle) == [inScript])

        // The server is another one than TMUX names, and the pane another one than TMUX_PANE does.
        let lie = ["env", "TMUX=\(desk.folder)/none,1,0", "TMUX_PANE=%77", "WINDOWID=1"]
        desk.tmux(["-L", "other", "new-session", "-d", "--"] + lie + desk.witness("o"))
        defer { desk.tmux("-L", "other", "kill-server") }
        let detached = desk.activator.place(of: .process(try desk.process("o")))
        #expect(detached.failure == nil && Self.kinds(detached) == [.tmux] && detached.path.windows.isEmpty)
        let socket = try #require(detached.path.tmux.first?.socket)
        #expect(socket.hasSuffix("/other") && detached.path.tmux.first?.sessions == ["$0"])
        let mux = try desk.terminal("mux", ["tmux", "-L", "other", "attach"])
        try waitUntil("its client is attached") { !desk.tmux("-L", "other", "list-clients").isEmpty }
        let shown = desk.activator.place(of: .pane("%0", socket: socket))
        #expect(Self.kinds(shown) == [.tmux, .terminal] && shown.path.windows.map(\.handle) == [mux])
        #expect(shown.process?.pid == detached.process?.pid)
        #expect(shown.path.tmux.first?.candidates.map(\.rank) == [0])

        // A process without a terminal has its parent's.
        _ = try desk.terminal(
            "parent", ["sh", "-c", "setsid sleep 1000 & echo $! >\(desk.folder)/h.pid; wait"])
        let hook = desk.activator.place(of: .process(try desk.process("h")))
        #expect(hook.failure == nil && hook.tty == hook.path.steps.first?.tty && Self.kinds(hook) == [.terminal])
        kill(try desk.process("h"), SIGKILL)
        #expect(desk.activator.place(of: .tty(try #require(own.tty))).process?.pid == own.process?.pid)
    }

    @Test("is refused where there is none, by the reason")
    func errors() throws {
        let desk = try TerminalDesk(.openbox)
        let activator = desk.activator
        func code(_ subject: TerminalSubject) -> String? { activator.place(of: subject).failure?.code.name }
        // An orphan: its parent has ended.
        try desk.run("sh", "-c", "setsid sleep 1000 & echo $! >\(desk.folder)/o.pid")
        let orphan = try desk.process("o")
        try waitUntil("its parent has ended") {
            ProcessStatus(pid: orphan)?.parent == 1 || code(.process(orphan)) != nil
        }
        #expect(code(.process(orphan)) == "terminal.none")
        kill(orphan, SIGKILL)
        try waitUntil("it has ended") { code(.process(orphan)) == "terminal.gone" }
        #expect(code(.pane("%0", socket: "\(desk.folder)/none")) == "terminal.gone")
        #expect(code(.tty("/dev/pts/99999")) == "terminal.gone")
        // A client that shows the session that it runs in.
        desk.tmux(["new-session", "-d", "--"] + desk.witness("inner"))
        desk.tmux("split-window", "env", "-u", "TMUX", "tmux", "-f", "/dev/null", "attach")
        try waitUntil("it is attached") { !desk.tmux("list-clients").isEmpty }
        #expect(code(.process(try desk.process("inner"))) == "terminal.loop")
    }

    @Test("comes forward in the client that shows it", arguments: WindowManager.allCases)
    func focus(manager: WindowManager) throws {
        let desk = try TerminalDesk(manager)
        let activator = desk.activator
        desk.tmux(["new-session", "-d", "-s", "alpha", "--"] + desk.witness("a0"))
        desk.tmux(["new-window", "-d", "-t", "alpha", "--"] + desk.witness("a1"))
        desk.tmux(["new-session", "-d", "-s", "beta", "--"] + desk.witness("b0"))
        let alpha = try desk.look("one", at: "alpha")
        _ = try desk.look("two", at: "beta")
        _ = try desk.terminal("three", desk.witness("p"))
        for name in ["a0", "a1", "p", "a0"] {
            let process = try desk.process(name)
            let report = activator.focus(terminalOf: .process(process), TerminalSettings(), token: nil)
            #expect(report.outcome == .verified, "\(name): \(report.seen ?? report.failure?.message ?? "")")
            #expect(try desk.receiverOfKey() == name)
            let evidence = try #require(report.evidence)
            #expect(evidence.reason == nil && evidence.tab == .only && evidence.process?.pid == process)
            #expect(evidence.terminal == "xterm" && evidence.hasKeyboard == true)
            #expect(evidence.tmux.isEmpty == (name == "p") && (name == "p" || evidence.window == alpha))
            // A look says the same of it, and brings nothing else forward.
            for other in ["a0", "a1", "b0", "p"] {
                let place = "process:\(try desk.process(other))"
                let look = try #require(activator.evidence(ofPlace: place, server: nil, TerminalSettings()))
                let reason = other == name ? nil : name != "p" && other.hasPrefix("a") ? "other-pane" : "not-front"
                #expect(look.reason == reason.map { "seen." + $0 }, "\(other) beside \(name)")
            }
            #expect(try desk.receiverOfKey() == name)
        }
        // T1: the terminal that was used last keeps its session.
        #expect(
            desk.tmux("list-clients", "-F", "#{session_name}").split(separator: "\n").sorted() == ["alpha", "beta"])
        let pane = desk.tmux("display-message", "-p", "-t", "alpha:0", "#{pane_id}")
        func look(_ handle: String) throws -> SeenEvidence? {
            activator.evidence(ofPlace: handle, server: try desk.windows.server(of: handle), TerminalSettings())
        }
        #expect(try look(pane)?.isCertain == true)
        #expect(activator.evidence(ofPlace: pane, server: nil, TerminalSettings())?.isSeen == true)
        // A window of tmux is its active pane, and seen only where its client shows it and has the keyboard.
        let windows = ["alpha:0", "alpha:1", "beta:0"].map {
            desk.tmux("display-message", "-p", "-t", $0, "#{window_id}")
        }
        #expect(try windows.map { try look($0)?.reason } == [nil, "seen.other-pane", "seen.not-front"])
        #expect(try look(alpha) == nil)
    }

    /// How a pane is asked for: by its process, or as the window or the pane of a session.
    enum Way: CaseIterable {
        case process, window, pane

        func focus(_ name: String, _ settings: TerminalSettings, on desk: TerminalDesk) throws -> ActivationReport {
            let process = try desk.process(name)
            if self == .process { return desk.activator.focus(terminalOf: .process(process), settings, token: nil) }
            let format = self == .window ? "#{window_id}" : "#{pane_id}"
            let handle = desk.tmux("list-panes", "-a", "-f", "#{==:#{pane_pid},\(process)}", "-F", format)
            var task = ActivationTask(
                delivery: "d", nonce: "", app: "app", handle: handle, action: .focus, reason: .explicit)
            task.terminal = settings
            return desk.activator.focus(task, nil)
        }
    }

    @Test("is not claimed to be seen where something of tmux is in between", arguments: Way.allCases)
    func doubts(way: Way) throws {
        let desk = try TerminalDesk(.openbox)
        let activator = desk.activator
        desk.tmux(["new-session", "-d", "-s", "alpha", "--"] + desk.witness("a0"))
        _ = try desk.look("one", at: "alpha")
        let process = try desk.process("a0")
        func reason(_ detached: TerminalSettings.Detached = .none) -> String? {
            var settings = TerminalSettings()
            settings.detached = detached
            let report = try? way.focus("a0", settings, on: desk)
            guard let report else { return "none" }
            #expect((report.outcome == .verified) == (report.evidence?.reason == nil))
            #expect(report.evidence?.tmux.first?.pane == "%0" && report.evidence?.process?.pid == process)
            #expect(report.warnings.map(\.code.name) == [report.evidence?.reason].compactMap(\.self))
            return report.evidence?.reason
        }
        #expect(reason() == nil)
        desk.tmux("copy-mode", "-t", "alpha")
        #expect(reason() == "seen.pane-mode")
        // It is left as it is.
        #expect(desk.tmux("display-message", "-p", "-t", "alpha", "#{pane_mode}") == "copy-mode")
        desk.tmux("send-keys", "-t", "alpha", "-X", "cancel")
        #expect(reason() == nil)
        let client = desk.tmux("list-clients", "-F", "#{client_name}")
        try desk.run("tmux", "display-popup", "-c", client, "cat")
        try waitUntil("the popup is open") { reason() == "seen.popup" }
        desk.tmux("display-popup", "-C", "-c", client)
        try waitUntil("the popup is closed") { reason() == nil }
        // Another pane is in front of it at once, or is shown beside it.
        desk.tmux(["split-window", "-d", "-t", "alpha", "--"] + desk.witness("a1"))
        desk.tmux("set-hook", "-g", "after-select-pane", "select-pane -t %1")
        desk.tmux("select-pane", "-t", "%1")
        // A window is what its active pane shows.
        #expect(way == .window || reason() == "seen.other-pane")
        desk.tmux("set-hook", "-gu", "after-select-pane")
        desk.tmux("select-pane", "-t", "%0")
        #expect(reason() == nil)
        desk.tmux("resize-pane", "-Z", "-t", "%1")
        #expect(way == .window || reason() == nil, "the zoom goes to the pane")
        desk.tmux("kill-pane", "-t", "%1")
        let viewer = try #require(Int32(desk.tmux("list-clients", "-F", "#{client_pid}")))
        desk.tmux("suspend-client", "-t", client)
        #expect(reason() == "seen.client-stopped")
        kill(viewer, SIGCONT)
        try waitUntil("the client goes on") { reason() == nil }
        let cover = try desk.server.client("cover", "over", "0,0,640,480")
        try waitUntil("it is covered") { reason() == "seen.covered" }
        cover.end()
        try waitUntil("it is seen again") { reason() == nil }
        let terminal = try #require(activator.place(of: .process(process)).path.terminal?.pid)
        kill(terminal, SIGSTOP)
        // Its window may not come forward, or does and is stopped.
        #expect(reason() != nil)
        kill(terminal, SIGCONT)
        try waitUntil("it goes on") { reason() == nil }
    }

    @Test("of a session that no client shows is switched to, or left alone", arguments: Way.allCases)
    func detached(way: Way) throws {
        let desk = try TerminalDesk(.openbox)
        desk.tmux(["new-session", "-d", "-s", "alpha", "--"] + desk.witness("a0"))
        desk.tmux(["new-session", "-d", "-s", "gamma", "--"] + desk.witness("c0"))
        _ = try desk.look("one", at: "alpha")
        var settings = TerminalSettings()
        settings.detached = .none
        let left = try way.focus("c0", settings, on: desk)
        #expect(left.outcome == .unverified && left.evidence?.reason == "seen.no-client")
        #expect(desk.tmux("list-clients", "-F", "#{session_name}") == "alpha")
        // When no key was pressed in the client for a second, it is switched.
        settings.detached = .switch
        settings.program = ["/nowhere/terminal"]
        let report = try way.focus("c0", settings, on: desk)
        #expect(report.outcome == .verified && !report.hasOpened)
        #expect(try desk.receiverOfKey() == "c0")
        // A terminal that is not installed cannot be opened.
        settings.detached = .open
        desk.tmux(["new-session", "-d", "-s", "delta", "--"] + desk.witness("d0"))
        let none = try way.focus("d0", settings, on: desk)
        #expect(none.outcome == .failed && none.failure?.code.name == "terminal.no-program")
        // One that is opened shows it.
        settings.program = ["xterm"]
        let opened = try way.focus("d0", settings, on: desk)
        #expect(opened.outcome == .verified, "\(opened.seen ?? opened.failure?.message ?? "")")
        #expect(try desk.receiverOfKey() == "d0")
    }

    @Test(
        "of a client whose terminal says that it has lost the keyboard is not claimed to be seen",
        arguments: Way.allCases)
    func unfocused(way: Way) throws {
        let desk = try TerminalDesk(.openbox)
        desk.tmux(["new-session", "-d", "-s", "alpha", "--"] + desk.witness("a0"))
        for option in [["-g", "focus-events", "on"], ["-s", "escape-time", "5000"]] {
            desk.tmux(["set-option"] + option)
        }
        _ = try desk.look("one", at: "alpha")
        func reason() throws -> String? {
            let report = try way.focus("a0", TerminalSettings(), on: desk)
            #expect((report.outcome == .verified) == (report.evidence?.reason == nil))
            #expect(report.evidence?.tmux.first?.isFocused == (report.evidence?.reason == nil))
            return report.evidence?.reason
        }
        #expect(try reason() == nil)
        // What a terminal sends that loses the keyboard, and what it sends then (xterm, "FocusIn/FocusOut").
        for (key, expected) in [("O", "seen.unfocused"), ("I", nil)] {
            desk.server.say("xdotool", ["key", "Escape", "bracketleft", "shift+\(key.lowercased())"])
            try waitUntil("it is told") { try reason() == expected }
        }
    }

    @Test(
        "is made in a session that no client shows, which is shown as the settings say",
        arguments: [.none, .open] as [TerminalSettings.Detached])
    func launched(detached: TerminalSettings.Detached) throws {
        let desk = try TerminalDesk(.openbox)
        var settings = TerminalSettings()
        (settings.detached, settings.program) = (detached, ["xterm"])
        let words = desk.witness("n")
        var launch = WindowLaunch(group: "notes", program: "/usr/bin/" + words[0])
        launch.arguments = Array(words.dropFirst())
        launch.environment = [EnvironmentVariable("PATH", "/usr/bin:/bin")]
        launch.focus.terminal = settings
        launch.focus.open = desk.activator.opening(settings, token: nil)
        let seen = try desk.windows.launch(launch)
        #expect((seen.view == .shown) == (detached == .open))
        #expect(seen.evidence?.reason == (detached == .open ? nil : "seen.no-client"))
        #expect(desk.tmux("list-clients").isEmpty == (detached == .none))
        if detached == .open { #expect(try desk.receiverOfKey() == "n") }
    }

    @Test("whose client has no window here is not claimed to be seen", arguments: Way.allCases)
    func elsewhere(way: Way) throws {
        let desk = try TerminalDesk(.openbox)
        desk.tmux(["new-session", "-d", "-s", "alpha", "--"] + desk.witness("a0"))
        try desk.run("setsid", ["python3", "-c", TerminalDesk.display, "tmux", "-f", "/dev/null", "attach"])
        try waitUntil("it is attached") { !desk.tmux("list-clients").isEmpty }
        let report = try way.focus("a0", TerminalSettings(), on: desk)
        #expect(report.outcome == .unverified && report.evidence?.reason == "seen.no-window")
    }

    @Test("is watched in its client for as long as the window is", arguments: Way.allCases)
    func watch(way: Way) throws {
        let desk = try TerminalDesk(.openbox)
        desk.tmux(["new-session", "-d", "-s", "alpha", "--"] + desk.witness("a0"))
        desk.tmux(["new-window", "-d", "-t", "alpha", "--"] + desk.witness("a1"))
        let window = try desk.look("one", at: "alpha")
        let other = try desk.terminal("other", desk.witness("p"))
        func loss(_ change: () throws -> Void) throws -> FrontLoss? {
            let report = try way.focus("a0", TerminalSettings(), on: desk)
            #expect(report.outcome == .verified && report.front?.handle == "%0")
            #expect(report.front?.client?.window == window)
            try change()
            return try desk.windows.loss(of: try #require(report.front), until: Deadline(inMilliseconds: 300))
        }
        #expect(try loss {} == nil)
        let pane = try #require(try loss { desk.tmux("select-window", "-t", "alpha:1") })
        #expect(pane.seen.contains("shows @1 (%1)") && !pane.mayBeWanted)
        let front = try #require(
            try loss { _ = try desk.server.windowSystem.focus(.handle(other, server: nil)) })
        #expect(front.seen.contains("other"))
        #expect(try loss { desk.tmux("kill-pane", "-t", "%0") } == nil, "it was closed")
    }

    @Test("is told apart by its title, which is restored")
    func title() throws {
        let desk = try TerminalDesk(.openbox)
        let first = try desk.terminal("first", desk.witness("a"))
        let second = try desk.terminal("second", desk.witness("b"))
        for (name, window, title) in [("a", first, "first"), ("b", second, "second")] {
            let tty = try #require(desk.activator.place(of: .process(try desk.process(name))).tty)
            let probe = TitleProbe(desktop: desk.server.windowSystem, tty: tty)
            #expect(probe.window()?.handle == window)
            #expect(try desk.server.window(title).handle == window)
        }
        // What no window shows, none has.
        #expect(TitleProbe(desktop: desk.server.windowSystem, tty: "/dev/null").window() == nil)
    }

    /// One process has both windows, so nothing else tells them apart.
    @Test("of a server of many is told apart by its title on sway")
    func server() throws {
        let sway = try SwayServer()
        let folder = TemporaryFolder()
        chmod(folder.path, 0o777)
        try sway.run(["foot", "--server=\(folder.path)/foot"])
        try waitUntil("it listens") { FileManager.default.fileExists(atPath: "\(folder.path)/foot") }
        let windows = sway.windowSystem
        var ttys: [(tty: String, window: String)] = []
        for name in ["one", "two"] {
            try sway.run(
                [
                    "footclient", "--server-socket=\(folder.path)/foot", "-T", name, "sh", "-c",
                    "tty >\(folder.path)/new && mv \(folder.path)/new \(folder.path)/\(name); exec cat",
                ])
            var found: (String, String)?
            try waitUntil("\(name) is there") {
                guard let tty = try? String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8),
                    let window = try windows.windows().windows.first(where: { $0.title == name })
                else { return false }
                found = (tty.trimmingCharacters(in: .newlines), window.handle)
                return true
            }
            ttys.append(try #require(found))
        }
        #expect(Set(try windows.windows().windows.map(\.process)).count == 1)
        for (tty, window) in ttys {
            #expect(TitleProbe(desktop: windows, tty: tty).window()?.handle == window)
        }
        #expect(try windows.windows().windows.map(\.title).sorted() == ["one", "two"])
    }

    /// Two windows of one process: the pane's one comes forward.
    @Test("brings the right one of several windows of a process forward with a tmux window")
    func severalWindows() throws {
        let desk = try TerminalDesk(.openbox)
        desk.tmux(["new-session", "-d", "-s", "work", "--"] + desk.witness("a"))
        let single = ["kitty", "--config", "NONE", "-1", "--instance-group", desk.folder]
        func titled(_ title: String, _ command: [String]) -> [String] {
            // A title that kitty is given as an option is never changed.
            single + ["sh", "-c", "printf '\\033]2;\(title)\\007'; exec \"$@\"", "sh"] + command
        }
        let first = try desk.run("env", ["LIBGL_ALWAYS_SOFTWARE=1"] + titled("mux", ["tmux", "attach"]))
        try waitUntil("its client is attached") { !desk.tmux("list-clients").isEmpty }
        let mux = try desk.server.window("mux")
        try desk.run("env", ["LIBGL_ALWAYS_SOFTWARE=1"] + titled("other", desk.witness("b")))
        let other = try desk.server.window("other")
        #expect(mux.process == other.process && mux.process == first.process)
        _ = try desk.process("b")
        let window = desk.tmux("display-message", "-p", "-t", "work:", "#{window_id}")
        for _ in 0..<2 {
            _ = try desk.server.windowSystem.focus(.handle(other.handle, server: nil))
            #expect(try desk.windows.focus(.handle(window, server: nil)).view == .shown)
            #expect(try desk.receiverOfKey() == "a")
        }
        #expect(try desk.server.window("other").handle == other.handle)
    }
}
