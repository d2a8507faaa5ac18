import Testing
import UsherActivation

@testable import UsherWindows

@Suite("WaylandWindowSystem", .serialized)
struct WaylandWindowSystemTests {
    private static let done = Wire.message(3, 0, Wire.words([7]))

    private static func reason(_ answer: WindowSupport.Answer) -> String? {
        if case .no(let reason) = answer { reason } else { nil }
    }

    private static func support(_ path: String, _ other: [String: String] = [:]) -> WindowSupport {
        WaylandWindowSystem(environment: ["WAYLAND_DISPLAY": path].merging(other) { one, _ in one }).support
    }

    @Test(
        "what a compositor offers decides what is said of it",
        arguments: [
            ("nothing", [], "tells programs nothing about windows", false),
            ("GNOME's", ["wl_compositor", "xdg_wm_base", "xdg_activation_v1"], "tells programs nothing", true),
            ("KDE's", ["org_kde_plasma_window_management", "xdg_activation_v1"], "by org_kde_plasma", true),
        ] as [(String, [String], String, Bool)])
    func offers(name: String, interfaces: [String], words: String, hasToken: Bool) throws {
        let server = try ScriptedServer(answer: interfaces.flatMap { Wire.global($0) } + Self.done)
        let support = Self.support(server.path)
        #expect(Self.reason(support[.list])?.contains(words) == true, "\(support)")
        #expect(Self.reason(support[.list])?.contains("Xwayland") == false)
        #expect((support[.token] == .yes) == hasToken)
        for ability in [WindowSupport.Ability.focus, .verify, .watch, .launch] {
            #expect(Self.reason(support[ability]) != nil)
        }
        #expect(Self.reason(Self.support(server.path, ["DISPLAY": ":1"])[.list])?.contains("x11's") == true)
    }

    private static let strangers: [String: [UInt8]] = [
        "the end": [],
        "another protocol": Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8),
        "half a message": Array(Wire.message(2, 0, [1, 2, 3, 4]).dropLast(2)),
        "no length": Wire.words([2, 0, 2, 0]),
        "a text longer than its message": Wire.message(2, 0, Wire.words([1, 4000, 0])) + Wire.message(9, 0),
        "globals without end": [[UInt8]](repeating: Wire.global("wl_output"), count: 60_000).flatMap { $0 },
    ]

    @Test("a server that is no compositor is refused with a reason, in time", arguments: strangers.keys.sorted())
    func hostile(name: String) throws {
        let server = try ScriptedServer(answer: Self.strangers[name] ?? [])
        #expect(Self.reason(Self.support(server.path)[.list])?.contains("no compositor answers") == true)
    }

    @Test("a socket without a server is an error; without a name there is none")
    func absent() {
        let support = Self.support("wayland-4711", ["XDG_RUNTIME_DIR": "/nonexistent"])
        #expect(Self.reason(support[.verify])?.contains("/nonexistent/wayland-4711") == true)
        #expect(!WaylandWindowSystem(environment: [:]).isAvailable)
        #expect(!WaylandWindowSystem(environment: ["WAYLAND_DISPLAY": "wayland-0"]).isAvailable)
    }

    @Test("a compositor that lists its windows, and came too late, asks for a new start")
    func late() throws {
        let sway = try SwayServer()
        let support = WaylandWindowSystem(environment: sway.wayland).support
        #expect(support.system == "wayland (sway)")
        #expect(Self.reason(support[.list])?.contains("start usherd anew") == true)
    }

    @Test("it has no windows, and does nothing to any")
    func nothing() throws {
        let system = WaylandWindowSystem(environment: ["WAYLAND_DISPLAY": "/nonexistent"])
        #expect(try system.windows().windows.isEmpty)
        #expect(!system.isDesktop && !system.recognizes(handle: "sway:1"))
        #expect(throws: ActivationFailure.self) { try system.focus(.handle("x", server: nil)) }
    }
}
