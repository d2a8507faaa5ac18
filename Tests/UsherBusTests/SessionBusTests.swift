import Foundation
import Synchronization
import TestSupport
import Testing
import UsherActivation
import UsherScene
import UsherSystem

@testable import UsherBus

/// The session bus, against a real one of the test's own.
struct SessionBusTests {
    /// A program of ours that is called, on a connection of its own.
    private static func server(
        _ bus: PrivateBus, onCall: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> SessionBus {
        let server = SessionBus(environment: bus.environment)
        try server.serve("org.example.Echo") { call -> BusReply? in
            onCall(call.member)
            return switch call.member {
            case "Echo": .values(call.arguments)
            case "Fail": .error("org.example.Error.Custom", "it is so")
            case "Huge": .values([.string(String(repeating: "x", count: 2 << 20))])
            case "Sleep":
                {
                    usleep(3_000_000)
                    return .values([])
                }()
            default: nil
            }
        }
        return server
    }

    private static func echo(_ member: String, _ arguments: [BusValue] = []) -> BusCall {
        BusCall("org.example.Echo", "/org/example/Echo", "org.example.Echo", member, arguments)
    }

    @Test func everyKindOfValueComesBack() throws {
        let bus = try PrivateBus()
        let server = try Self.server(bus)
        let client = SessionBus(environment: bus.environment)
        let values: [BusValue] = [
            .byte(255), .boolean(true), .boolean(false), .int16(.min), .uint16(.max), .int32(.min), .uint32(.max),
            .int64(.min), .uint64(.max), .double(0.1), .string("Grüße \u{1F921}"), .objectPath("/a/b"),
            .signature("a{sv}"), .variant(.variant(.uint32(7))), .bytes([]), .bytes([0, 1, 255]), .strings([]),
            .strings(["a", ""]), .options([("a", .string("b")), ("c", .strings(["d"]))]), .options([]),
            .dictionary([.init(.uint32(1), .structure([.string("x"), .byte(2)]))], of: "u(sy)"),
            .structure([.int32(1), .array([.strings(["deep"])], of: "as")]),
        ]
        #expect(try client.call(Self.echo("Echo", values)) == values)
        for value in values { #expect(try client.call(Self.echo("Echo", [value])) == [value]) }
        withExtendedLifetime(server) {}
    }

    static let refusals: [(id: String, call: BusCall, code: DiagnosticCode, text: String)] = [
        (
            "no process owns the name", BusCall("org.example.Nobody", "/", "org.example.X", "Y"), .busNoService,
            "org.example.Nobody"
        ),
        ("no such method", echo("Unknown"), .busUnknownMethod, "org.example.Echo.Unknown"),
        ("its own error", echo("Fail"), .busRefused, "org.example.Error.Custom: it is so"),
        ("a name that is none", BusCall("no name", "/", "org.example.X", "Y"), .busMessage, "none of D-Bus"),
        (
            "a path that is none", BusCall("org.example.Echo", "path", "org.example.X", "Y"), .busMessage,
            "none of D-Bus"
        ),
        ("a NUL", echo("Echo", [.string("a\0b")]), .busMessage, "NUL"),
        ("a path among the values", echo("Echo", [.objectPath("nope")]), .busMessage, "object path"),
        ("too large to send", echo("Echo", [.bytes(Array(repeating: 0, count: 5 << 20))]), .busMessage, "larger than"),
        ("too large to take", echo("Huge"), .busMessage, "larger than"),
    ]

    @Test(arguments: refusals.map(\.id))
    func refusalIsClear(_ id: String) throws {
        let refusal = try #require(Self.refusals.first { $0.id == id })
        let bus = try PrivateBus()
        let server = try Self.server(bus)
        let client = SessionBus(environment: bus.environment)
        let failure = #expect(throws: ActivationFailure.self) { try client.call(refusal.call) }
        #expect(failure?.code == refusal.code)
        #expect(failure?.message.contains(refusal.text) == true, "\(failure?.message ?? "")")
        // The next one works.
        #expect(try client.call(Self.echo("Echo", [.byte(1)])) == [.byte(1)])
        withExtendedLifetime(server) {}
    }

    @Test func timeLimitIsKept() throws {
        let bus = try PrivateBus()
        let server = try Self.server(bus)
        let client = SessionBus(environment: bus.environment)
        var call = Self.echo("Sleep")
        call.timeLimit = 50
        #expect(throws: ActivationFailure.self) { try client.call(call) }
        // The late answer is dropped.
        var next = Self.echo("Echo", [.byte(2)])
        next.timeLimit = 30_000
        #expect(try client.call(next) == [.byte(2)])
        withExtendedLifetime(server) {}
    }

    @Test(arguments: [
        [:], ["XDG_RUNTIME_DIR": "/nowhere"], ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere/bus"],
        ["DBUS_SESSION_BUS_ADDRESS": "unixexec:path=/bin/true"], ["DBUS_SESSION_BUS_ADDRESS": "garbage"],
    ])
    func noBusIsSaid(_ environment: [String: String]) throws {
        let failure = #expect(throws: ActivationFailure.self) {
            try SessionBus(environment: environment).owner(of: "org.example.X")
        }
        #expect(failure?.code == .busAbsent)
        #expect(failure?.help?.contains("DBUS_SESSION_BUS_ADDRESS") == true)
    }

    @Test func signalsOfTheNamedSenderAlone() throws {
        let bus = try PrivateBus()
        let server = try Self.server(bus)
        let stranger = SessionBus(environment: bus.environment)
        let client = SessionBus(environment: bus.environment)
        let seen = Mutex<[BusEvent]>([])
        let observation = try client.observe(
            BusMatch(sender: "org.example.Echo", interface: "org.example.Echo", member: "Happened")
        ) { event in seen.withLock { $0.append(event) } }
        func signal(_ text: String) -> BusMessage {
            BusMessage(
                path: "/a", interface: "org.example.Echo", member: "Happened", arguments: [.string(text)])
        }
        try stranger.emit(signal("forged"))
        try server.emit(signal("one"))
        try server.emit(BusMessage(path: "/a", interface: "org.example.Echo", member: "Other"))
        try server.emit(signal("two"))
        let texts = {
            seen.withLock { $0 }.compactMap { if case .signal(let it) = $0 { it.arguments[0].string } else { nil } }
        }
        #expect(eventually { texts().count >= 2 })
        #expect(texts() == ["one", "two"])
        withExtendedLifetime((observation, server)) {}
    }

    @Test func namesAreAwaited() throws {
        let bus = try PrivateBus()
        let client = SessionBus(environment: bus.environment)
        #expect(try client.owner(of: "org.example.Echo") == nil)
        #expect(try client.wait(for: "org.example.Echo", until: Deadline(inMilliseconds: 50)) == nil)
        let found = Mutex<Int32?>(nil)
        let begun = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            ThreadWaits.whenCallerWaits { begun.signal() }
            let process = try? client.wait(for: "org.example.Echo", until: Deadline(inMilliseconds: 30_000))
            found.withLock { $0 = process }
        }
        begun.wait()
        let server = try Self.server(bus)
        #expect(eventually { found.withLock { $0 } == getpid() })
        withExtendedLifetime(server) {}
    }

