import Foundation
import TestSupport
import UsherSystem

@testable import UsherActivation
@testable import UsherWindows

enum WindowManager: String, Sendable, CaseIterable {
    case openbox, i3
}

/// A real X server of this test's own without a screen, with a window manager on demand; gone with the value.
///
/// Its number is one that servers which choose for themselves don't take, so that another one can follow it.
final class XServer {
    private let files = TemporaryFolder()
    let manager: WindowManager?
    private let options: [String]
    private var server: Program?
    private var others: [Program] = []
    private(set) var number = ""

    var display: String { number }

    /// `configuration` is more of the window manager's; `options` are more of the server's.
    init(_ manager: WindowManager? = .openbox, configuration: String = "", options: [String] = []) throws {
        // The library writes to a server that may be gone; the daemon ignores this signal as well.
        signal(SIGPIPE, SIG_IGN)
        self.manager = manager
        self.options = options
        let rules =
            manager == .i3
            ? "font pango:DejaVu Sans Mono 8\nforce_display_urgency_hint 0 ms\nipc-socket \(folder)/i3.socket\n"
                + "assign [title=\"^far\"] workspace number 3\n" + configuration
            : Self.rules
        try Data(rules.utf8).write(to: URL(fileURLWithPath: folder + "/rules"))
        try start()
    }

    private var folder: String { files.path }

    deinit { stop() }

    /// Windows whose title begins with "far" open on the third desktop, as in i3.
    private static let rules = """
        <?xml version="1.0"?>
        <openbox_config xmlns="http://openbox.org/3.4/rc">
        <focus><focusNew>yes</focusNew></focus>
        <desktops><number>4</number></desktops>
        <applications><application title="far*"><desktop>3</desktop></application></applications>
        </openbox_config>
        """

    func start() throws {
        let answer = folder + "/number"
        let command = "exec Xvfb \"$1\" -displayfd 1 -screen 0 640x480x24 -nolisten tcp -noreset \"${@:2}\" >\"$0\""
        // It writes its number when it is ready. One that another server has is given up.
        for _ in 0..<20 {
            let wanted = number.isEmpty ? ":\(Int.random(in: 2000...50_000))" : number
            try? FileManager.default.removeItem(atPath: answer)
            let program = try run("bash", ["-c", command, answer, wanted] + options)
            var line = ""
            _ = eventually {
                line = (try? String(contentsOfFile: answer, encoding: .utf8)) ?? ""
                return line.hasSuffix("\n") || program.hasEnded
            }
            guard line.hasSuffix("\n") else {
                program.end()
                continue
            }
            (server, number) = (program, ":" + line.trimmingCharacters(in: .whitespacesAndNewlines))
            break
        }
        try startManager()
    }

    private var managing: Program?

    func startManager() throws {
        switch manager {
        case .openbox: managing = try run("openbox", ["--config-file", folder + "/rules", "--sm-disable"])
        case .i3: managing = try run("i3", ["-c", folder + "/rules"])
        case nil: return
        }
        _ = eventually { X11WindowSystem(environment: ["DISPLAY": display]).support.system != "x11" }
    }

    func stopManager() {
        managing?.end()
        managing = nil
    }

    /// The server, and with it everything on it.
    func stop() {
        // Its clients end with it.
        server?.end()
        server = nil
        managing?.end()
        managing = nil
        for program in others { program.end() }
        others = []
    }

    /// A server that hangs.
    func pause() { if let server { kill(server.process, SIGSTOP) } }
    func resume() { if let server { kill(server.process, SIGCONT) } }

    /// An xterm that stays until it is ended.
    @discardableResult
    func terminal(_ title: String, _ options: [String] = []) throws -> Program {
        let program = try run("xterm", ["-T", title] + options + ["-e", "cat"])
        others.append(program)
        return program
    }

    /// A program of a test's own; see `XClient`.
    @discardableResult
    func client(_ arguments: String...) throws -> Program {
        let program = try run("python3", ["-c", XClient.text] + arguments)
        others.append(program)
        return program
    }

    /// What a program of others says about the root window.
    func root(_ property: String) -> String { say("xprop", ["-root", property]) }

    func property(_ name: String, of handle: String) -> String {
        say("xprop", ["-id", String(handle.dropFirst(4)), name])
    }

    /// Runs a command of others.
    @discardableResult
    func say(_ program: String, _ arguments: [String]) -> String {
        let result = try? Spawner.run(request(program, arguments, captures: true), timeLimit: 30_000)
        return String(decoding: result?.output ?? [], as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @discardableResult
    func i3(_ arguments: String...) -> String { say("i3-msg", ["-s", folder + "/i3.socket"] + arguments) }

    /// For a busy machine: a window may take long.
    var windowSystem: X11WindowSystem { X11WindowSystem(environment: ["DISPLAY": display], focusLimit: 20_000) }

    /// For what never comes.
    var hasty: X11WindowSystem { X11WindowSystem(environment: ["DISPLAY": display], focusLimit: 400) }

    func isActive(_ handle: String) -> Bool { root("_NET_ACTIVE_WINDOW").hasSuffix("# " + handle.dropFirst(4)) }

    /// The window with this title, as soon as it is there.
    func window(_ title: String) throws -> WindowList.Window {
        let windows = windowSystem
        var found: WindowList.Window?
        _ = eventually {
            found = (try? windows.windows())?.windows.first { $0.title == title }
            return found != nil
        }
        guard let found else { throw Missing(title: title) }
        return found
    }

    struct Missing: Error { var title: String }

    private func run(_ program: String, _ arguments: [String]) throws -> Program {
        try Program(request(program, arguments))
    }

    private func request(_ program: String, _ arguments: [String], captures: Bool = false) -> SpawnRequest {
        let environment = ["PATH": "/usr/bin:/bin", "HOME": folder, "DISPLAY": number, "LANG": "C.UTF-8"]
        return SpawnRequest(
            program: "/usr/bin/" + program, arguments: [program] + arguments,
            environment: environment.map { EnvironmentVariable($0.key, $0.value) },
            captureLimit: captures ? 1 << 20 : nil)
    }
}
