import Foundation
import Synchronization
import TestSupport
import Testing
import UsherScene
import UsherSystem

@testable import UsherActivation

/// What a watch told, in order.
private final class ToldLists: Sendable {
    private let lists = Mutex<[WindowList]>([])

    var all: [WindowList] { lists.withLock { $0 } }
    var last: [String]? { all.last.map { $0.windows.map { "\($0.handle) \($0.group) \($0.activation!.rawValue)" } } }

    func add(_ list: WindowList) { lists.withLock { $0.append(list) } }
}

@Suite("TmuxWatch", .serialized)
struct TmuxWatchTests {
    let server = TmuxServer()

    @Test("a server's start, windows, names, current windows and end are reported")
    func watch() throws {
        let told = ToldLists()
        let watch = try #require(server.windowSystem.watch(told.add))
        defer { watch.stop() }
        #expect(server.windowSystem.support[.watch] == .yes)
        #expect(eventually { told.all.last == WindowList(server: nil, windows: []) })
        server.start()
        #expect(eventually { told.last == ["@0 main background"] })
        server.start(session: "other")
        #expect(eventually { told.last == ["@0 main background", "@1 other background"] })
        server.attach()
        #expect(eventually { told.last == ["@0 main foregroundActive", "@1 other background"] })
        server.tmux("new-window", "-t", "main:", "--", "cat", "-")
        #expect(eventually { told.last?.first == "@0 main background" })
        #expect(told.last?.contains("@2 main foregroundActive") == true)
        _ = try server.windowSystem.focus(.handle("@1", server: nil))
        #expect(eventually { told.last?.contains("@1 other foregroundActive") == true })
        server.tmux("split-window", "-t", "@0", "--", "cat", "-")
        #expect(eventually { told.all.last?.windows.first { $0.handle == "@0" }?.parts.count == 2 })
        for pane in told.all.last?.windows.first(where: { $0.handle == "@0" })?.parts ?? [] {
            server.tmux("select-pane", "-t", pane)
            #expect(eventually { told.all.last?.windows.first { $0.handle == "@0" }?.shownPart == pane })
        }
        server.tmux("rename-window", "-t", "@1", "clown town")
        #expect(eventually { told.all.last?.windows.contains { $0.title == "clown town" } == true })
        server.tmux("kill-window", "-t", "@2")
        #expect(eventually { told.all.last?.has("@2", of: nil) == false })
        // The session that is listened in goes; the server stays.
        server.tmux("kill-session", "-t", "main")
        #expect(eventually { told.all.last?.windows.map(\.handle) == ["@1"] })
        server.tmux("new-window", "-t", "other:", "--", "cat", "-")
        #expect(eventually { told.all.last?.windows.count == 2 })
        let life = told.all.last?.server
        server.tmux("kill-server")
        #expect(eventually { told.all.last == WindowList(server: nil, windows: []) })
        server.start()
        #expect(eventually { told.all.last?.windows.count == 1 })
        #expect(told.all.last?.server != life)
        #expect(zip(told.all, told.all.dropFirst()).allSatisfy { $0 != $1 })
        watch.stop()
        #expect(!server.hasHooks)
    }

    @Test("hooks of the user stay, and those of a process that was killed go")
    func hooks() throws {
        server.start()
        let request = SpawnRequest(program: "/bin/true", arguments: ["true"], environment: [])
        var program = try Spawner.start(request)
        let killed = program.pid
        #expect(program.wait(until: Deadline(inMilliseconds: 30_000)) != nil)
        server.tmux("set-hook", "-g", "window-linked[0]", "display-message own")
        let left = TmuxHooks(process: killed)
        _ = try server.windowSystem.client.run(left.set)
        var waiting = try server.windowSystem.client.waitFor(left)
        let told = ToldLists()
        let watch = try #require(server.windowSystem.watch(told.add))
        #expect(eventually { server.hasHooks })
        let end = waiting?.wait(until: Deadline(inMilliseconds: 30_000))
        #expect(end == .exited(0) || end == .signalled(SIGTERM))
        #expect(!server.tmux("show-options", "-g", "window-linked").contains("usher-\(killed)"))
        // Hooks that a command of the user deletes are set again.
        server.tmux("set-hook", "-gu", "window-linked")
        server.tmux("set-hook", "-g", "window-linked[0]", "display-message own")
        server.tmux("rename-window", "-t", "@0", "clown town")
        #expect(eventually { told.all.last?.windows.first?.title == "clown town" })
        watch.stop()
        #expect(server.tmux("show-options", "-g", "window-linked") == "window-linked[0] display-message own")
    }

