import Foundation
import Synchronization
import TestSupport
import Testing
import UsherScene
import UsherSystem

@testable import UsherActivation
@testable import UsherBus

/// Notifications on a bus of the test's own: against a scripted server of the test, and against dunst.
@Suite struct NotificationServerTests {
    /// The events of notifications, in order.
    final class Events: Sendable {
        private let events = Mutex<[NotificationEvent]>([])

        var all: [NotificationEvent] { events.withLock { $0 } }

        func observe(_ server: NotificationServer) {
            server.observe { event in self.events.withLock { $0.append(event) } }
        }

        func wait(for count: Int) -> [NotificationEvent] {
            _ = eventually { all.count >= count }
            return all
        }
    }

    // MARK: A scripted server

    /// A server of ours: what it was asked for, and the signals of one.
    final class Scripted: Sendable {
        let bus: SessionBus
        let calls = Mutex<[BusMessage]>([])
        let next = Mutex<UInt32>(0)

        init(_ bus: PrivateBus, capabilities: [String] = ["body", "actions", "body-markup"]) throws {
            self.bus = SessionBus(environment: bus.environment)
            try self.bus.serve(NotificationServer.name) { [weak self] (call: BusMessage) -> BusReply? in
                guard let self else { return nil }
                calls.withLock { $0.append(call) }
                switch call.member {
                case "GetCapabilities": return .values([.strings(capabilities)])
                case "GetServerInformation":
                    return .values([.string("scripted"), .string("usher"), .string("1"), .string("1.2")])
                case "Notify":
                    guard call.arguments.count == 8 else { return .error("org.example.Error", "not eight") }
                    if call.arguments[3].string == "refused" { return .error("org.example.Error", "no") }
                    if call.arguments[3].string == "nothing" { return .values([.uint32(0)]) }
                    let replaced = call.arguments[1].uint32 ?? 0
                    let number = next.withLock { next in
                        if replaced != 0 { return replaced }
                        next += 1
                        return next
                    }
                    return .values([.uint32(number)])
                case "CloseNotification":
                    return call.arguments.first?.uint32 == 1 ? .values([]) : .error("org.freedesktop.DBus.Error", "")
                default: return nil
                }
            }
        }

        func signal(_ member: String, _ number: UInt32, _ value: BusValue) throws {
            try bus.emit(
                BusMessage(
                    path: NotificationServer.path, interface: NotificationServer.name, member: member,
                    arguments: [.uint32(number), value]))
        }

        var notes: [[BusValue]] { calls.withLock { $0.filter { $0.member == "Notify" }.map(\.arguments) } }
    }

    private static func note(_ summary: String = "Clown", _ body: String = "") -> DesktopNotification {
        var note = DesktopNotification(application: "Clown Town", summary: summary, body: body)
        note.actions = [.init(key: "default", label: "Open"), .init(key: "track", label: "Track")]
        return note
    }

    @Test func everyArgument() throws {
        let bus = try PrivateBus()
        let scripted = try Scripted(bus)
        let server = NotificationServer(SessionBus(environment: bus.environment))
        var note = Self.note("A\nB\u{0}C\u{202E}D\u{200F}", "1 < 2 & <b>b</b>\n\u{1B}[31m\u{2066}x\u{61C}")
        (note.icon, note.image, note.desktopEntry, note.category) = ("clown", "/clown.png", "example.Clown", "im")
        (note.urgency, note.expires, note.sound, note.isTransient) = (.critical, 1500, "honk", true)
        note.error = "activation.window-gone"
        let shown = try server.show(note)
        #expect(try shown.id == 1 && shown.server == server.server())
        let arguments = try #require(scripted.notes.first)
        #expect(
            arguments.map(\.signature) == ["s", "u", "s", "s", "s", "as", "a{sv}", "i"]
                && arguments[0].string == "Clown Town" && arguments[1].uint32 == 0 && arguments[2].string == "clown")
        #expect(arguments[3].string == "A B CD")
        #expect(arguments[4].string == "1 &lt; 2 &amp; &lt;b&gt;b&lt;/b&gt;\n [31mx")
        #expect(arguments[5] == .strings(["default", "Open", "track", "Track"]))
        let hints = arguments[6]
        #expect(hints["urgency"] == .byte(2) && hints["transient"] == .boolean(true))
        #expect(hints["image-path"]?.string == "/clown.png" && hints["desktop-entry"]?.string == "example.Clown")
        #expect(hints["category"]?.string == "im" && hints["sound-name"]?.string == "honk")
        #expect(hints["suppress-sound"] == nil && hints["x-usher-error"]?.string == "activation.window-gone")
        #expect(arguments[7] == .int32(1500))

