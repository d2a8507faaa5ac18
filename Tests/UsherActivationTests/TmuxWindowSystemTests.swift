import Foundation
import TestSupport
import Testing
import UsherScene

@testable import UsherActivation

@Suite("TmuxWindowSystem")
struct TmuxWindowSystemTests {
    let server = TmuxServer()
    var directory: TemporaryFolder { server.directory }

    func launch(
        _ arguments: [String], session: String? = nil, ready: Command? = nil, grace: Int = LaunchHandler.defaultGrace
    ) -> LaunchHandler {
        var handler = LaunchHandler(method: .tmux(session: session), command: command(arguments))
        handler.ready = ready.map(LaunchHandler.Readiness.exec)
        handler.grace = grace
        return handler
    }

    func focus(_ handle: String, server: String? = nil) -> ActivationReport {
        var task = task(handle: handle, action: .focus)
        task.handleServer = server
        return self.server.activator.focus(task, nil)
    }

    @Test func windowsAndPanesAreClosed() throws {
        let handles = (0..<3).map { _ in server.activator.launch(task(), launch(["cat", "-"])).handle ?? "" }
        server.tmux("split-window", "-t", handles[1])
        let pane = server.window("#{pane_id}", of: handles[1])
        let windows = server.activator.windowSystem
        let life = try windows.windows().server
        for (handle, life) in [(handles[0], "another:1:2"), ("@99", life ?? "")] {
            #expect(throws: ActivationFailure.self) { try windows.close(.handle(handle, server: life)) }
        }
        try windows.close(.handle(handles[0], server: life))
        try windows.close(.handle(pane, server: life))
        #expect(try windows.windows().windows.map(\.handle) == [handles[1], handles[2]])
        #expect(try windows.windows().windows.first?.parts.count == 1)
        // The server ends with its last window.
        for handle in handles.dropFirst() {
            try windows.close(.handle(handle, server: life))
            #expect(try windows.presence(of: .handle(handle, server: life)) == .gone)
        }
    }

    // MARK: - Launch