    @Test func busThatGoesAndComesBack() throws {
        let bus = try PrivateBus()
        let client = SessionBus(environment: bus.environment)
        let isUnderWay = Mutex(false)
        let server = try Self.server(bus) { if $0 == "Sleep" { isUnderWay.withLock { $0 = true } } }
        let seen = Mutex<[BusEvent]>([])
        let observation = try client.observe(BusMatch(interface: "org.example.Echo")) { event in
            seen.withLock { $0.append(event) }
        }
        // A call is under way when the bus goes.
        let ended = Mutex<ActivationFailure?>(nil)
        Thread {
            do throws(ActivationFailure) { try client.call(Self.echo("Sleep")) } catch { ended.withLock { $0 = error } }
        }.start()
        #expect(eventually { isUnderWay.withLock { $0 } })
        bus.stop()
        #expect(eventually { ended.withLock { $0 } != nil })
        #expect(ended.withLock { $0?.code } == .busLost)
        #expect(eventually { seen.withLock { $0 }.contains(.lost) })
        let failure = #expect(throws: ActivationFailure.self) { try client.owner(of: "org.example.Echo") }
        #expect(failure?.code == .busAbsent)
        try bus.start()
        // The next call connects anew, and what was observed is observed again.
        let again = try Self.server(bus)
        #expect(try client.call(Self.echo("Echo", [.byte(3)])) == [.byte(3)])
        try again.emit(BusMessage(path: "/a", interface: "org.example.Echo", member: "Back"))
        #expect(
            eventually {
                seen.withLock { $0.contains { if case .signal(let it) = $0 { it.member == "Back" } else { false } } }
            })
        withExtendedLifetime((observation, server)) {}
    }

    @Test func manyThreadsAtOnce() throws {
        let bus = try PrivateBus()
        let server = try Self.server(bus)
        let client = SessionBus(environment: bus.environment)
        let wrong = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 200) { number in
            let value: [BusValue] = [.uint32(UInt32(number))]
            if (try? client.call(Self.echo("Echo", value))) != value { wrong.withLock { $0 += 1 } }
        }
        #expect(wrong.withLock { $0 } == 0)
        withExtendedLifetime(server) {}
    }

    @Test func handlerThatCallsIsRefusedAndNotHung() throws {
        let bus = try PrivateBus()
        let server = try Self.server(bus)
        let client = SessionBus(environment: bus.environment)
        let code = Mutex<DiagnosticCode?>(nil)
        let observation = try client.observe(BusMatch(interface: "org.example.Echo")) { [weak client] _ in
            do throws(ActivationFailure) { _ = try client?.owner(of: "x.y") } catch {
                code.withLock { $0 = error.code }
            }
        }
        try server.emit(BusMessage(path: "/a", interface: "org.example.Echo", member: "Now"))
        #expect(eventually { code.withLock { $0 } == .busMessage })
        withExtendedLifetime((observation, server)) {}
    }

    @Test func threadEndsWithTheValue() throws {
        let bus = try PrivateBus()
        weak var thread: BusThread?
        do {
            let client = SessionBus(environment: bus.environment)
            _ = try client.owner(of: "org.example.X")
            thread = client.thread
            #expect(thread != nil)
        }
        #expect(eventually { thread == nil })
    }
}
