import Testing
import UsherActivation

@testable import UsherWindows

@Suite("WaylandWindowSystem", .serialized)
struct WaylandWindowSystemTests {
    private static func bytes(_ numbers: [UInt32]) -> [UInt8] {
        numbers.flatMap { number in withUnsafeBytes(of: number) { Array($0) } }
    }

    private static func message(_ object: UInt32, _ opcode: UInt32, _ body: [UInt8] = []) -> [UInt8] {
        bytes([object, UInt32(body.count + 8) << 16 | opcode]) + body
    }

    /// `wl_registry.global`.
    private static func global(_ interface: String, number: UInt32 = 1) -> [UInt8] {
        let text = Array(interface.utf8) + [0]
        let padding = [UInt8](repeating: 0, count: (4 - text.count % 4) % 4)
        return message(2, 0, bytes([number, UInt32(text.count)]) + text + padding + bytes([1]))
    }

    private static let done = message(3, 0, bytes([7]))

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
            ("another teller", ["zwlr_foreign_toplevel_manager_v1"], "by zwlr_foreign_toplevel_manager_v1", false),
            ("KDE's", ["org_kde_plasma_window_management", "xdg_activation_v1"], "by org_kde_plasma", true),
        ] as [(String, [String], String, Bool)])
    func offers(name: String, interfaces: [String], words: String, hasToken: Bool) throws {
        let server = try DeafServer(answer: interfaces.flatMap { Self.global($0) } + Self.done)
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
        "half a message": Array(message(2, 0, [1, 2, 3, 4]).dropLast(2)),
        "no length": bytes([2, 0, 2, 0]),
        "a text longer than its message": message(2, 0, bytes([1, 4000, 0])) + message(9, 0),
        "globals without end": [[UInt8]](repeating: global("wl_output"), count: 60_000).flatMap { $0 },
    ]

    @Test("a server that is no compositor is refused with a reason, in time", arguments: strangers.keys.sorted())
    func hostile(name: String) throws {
        let server = try DeafServer(answer: Self.strangers[name] ?? [])
        #expect(Self.reason(Self.support(server.path)[.list])?.contains("no compositor answers") == true)
    }

    @Test("a socket without a server is an error; without a name there is none")
    func absent() {
        let support = Self.support("wayland-4711", ["XDG_RUNTIME_DIR": "/nonexistent"])
        #expect(Self.reason(support[.verify])?.contains("/nonexistent/wayland-4711") == true)
        #expect(!WaylandWindowSystem(environment: [:]).isAvailable)
        #expect(!WaylandWindowSystem(environment: ["WAYLAND_DISPLAY": "wayland-0"]).isAvailable)
    }

    @Test("a real sway without SWAYSOCK is recognised, with the remedy")
    func sway() throws {
        let sway = try SwayServer()
        let support = WaylandWindowSystem(environment: sway.wayland).support
        #expect(support.system == "wayland (sway)")
        #expect(Self.reason(support[.list])?.contains("import-environment SWAYSOCK") == true)
    }

    @Test("it has no windows, and does nothing to any")
    func nothing() throws {
        let system = WaylandWindowSystem(environment: ["WAYLAND_DISPLAY": "/nonexistent"])
        #expect(try system.windows().windows.isEmpty)
        #expect(!system.isDesktop && !system.recognizes(handle: "sway:1"))
        #expect(throws: ActivationFailure.self) { try system.focus(.handle("x", server: nil)) }
    }
}
