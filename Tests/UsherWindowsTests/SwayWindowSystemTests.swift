import Foundation
import TestSupport
import Testing
import UsherActivation
import UsherScene

@testable import UsherWindows

@Suite("SwayWindowSystem", .serialized)
struct SwayWindowSystemTests {
    @Test(
        "handles",
        arguments: [
            ("sway:1", 1), ("sway:9223372036854775807", .max), ("sway:9223372036854775808", nil), ("sway:0", nil),
            ("sway:01", nil), ("sway:", nil), ("sway:+1", nil), ("sway:-1", nil), ("sway:1 ", nil), ("x11:0x1", nil),
        ] as [(String, Int64?)])
    func handles(text: String, container: Int64?) {
        #expect(SwayHandle(text)?.container == container)
    }

    @Test("windows are listed with all that is known of them, and found by process")
    func list() throws {
        let server = try SwayServer(xwayland: true)
        let windows = server.windowSystem
        #expect(windows.support.system == "sway 1.7")
        #expect(windows.support[.verify] == .yes)
        let near = try server.terminal("néar \"quoted\"", ["-a", "org.example.near"])
        let handle = try wait(for: "néar \"quoted\"", in: windows)
        server.message("workspace far")
        let other = try server.xterm("old")
        let old = try wait(for: "old", in: windows)
        server.message("workspace 1")
        _ = eventually { server.focused == handle }

        let list = try windows.windows()
        #expect(list.server?.hasPrefix(server.socket + ":\(server.process):") == true)
        #expect(list.windows.map(\.title) == ["néar \"quoted\"", "old"])
        #expect(list.windows.map(\.group) == ["1", "far"])
        #expect(list.windows.map(\.appID) == ["org.example.near", nil])
        #expect(list.windows.map(\.windowClass) == [nil, "XTerm"])
        #expect(list.windows.map(\.instance) == [nil, "xterm"])
        #expect(list.windows.map(\.process) == [near.process, other.process])
        #expect(list.windows.map(\.activation) == [.foregroundActive, .background])
        #expect(try server.windowSystem.windows().server == list.server)

        let found = try #require(try windows.find(processes: [1, other.process]))
        #expect(found.handle == old && found.view == .hidden(seen: "néar \"quoted\" (\(handle)) is in front"))
        #expect(try windows.find(processes: [1]) == nil)
        #expect(try windows.presence(of: .handle(old, server: list.server)) == .present)
        #expect(try windows.presence(of: .handle(old, server: "another")) == .gone)
        #expect(try windows.presence(of: .handle("sway:1", server: nil)) == .gone)
        #expect(try windows.presence(of: .handle("x11:0x1", server: nil)) == .unknown)

        // A title that is no UTF-8 must not hide the others.
        try server.run(["sh", "-c", "exec xterm -T \"$(printf 'caf\\351')\" -e cat"])
        #expect(eventually { (try? windows.windows())?.windows.count == 3 })
    }

    @Test(
        "a window comes forward wherever it is, and is read back",
        arguments: ["beside", "workspace", "scratchpad", "tab"])
    func focus(place: String) throws {
        let server = try SwayServer()
        let windows = server.windowSystem
        try server.terminal("wanted")
        let wanted = try wait(for: "wanted", in: windows)
        switch place {
        case "workspace": server.message("workspace far")
        case "scratchpad": server.message("move scratchpad")
        case "tab": server.message("layout tabbed")
        default: break
        }
        try server.terminal("other")
        let other = try wait(for: "other", in: windows)
        #expect(eventually { server.focused == other })
        let sighting = try windows.focus(.handle(wanted, server: nil))
        #expect(sighting.view == .shown)
        #expect(sighting.handle == wanted && sighting.title == "wanted" && sighting.process != nil)
        #expect(server.focused == wanted)
        #expect(server.node(wanted)["visible"] as? Bool == true)
        // Once more, where nothing is to be done, and back: these two by what is known already, the first time not.
        let again = try windows.focus(.handle(wanted, server: sighting.server))
        #expect(again == sighting)
        #expect(try windows.focus(.handle(other, server: nil)).view == .shown)
        #expect(server.focused == other)
        let fresh = try server.windowSystem.focus(.handle(wanted, server: nil))
        #expect(fresh == sighting)
        #expect(server.focused == wanted)
    }

