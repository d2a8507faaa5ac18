import Foundation
import Synchronization
import TestSupport
import Testing
import UsherSystem
import UsherWindows

private final class Locked<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }

    func with<Result>(_ body: (inout Value) -> Result) -> Result where Result: Sendable {
        value.withLock { value in
            var copy = value
            defer { value = copy }
            return body(&copy)
        }
    }
}

@Suite("Whether the user of a Wayland session is at work", .serialized)
struct WaylandActivityTests {
    private static let pause = Duration.milliseconds(200)

    /// sway 1.7 has `org_kde_kwin_idle`.
    @Test("keys and pauses are noticed on sway")
    func sway() throws {
        let server = try SwayServer()
        let activity = try #require(WaylandActivity(environment: server.wayland, pause: Self.pause))
        #expect(activity.timeSinceInput ?? .zero == .zero)
        for _ in 0..<2 {
            try waitUntil("it pauses") { activity.timeSinceInput ?? .zero > Self.pause }
            let before = try #require(activity.timeSinceInput)
            try waitUntil("the pause grows") { activity.timeSinceInput ?? .zero > before }
            try server.run(["wtype", "x"])
            try waitUntil("a key is noticed") { activity.timeSinceInput == .zero }
        }
        // Nothing is known of a compositor that has ended, and the next one is asked again.
        server.stop()
        try waitUntil("it has ended") { activity.timeSinceInput == nil }
    }

    @Test(
        "what is asked of a compositor, by its version",
        arguments: [("ext_idle_notifier_v1", 1), ("ext_idle_notifier_v1", 2)])
    func requests(interface: String, version: UInt32) throws {
        let requests = Locked<[UInt8]>([])
        let goesOn = Locked(0)
        let server = try ScriptedServer { client in
            _ = client.receive()
            client.send(
                Wire.global("wl_seat", number: 1) + Wire.global(interface, number: 2, version: version)
                    + Wire.message(3, 0, Wire.words([7])))
            let asked = client.receive()
            requests.with { $0 = asked }
            // The seat is 5, the notification 6.
            for step in 1... {
                while goesOn.with({ $0 }) < step { usleep(1000) }
                client.send(Wire.message(6, step % 2 == 1 ? 0 : 1))
                if step == 4 { break }
            }
            _ = client.receive()
        }
        let activity = try #require(WaylandActivity(environment: ["WAYLAND_DISPLAY": server.path], pause: Self.pause))
        try waitUntil("it is asked") { !requests.with { $0.isEmpty } }
        let wanted = Wire.message(4, version == 2 ? 2 : 1, Wire.words([6, 200, 5]))
        #expect(requests.with { $0.suffix(wanted.count).elementsEqual(wanted) })
        #expect(activity.timeSinceInput == nil, "it may have been idle for long")
        for step in 1...4 {
            goesOn.with { $0 = step }
            try waitUntil("step \(step)") {
                step % 2 == 1 ? activity.timeSinceInput ?? .zero >= Self.pause : activity.timeSinceInput == .zero
            }
        }
    }

    @Test("without the protocol nothing is known")
    func without() throws {
        let answered = Locked(false)
        let server = try ScriptedServer { client in
            _ = client.receive()
            client.send(Wire.global("wl_seat") + Wire.message(3, 0, Wire.words([7])))
            answered.with { $0 = true }
            _ = client.receive()
        }
        let activity = try #require(WaylandActivity(environment: ["WAYLAND_DISPLAY": server.path], pause: .zero))
        try waitUntil("it has answered") { answered.with { $0 } }
        #expect(activity.timeSinceInput == nil)
        #expect(WaylandActivity(environment: [:], pause: .zero) == nil)
    }
}
