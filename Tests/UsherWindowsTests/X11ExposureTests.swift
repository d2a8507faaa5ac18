import Glibc
import TestSupport
import Testing
import UsherScene

@testable import UsherActivation
@testable import UsherWindows

/// Each window that is not to count has a twin that counts.
@Suite("How much of a window of X11 is seen", .serialized)
struct X11ExposureTests {
    /// What a focus reads back, as soon as that is so.
    private func exposure(
        of title: String, on server: XServer, where holds: (WindowExposure) -> Bool
    ) throws -> WindowExposure {
        let window = try server.window(title)
        var seen: WindowExposure?
        _ = try eventually {
            seen = try server.windowSystem.focus(.init(.handle(window.handle, server: nil))).exposure
            return seen.map(holds) ?? false
        }
        return try #require(seen)
    }

    private func awaitCover(_ name: String, on server: XServer) throws {
        try waitUntil("\(name) is shown") { server.say("xwininfo", ["-name", name]).contains("IsViewable") }
    }

    @Test("a window alone is seen whole", arguments: WindowManager.allCases)
    func alone(manager: WindowManager) throws {
        let server = try XServer(manager)
        try server.terminal("it")
        #expect(
            try exposure(of: "it", on: server) { $0.covered == 0 } == WindowExposure(offScreen: 0, covered: 0))
    }

    @Test("a window that no window manager sees covers it", arguments: WindowManager.allCases)
    func covered(manager: WindowManager) throws {
        let server = try XServer(manager)
        try server.terminal("it")
        _ = try server.window("it")
        try server.client("cover", "over", "0,0,640,480")
        let exposure = try exposure(of: "it", on: server) { $0.isCovered }
        #expect(exposure == WindowExposure(offScreen: 0, covered: 1))
    }

    @Test(
        "only the part that is above counts, and only its shape",
        arguments: [
            ("0,0,160,480", "input=100", 0.25), ("0,0,640,480", "shape=25", 0.25), ("0,0,640,480", "shape=75", 0.75),
        ])
    func parts(place: String, option: String, part: Double) throws {
        // i3 gives it the whole screen.
        let server = try XServer(.i3)
        try server.terminal("it")
        _ = try server.window("it")
        try server.client("cover", "over", place, option)
        let exposure = try exposure(of: "it", on: server) { ($0.covered ?? 0) > 0 }
        #expect(abs((exposure.covered ?? 1) - part) < 0.01)
        #expect(exposure.isCovered == (part > 0.5))
    }

    @Test("a window of which most lies outside")
    func outside() throws {
        let server = try XServer(.openbox)
        try server.terminal("it", ["-geometry", "40x10+0+0"])
        let handle = try server.window("it").handle
        #expect(try exposure(of: "it", on: server) { $0.offScreen == 0 }.offScreen == 0)
        server.say("xdotool", ["windowmove", String(handle.dropFirst(4)), "600", "0"])
        let exposure = try exposure(of: "it", on: server) { ($0.offScreen ?? 0) > 0 }
        #expect(exposure.isOffScreen && exposure.covered == 0)
    }

    @Test("a window that only takes input, and a menu of the window itself, are no cover")
    func parts() throws {
        let server = try XServer(.openbox)
        try server.terminal("it")
        let handle = try server.window("it").handle
        try server.client("cover", "over 1", "0,0,640,480", "class=2")
        try server.client("cover", "over 2", "0,0,640,480", "of=\(handle.dropFirst(4))")
        try awaitCover("over 1", on: server)
        try awaitCover("over 2", on: server)
        #expect(try exposure(of: "it", on: server) { $0.covered == 0 }.covered == 0)
        // The menu of another window.
        try server.client("cover", "over 3", "0,0,640,480", "of=1")
        #expect(try exposure(of: "it", on: server) { $0.isCovered }.covered == 1)
    }

    @Test("under a compositor, what lets clicks through or is faint is no cover")
    func compositor() throws {
        let server = try XServer(.openbox)
        try server.terminal("it")
        _ = try server.window("it")
        let faint = try server.client("cover", "over 1", "0,0,640,480", "opacity=40")
        // Without a compositor it is drawn as any other.
        #expect(try exposure(of: "it", on: server) { $0.isCovered }.covered == 1)
        try server.client("cover", "composer", "0,0,1,1", "compositor=1")
        #expect(try exposure(of: "it", on: server) { $0.covered == 0 }.covered == 0)
        try server.client("cover", "over 2", "0,0,640,480", "input=0")
        try awaitCover("over 2", on: server)
        #expect(try exposure(of: "it", on: server) { $0.covered == 0 }.covered == 0)
        faint.end()
        try server.client("cover", "over 3", "0,0,640,480", "opacity=60")
        #expect(try exposure(of: "it", on: server) { $0.isCovered }.covered == 1)
    }

    @Test("a dialog of the window is a part of it")
    func dialog() throws {
        let server = try XServer(.openbox)
        try server.client("dialog", "it")
        _ = try server.window("it")
        try awaitCover("it?", on: server)
        #expect(try exposure(of: "it", on: server) { $0.covered == 0 }.covered == 0)
    }

    @Test("a window that is always above covers it")
    func above() throws {
        let server = try XServer(.openbox)
        try server.terminal("it", ["-geometry", "40x10+0+0"])
        _ = try server.window("it")
        try server.terminal("above", ["-geometry", "80x24+0+0"])
        let above = try server.window("above").handle
        server.say("wmctrl", ["-i", "-r", String(above.dropFirst(4)), "-b", "add,above"])
        #expect(try exposure(of: "it", on: server) { $0.isCovered }.isCovered)
    }

    /// Of the record: what the user does not see is not verified, for the first reason.
    @Test("what is not seen is not verified")
    func report() throws {
        let server = try XServer(.openbox)
        let program = try server.terminal("it", ["-geometry", "40x10+0+0"])
        let handle = try server.window("it").handle
        let activator = Activator(windowSystem: server.windowSystem, environment: [:], stateDirectory: nil)
        let task = ActivationTask(
            delivery: "d", nonce: "", app: "app", handle: handle, action: .focus, reason: .explicit)
        func report(_ reason: String?) throws -> ActivationReport {
            var report: ActivationReport?
            try waitUntil(reason ?? "it is seen") {
                report = activator.focus(task, nil)
                return report?.evidence?.reason == reason
            }
            let found = try #require(report)
            #expect((found.outcome == .verified) == (reason == nil))
            #expect(found.warnings.map(\.code.name) == [reason].compactMap(\.self))
            #expect(found.seen == found.warnings.first?.message && (found.front != nil) == (reason == nil))
            return found
        }
        let evidence = try #require(try report(nil).evidence)
        #expect(evidence.window == handle && evidence.hasKeyboard == true && evidence.unknown.isEmpty)
        #expect(evidence.offScreen == 0 && evidence.covered == 0)
        let cover = try server.client("cover", "over", "0,0,640,480")
        #expect(try report("seen.covered").evidence?.covered == 1)
        server.say("xdotool", ["windowmove", String(handle.dropFirst(4)), "600", "0"])
        #expect(try report("seen.off-screen").evidence?.hasKeyboard == true)
        kill(program.process, SIGSTOP)
        _ = try report("seen.client-stopped")
        kill(program.process, SIGCONT)
        cover.end()
        server.say("xdotool", ["windowmove", String(handle.dropFirst(4)), "0", "0"])
        _ = try report(nil)
    }
}