    @Test("what is no window is not brought forward, and what was closed is gone")
    func gone() throws {
        let server = try SwayServer()
        let windows = server.windowSystem
        let program = try server.terminal("one")
        let one = try wait(for: "one", in: windows)
        try server.terminal("two")
        let two = try wait(for: "two", in: windows)
        _ = eventually { server.focused == two }
        let life = try #require(try windows.windows().server)
        // Known as a window by the last look, and closed since.
        program.end()
        _ = eventually { server.node(one).isEmpty }
        #expect(code { _ = try windows.focus(.handle(one, server: life)) } == .windowGone)
        #expect(try windows.presence(of: .handle(one, server: life)) == .gone)
        // Containers that hold windows, workspaces, an unused number, another server run.
        server.message("splitv")
        let workspace = "sway:\((server.node("sway:1")["nodes"] as? [[String: Any]])?.last?["id"] ?? 0)"
        for handle in [workspace, "sway:1", "sway:999999"] {
            #expect(code { _ = try windows.focus(.handle(handle, server: life)) } == .windowGone)
        }
        #expect(code { _ = try windows.focus(.handle(two, server: life + "0")) } == .windowGone)
        #expect(server.focused == two)
    }

    @Test("a window is closed, and what is none is not")
    func close() throws {
        let server = try SwayServer()
        let windows = server.windowSystem
        try server.terminal("one")
        let one = try wait(for: "one", in: windows)
        try server.terminal("two")
        let two = try wait(for: "two", in: windows)
        let life = try #require(try windows.windows().server)
        for (handle, life) in [("sway:1", life), ("sway:999999", life), (one, life + "0")] {
            #expect(code { try windows.close(.handle(handle, server: life)) } == .windowGone)
        }
        try windows.close(.handle(one, server: life))
        #expect(eventually { (try? windows.presence(of: .handle(one, server: life))) == .gone })
        #expect(try windows.presence(of: .handle(two, server: life)) == .present)
    }

    @Test("a policy of raise shows a window beside what has the keyboard, and says where it cannot")
    func raise() throws {
        let server = try SwayServer(outputs: 2)
        let windows = server.windowSystem
        let raise = FocusPolicy(prominence: .raise)
        for title in ["one", "two", "three"] {
            try server.terminal(title)
            _ = try wait(for: title, in: windows)
        }
        let (one, two, three) = try (
            wait(for: "one", in: windows), wait(for: "two", in: windows), wait(for: "three", in: windows)
        )
        func focused(_ handle: String) -> Bool { server.focused == handle }
        // Seen already.
        _ = try windows.focus(.handle(one, server: nil))
        #expect(try windows.focus(FocusRequest(.handle(two, server: nil), policy: raise)).view == .shown)
        #expect(focused(one))
        // Put away: shown over the others.
        server.message("[title=two] move scratchpad")
        #expect(try windows.focus(FocusRequest(.handle(two, server: nil), policy: raise)).view == .shown)
        #expect(focused(one) && server.node(two)["visible"] as? Bool == true)
        // On a workspace that would take the place of this one.
        server.message("[title=three] move container to workspace hidden")
        #expect(eventually { server.node(three)["visible"] as? Bool == false })
        let hidden = try windows.focus(FocusRequest(.handle(three, server: nil), policy: raise))
        guard case .hidden(let seen) = hidden.view else {
            Issue.record("\(hidden.view)")
            return
        }
        #expect(seen.hasPrefix("one (\(one)) is in front, and the window's workspace"))
        #expect(focused(one) && server.node(three)["visible"] as? Bool == false)
        // On the other output, behind what is seen there: nothing stands against it.
        server.message("[title=three] move container to output right")
        server.message("[title=three] focus")
        server.message("workspace fresh")
        _ = try windows.focus(.handle(one, server: nil))
        #expect(eventually { focused(one) && server.node(three)["visible"] as? Bool == false })
        #expect(try windows.focus(FocusRequest(.handle(three, server: nil), policy: raise)).view == .shown)
        #expect(focused(one) && server.node(three)["visible"] as? Bool == true)
        // Summoned without the keyboard.
        let summon = FocusPolicy(prominence: .raise, placement: .summon)
        #expect(try windows.focus(FocusRequest(.handle(three, server: nil), policy: summon)).view == .shown)
        let list = try windows.windows().windows
        #expect(list.first { $0.handle == three }?.group == list.first { $0.handle == one }?.group)
        #expect(focused(one))
    }