        var newer = Self.note()
        newer.isSilent = true
        newer.sound = "honk"
        newer.replaces = shown
        #expect(try server.show(newer) == shown)
        #expect(scripted.notes[1][1].uint32 == 1 && scripted.notes[1][7] == .int32(-1))
        #expect(scripted.notes[1][6]["suppress-sound"] == .boolean(true) && scripted.notes[1][6]["sound-name"] == nil)
        newer.replaces = ShownNotification(id: 1, server: "of another life")
        #expect(try server.show(newer).id == 2)
        #expect(try server.information() == "scripted 1")
    }

    @Test func whatTheServerCannotShow() throws {
        let bus = try PrivateBus()
        let scripted = try Scripted(bus, capabilities: ["body"])
        let server = NotificationServer(SessionBus(environment: bus.environment))
        #expect(try server.capabilities() == ["body"])
        _ = try server.show(Self.note("x", "<b>"))
        #expect(scripted.notes[0][4].string == "<b>" && scripted.notes[0][5] == .strings([]))
        #expect(scripted.calls.withLock { $0.filter { $0.member == "GetCapabilities" }.count } == 1, "asked once")
    }

    @Test func longText() throws {
        let bus = try PrivateBus()
        let scripted = try Scripted(bus)
        let server = NotificationServer(SessionBus(environment: bus.environment))
        _ = try server.show(
            Self.note(String(repeating: "🤡", count: 10_000), String(repeating: "<", count: 100_000)))
        #expect(scripted.notes[0][3].string?.utf8.count == 1024)
        #expect((8192..<8200).contains(scripted.notes[0][4].string?.utf8.count ?? 0))
    }

    @Test func aTokenComesBeforeItsPress() throws {
        let bus = try PrivateBus()
        let scripted = try Scripted(bus)
        let server = NotificationServer(SessionBus(environment: bus.environment))
        let events = Events()
        events.observe(server)
        let shown = try server.show(Self.note())
        try scripted.signal("ActivationToken", shown.id, .string("token-1"))
        try scripted.signal("ActionInvoked", shown.id, .string("default"))
        try scripted.signal("ActionInvoked", shown.id, .string("track"))
        for reason in [1, 2, 3, 4, 9] {
            try scripted.signal("NotificationClosed", shown.id, .uint32(UInt32(reason)))
        }
        // Not as the specification has them: passed over.
        try scripted.signal("ActionInvoked", shown.id, .uint32(1))
        try scripted.signal("ActivationToken", shown.id, .uint32(1))
        try scripted.signal("ActivationToken", 7, .string("token-7"))
        try scripted.signal("NotificationClosed", 7, .uint32(2))
        try scripted.signal("ActionInvoked", 7, .string("default"))
        // The notification of another program: the store decides which app it belongs to.
        let seven = ShownNotification(id: 7, server: shown.server)
        #expect(
            events.wait(for: 9) == [
                .invoked(shown, action: "default", token: "token-1"), .invoked(shown, action: "track", token: nil),
                .closed(shown, .expired), .closed(shown, .dismissed), .closed(shown, .closed),
                .closed(shown, .undefined), .closed(shown, .undefined), .closed(seven, .dismissed),
                .invoked(seven, action: "default", token: nil),
            ])
    }

    @Test func signalsFromOtherConnectionsAreIgnored() throws {
        let bus = try PrivateBus()
        let scripted = try Scripted(bus)
        let server = NotificationServer(SessionBus(environment: bus.environment))
        let events = Events()
        events.observe(server)
        let shown = try server.show(Self.note())
        let stranger = SessionBus(environment: bus.environment)
        try stranger.emit(
            BusMessage(
                path: NotificationServer.path, interface: NotificationServer.name, member: "ActionInvoked",
                arguments: [.uint32(shown.id), .string("default")]))
        try scripted.signal("NotificationClosed", shown.id, .uint32(2))
        #expect(events.wait(for: 1) == [.closed(shown, .dismissed)])
    }

    @Test func closing() throws {
        let bus = try PrivateBus()
        let scripted = try Scripted(bus)
        let server = NotificationServer(SessionBus(environment: bus.environment))
        let shown = try server.show(Self.note())
        try server.close(shown)
        // It is gone already; and one of another life is none of this server's.
        try server.close(ShownNotification(id: 5, server: shown.server))
        try server.close(ShownNotification(id: 6, server: "of another life"))
        let closed = scripted.calls.withLock { calls in
            calls.filter { $0.member == "CloseNotification" }.map { $0.arguments.first?.uint32 }
        }
        #expect(closed == [1, 5])
    }

    @Test func failures() throws {
        let bus = try PrivateBus()
        let server = NotificationServer(SessionBus(environment: bus.environment))
        func code(_ body: () throws -> Void) -> DiagnosticCode? {
            do {
                try body()
                return nil
            } catch {
                return (error as? ActivationFailure)?.code
            }
        }
        #expect(try server.server() == nil)
        #expect(code { _ = try server.show(Self.note()) } == .notificationUnavailable)
        let scripted = try Scripted(bus)
        #expect(code { _ = try server.show(Self.note("refused")) } == .notificationRefused)
        #expect(code { _ = try server.show(Self.note("nothing")) } == .notificationRefused)
        #expect(code { _ = try server.show(Self.note()) } == nil)
        let nowhere = NotificationServer(SessionBus(environment: [:]))
        #expect(code { _ = try nowhere.server() } == .notificationUnavailable)
        #expect(code { _ = try nowhere.show(Self.note()) } == .notificationUnavailable)
        withExtendedLifetime(scripted) {}
    }

    @Test func theServerRestarts() throws {
        let bus = try PrivateBus()
        var scripted: Scripted? = try Scripted(bus)
        let server = NotificationServer(SessionBus(environment: bus.environment))
        let events = Events()
        events.observe(server)
        let first = try server.show(Self.note())
        scripted = nil
        #expect(events.wait(for: 1) == [.lost(server: first.server)])
        #expect(try server.server() == nil)
        scripted = try Scripted(bus, capabilities: ["body"])
        #expect(try server.capabilities() == ["body"], "they are the new one's")
        let second = try server.show(Self.note())
        #expect(second.id == first.id && second.server != first.server)
        try scripted?.signal("ActionInvoked", second.id, .string("default"))
        #expect(events.wait(for: 2).last == .invoked(second, action: "default", token: nil))
    }

    @Test func theBusRestarts() throws {
        let bus = try PrivateBus()
        var scripted: Scripted? = try Scripted(bus)
        let server = NotificationServer(SessionBus(environment: bus.environment))
        let events = Events()
        events.observe(server)
        let first = try server.show(Self.note())
        bus.stop()
        #expect(events.wait(for: 1) == [.lost(server: first.server)])
        try bus.start()
        scripted = try Scripted(bus)
        let second = try server.show(Self.note())
        #expect(second.server != first.server)
        try scripted?.signal("NotificationClosed", second.id, .uint32(1))
        #expect(events.wait(for: 2).last == .closed(second, .expired))
    }

    @Test func aStorm() throws {
        let bus = try PrivateBus()
        let scripted = try Scripted(bus)
        let server = NotificationServer(SessionBus(environment: bus.environment))
        let events = Events()
        events.observe(server)
        let shown = try (0..<200).map { try server.show(Self.note("\($0)")) }
        #expect(Set(shown).count == 200)
        for one in shown {
            try scripted.signal("ActivationToken", one.id, .string("token-\(one.id)"))
            try scripted.signal("ActionInvoked", one.id, .string("default"))
        }
        #expect(
            events.wait(for: 200) == shown.map { .invoked($0, action: "default", token: "token-\($0.id)") })
    }

    // MARK: dunst

    /// dunst on an X server without a screen.
    final class Dunst {
        let bus: PrivateBus
        private var programs: [Program] = []
        private let folder: String
        private var display = ""

        init() throws {
            bus = try PrivateBus()
            folder = bus.folder
            try Data("[global]\n    monitor = 0\n    markup = full\n".utf8).write(
                to: URL(fileURLWithPath: folder + "/dunstrc"))
            let answer = folder + "/display"
            try run("sh", ["-c", "exec Xvfb -displayfd 1 -screen 0 640x480x24 -nolisten tcp -noreset >\"$0\"", answer])
            _ = eventually { (try? String(contentsOfFile: answer, encoding: .utf8))?.hasSuffix("\n") ?? false }
            display =
                ":"
                + ((try? String(contentsOfFile: answer, encoding: .utf8)) ?? "").trimmingCharacters(
                    in: .whitespacesAndNewlines)
            try start()
        }

        func start() throws { try run("dunst", ["-config", folder + "/dunstrc"]) }

        /// Ends dunst, and leaves its display.
        func stop() { programs.removeLast().end() }

        func control(_ arguments: String...) throws {
            var program = try Spawner.start(request("dunstctl", arguments))
            _ = program.wait(until: Deadline(inMilliseconds: 30_000))
            program.stop()
        }

        private func run(_ name: String, _ arguments: [String]) throws {
            programs.append(try Program(request(name, arguments)))
        }

        private func request(_ name: String, _ arguments: [String]) -> SpawnRequest {
            var variables = ["PATH": "/usr/bin:/bin", "HOME": folder, "LANG": "C.UTF-8", "DISPLAY": display]
            variables.merge(bus.environment) { $1 }
            return SpawnRequest(
                program: name == "sh" ? "/bin/sh" : "/usr/bin/\(name)", arguments: [name] + arguments,
                environment: variables.map { EnvironmentVariable($0.key, $0.value) })
        }

        deinit { for program in programs.reversed() { program.end() } }
    }

    @Test func dunstIsClickedAndDismissed() throws {
        let dunst = try Dunst()
        let server = NotificationServer(SessionBus(environment: dunst.bus.environment))
        #expect(try eventually { try server.server() != nil })
        let events = Events()
        events.observe(server)
        #expect(try server.capabilities().isSuperset(of: ["actions", "body", "body-markup"]))
        #expect(try server.information().hasPrefix("dunst "))
        let first = try server.show(Self.note("Your clown", "is <b>on</b> the way"))
        try dunst.control("action")
        _ = events.wait(for: 1)
        #expect(events.all.first == .invoked(first, action: "default", token: nil))
        try server.close(first)
        let second = try server.show(Self.note("Second"))
        try dunst.control("close")
        #expect(eventually { events.all.contains(.closed(second, .dismissed)) }, "\(events.all)")
        var third = Self.note("Third")
        third.expires = 50
        let expiring = try server.show(third)
        #expect(eventually { events.all.contains(.closed(expiring, .expired)) }, "\(events.all)")
        let fourth = try server.show(Self.note("Fourth"))
        var newer = Self.note("Fifth")
        newer.replaces = fourth
        #expect(try server.show(newer) == fourth)
        try server.close(fourth)
        #expect(eventually { events.all.contains(.closed(fourth, .closed)) }, "\(events.all)")
    }

    @Test func dunstRestarts() throws {
        let dunst = try Dunst()
        let server = NotificationServer(SessionBus(environment: dunst.bus.environment))
        let events = Events()
        events.observe(server)
        #expect(try eventually { try server.server() != nil })
        let first = try server.show(Self.note())
        dunst.stop()
        #expect(eventually { events.all.contains(.lost(server: first.server)) }, "\(events.all)")
        try dunst.start()
        #expect(try eventually { try server.server() != nil })
        let second = try server.show(Self.note())
        #expect(second.server != first.server)
        try dunst.control("close")
        #expect(eventually { events.all.contains(.closed(second, .dismissed)) }, "\(events.all)")
    }
}
