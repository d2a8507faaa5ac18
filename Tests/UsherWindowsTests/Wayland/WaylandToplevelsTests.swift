import Foundation
import Synchronization
import TestSupport
import Testing
import UsherActivation
import UsherScene
import UsherSystem

@testable import UsherWindows

/// sway without its own socket: by `zwlr_foreign_toplevel_management_v1` alone.
@Suite("WaylandToplevels, on sway", .serialized)
struct WaylandToplevelsTests {
    private static func system(_ sway: SwayServer) throws -> ToplevelWindowSystem {
        try #require(.wlr(environment: sway.wayland))
    }

    private static func handle(_ title: String, in system: ToplevelWindowSystem) throws -> String {
        var found: String?
        _ = try eventually {
            found = try system.windows().windows.first { $0.title == title }?.handle
            return found != nil
        }
        return try #require(found)
    }

    @Test("windows of Wayland and of Xwayland are listed, each once")
    func list() throws {
        let sway = try SwayServer(xwayland: true)
        let system = try Self.system(sway)
        #expect(system.support.system == "wlr (sway)" && system.support[.verify] == .yes)
        #expect("\(system.support[.launch])".contains("import-environment SWAYSOCK"))
        try sway.terminal("near", ["-a", "org.example.near"])
        let near = try Self.handle("near", in: system)
        try sway.xterm("old")
        let old = try Self.handle("old", in: system)
        let list = try system.windows()
        #expect([near, old] == ["wlr:1", "wlr:2"] && list.windows.map(\.handle) == [near, old])
        #expect(list.windows.map(\.appID) == ["org.example.near", "XTerm"])
        #expect(list.windows.map(\.process) == [nil, nil] && list.windows.map(\.group) == ["", ""])
        #expect(
            eventually {
                (try? system.windows())?.windows.map(\.activation) == [.foregroundInactive, .foregroundActive]
            })
        #expect(list.server?.contains(":\(sway.process):") == true)
    }

    @Test(
        "a window comes forward from everywhere, others say so",
        arguments: ["beside", "workspace", "scratchpad", "tab"])
    func focus(place: String) throws {
        let sway = try SwayServer()
        let system = try Self.system(sway)
        try sway.terminal("wanted")
        let wanted = try Self.handle("wanted", in: system)
        let container = try #require(sway.windowSystem.windows().windows.first { $0.title == "wanted" }?.handle)
        if place == "tab" { sway.message("layout tabbed") }
        try sway.terminal("other")
        let other = try Self.handle("other", in: system)
        switch place {
        case "workspace": sway.message("[title=wanted] move container to workspace 7")
        case "scratchpad": sway.message("[title=wanted] move scratchpad")
        default: break
        }
        sway.message("[title=other] focus")
        #expect(eventually { sway.focused != container })
        let server = try system.windows().server
        let seen = try system.focus(.handle(wanted, server: server))
        #expect(seen.view == .shown && seen.front?.handle == wanted && seen.title == "wanted")
        #expect(sway.focused == container)
        let back = try system.focus(.handle(other, server: server))
        #expect(back.view == .shown && sway.focused != container)
    }

    @Test func windowIsClosed() throws {
        let sway = try SwayServer()
        let system = try Self.system(sway)
        try sway.terminal("wanted")
        let wanted = try Self.handle("wanted", in: system)
        try sway.terminal("other")
        let other = try Self.handle("other", in: system)
        let server = try system.windows().server
        try system.close(.handle(wanted, server: server))
        #expect(eventually { (try? system.presence(of: .handle(wanted, server: server))) == .gone })
        #expect(try system.presence(of: .handle(other, server: server)) == .present)
    }

    @Test("what the protocol has no request for is not called done, and not tried")
    func refused() throws {
        let sway = try SwayServer()
        let system = try Self.system(sway)
        try sway.terminal("wanted")
        let wanted = try Self.handle("wanted", in: system)
        try sway.terminal("other")
        let other = try Self.handle("other", in: system)
        #expect(eventually { (try? system.windows())?.windows.last?.activation == .foregroundActive })
        let before = sway.focused
        for policy in [
            FocusPolicy(prominence: .raise), FocusPolicy(prominence: .urgent),
            FocusPolicy(prominence: .focus, placement: .summon),
        ] {
            let seen = try system.focus(FocusRequest(.handle(wanted, server: nil), policy: policy))
            guard case .hidden(let words) = seen.view else {
                Issue.record("\(policy): \(seen.view)")
                continue
            }
            #expect(words.hasPrefix("other (\(other)) is in front") && words.contains("wlr has no request to"))
            #expect(sway.focused == before)
        }
        // It is here already, with the keyboard.
        let summon = FocusPolicy(prominence: .focus, placement: .summon)
        #expect(try system.focus(FocusRequest(.handle(other, server: nil), policy: summon)).view == .shown)
        #expect(
            try system.focus(FocusRequest(.handle(other, server: nil), policy: .init(prominence: .urgent))).view
                == .shown)
    }

    @Test("changes are heard of by events, through the end of sway and a new start")
    func watch() throws {
        let sway = try SwayServer()
        let system = try Self.system(sway)
        let told = Mutex<[WindowList]>([])
        let watch = system.watch { list in told.withLock { $0.append(list) } }
        defer { watch?.stop() }
        try sway.terminal("one")
        #expect(eventually { told.withLock { $0.last?.windows.map(\.title) } == ["one"] })
        let server = try system.windows().server
        let two = try sway.terminal("two")
        #expect(eventually { told.withLock { $0.last?.windows.map(\.title) } == ["one", "two"] })
        let handle = try Self.handle("two", in: system)
        two.end()
        #expect(eventually { told.withLock { $0.last?.windows.map(\.title) } == ["one"] })
        #expect(try system.presence(of: .handle(handle, server: server)) == .gone)
        #expect(throws: ActivationFailure.self) { try system.focus(.handle(handle, server: server)) }
        sway.stop()
        #expect(eventually { told.withLock { $0.last.map { $0.server == nil } } == true })
        #expect(try system.windows().server == nil)
        try sway.start()
        #expect(eventually { (try? system.windows().server) != nil })
        #expect(try system.windows().server != server)
    }

    @Test("a window that takes the front is reported; the close of the watched one is no loss")
    func loss() throws {
        let sway = try SwayServer()
        let system = try Self.system(sway)
        try sway.terminal("one")
        let one = try Self.handle("one", in: system)
        #expect(eventually { (try? system.windows())?.windows.first?.activation == .foregroundActive })
        #expect(try system.frontLoss(of: one, until: Deadline(inMilliseconds: 1)) == nil)
        try sway.terminal("thief")
        let loss = try system.frontLoss(of: one, until: Deadline(inMilliseconds: 20_000))
        #expect(loss?.seen.hasPrefix("thief (wlr:2)") == true)
    }

    @Test("a handle means nothing on another connection")
    func connections() throws {
        let sway = try SwayServer()
        let (one, other) = (try Self.system(sway), try Self.system(sway))
        try sway.terminal("window")
        let handle = try Self.handle("window", in: one)
        #expect(try Self.handle("window", in: other) == handle)
        let server = try one.windows().server
        #expect(try other.windows().server != server)
        #expect(try one.presence(of: .handle(handle, server: server)) == .present)
        // The window is there, and which one it is cannot be known.
        #expect(try other.presence(of: .handle(handle, server: server)) == .forgotten)
        #expect(try other.presence(of: .handle(handle, server: "another compositor/1")) == .gone)
        #expect(throws: ActivationFailure.self) { try other.focus(.handle(handle, server: server)) }
    }

    @Test("a hundred titles a second do no harm to a hundred lists")
    func load() throws {
        let sway = try SwayServer()
        let system = try Self.system(sway)
        try sway.terminal(
            "storm",
            command: ["sh", "-c", "i=0; while :; do i=$((i+1)); printf '\\033]0;storm %s\\007' $i; sleep 0.01; done"])
        #expect(eventually { (try? system.windows())?.windows.first?.title.hasPrefix("storm") == true })
        for _ in 0..<100 { #expect(try system.windows().windows.count == 1) }
    }
}