    @Test("another tab in the same place, and a window that fills the screen, stand against a raise")
    func raiseObstacles() throws {
        let server = try SwayServer()
        let windows = server.windowSystem
        let raise = FocusPolicy(prominence: .raise)
        try server.terminal("one")
        let one = try wait(for: "one", in: windows)
        server.message("layout tabbed")
        try server.terminal("two")
        let two = try wait(for: "two", in: windows)
        #expect(eventually { server.focused == two })
        func seen() throws -> String {
            let view = try windows.focus(FocusRequest(.handle(one, server: nil), policy: raise)).view
            return if case .hidden(let seen) = view { seen } else { "\(view)" }
        }
        #expect(try seen() == "two (\(two)) is in front, and the window is another tab in the same place")
        server.message("layout splith")
        server.message("fullscreen enable")
        #expect(eventually { server.node(one)["visible"] as? Bool == false })
        #expect(try seen().contains("fills the screen"))
        #expect(server.focused == two && server.node(two)["fullscreen_mode"] as? Int == 1)
        // Focus itself ends it.
        #expect(try windows.focus(.handle(one, server: nil)).view == .shown)
        #expect(server.focused == one)
    }

    @Test("urgent marks it, none leaves it, summon brings it here")
    func policies() throws {
        let server = try SwayServer()
        let windows = server.windowSystem
        try server.terminal("far")
        let far = try wait(for: "far", in: windows)
        server.message("workspace here")
        try server.terminal("near")
        let near = try wait(for: "near", in: windows)
        #expect(eventually { server.focused == near })
        func focus(_ handle: String, _ policy: FocusPolicy) throws -> WindowSighting.View {
            try windows.focus(FocusRequest(.handle(handle, server: nil), policy: policy)).view
        }
        #expect(try focus(far, FocusPolicy(prominence: .none)) == .untouched)
        #expect(server.node(far)["urgent"] as? Bool == false)
        #expect(try focus(far, FocusPolicy(prominence: .urgent)) == .shown)
        #expect(server.node(far)["urgent"] as? Bool == true && server.focused == near)
        #expect(try focus(far, FocusPolicy(prominence: .urgent)) == .shown)
        // It has its user's attention already.
        #expect(try focus(near, FocusPolicy(prominence: .urgent)) == .shown)
        #expect(server.node(near)["urgent"] as? Bool == false)
        #expect(try focus(far, FocusPolicy(placement: .summon)) == .shown)
        #expect(server.focused == far)
        #expect(try windows.windows().windows.map(\.group) == ["here", "here"])
        server.message("move scratchpad")
        #expect(try windows.windows().windows.first { $0.handle == far }?.group == "scratchpad")
        #expect(try focus(far, FocusPolicy(placement: .summon)) == .shown)
        #expect(server.focused == far)
    }

