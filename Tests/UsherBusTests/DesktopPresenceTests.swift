import Foundation
import Synchronization
import TestSupport
import Testing
import UsherActivation

@testable import UsherBus

/// Whether the user is to be left alone, as programs on a bus of the test's own say.
@Suite struct DesktopPresenceTests {
    /// A program on the bus that answers one method, or one property, with a value.
    private final class Answering: Sendable {
        let bus: SessionBus

        init(_ environment: [String: String], _ name: String, _ answers: [String: BusValue]) throws {
            bus = SessionBus(environment: environment)
            try bus.serve(name) { call in
                let key = call.member == "Get" ? call.arguments.last?.string ?? "" : call.member
                guard let value = answers[key] else {
                    return .error("org.freedesktop.DBus.Error.UnknownMethod", "not here")
                }
                return .values([call.member == "Get" ? .variant(value) : value])
            }
        }
    }

    private static let server = "org.freedesktop.Notifications"

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// Of `GetServerInformation`.
        var server: String?
        /// The service that answers, and its answers: for the state, and without it.
        var name: String
        var key: String
        var value: BusValue
        var opposite: BusValue
    }

    static let cases = [
        Case(
            testDescription: "KDE Plasma", server: "Plasma", name: server, key: "Inhibited", value: .boolean(true),
            opposite: .boolean(false)),
        Case(
            testDescription: "a server that says nothing of itself", server: nil, name: server, key: "Inhibited",
            value: .boolean(true), opposite: .boolean(false)),
        Case(
            testDescription: "dunst", server: "dunst", name: server, key: "paused", value: .boolean(true),
            opposite: .boolean(false)),
        Case(
            testDescription: "xfce4-notifyd", server: "Xfce Notify Daemon", name: "org.xfce.Xfconf", key: "GetProperty",
            value: .variant(.boolean(true)), opposite: .variant(.boolean(false))),
        Case(
            testDescription: "mako", server: "mako", name: "fr.emersion.Mako", key: "ListModes",
            value: .strings(["default", "do-not-disturb"]), opposite: .strings(["default"])),
    ]

    @Test(arguments: cases) func doNotDisturb(_ given: Case) throws {
        let bus = try PrivateBus()
        for (value, isQuiet) in [(given.value, true), (given.opposite, false)] {
            var answers = given.server.map { ["GetServerInformation": BusValue.string($0)] } ?? [:]
            if given.name == Self.server { answers[given.key] = value }
            let server = try Answering(bus.environment, Self.server, answers)
            let other =
                given.name == Self.server ? nil : try Answering(bus.environment, given.name, [given.key: value])
            let presence = DesktopPresence(SessionBus(environment: bus.environment), environment: bus.environment)
            #expect(presence.isDoNotDisturb() == isQuiet)
            server.bus.thread.end()
            other?.bus.thread.end()
            let session = SessionBus(environment: bus.environment)
            for name in [Self.server, given.name] {
                #expect(try eventually { try session.owner(of: name) == nil })
            }
        }
    }

    @Test func nobodyToAsk() throws {
        let bus = try PrivateBus()
        var environment = bus.environment
        environment["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=/nonexistent"
        for environment in [environment, ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]] {
            let presence = DesktopPresence(SessionBus(environment: environment), environment: environment)
            #expect(!presence.isDoNotDisturb() && !presence.isLocked())
        }
    }

    @Test(arguments: ["org.freedesktop.ScreenSaver", "org.gnome.ScreenSaver", "org.freedesktop.login1"])
    func locked(name: String) throws {
        let bus = try PrivateBus()
        var environment = bus.environment
        environment["DBUS_SYSTEM_BUS_ADDRESS"] = environment["DBUS_SESSION_BUS_ADDRESS"]
        let presence = DesktopPresence(SessionBus(environment: environment), environment: environment)
        #expect(!presence.isLocked())
        let key = name.hasSuffix("login1") ? "LockedHint" : "GetActive"
        let program = try Answering(environment, name, [key: .boolean(true)])
        #expect(presence.isLocked())
        withExtendedLifetime(program) {}
    }

    @Test func dunstIsPaused() throws {
        let dunst = try NotificationServerTests.Dunst()
        let bus = SessionBus(environment: dunst.bus.environment)
        let presence = DesktopPresence(bus, environment: dunst.bus.environment)
        #expect(try eventually { try NotificationServer(bus).server() != nil })
        #expect(!presence.isDoNotDisturb())
        try dunst.control("set-paused", "true")
        #expect(presence.isDoNotDisturb())
        try dunst.control("set-paused", "false")
        #expect(!presence.isDoNotDisturb())
    }

    @Test func aLockerOnTheSameDisplay() throws {
        let name = FileManager.default.temporaryDirectory.path + "/usher-\(UUID().uuidString)/i3lock"
        try Program.copy("/bin/sleep", to: name)
        defer { try? FileManager.default.removeItem(atPath: (name as NSString).deletingLastPathComponent) }
        let display = ":\(Int.random(in: 60_000..<65_000))"
        let locker = try Program(
            SpawnRequest(
                program: name, arguments: ["i3lock", "60"], environment: [EnvironmentVariable("DISPLAY", display)]))
        #expect(eventually { Activator.hasLocker(on: EnvironmentVariable("DISPLAY", display)) })
        #expect(!Activator.hasLocker(on: EnvironmentVariable("DISPLAY", display + "0")))
        locker.end()
        #expect(!Activator.hasLocker(on: EnvironmentVariable("DISPLAY", display)))
    }
}