    @Test("a watch does not count as a client and changes no size")
    func listener() throws {
        server.start()
        server.tmux("new-window", "-t", "main:", "--", "cat", "-")
        server.tmux("resize-window", "-t", "main:", "-x", "71", "-y", "19")
        server.tmux("set-option", "-w", "-u", "-t", "main:", "window-size")
        let told = ToldLists()
        let watch = try #require(server.windowSystem.watch(told.add))
        defer { watch.stop() }
        #expect(eventually { server.hasHooks })
        #expect(server.window("#{window_width}x#{window_height}", of: "main:") == "71x19")
        #expect(try server.windowSystem.windows().windows.allSatisfy { $0.activation == .background })
        #expect(try server.windowSystem.focus(.handle("@0", server: nil)).view == .nobodyLooks)
        // A bell in a hidden window is marked, with or without a listener.
        let urgent = FocusRequest(.handle("@1", server: nil), policy: FocusPolicy(prominence: .urgent))
        #expect(try server.windowSystem.focus(urgent).view == .shown)
    }

    @Test("a watch leaves the environment of the session as people's terminals made it")
    func environment() throws {
        server.start()
        server.tmux("set-environment", "-t", "main", "SSH_AUTH_SOCK", "/run/agent")
        let before = server.tmux("show-environment", "-t", "main")
        let told = ToldLists()
        let watch = try #require(server.windowSystem.watch(told.add))
        defer { watch.stop() }
        #expect(eventually { server.hasHooks })
        #expect(server.tmux("show-environment", "-t", "main") == before)
    }

    @Test("a storm of names is reported a few times, with the last one")
    func storm() throws {
        server.start()
        let told = ToldLists()
        let watch = try #require(server.windowSystem.watch(told.add))
        defer { watch.stop() }
        #expect(eventually { server.hasHooks })
        // One run of tmux a name, as fast as they come.
        for number in 0..<150 { server.tmux("rename-window", "-t", "@0", "t\(number)") }
        server.tmux("rename-window", "-t", "@0", "last")
        #expect(eventually { told.all.last?.windows.first?.title == "last" })
        #expect(told.all.count < 75, "\(told.all.count) lists for 150 names")
    }

    @Test("changes during a list of windows are reported")
    func changesDuringAList() throws {
        server.start()
        let told = ToldLists()
        let watch = try #require(server.windowSystem.watch(told.add))
        defer { watch.stop() }
        #expect(eventually { server.hasHooks })
        for number in 0..<15 {
            // An even number of signals before a client waits leaves none (tmux, cmd-wait-for.c).
            server.tmux("rename-window", "-t", "@0", "a\(number)", ";", "rename-window", "-t", "@0", "b\(number)")
            #expect(eventually { told.all.last?.windows.first?.title == "b\(number)" })
        }
    }

    @Test("an idle watch wakes neither itself nor the server")
    func idle() throws {
        server.start()
        let told = ToldLists()
        let watch = try #require(server.windowSystem.watch(told.add))
        defer { watch.stop() }
        #expect(eventually { server.hasHooks })
        let pid = server.tmux("display-message", "-p", "#{pid}")
        // Of the server's own timers none is due sooner: the line at the bottom of a terminal is drawn anew each 15 s.
        func isAsleep() -> Bool {
            guard Array(ThreadWaits.limits(name: "watch tmux").values) == [.max] else { return false }
            let server = ThreadWaits.limits(process: pid)
            return !server.isEmpty && server.values.allSatisfy { $0 > 5000 }
        }
        #expect(eventually(isAsleep))
    }
}

@Suite("Policies of tmux", .serialized)
struct TmuxPolicyTests {
    let server = TmuxServer()
    var windows: TmuxWindowSystem { server.windowSystem }

    /// `main` with @0 and @1, where the user is; `other` with @2 and @3.
    private func start() {
        server.start()
        server.tmux("new-window", "-t", "main:", "--", "cat", "-")
        server.start(session: "other")
        server.tmux("new-window", "-t", "other:", "--", "cat", "-")
        server.attach()
    }

    private func focus(_ handle: String, _ policy: FocusPolicy) throws -> WindowSighting {
        try windows.focus(FocusRequest(.handle(handle, server: nil), policy: policy))
    }

