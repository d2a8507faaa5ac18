import Glibc
import TestSupport
import Testing
import UsherScene

@testable import UsherActivation
@testable import UsherWindows

@Suite("How much of a window of sway is seen", .serialized)
struct SwayExposureTests {
    private let server: SwayServer
    private let windows: SwayWindowSystem

    init() throws {
        server = try SwayServer(xwayland: true, outputs: 2)
        windows = server.windowSystem
    }

    private func window(_ title: String) throws -> String {
        try server.terminal(title)
        return try SwayWindowSystemTests().wait(for: title, in: windows)
    }

    /// Floats at this place from the beginning, and so with the size that it wants.
    private func float(_ title: String, _ place: ScreenRectangle) throws -> String {
        server.message("for_window [app_id=float] floating enable")
        try server.terminal(title, ["-a", "float", "-w", "\(place.right - place.left)x\(place.bottom - place.top)"])
        let handle = try SwayWindowSystemTests().wait(for: title, in: windows)
        move(title, place.left, place.top)
        return handle
    }

    /// In pixels of the layout.
    private func move(_ title: String, _ left: Int, _ top: Int) {
        server.message("[title=\(title)] move absolute position \(left) \(top)")
    }

    /// A window may take its place a moment later.
    private func awaitExposure(of handle: String, where holds: (WindowExposure) -> Bool) throws {
        try waitUntil("its exposure is as wanted") { try holds(exposure(of: handle)) }
    }

    private func awaitExposure(of handle: String, covered: Double = 0) throws {
        let expected = WindowExposure(offScreen: 0, covered: covered)
        try awaitExposure(of: handle) { $0 == expected }
    }

    private func exposure(of handle: String) throws -> WindowExposure {
        try #require(try windows.exposure(of: handle))
    }