/// A compositor with `ext_foreign_toplevel_list_v1` alone, by its specification (wayland-protocols, staging).
private func listingCompositor() throws -> ScriptedServer {
    @Sendable func window(_ object: UInt32, _ id: String, _ title: String) -> [UInt8] {
        Wire.message(5, 0, Wire.words([object])) + Wire.message(object, 4, Wire.text(id))
            + Wire.message(object, 2, Wire.text(title))
            + Wire.message(object, 3, Wire.text("org.example")) + Wire.message(object, 1)
    }
    return try ScriptedServer { client in
        var received: [UInt8] = []
        while true {
            let more = client.receive()
            if more.isEmpty { return }
            received += more
            while received.count >= 8 {
                let numbers = received.withUnsafeBytes { raw in
                    stride(from: 0, to: raw.count - 3, by: 4).map {
                        raw.loadUnaligned(fromByteOffset: $0, as: UInt32.self)
                    }
                }
                let length = Int(numbers[1] >> 16)
                guard received.count >= length else { break }
                received.removeFirst(length)
                switch (numbers[0], numbers[1] & 0xFFFF) {
                // get_registry; bind: a seat is 4, the list 5.
                case (1, 1):
                    client.send(
                        Wire.global("ext_foreign_toplevel_list_v1", number: 7)
                            + Wire.global("wl_seat", number: 3, version: 9))
                case (1, 0):
                    client.send(
                        Wire.message(numbers[2], 0, Wire.words([0])) + Wire.message(1, 1, Wire.words([numbers[2]])))
                case (2, 0) where numbers[2] == 7:
                    client.send(window(0xFF00_0000, "a1b2", "One") + window(0xFF00_0001, "c3d4", "Two"))
                default: break
                }
            }
        }
    }
}

@Suite("WaylandToplevels, by the specification")
struct ListedToplevelsTests {
    @Test("a compositor that only lists: windows are known by name, and none is brought forward")
    func list() throws {
        let compositor = try listingCompositor()
        let environment = ["WAYLAND_DISPLAY": compositor.path]
        let system = try #require(ToplevelWindowSystem.wlr(environment: environment))
        let list = try system.windows()
        #expect(list.windows.map(\.handle) == ["wlr:a1b2", "wlr:c3d4"] && list.windows.map(\.title) == ["One", "Two"])
        #expect(list.windows.map(\.appID) == ["org.example", "org.example"])
        let seen = try system.focus(.handle("wlr:a1b2", server: list.server))
        #expect(
            seen.view
                == .hidden(
                    seen:
                        "the compositor does not report which window has the keyboard, and wlr has no request to focus a window"
                ))
        #expect(try system.isFrontFullscreen() == nil)
        #expect(system.support[.list] == .yes && system.support[.focus] != .yes && system.support[.verify] != .yes)
        // The names are those of the compositor: another connection knows them.
        let other = try #require(ToplevelWindowSystem.wlr(environment: environment))
        #expect(try other.presence(of: .handle("wlr:c3d4", server: list.server)) == .present)
    }
}