    @Test("none leaves everything where it is")
    func none() throws {
        start()
        // Else it is called by its program, as soon as tmux has seen that.
        server.tmux("rename-window", "-t", "@0", "calm")
        let sighting = try focus("@0", FocusPolicy(prominence: .none))
        #expect(sighting.view == .untouched && sighting.title == "calm" && sighting.handle == "@0")
        #expect(server.shown == "main @1")
        #expect(throws: ActivationFailure.self) { try focus("@9", FocusPolicy(prominence: .none)) }
        #expect(throws: ActivationFailure.self) {
            try windows.focus(FocusRequest(.handle("@0", server: "/x:1:2"), policy: FocusPolicy(prominence: .urgent)))
        }
    }

    @Test("raise shows a window where the user is not, and never takes the keyboard")
    func raise() throws {
        start()
        let raise = FocusPolicy(prominence: .raise)
        #expect(try focus("@1", raise).view == .shown)
        guard case .hidden = try focus("@0", raise).view else {
            Issue.record("a window of the user's own session was raised")
            return
        }
        #expect(server.shown == "main @1")
        // In another session it becomes the current window, which no client shows yet.
        guard case .hidden = try focus("@2", raise).view else {
            Issue.record("no client shows @2")
            return
        }
        #expect(server.shown == "main @1" && server.window(of: "other:") == "@2")
        // On the terminal of another client it is visible.
        server.attach(session: "other")
        // The user's client is the one with the latest key press, which tmux knows to the second.
        #expect(
            eventually {
                server.type("x")
                let clients = server.tmux("list-clients", "-F", "#{client_activity} #{session_name}")
                return clients.split(separator: "\n").max()?.hasSuffix("main") == true
                    && Set(clients.split(separator: "\n").map { $0.prefix { $0 != " " } }).count == 2
            })
        #expect(try focus("@3", raise).view == .shown)
        #expect(server.shown.split(separator: "\n").sorted() == ["main @1", "other @3"])
    }

    @Test("urgent marks a hidden window")
    func urgent() throws {
        start()
        let urgent = FocusPolicy(prominence: .urgent)
        #expect(try focus("@0", urgent).view == .shown)
        #expect(server.window("#{window_bell_flag}", of: "@0") == "1")
        #expect(server.shown == "main @1")
        #expect(try focus("@1", urgent).view == .shown)
        #expect(server.window("#{window_bell_flag}", of: "@1") == "0")
        // Where its user wants no marks, that is seen.
        server.tmux("set-option", "-g", "-w", "monitor-bell", "off")
        guard case .hidden(let seen) = try focus("@2", urgent).view else {
            Issue.record("a mark where there is none")
            return
        }
        #expect(seen.contains("shows @1"))
    }

    @Test("summon links a window into the user's session, and it stays in the other sessions")
    func summon() throws {
        start()
        let summon = FocusPolicy(placement: .summon)
        for _ in 0..<2 {
            #expect(try focus("@2", summon).view == .shown)
            #expect(server.shown == "main @2")
        }
        #expect(server.tmux("list-windows", "-t", "main", "-F", "#{window_id}") == "@0\n@1\n@2")
        #expect(server.tmux("list-windows", "-t", "other", "-F", "#{window_id}") == "@2\n@3")
    }

    @Test("while the user types in another window, less is done and the record says so")
    func typing() throws {
        start()
        var policy = FocusPolicy(whileTyping: .urgent)
        // A key in the user's terminal is a moment ago.
        server.type("x")
        let spared = try focus("@0", policy)
        #expect(spared.sparedTyping && spared.view == .shown)
        #expect(server.shown == "main @1" && server.window("#{window_bell_flag}", of: "@0") == "1")
        // Where they type already it makes no difference.
        server.type("x")
        #expect(try !focus("@1", policy).sparedTyping)
        policy.whileTyping = Optional.none
        server.type("x")
        let plain = try focus("@0", policy)
        #expect(!plain.sparedTyping && server.shown == "main @0")
        policy.whileTyping = .urgent
        #expect(eventually { (try? focus("@1", policy))?.sparedTyping == false })
        #expect(server.shown == "main @1")
    }

    @Test("a session by its name keeps to the policy, too")
    func session() throws {
        start()
        func focus(_ policy: FocusPolicy) throws -> WindowSighting {
            try windows.focus(FocusRequest(.group("other"), policy: policy))
        }
        #expect(try focus(FocusPolicy(prominence: .none)).view == .untouched)
        #expect(server.shown == "main @1")
        #expect(try focus(FocusPolicy(placement: .summon)).view == .shown)
        #expect(server.shown == "other @3")
        #expect(throws: ActivationFailure.self) {
            try windows.focus(FocusRequest(.group("none"), policy: FocusPolicy(prominence: .raise)))
        }
    }
}