    @Test("a stale socket path, none, and a compositor that hangs are clear errors")
    func stale() throws {
        let server = try SwayServer()
        let stale = SwayWindowSystem(environment: ["SWAYSOCK": "/tmp/usher-no-such/sway-ipc.1.2.sock"])
        #expect(message { _ = try stale.windows() }?.contains("it has ended") == true)
        #expect(stale.isAvailable && stale.isLeftOver)
        guard case .no(let reason) = stale.support[.list] else {
            Issue.record("a stale path is supported")
            return
        }
        #expect(reason.contains("it has ended"))
        let none = SwayWindowSystem(environment: [:])
        #expect(!none.isAvailable && none.watch { _ in } == nil)
        #expect(message { _ = try none.windows() }?.contains("no compositor is named") == true)
        let long = SwayWindowSystem(environment: ["SWAYSOCK": String(repeating: "/x", count: 200)])
        #expect(message { _ = try long.windows() }?.contains("cannot be used") == true)
        // What is left of a compositor that was killed, and no other runs.
        let windows = server.windowSystem
        #expect(try windows.windows().server != nil)
        kill(server.process, SIGSTOP)
        #expect(message { _ = try windows.windows() }?.contains("does not answer") == true)
        #expect(!windows.isLeftOver)
        kill(server.process, SIGCONT)
        #expect(eventually { (try? windows.windows()) != nil })
        kill(server.process, SIGKILL)
        #expect(eventually { message { _ = try windows.windows() }?.contains("it has ended") == true })
        #expect(FileManager.default.fileExists(atPath: server.socket))
        #expect(windows.isLeftOver)
        // Of another name it is that of one which may be started yet.
        #expect(!SwayWindowSystem(environment: ["SWAYSOCK": "/tmp/usher-no-such/sway.sock"]).isLeftOver)
    }

    @Test("another compositor in its place has other windows")
    func restart() throws {
        let server = try SwayServer()
        let windows = server.windowSystem
        try server.terminal("one")
        let one = try wait(for: "one", in: windows)
        let life = try #require(try windows.windows().server)
        server.stop()
        #expect(code { _ = try windows.focus(.handle(one, server: life)) } == .windowSystem)
        try server.start()
        // Found in place of the one that SWAYSOCK names.
        #expect(try windows.presence(of: .handle(one, server: life)) == .gone)
        #expect(code { _ = try windows.focus(.handle(one, server: life)) } == .windowGone)
        try server.terminal("two")
        let two = try wait(for: "two", in: windows)
        #expect(try windows.windows().server != life)
        #expect(try windows.focus(.handle(two, server: nil)).view == .shown)
    }

    @Test("fifty windows, each brought forward, side by side as well")
    func many() throws {
        let server = try SwayServer()
        let windows = server.windowSystem
        server.message("default_border none")
        for number in 1...50 {
            server.message("workspace \(number % 9 + 1)")
            try server.terminal("w\(number)")
        }
        #expect(try eventually(within: 180) { try windows.windows().windows.count == 50 })
        let handles = try windows.windows().windows.map(\.handle)
        #expect(Set(handles).count == 50)
        for handle in handles {
            #expect(try windows.focus(.handle(handle, server: nil)).view == .shown)
        }
        #expect(server.focused == handles.last)
        DispatchQueue.concurrentPerform(iterations: 20) { index in
            #expect(throws: Never.self) { try windows.focus(.handle(handles[index], server: nil)) }
        }
    }

    // MARK: - Looking

    func wait(for title: String, in windows: SwayWindowSystem) throws -> String {
        var handle: String?
        _ = eventually {
            handle = (try? windows.windows())?.windows.first { $0.title == title }?.handle
            return handle != nil
        }
        return try #require(handle)
    }

    private func code(_ body: () throws -> Void) -> DiagnosticCode? { failure(body)?.code }

    private func message(_ body: () throws -> Void) -> String? { failure(body)?.message }

    private func failure(_ body: () throws -> Void) -> ActivationFailure? {
        do {
            try body()
            return nil
        } catch { return error as? ActivationFailure }
    }
}
