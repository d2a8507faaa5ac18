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

    /// Floats at this place, in pixels of the layout, without a border.
    private func float(_ title: String, _ place: ScreenRectangle) {
        let size = "\(place.right - place.left) \(place.bottom - place.top)"
        server.message(
            "[title=\(title)] floating enable, border none, resize set \(size), move absolute position \(place.left) \(place.top)"
        )
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
        let over = try window("over")
        float("over", ScreenRectangle(left: 0, top: 100, width: 1280, height: height))
        // The keyboard goes to what is below.
        let seen = try #require(try windows.focus(.handle(one, server: nil)).exposure)
        #expect(server.focused == one)
        #expect(abs((seen.covered ?? 0) - part) < 0.01 && seen.offScreen == 0, "\(seen)")
        #expect(seen.isCovered == (part > 0.5))
        #expect(try exposure(of: over).covered == 0)
        // Its title counts.
        server.message("[title=over] border normal")
        let titled = try exposure(of: one).covered ?? 0
        #expect(titled > part + 0.02, "\(titled)")
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
        let lower = try window("lower")
        float("lower", place)
        let upper = try window("upper")
        float("upper", place)
        #expect(try exposure(of: lower) == WindowExposure(offScreen: 0, covered: 1))
        #expect(try exposure(of: upper) == WindowExposure(offScreen: 0, covered: 0))
        // What gets the keyboard comes up.
        #expect(try windows.focus(.handle(lower, server: nil)).exposure?.covered == 0)
        #expect(try exposure(of: upper).covered == 1)
    }

    @Test("what fills the screen covers what is behind it, on its own output")
    func fullscreen() throws {
        let one = try window("one")
        let full = try window("full")
        server.message("[title=full] fullscreen enable")
        #expect(try exposure(of: one).covered == 1 && exposure(of: full).covered == 0)
        server.message("focus output right")
        let other = try window("other")
        #expect(try exposure(of: other) == WindowExposure(offScreen: 0, covered: 0))
        #expect(try exposure(of: one).covered == 1)
        // Over all outputs.
        server.message("[title=full] fullscreen disable")
        #expect(try exposure(of: one).covered == 0)
        server.message("[title=full] fullscreen enable global")
        #expect(try exposure(of: other).covered == 1 && exposure(of: one).covered == 1)
        #expect(try exposure(of: full) == WindowExposure(offScreen: 0, covered: 0))
    }

    @Test("a window of which most lies outside")
    func outside() throws {
        let one = try window("one")
        float("one", ScreenRectangle(left: 2460, top: 0, width: 400, height: 300))
        #expect(
            try windows.focus(.handle(one, server: nil)).exposure == WindowExposure(offScreen: 0.75, covered: 0))
        // Half on one output, half on the other.
        float("one", ScreenRectangle(left: 1080, top: 0, width: 400, height: 300))
        #expect(try exposure(of: one) == WindowExposure(offScreen: 0, covered: 0))
    }

    @Test("a dialog of the window is a part of it")
    func dialog() throws {
        try server.run(["python3", "-c", XClient.text, "dialog", "it"])
        let it = try SwayWindowSystemTests().wait(for: "it", in: windows)
        try waitUntil("the dialog floats") {
            server.message("get_tree", kind: true).contains(#""name": "it?""#)
        }
        float("it", ScreenRectangle(left: 0, top: 0, width: 120, height: 80))
        server.message("[title=\"it\\?\"] move absolute position 0 0, focus")
        #expect(try exposure(of: it).covered == 0)
        // That of another window.
        let under = try window("under")
        float("under", ScreenRectangle(left: 0, top: 0, width: 120, height: 80))
        server.message("[title=\"it\\?\"] focus")
        #expect(try exposure(of: under).isCovered)
    }

    /// Of the record: what the user does not see is not verified, for the first reason.
    @Test("what is not seen is not verified")
    func report() throws {
        let one = try window("one")
        let activator = Activator(windowSystem: windows, environment: [:], stateDirectory: nil)
        let task = ActivationTask(
            delivery: "d", nonce: "", app: "app", handle: one, action: .focus, reason: .explicit)
        func report(_ reason: String?) throws -> SeenEvidence {
            let report = activator.focus(task, nil)
            #expect(report.evidence?.reason == reason)
            #expect((report.outcome == .verified) == (reason == nil))
            #expect(report.warnings.map(\.code.name) == [reason].compactMap(\.self))
            return try #require(report.evidence)
        }
        let whole = try report(nil)
        #expect(whole.window == one && whole.hasKeyboard == true && whole.unknown.isEmpty)
        _ = try window("over")
        float("over", ScreenRectangle(left: 0, top: 0, width: 1280, height: 720))
        #expect(try report("seen.covered").hasKeyboard == true)
        // Also where it was raised only.
        let raise = FocusRequest(.handle(one, server: nil), policy: FocusPolicy(prominence: .raise))
        #expect(try windows.focus(raise).exposure?.covered == 1)
        float("one", ScreenRectangle(left: 2500, top: 0, width: 400, height: 300))
        #expect((try report("seen.off-screen").offScreen ?? 0) > 0.8)
        #expect(activator.evidence(ofWindow: one, isInFront: true).reason == "seen.off-screen")
    }
}
