import Foundation
import Synchronization
import TestSupport
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

    @Test("windows are listed with all that is known of them, and found by process", arguments: WindowManager.allCases)
    func list(manager: WindowManager) throws {
        let server = try XServer(manager)
        let windows = server.windowSystem
        let program = try server.terminal("néar", ["-class", "Term", "-name", "term"])
        let near = try server.window("néar")
        try server.terminal("far away")
        let far = try server.window("far away").handle
        _ = try windows.focus(.handle(near.handle, server: nil))
        let list = try windows.windows()
        #expect(list.windows.map(\.title) == ["néar", "far away"])
        #expect(list.windows.map(\.group) == (manager == .i3 ? ["1", "3"] : ["desktop 1", "desktop 3"]))
        #expect(list.windows.map(\.windowClass) == ["Term", "XTerm"])
        #expect(list.windows.map(\.instance) == ["term", "xterm"])
        #expect(list.windows.first?.process == program.process)
        #expect(list.windows.map(\.activation) == [.foregroundActive, .background])
        #expect(list.server?.hasPrefix(server.display + "/") == true)
        // Another connection sees the same life of the server.
        #expect(try server.windowSystem.windows().server == list.server)

        let found = try #require(try windows.find(processes: [1, program.process]))
        #expect(found.title == "néar" && found.process == program.process && found.view == .shown)
        #expect(try windows.find(processes: [1]) == nil)
        #expect(try windows.presence(of: .handle(far, server: list.server)) == .present)
        #expect(try windows.presence(of: .handle(far, server: "another")) == .gone)
        #expect(try windows.presence(of: .handle("x11:0x7", server: nil)) == .gone)

        try server.terminal("beside")
        let beside = try server.window("beside").handle
        _ = try windows.focus(.handle(near.handle, server: nil))
        #expect(try activation(of: beside, windows) == .foregroundInactive)
        server.say("xdotool", ["windowminimize", String(beside.dropFirst(4))])
        if manager == .openbox { #expect(try eventually { try activation(of: beside, windows) == .background }) }
    }

    @Test("the startup id is read from the window, or from the one that leads it", arguments: [false, true])
    func startupID(isLeader: Bool) throws {
        let server = try XServer()
        try server.client("windows", "w", "2")
        let (first, second) = (try server.window("w 1").handle, try server.window("w 2").handle)
        let token = try #require(server.windowSystem.startupToken(nonce: "7ab"))
        #expect(token.hasPrefix("usher-7ab_TIME"))
        #expect(UInt32(token.dropFirst("usher-7ab_TIME".count)) != nil)
        func set(_ handle: String, _ format: String, _ name: String, _ value: String) {
            server.say("xprop", ["-id", String(handle.dropFirst(4)), "-f", name, format, "-set", name, value])
        }
        set(isLeader ? second : first, "8u", "_NET_STARTUP_ID", token)
        if isLeader { set(first, "32x", "WM_CLIENT_LEADER", String(second.dropFirst(4))) }
        let list = try server.windowSystem.windows()
        #expect(list.windows.first { $0.handle == first }?.startupID == token)
    }

    @Test(
        "a window comes forward wherever it is, and is read back",
        arguments: [
            (.openbox, "behind", "", [], "Normal"), (.openbox, "minimised", "", ["-iconic"], "Iconic"),
            (.openbox, "far behind", "", [], ""), (.openbox, "under fullscreen", "", [], ""),
            (.i3, "beside", "urgent", [], ""), (.i3, "far behind", "none", [], ""), (.i3, "far", "smart", [], ""),
            (.i3, "scratchpad", "urgent", [], ""), (.i3, "scratchpad", "none", [], ""),
            (.i3, "tabbed", "none", [], ""), (.i3, "under fullscreen", "urgent", [], ""),
        ] as [(WindowManager, String, String, [String], String)])
    func focus(manager: WindowManager, title: String, activation: String, options: [String], state: String) throws {
        let setting = manager == .i3 ? "focus_on_window_activation \(activation)\n" : ""
        let server = try XServer(manager, configuration: setting)
        let windows = server.windowSystem
        try server.terminal(title, options)
        let wanted = try server.window(title).handle
        try server.terminal("other", title.hasSuffix("fullscreen") ? ["-fullscreen"] : [])
        let other = try server.window("other").handle
        let id = "[id=\(wanted.dropFirst(4))]"
        if title == "scratchpad" { server.i3(id, "move", "scratchpad") }
        if title == "tabbed" { server.i3(id, "layout", "tabbed") }
        // The start: the other one is in front.
        let first = try windows.focus(.handle(other, server: nil))
        #expect(first.view == .shown)
        #expect(eventually { state.isEmpty || server.property("WM_STATE", of: wanted).contains(state) })
        #expect(!server.isActive(wanted))

        let own = try windows.server(of: wanted)
        #expect(try WindowServer.isSameLife(first.server, #require(own)))
        let sighting = try windows.focus(.handle(wanted, server: own))
        #expect(sighting.view == .shown)
        #expect(sighting.handle == wanted && sighting.title == title && sighting.server == own)
        #expect(server.isActive(wanted))
        #expect(try windows.windows().windows.first { $0.handle == wanted }?.activation == .foregroundActive)
        if manager == .openbox {
            #expect(server.root("_NET_CURRENT_DESKTOP").hasSuffix(title.hasPrefix("far") ? "= 2" : "= 0"))
        }
        // Once more, where nothing is to be done, and back.
        #expect(try windows.focus(.handle(wanted, server: nil)).view == .shown)
        #expect(try windows.focus(.handle(other, server: nil)).view == .shown)
        #expect(server.isActive(other))
    }

    @Test("summoned, a window comes to its user", arguments: WindowManager.allCases)
    func summon(manager: WindowManager) throws {
        let server = try XServer(manager)
        let windows = server.windowSystem
        try server.terminal("far")
        let far = try server.window("far")
        try server.terminal("other")
        let other = try server.window("other")
        #expect(try windows.focus(.handle(other.handle, server: nil)).view == .shown)
        let policy = FocusPolicy(placement: .summon)
        #expect(try windows.focus(FocusRequest(.handle(far.handle, server: nil), policy: policy)).view == .shown)
        #expect(server.isActive(far.handle))
        #expect(server.root("_NET_CURRENT_DESKTOP").hasSuffix("= 0"))
        #expect(try windows.windows().windows.first { $0.handle == far.handle }?.group == other.group)
    }

    @Test(
        "less than the keyboard: the other window keeps it",
        arguments: [
            (.openbox, "near", .raise, .shown), (.openbox, "near", .urgent, .shown),
            (.openbox, "near", FocusPolicy.Prominence.none, .untouched), (.openbox, "far", .urgent, .shown),
            (.openbox, "far", .raise, .hidden(seen: "")), (.i3, "near", .raise, .shown), (.i3, "near", .urgent, .shown),
            (.i3, "far", .urgent, .shown), (.i3, "far", .raise, .hidden(seen: "")),
            (.i3, "near", FocusPolicy.Prominence.none, .untouched),
        ] as [(WindowManager, String, FocusPolicy.Prominence, WindowSighting.View)])
    func less(
        manager: WindowManager, title: String, prominence: FocusPolicy.Prominence, view: WindowSighting.View
    ) throws {
        let server = try XServer(manager)
        // i3 forgets a workspace that is empty.
        try server.terminal("stays")
        _ = try server.window("stays")
        try server.terminal(title)
        let wanted = try server.window(title).handle
        // A window that opens on another desktop is marked until it is seen.
        #expect(try server.windowSystem.focus(.handle(wanted, server: nil)).view == .shown)
        server.say("xdotool", ["set_desktop", "0"])
        try server.terminal("other")
        let other = try server.window("other").handle
        #expect(try server.windowSystem.focus(.handle(other, server: nil)).view == .shown)
        let windows = if case .hidden = view { server.hasty } else { server.windowSystem }
        for _ in 1...2 {
            let sighting = try windows.focus(
                FocusRequest(.handle(wanted, server: nil), policy: FocusPolicy(prominence: prominence)))
            if case .hidden = view {
                #expect(sighting.view == .hidden(seen: "other (\(other)) is in front"))
            } else {
                #expect(sighting.view == view)
            }
            #expect(server.isActive(other))
        }
        let isMarked =
            manager == .i3
            ? server.i3("-t", "get_tree").contains("\"urgent\":true")
            : server.property("_NET_WM_STATE", of: wanted).contains("DEMANDS_ATTENTION")
        // i3 may leave the mark of its opening on a window that was looked at for a moment only.
        #expect(isMarked == (prominence == .urgent) || (title == "far" && manager == .i3))
        if manager == .openbox, prominence != .urgent {
            let top = prominence == .raise && title == "near" ? wanted : other
            #expect(server.root("_NET_CLIENT_LIST_STACKING").hasSuffix(top.dropFirst(4)) || title == "far")
        }
    }

    @Test("a user who types keeps the keyboard; a moving pointer is no typing", arguments: WindowManager.allCases)
    func typing(manager: WindowManager) throws {
        let server = try XServer(manager)
        let windows = server.windowSystem
        try server.terminal("wanted")
        let wanted = try server.window("wanted").handle
        try server.terminal("other")
        let other = try server.window("other").handle
        #expect(try windows.focus(.handle(other, server: nil)).view == .shown)
        let request = FocusRequest(.handle(wanted, server: nil), policy: FocusPolicy(whileTyping: .urgent))
        // A busy machine may take longer than a writer's pause.
        var seen: WindowSighting?
        for _ in 0..<10 where seen?.sparedTyping != true {
            #expect(try windows.focus(.handle(other, server: nil)).view == .shown)
            server.say("xdotool", ["key", "a"])
            seen = try windows.focus(request)
        }
        #expect(seen?.sparedTyping == true && seen?.view == .shown)
        #expect(server.isActive(other))

        usleep(1_600_000)
        server.say("xdotool", ["mousemove", "7", "7"])
        let sighting = try windows.focus(request)
        #expect(!sighting.sparedTyping && sighting.view == .shown)
        #expect(server.isActive(wanted))
        // In the window itself the user is not disturbed.
        server.say("xdotool", ["key", "a"])
        #expect(try !windows.focus(request).sparedTyping)
    }

    @Test("a window that was closed is gone, and the others are not", arguments: WindowManager.allCases)
    func closed(manager: WindowManager) throws {
        let server = try XServer(manager)
        let windows = server.windowSystem
        let program = try server.terminal("one")
        let one = try server.window("one").handle
        try server.terminal("two")
        let two = try server.window("two").handle
        program.end()
        #expect(eventually { (try? windows.presence(of: .handle(one, server: nil))) == .gone })
        for prominence in FocusPolicy.Prominence.allCases {
            let policy = FocusPolicy(prominence: prominence)
            #expect(
                code { _ = try windows.focus(FocusRequest(.handle(one, server: nil), policy: policy)) } == .windowGone)
        }
        #expect(try windows.focus(.handle(two, server: nil)).view == .shown)
    }

    @Test("a window is closed by its window manager, and the others are not", arguments: WindowManager.allCases)
    func close(manager: WindowManager) throws {
        let server = try XServer(manager)
        let windows = server.windowSystem
        try server.terminal("one")
        let one = try server.window("one").handle
        try server.terminal("two")
        let two = try server.window("two").handle
        let life = try windows.windows().server
        #expect(code { try windows.close(.handle(one, server: "another")) } == .windowGone)
        try windows.close(.handle(one, server: life))
        #expect(eventually { (try? windows.presence(of: .handle(one, server: life))) == .gone })
        #expect(try windows.presence(of: .handle(two, server: life)) == .present)
        #expect(code { try windows.close(.handle(one, server: life)) } == .windowGone)
    }

    @Test("a window that got the number of one that was closed is another one", arguments: WindowManager.allCases)
    func numberGivenAnew(manager: WindowManager) throws {
        let server = try XServer(manager)
        let windows = server.windowSystem
        let told = Mutex<[WindowList]>([])
        let watch = try #require(windows.watch { list in told.withLock { $0.append(list) } })
        defer { watch.stop() }
        func watched(_ title: String) -> WindowList.Window? {
            told.withLock { $0.last?.windows.first { $0.title == title } }
        }
        let program = try server.terminal("one")
        let one = try server.window("one")
        #expect(eventually { watched("one")?.server == one.server })
        // What is asked now has a connection already, and takes no number.
        #expect(try windows.presence(of: .handle(one.handle, server: one.server)) == .present)
        program.end()
        #expect(eventually { (try? windows.presence(of: .handle(one.handle, server: nil))) == .gone })
        // The server gives the lowest number that is free, and a short-lived client of the window manager may have it.
        func opened() -> WindowList.Window? { (try? windows.windows())?.windows.first { $0.title == "two" } }
        var second = try server.terminal("two")
        #expect(eventually { opened() != nil })
        for _ in 0..<20 {
            guard let passing = opened(), passing.handle != one.handle else { break }
            second.end()
            #expect(eventually { opened() == nil })
            second = try server.terminal("two")
            #expect(eventually { opened() != nil })
        }
        let two = try #require(opened())
        #expect(eventually { watched("two")?.handle == two.handle })
        try #require(two.handle == one.handle)
        #expect(two.server != one.server && two.process != one.process)
        #expect(try windows.server(of: one.handle) == two.server)
        #expect(eventually { watched("two")?.server == two.server && watched("one") == nil })

        #expect(try windows.presence(of: .handle(one.handle, server: one.server)) == .gone)
        #expect(try windows.presence(of: .handle(two.handle, server: two.server)) == .present)
        #expect(code { _ = try windows.focus(.handle(one.handle, server: one.server)) } == .windowGone)
        let seen = try windows.focus(.handle(two.handle, server: two.server))
        #expect(seen.view == .shown && seen.server == two.server)
        // Noted by an earlier version.
        let life = try windows.windows().server
        // However the display is written.
        let other = X11WindowSystem(environment: ["DISPLAY": server.display + ".0"])
        #expect(try other.server(of: two.handle) == two.server)
        #expect(try windows.focus(.handle(two.handle, server: life)).server == two.server)
        // Its changes are reported as well: its title, and its end.
        server.say("xdotool", ["set_window", "--name", "three", String(two.handle.dropFirst(4))])
        #expect(eventually { watched("three")?.server == two.server })
    }

    @Test("what is not heeded is said, with what is seen instead")
    func unheeded() throws {
        let server = try XServer()
        let windows = server.hasty
        try server.terminal("one")
        let one = try server.window("one").handle
        // In no list of a window manager: the window exists, and cannot be brought forward.
        let root = server.root("_NET_SUPPORTING_WM_CHECK").split(separator: " ").last.map(String.init) ?? ""
        #expect(try server.windowSystem.focus(.handle(one, server: nil)).view == .shown)
        let sighting = try windows.focus(.handle("x11:" + root, server: nil))
        #expect(sighting.view == .hidden(seen: "one (\(one)) is in front"))
    }

    /// i3 gives such a window the keyboard all the same.
    @Test("a window that does not take the keyboard does not have it")
    func deaf() throws {
        let server = try XServer()
        try server.terminal("one")
        let one = try server.window("one").handle
        try server.client("deaf", "deaf")
        let deaf = try server.window("deaf").handle
        #expect(try server.windowSystem.focus(.handle(one, server: nil)).view == .shown)
        let sighting = try server.hasty.focus(.handle(deaf, server: nil))
        guard case .hidden = sighting.view else {
            Issue.record("it takes no keyboard, and was \(sighting.view)")
            return
        }
        #expect(try server.windowSystem.focus(.handle(one, server: nil)).view == .shown)
    }

    @Test("a window that does not come forward does not delay other requests")
    func patience() throws {
        let server = try XServer()
        let windows = X11WindowSystem(environment: ["DISPLAY": server.display], focusLimit: 10_000)
        try server.terminal("one")
        let one = try server.window("one").handle
        try server.client("deaf", "deaf")
        let deaf = try server.window("deaf").handle
        #expect(try windows.focus(.handle(one, server: nil)).view == .shown)
        let end = Mutex<WindowSighting.View?>(nil)
        let begun = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            // Ten seconds.
            ThreadWaits.whenCallerWaits { begun.signal() }
            let sighting = try? windows.focus(.handle(deaf, server: nil))
            end.withLock { $0 = sighting?.view ?? .untouched }
        }
        begun.wait()
        for _ in 1...5 {
            #expect(try windows.windows().windows.count == 2)
            #expect(try windows.presence(of: .handle(one, server: nil)) == .present)
            #expect(try windows.focus(.handle(one, server: nil)).view == .shown)
        }
        #expect(end.withLock { $0 } == nil)
        server.stop()
        #expect(eventually { end.withLock { $0 } != nil })
    }

    @Test("a server that is gone is an error, and another in its place has other windows")
    func restart() throws {
        let server = try XServer()
        let windows = server.windowSystem
        try server.terminal("one")
        let one = try server.window("one").handle
        let life = try #require(try windows.windows().server)
        server.stop()
        #expect(code { _ = try windows.focus(.handle(one, server: life)) } == .windowSystem)
        #expect(code { _ = try windows.windows() } == .windowSystem)

        try server.start()
        #expect(try windows.presence(of: .handle(one, server: life)) == .gone)
        #expect(code { _ = try windows.focus(.handle(one, server: life)) } == .windowGone)
        try server.terminal("two")
        let two = try server.window("two").handle
        #expect(try windows.windows().server != life)
        #expect(try windows.focus(.handle(two, server: nil)).view == .shown)
    }

    @Test("a server that hangs is given up, and used again when it answers")
    func hung() throws {
        let server = try XServer()
        let windows = server.windowSystem
        try server.terminal("one")
        let one = try server.window("one").handle
        _ = try windows.windows()
        server.pause()
        defer { server.resume() }
        // On the connection that there was, and on a new one.
        #expect(code { _ = try windows.focus(.handle(one, server: nil)) } == .windowSystem)
        #expect(code { _ = try windows.windows() } == .windowSystem)
        server.resume()
        #expect(try windows.focus(.handle(one, server: nil)).view == .shown)
    }

    @Test("without a window manager that is said")
    func noWindowManager() throws {
        let server = try XServer(nil)
        let windows = server.windowSystem
        #expect(try windows.windows().windows.isEmpty)
        let failure = #expect(throws: ActivationFailure.self) {
            try windows.focus(.handle("x11:0x400001", server: nil))
        }
        #expect(failure?.code == .windowSystem)
        #expect(failure?.message.contains("no window manager") == true)
        #expect(windows.support.system == "x11")
        for ability in [WindowSupport.Ability.list, .focus, .verify, .watch, .launch] {
            #expect(windows.support[ability] == .no("no window manager that speaks EWMH runs on \(server.display)"))
        }
    }

    @Test("what serves and what it can do is known", arguments: WindowManager.allCases)
    func support(manager: WindowManager) throws {
        let server = try XServer(manager)
        #expect(server.windowSystem.support.system == "x11 (\(manager.rawValue))")
        for ability in WindowSupport.Ability.allCases { #expect(server.windowSystem.support[ability] == .yes) }
        server.stop()
        guard case .no(let reason) = server.windowSystem.support[.focus] else {
            Issue.record("a server that is gone brings nothing forward")
            return
        }
        #expect(reason.contains("no X server answers at \(server.display)"))
    }

    @Test("the key to the server is in the file that the environment names", arguments: [true, false])
    func authority(isNamed: Bool) throws {
        let folder = FileManager.default.temporaryDirectory.path + "/usher-x11-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func field(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes }
        // For every server: of any family, without a number.
        let cookie = (0..<16).map { _ in UInt8.random(in: 0...255) }
        let entry = [0xFF, 0xFF] + field([]) + field([]) + field(Array("MIT-MAGIC-COOKIE-1".utf8)) + field(cookie)
        try Data(entry).write(to: URL(fileURLWithPath: folder + "/key"))
        let server = try XServer(nil, options: ["-auth", folder + "/key"])
        var environment = ["DISPLAY": server.display, "HOME": "/nowhere"]
        if isNamed { environment["XAUTHORITY"] = folder + "/key" }
        let windows = X11WindowSystem(environment: environment)
        if isNamed {
            #expect(try windows.windows().server != nil)
        } else {
            #expect(code { _ = try windows.windows() } == .windowSystem)
        }
    }

    @Test(
        "displays",
        arguments: [
            (":0", 0, 0), (":12.1", 12, 1), ("unix:3", 3, 0), ("", nil, 0), ("0", nil, 0), (":", nil, 0),
            (":x", nil, 0),
            (":99999999999999", nil, 0), ("\0:1", nil, 0),
        ] as [(String, Int32?, Int32)])
    func displays(text: String, number: Int32?, screen: Int32) {
        let display = X11Display(text)
        #expect(display?.number == number)
        if number != nil { #expect(display?.screen == screen && display?.isLocal == true) }
        // Nothing answers there, and nothing breaks.
        if number == nil {
            #expect(throws: ActivationFailure.self) { try X11WindowSystem(environment: ["DISPLAY": text]).windows() }
        }
    }

    @Test(
        "broken authority files have no key",
        arguments: [[], [1], [1, 0, 0], [0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 1]])
    func brokenAuthority(bytes: [UInt8]) throws {
        let display = try #require(X11Display(":0"))
        #expect(X11Authority.cookie(in: bytes, for: display, peer: []) == nil)
    }

    @Test("fifty windows, each brought forward, by two threads as well", arguments: WindowManager.allCases)
    func many(manager: WindowManager) throws {
        let server = try XServer(manager, configuration: "workspace_layout tabbed\n")
        let windows = server.windowSystem
        try server.client("windows", "w", "50")
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

    @Test("five hundred windows")
    func fiveHundred() throws {
        let server = try XServer()
        let windows = server.windowSystem
        try server.client("windows", "w", "500")
        _ = try eventually(within: 120) { try windows.windows().windows.count == 500 }
        let list = try windows.windows()
        #expect(list.windows.allSatisfy { $0.windowClass == "Client" && $0.process != nil })
        for place in [0, 250, 499] {
            #expect(try windows.focus(.handle(list.windows[place].handle, server: list.server)).view == .shown)
        }
        let start = Date()
        for _ in 0..<5 { _ = try windows.windows() }
        print("500 windows listed in \(Date().timeIntervalSince(start) / 5 * 1000) ms")
    }

    // MARK: - Looking

    private func activation(of handle: String, _ windows: X11WindowSystem) throws -> ActivationState? {
        try windows.windows().windows.first { $0.handle == handle }?.activation
    }

    private func code(_ body: () throws -> Void) -> DiagnosticCode? {
        do {
            try body()
            return nil
        } catch { return (error as? ActivationFailure)?.code }
    }
}