    @Test("without a server the launch is the new session's first window")
    func launchStartsServer() {
        let report = server.activator.launch(task(), launch(["cat", "-"]))
        #expect(report.outcome == .done)
        #expect(report.failure == nil)
        #expect(report.handle == "@0")
        #expect(report.title == "cat")
        #expect(server.tmux("list-windows", "-a", "-F", "#{session_name} #{window_id}") == "usher @0")
        #expect(report.handleServer?.hasPrefix(directory.path) == true)
        let pid = server.tmux("display-message", "-p", "#{pid}")
        let line = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline").map {
            String(decoding: $0, as: UTF8.self)
        }
        #expect(line?.contains("tmux") == true)
        #expect(line?.contains("Crusty") == false, "a payload's text is in the process table")
    }

    @Test("a session of the manifest is made on demand, then used again, whatever its name")
    func launchMakesSession() {
        server.start()
        let running = "#(touch \(directory.path)/x) #{pid}"
        for (name, kept) in [
            ("clown-town", "clown-town"), ("a.b:c", "a_b_c"), (running, running),
        ] {
            let first = server.activator.launch(task(), launch(["cat", "-"], session: name))
            let second = server.activator.launch(task(), launch(["cat", "-"], session: name))
            #expect(first.outcome == .done)
            #expect(second.outcome == .done)
            for report in [first, second] {
                #expect(server.window("#{session_name}", of: report.handle ?? "") == kept)
            }
            #expect(first.handle != second.handle)
        }
        #expect(!directory.exists("x"))
    }

    @Test("a session that was made keeps none of the window's variables")
    func sessionEnvironment() {
        _ = server.activator.launch(task(), launch(["cat", "-"], session: "work"))
        #expect(!server.tmux("show-environment", "-t", "work").contains("USHER_"))
        #expect(!server.tmux("show-environment", "-g").contains("USHER_"))
    }

    @Test("a window is made where the user is, and seen there")
    func launchWhereUserIs() {
        server.start(session: "other")
        server.start()
        server.attach()
        let report = server.activator.launch(task(), launch(["cat", "-"]))
        #expect(report.outcome == .verified)
        #expect(server.shown == "main \(report.handle ?? "?")")
    }

    @Test("the user is taken to the session of the manifest")
    func launchSwitches() {
        server.start()
        server.start(session: "work")
        server.attach()
        for session in ["work", "new"] {
            let report = server.activator.launch(task(), launch(["cat", "-"], session: session))
            #expect(report.outcome == .verified)
            #expect(server.shown == "\(session) \(report.handle ?? "?")")
        }
    }

    @Test("the program gets its directory, its variables and the nonce; one word never reaches a shell")
    func launchEnvironment() throws {
        let folder = directory.path + "/a #{pid} #(touch x)"
        mkdir(folder, 0o755)
        let script = directory.path + "/one word"
        try Program.write(
            "#!/bin/sh\nenv -0 > \"$OUT.part\"; pwd > \"$OUT.pwd\"; mv \"$OUT.part\" \"$OUT\"; exec cat\n", at: script)
        server.start()
        var handler = launch([script])
        handler.command.workingDirectory = folder
        handler.command.environment = ["OUT": directory.path + "/out", "CLOWN": "{title};"]
        let task = task(title: "#(touch x);")
        #expect(server.activator.launch(task, handler).outcome == .done)
        #expect(eventually { directory.exists("out") })
        let variables = strings(directory.read("out"))
        for expected in [
            "CLOWN=#(touch x);;", "USHER_TITLE=#(touch x);", "USHER_LAUNCH=\(task.nonce)", "USHER_SESSION=clown-7",
        ] { #expect(variables.contains(expected)) }
        #expect(directory.text("out.pwd") == folder + "\n")
    }

    @Test("a window uses the configuration and the store of its creator, not those of the server")
    func launchPlaces() {
        server.start()
        let out = directory.path + "/out"
        let own = ["USHER_STATE": "/own/state", "USHER_CONFIG": "/own/config", "TOKEN": "secret"]
        let activator = Activator(
            windowSystem: server.windowSystem, environment: server.environment.merging(own) { $1 },
            stateDirectory: directory.path)
        server.tmux("set-environment", "-g", "USHER_STATE", "/the/servers")
        let script = "env > \(out).part; mv \(out).part \(out); exec cat"
        #expect(activator.launch(task(), launch(["sh", "-c", script])).outcome == .done)
        #expect(eventually { directory.exists("out") })
        let variables = (directory.text("out") ?? "").split(separator: "\n")
        #expect(variables.contains("USHER_STATE=/own/state"))
        #expect(variables.contains("USHER_CONFIG=/own/config"))
        #expect(!variables.contains("TOKEN=secret"))
    }

    @Test("{payload-file} is a private file")
    func launchPayload() {
        server.start()
        let out = directory.path + "/out"
        let report = server.activator.launch(
            task(payload: Array("{\"a\":1}".utf8)),
            launch(["sh", "-c", "cp \"$1\" \(out).part; mv \(out).part \(out); exec cat", "sh", "{payload-file}"]))
        #expect(report.outcome == .done)
        #expect(eventually { directory.exists("out") })
        #expect(directory.text("out") == "{\"a\":1}")
    }

    @Test("arguments longer than a message to the server arrive")
    func launchLong() {
        let out = directory.path + "/out"
        let target = String(repeating: "é;#{pid}\n$(touch x)'\"\\", count: 3000)
        for session in ["one", "one"] {
            unlink(out)
            let report = server.activator.launch(
                task(target: target),
                launch(
                    ["sh", "-c", "printf %s \"$1\" > \(out).part; mv \(out).part \(out); exec cat", "sh", "{target}"],
                    session: session))
            #expect(report.outcome == .done)
            #expect(eventually { directory.exists("out") })
            #expect(directory.read("out") == Array(target.utf8))
        }
    }

    @Test("a missing program or directory is found before a window is made")
    func launchMissing() {
        server.start()
        let missing = server.activator.launch(task(), launch(["usher-no-such-program"]))
        #expect(missing.failure?.code == .programNotFound)
        var handler = launch(["cat", "-"])
        handler.command.workingDirectory = "/nowhere"
        #expect(server.activator.launch(task(), handler).failure?.code == .cannotStart)
        #expect(server.tmux("list-windows", "-a", "-F", "#{window_id}") == "@0")
    }

    @Test("ready decides about windows too")
    func launchReady() {
        server.start()
        let file = directory.path + "/ready"
        let report = server.activator.launch(
            task(), launch(["sh", "-c", "sleep 0.1; touch \(file); exec cat"], ready: command(["test", "-e", file])))
        #expect(report.outcome == .done)
        let never = server.activator.launch(task(), launch(["cat", "-"], ready: command(["false"]), grace: 150))
        #expect(never.outcome == .unverified)
        #expect(never.warnings.map(\.code) == [.seenNoClient, .notReady])
        let ended = server.activator.launch(
            task(), launch(["sh", "-c", "exit 1"], ready: command(["false"]), grace: 3000))
        #expect(ended.outcome == .unverified)
        #expect(ended.handlers[0].milliseconds < 2000)
    }

    @Test("many lanes launch at once, and the session is made once")
    func launchConcurrently() async {
        let activator = server.activator
        let handler = launch(["cat", "-"], session: "work")
        let reports = await withTaskGroup { group in
            for _ in 0..<6 { group.addTask { activator.launch(task(), handler) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(reports.compactMap(\.handle)).count == 6, "\(reports.map { ($0.handle, $0.failure) })")
        #expect(server.tmux("list-sessions", "-F", "#{session_name}") == "work")
    }

    @Test("what was started is found by its nonce, with its window")
    func find() throws {
        server.start()
        let task = task()
        let report = server.activator.launch(task, launch(["cat", "-"]))
        let found = try #require(server.activator.find(nonce: task.nonce))
        #expect(found.handle == report.handle)
        #expect(found.handleServer == report.handleServer)
        #expect(server.activator.find(nonce: "another") == nil)
    }

    @Test("a server that a launch has started is not what the launch started, and neither are the server's windows")
    func findsNoServer() throws {
        let task = task()
        let start = "tmux -f /dev/null new-session -d -s main -- cat -; exec sleep 600"
        let handler = LaunchHandler(method: .exec, command: shell(start))
        #expect(server.activator.launch(task, handler).outcome == .done)
        #expect(eventually { server.tmux("list-panes", "-a", "-F", "#{pane_id}") == "%0" })
        let found = try #require(server.activator.find(nonce: task.nonce))
        #expect(found.handle == nil)
        kill(found.process, SIGKILL)
        server.tmux("new-window", "-d", "-t", "main:", "--", "cat", "-")
        // Without this the test would show nothing: both windows have the variable.
        for pane in server.tmux("list-panes", "-a", "-F", "#{pane_pid}").split(separator: "\n") {
            let environment = strings(FileManager.default.contents(atPath: "/proc/\(pane)/environ").map { [UInt8]($0) })
            #expect(environment.contains("USHER_LAUNCH=\(task.nonce)"))
        }
        #expect(eventually { server.activator.find(nonce: task.nonce) == nil })
    }

    @Test("a launch that has started the server is not on its way for as long as the server runs")
    func serverIsNoLaunchOnItsWay() {
        let task = task()
        #expect(server.activator.launch(task, launch(["cat", "-"])).outcome == .done)
        // Until it executes `cat`, the process of the window is a copy of the server.
        #expect(eventually { !server.windowSystem.isOnItsWay(nonce: task.nonce) })
        // As a daemon sees it that was started again with another environment.
        let elsewhere = server.environment.merging(["TMUX_TMPDIR": directory.path + "/elsewhere"]) { $1 }
        #expect(!TmuxWindowSystem(environment: elsewhere).isOnItsWay(nonce: task.nonce))
    }

    // MARK: - Focus

    @Test("a window is brought forward and read back from the attached client")
    func focusVerified() {
        server.start()
        server.tmux("new-window", "-t", "main:", "--", "cat", "-")
        server.attach()
        #expect(server.shown == "main @1")
        for handle in ["@0", "tmux:@1", "@0"] {
            let report = focus(handle)
            #expect(report.outcome == .verified)
            #expect(server.shown == "main \(report.handle ?? "?")")
            #expect(report.title == "cat")
        }
    }

    @Test("the client is switched to the session of the window")
    func focusSwitches() {
        server.start(session: "other")
        server.start()
        server.attach()
        #expect(focus("@0").outcome == .verified)
        #expect(server.shown == "other @0")
    }

    @Test("a pane is brought forward in its window")
    func focusPane() {
        server.start()
        server.tmux("split-window", "-t", "main:", "--", "cat", "-")
        server.tmux("new-window", "-t", "main:", "--", "cat", "-")
        server.attach()
        #expect(focus("%0").outcome == .verified)
        #expect(server.window("#{pane_id}", of: "main:") == "%0")
        #expect(focus("%1").outcome == .verified)
        #expect(server.window("#{pane_id}", of: "main:") == "%1")
    }

    @Test("without an attached client the effect is done, not verified")
    func focusDone() {
        server.start()
        server.tmux("new-window", "-t", "main:", "--", "cat", "-")
        let report = focus("@0")
        #expect(report.outcome == .done && report.warnings.map(\.code) == [.seenNoClient])
        #expect(server.window(of: "main:") == "@0")
    }

    @Test("a client that shows something else leaves the outcome open, and says what it shows")
    func focusUnverified() {
        server.start()
        server.tmux("new-window", "-t", "main:", "--", "cat", "-")
        server.attach()
        // A hook of the user's takes the client elsewhere at once.
        server.tmux("set-hook", "-g", "after-select-window", "select-window -t main:@1")
        let report = focus("@0")
        #expect(report.outcome == .unverified)
        #expect(report.failure == nil)
        #expect(report.seen?.contains("shows @1") == true)
        #expect(report.warnings.map(\.code) == [.seenOtherPane] && report.evidence?.reason == "seen.other-pane")
    }

    @Test("a window that was closed is gone, and one of another server too")
    func focusGone() {
        #expect(focus("@0").windowGone)
        server.start()
        let report = server.activator.launch(task(), launch(["cat", "-"]))
        let handle = report.handle ?? "?"
        let activator = server.activator
        #expect(activator.presence(handle: handle, server: report.handleServer) == .present)
        #expect(focus(handle, server: report.handleServer).outcome == .done)
        #expect(focus(handle, server: "/another/socket:1:2").windowGone)
        server.tmux("kill-window", "-t", handle)
        #expect(focus(handle, server: report.handleServer).windowGone)
        #expect(activator.presence(handle: handle, server: report.handleServer) == .gone)
        #expect(activator.presence(handle: nil, server: nil) == .unknown)
        #expect(activator.presence(handle: "x11:1", server: nil) == .unknown)
    }

    @Test("after a restart of the server the same number is another window")
    func restart() {
        server.start()
        let before = server.activator.launch(task(), launch(["cat", "-"]))
        server.tmux("kill-server")
        #expect(
            eventually {
                server.tmux("list-sessions").hasPrefix("no server") || server.tmux("list-sessions").hasPrefix("error")
            })
        #expect(focus(before.handle ?? "?", server: before.handleServer).windowGone)
        server.start()
        server.tmux("new-window", "-t", "main:", "--", "cat", "-")
        #expect(server.window(of: "main:") == before.handle)
        #expect(focus(before.handle ?? "?", server: before.handleServer).windowGone)
        #expect(server.activator.presence(handle: before.handle, server: before.handleServer) == .gone)
    }

    @Test("a window whose program ended and that is only kept is gone")
    func deadPane() {
        server.start()
        server.tmux("set-option", "-g", "remain-on-exit", "on")
        server.tmux("new-window", "-t", "main:", "--", "env", "true")
        #expect(eventually { server.window("#{pane_dead}", of: "@1") == "1" })
        #expect(focus("@1").windowGone)
    }

    @Test("a session of the manifest is brought forward by its name")
    func focusSession() {
        server.start(session: "a.b")
        server.start()
        let handler = FocusHandler.tmux(session: "a.b", location: here)
        #expect(server.activator.focus(task(), handler).outcome == .done)
        server.attach()
        let report = server.activator.focus(task(), handler)
        #expect(report.outcome == .verified)
        #expect(report.handle == nil)
        #expect(server.shown == "a_b @0")
        #expect(server.activator.focus(task(), handler).outcome == .verified)
        #expect(server.activator.focus(task(), .tmux(session: "a", location: here)).windowGone)
    }

    @Test("windows are listed with their server")
    func list() throws {
        #expect(try server.windowSystem.windows().server == nil)
        server.start(session: "other")
        server.start()
        let list = try server.windowSystem.windows()
        #expect(list.windows.map(\.handle) == ["@1", "@0"])
        #expect(list.windows.map(\.group) == ["main", "other"])
        #expect(list.server != nil)
        #expect(["@0", "@1", "%0", "%1"].allSatisfy { list.has($0, of: list.server) })
        #expect(!list.has("@2", of: nil) && !list.has("@0", of: "another"))
    }

    @Test("without tmux there is a clear error")
    func notInstalled() {
        let windows = TmuxWindowSystem(environment: ["PATH": "/nowhere"])
        #expect(!windows.isAvailable)
        let activator = Activator(windowSystem: windows, environment: ["PATH": "/bin"], stateDirectory: nil)
        let report = activator.focus(task(handle: "@0"), nil)
        #expect(report.outcome == .failed)
        #expect(report.failure?.code == .windowSystem)
    }

    @Test("a server that does not answer is given up at the time limit")
    func stopped() throws {
        server.start()
        let pid = try #require(Int32(server.tmux("display-message", "-p", "#{pid}")))
        kill(pid, SIGSTOP)
        defer { kill(pid, SIGCONT) }
        let windows = TmuxWindowSystem(environment: server.environment, options: server.options, timeLimit: 150)
        let activator = Activator(windowSystem: windows, environment: server.environment, stateDirectory: nil)
        let report = activator.focus(task(handle: "@0"), nil)
        #expect(report.outcome == .unverified)
        #expect(report.warnings.map(\.code) == [.timeLimit])
    }
}
