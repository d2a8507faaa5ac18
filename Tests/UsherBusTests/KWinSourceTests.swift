import TestSupport
import Testing
import UsherActivation
import UsherSystem

@testable import UsherBus

/// What is decided about KWin without one; the rest is in Scripts/check-windows, with a real one.
@Suite struct KWinSourceTests {
    @Test(
        "the form of a window's id",
        arguments: [
            ("30ae92d4-ab7b-4059-ad95-d7a83b00b797", true), ("{30ae92d4-ab7b-4059-ad95-d7a83b00b797}", false),
            ("30ae92d4-ab7b-4059-ad95-d7a83b00b79", false), ("30AE92D4-ab7b-4059-ad95-d7a83b00b797", false),
            ("30ae92d4aab7b-4059-ad95-d7a83b00b797", false), ("30ae92d4-ab7b-4059-ad95-d7a83b00b7\"7", false),
            ("", false),
        ])
    func ids(text: String, isID: Bool) { #expect(KWinSource(environment: [:]).isID(text) == isID) }

    @Test(
        "the environment names KWin",
        arguments: [
            (["WAYLAND_DISPLAY": "wayland-0", "XDG_CURRENT_DESKTOP": "KDE"], true),
            (["WAYLAND_DISPLAY": "wayland-0", "XDG_CURRENT_DESKTOP": "X-Other:KDE"], true),
            (["WAYLAND_DISPLAY": "wayland-0", "XDG_CURRENT_DESKTOP": "GNOME"], false),
            (["XDG_CURRENT_DESKTOP": "KDE"], false), (["WAYLAND_DISPLAY": "", "XDG_CURRENT_DESKTOP": "KDE"], false),
        ])
    func desktops(environment: [String: String], isHere: Bool) { #expect(KWinSource.isHere(environment) == isHere) }

    @Test func `a bus without KWin has no windows`() throws {
        let bus = try PrivateBus()
        var environment = bus.environment
        environment["WAYLAND_DISPLAY"] = "wayland-0"
        #expect(!KWinSource.isHere(environment))
        let source = KWinSource(environment: environment)
        #expect(try source.snapshot() == nil)
        #expect(try source.wait(after: nil, until: Deadline(inMilliseconds: 0), or: nil) == nil)
        #expect(throws: ActivationFailure.self) {
            try source.request(.activate, of: "30ae92d4-ab7b-4059-ad95-d7a83b00b797", server: "1:1.1", token: nil)
        }
        source.stop()
        #expect(try source.snapshot() == nil)
    }
}