    @Test("a window alone, and beside another one, is seen whole")
    func alone() throws {
        let one = try window("one")
        #expect(try windows.focus(.handle(one, server: nil)).exposure == WindowExposure(offScreen: 0, covered: 0))
        let two = try window("two")
        for handle in [one, two] {
            #expect(
                try windows.focus(.handle(handle, server: nil)).exposure == WindowExposure(offScreen: 0, covered: 0))
        }
        #expect(try windows.exposure(of: "sway:999999") == nil && windows.exposure(of: "x11:0x1") == nil)
    }

    @Test(
        "of floating windows, the part that is above counts",
        arguments: [(180, 0.25), (540, 0.75)])
    func floating(height: Int, part: Double) throws {
        server.message("default_border none")
        let one = try window("one")
        let over = try float("over", ScreenRectangle(left: 0, top: 100, width: 1280, height: height))
        try awaitExposure(of: one) { abs(($0.covered ?? 0) - part) < 0.01 }
        // The keyboard goes to what is below.
        let seen = try #require(try windows.focus(.handle(one, server: nil)).exposure)
        #expect(server.focused == one)
        #expect(abs((seen.covered ?? 0) - part) < 0.01 && seen.offScreen == 0, "\(seen)")
        #expect(seen.isCovered == (part > 0.5))
        #expect(try exposure(of: over).covered == 0)
        // Its title counts.
        server.message("[title=over] border normal")
        try awaitExposure(of: one) { ($0.covered ?? 0) > part + 0.02 }
        // Neither on another workspace nor put away.
        server.message("[title=over] move container to workspace far")
        #expect(try exposure(of: one).covered == 0)
        server.message("[title=over] move container to workspace 1")
        #expect(try exposure(of: one).isCovered == (part > 0.5))
        server.message("[title=over] move scratchpad")
        #expect(try exposure(of: one).covered == 0)
    }

    @Test("of two that float, the upper one covers the lower one")
    func order() throws {
        let place = ScreenRectangle(left: 100, top: 100, width: 400, height: 300)
        let (lower, upper) = try (float("lower", place), float("upper", place))
        try awaitExposure(of: lower, covered: 1)
        try awaitExposure(of: upper)
        // What gets the keyboard comes up.
        #expect(try windows.focus(.handle(lower, server: nil)).exposure?.covered == 0)
        try awaitExposure(of: upper, covered: 1)
    }

    @Test("what fills the screen covers what is behind it, on its own output")
    func fullscreen() throws {
        let one = try window("one")
        let full = try window("full")
        server.message("[title=full] fullscreen enable")
        try awaitExposure(of: one, covered: 1)
        try awaitExposure(of: full)
        server.message("focus output right")
        let other = try window("other")
        try awaitExposure(of: other)
        #expect(try exposure(of: one).covered == 1)
        // Over all outputs.
        server.message("[title=full] fullscreen disable")
        try awaitExposure(of: one)
        server.message("[title=full] fullscreen enable global")
        try awaitExposure(of: other, covered: 1)
        try awaitExposure(of: one, covered: 1)
        try awaitExposure(of: full)
    }

    @Test("a window of which most lies outside")
    func outside() throws {
        let one = try float("one", ScreenRectangle(left: 2460, top: 0, width: 400, height: 300))
        try awaitExposure(of: one) { abs(($0.offScreen ?? 0) - 0.75) < 0.02 && $0.covered == 0 }
        #expect(try windows.focus(.handle(one, server: nil)).exposure?.isOffScreen == true)
        // Half on one output, half on the other.
        move("one", 1080, 0)
        try awaitExposure(of: one)
    }

    @Test("a dialog of the window is a part of it")
    func dialog() throws {
        server.message("for_window [class=Client] floating enable")
        try server.run(["python3", "-c", XClient.text, "dialog", "it"])
        let it = try SwayWindowSystemTests().wait(for: "it", in: windows)
        try waitUntil("the dialog floats") {
            server.message("get_tree", kind: true).contains(#""name": "it?""#)
        }
        move("it", 0, 0)
        server.message("[title=\"it\\?\"] move absolute position 0 0, focus")
        try awaitExposure(of: it)
        // That of another window.
        try server.run(["python3", "-c", XClient.text, "windows", "under", "1"])
        let under = try SwayWindowSystemTests().wait(for: "under 1", in: windows)
        move("under", 0, 0)
        server.message("[title=\"it\\?\"] focus")
        try awaitExposure(of: under) { $0.isCovered }
    }

    /// Of the record: what the user does not see is not verified, for the first reason.
    @Test("what is not seen is not verified")
    func report() throws {
        let one = try window("one")
        let activator = Activator(windowSystem: windows, environment: [:], stateDirectory: nil)
        func report(_ reason: String?, of handle: String) throws -> SeenEvidence {
            let task = ActivationTask(
                delivery: "d", nonce: "", app: "app", handle: handle, action: .focus, reason: .explicit)
            let report = activator.focus(task, nil)
            #expect(report.evidence?.reason == reason)
            #expect((report.outcome == .verified) == (reason == nil))
            #expect(report.warnings.map(\.code.name) == [reason].compactMap(\.self))
            return try #require(report.evidence)
        }
        let whole = try report(nil, of: one)
        #expect(whole.window == one && whole.hasKeyboard == true && whole.unknown.isEmpty)
        _ = try float("over", ScreenRectangle(left: 0, top: 0, width: 1280, height: 720))
        try awaitExposure(of: one, covered: 1)
        #expect(try report("seen.covered", of: one).hasKeyboard == true)
        // Also where it was raised only.
        let raise = FocusRequest(.handle(one, server: nil), policy: FocusPolicy(prominence: .raise))
        #expect(try windows.focus(raise).exposure?.covered == 1)
        let two = try float("two", ScreenRectangle(left: 2500, top: 0, width: 400, height: 300))
        try awaitExposure(of: two) { $0.isOffScreen }
        #expect((try report("seen.off-screen", of: two).offScreen ?? 0) > 0.8)
        #expect(activator.evidence(ofWindow: two, isInFront: true).reason == "seen.off-screen")
    }
}
