import Foundation
import Testing
import UsherActivation
import UsherScene

@testable import UsherWindows

@Suite("X11WindowSystem", .serialized)
struct X11WindowSystemTests {
    @Test(
        "handles",
        arguments: [
            ("x11:0x1400007", 0x140_0007), ("x11:0xFFFFFFFF", 0xFFFF_FFFF), ("x11:0x0", nil), ("x11:0x", nil),
            ("x11:0x100000000", nil), ("x11:0x+1", nil), ("x11:0x-1", nil), ("x11:12", nil), ("@3", nil), ("", nil),
        ] as [(String, UInt32?)])
    func handles(text: String, window: UInt32?) {
        #expect(X11Handle(text)?.window == window)
    }

    @Test("windows are listed with title, desktop and server, and found by process")
    func list() throws {
        let server = try XServer()
        let windows = server.windowSystem
        let near = try server.terminal("néar")
        _ = try wait(for: "néar", in: windows)
        try server.terminal("far away")
        let far = try wait(for: "far away", in: windows)
        let list = try windows.windows()
        #expect(list.windows.map(\.title) == ["néar", "far away"])
        #expect(list.windows.map(\.group) == ["desktop 1", "desktop 3"])
        #expect(list.server?.hasPrefix(server.display + "/") == true)
        // Another connection sees the same life of the server.
        #expect(try server.windowSystem.windows().server == list.server)

        let found = try #require(try windows.find(processes: [1, near.process]))
        #expect(found.title == "néar" && found.process == near.process)
        #expect(try windows.find(processes: [1]) == nil)
        #expect(try windows.presence(of: .handle(far, server: list.server)) == .present)
        #expect(try windows.presence(of: .handle(far, server: "another")) == .gone)
        #expect(try windows.presence(of: .handle("x11:0x7", server: nil)) == .gone)
    }

    @Test(
        "a window comes forward wherever it is, and is read back",
        arguments: [
            ("behind", [], "Normal"), ("minimised", ["-iconic"], "Iconic"), ("far behind", [], ""),
        ] as [(String, [String], String)])
    func focus(title: String, options: [String], state: String) throws {
        let server = try XServer()
        let windows = server.windowSystem
        try server.terminal(title, options)
        let wanted = try wait(for: title, in: windows)
        try server.terminal("other")
        let other = try wait(for: "other", in: windows)
        // The start: the other one is in front.
        let first = try windows.focus(.handle(other, server: nil))
        #expect(first.view == .shown)
        #expect(eventually { state.isEmpty || server.property("WM_STATE", of: wanted).contains(state) })
        #expect(!isActive(wanted, on: server))

        let sighting = try windows.focus(.handle(wanted, server: first.server))
        #expect(sighting.view == .shown)
        #expect(sighting.handle == wanted && sighting.title == title && sighting.server == first.server)
        #expect(isActive(wanted, on: server))
        #expect(server.root("_NET_CURRENT_DESKTOP").hasSuffix(title.hasPrefix("far") ? "= 2" : "= 0"))
        // Once more, where nothing is to be done, and back.
        #expect(try windows.focus(.handle(wanted, server: nil)).view == .shown)
        #expect(try windows.focus(.handle(other, server: nil)).view == .shown)
        #expect(isActive(other, on: server))
    }

    @Test("a window that was closed is gone, and the others are not")
    func closed() throws {
        let server = try XServer()
        let windows = server.windowSystem
        let program = try server.terminal("one")
        let one = try wait(for: "one", in: windows)
        try server.terminal("two")
        let two = try wait(for: "two", in: windows)
        program.end()
        _ = eventually { (try? windows.presence(of: .handle(one, server: nil))) == .gone }
        #expect(code { _ = try windows.focus(.handle(one, server: nil)) } == .windowGone)
        #expect(try windows.focus(.handle(two, server: nil)).view == .shown)
    }

    @Test("what is not heeded is said, with what is seen instead")
    func unheeded() throws {
        let server = try XServer()
        let windows = server.windowSystem
        try server.terminal("one")
        let one = try wait(for: "one", in: windows)
        // A part of no window manager's list: it is there, and nobody brings it forward.
        let root = server.root("_NET_SUPPORTING_WM_CHECK").split(separator: " ").last.map(String.init) ?? ""
        #expect(try windows.focus(.handle(one, server: nil)).view == .shown)
        let sighting = try windows.focus(.handle("x11:" + root, server: nil))
        #expect(sighting.view == .hidden(seen: "one (\(one)) is in front"))
    }

    @Test("a server that is gone is an error, and another in its place has other windows")
    func restart() throws {
        let server = try XServer()
        let windows = server.windowSystem
        try server.terminal("one")
        let one = try wait(for: "one", in: windows)
        let life = try #require(try windows.windows().server)
        server.stop()
        #expect(code { _ = try windows.focus(.handle(one, server: life)) } == .windowSystem)
        #expect(code { _ = try windows.windows() } == .windowSystem)

        try server.start()
        #expect(try windows.presence(of: .handle(one, server: life)) == .gone)
        #expect(code { _ = try windows.focus(.handle(one, server: life)) } == .windowGone)
        try server.terminal("two")
        let two = try wait(for: "two", in: windows)
        #expect(try windows.windows().server != life)
        #expect(try windows.focus(.handle(two, server: nil)).view == .shown)
    }

    @Test("without a window manager that is said")
    func noWindowManager() throws {
        let server = try XServer(windowManager: false)
        let windows = server.windowSystem
        #expect(try windows.windows().windows.isEmpty)
        let failure = #expect(throws: ActivationFailure.self) {
            try windows.focus(.handle("x11:0x400001", server: nil))
        }
        #expect(failure?.code == .windowSystem)
        #expect(failure?.message.contains("no window manager") == true)
    }

    @Test("fifty windows, each brought forward, by two threads as well")
    func many() throws {
        let server = try XServer()
        let windows = server.windowSystem
        for number in 1...50 { try server.terminal("w\(number)", ["-geometry", "10x2"]) }
        _ = try eventually(within: 120) { try windows.windows().windows.count == 50 }
        let handles = try windows.windows().windows.map(\.handle)
        #expect(Set(handles).count == 50)
        for handle in handles {
            #expect(try windows.focus(.handle(handle, server: nil)).view == .shown)
        }
        // Side by side they take turns: each is in front when its call says so, and none is lost.
        DispatchQueue.concurrentPerform(iterations: 20) { index in
            let sighting = try? windows.focus(.handle(handles[index], server: nil))
            #expect(sighting?.view == .shown)
        }
    }

    // MARK: - Looking

    private func wait(for title: String, in windows: X11WindowSystem) throws -> String {
        var handle: String?
        _ = eventually {
            handle = (try? windows.windows())?.windows.first { $0.title == title }?.handle
            return handle != nil
        }
        return try #require(handle)
    }

    private func isActive(_ handle: String, on server: XServer) -> Bool {
        server.root("_NET_ACTIVE_WINDOW").hasSuffix("# " + handle.dropFirst(4))
    }

    private func code(_ body: () throws -> Void) -> DiagnosticCode? {
        do {
            try body()
            return nil
        } catch { return (error as? ActivationFailure)?.code }
    }
}
