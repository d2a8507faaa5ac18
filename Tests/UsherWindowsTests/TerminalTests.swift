import Foundation
import TestSupport
import Testing
import UsherScene

@testable import UsherActivation
@testable import UsherWindows

/// A window of tmux is seen in a terminal, which is a window of the desktop: behind another window it is not visible.
@Suite("The terminal of a tmux window", .serialized)
struct TerminalTests {
    /// A tmux of the test's own, with a terminal on the desktop that shows it.
    private final class Desk {
        let server: XServer
        private let files = TemporaryFolder()
        private var programs: [Program] = []

        init(_ manager: WindowManager) throws {
            server = try XServer(manager)
        }

        var folder: String { files.path }

        deinit {
            tmux("kill-server")
            for program in programs { program.end() }
            server.stop()
        }

        private var environment: [String: String] {
            [
                "PATH": "/usr/bin:/bin", "HOME": folder, "TMUX_TMPDIR": folder, "LANG": "C.UTF-8", "TERM": "xterm",
                "DISPLAY": server.display,
            ]
        }

        var windows: WindowSystems {
            WindowSystems([
                TmuxWindowSystem(environment: environment, options: ["-f", "/dev/null"]), server.windowSystem,
            ])
        }

        @discardableResult
        func tmux(_ arguments: String...) -> String {
            let request = request("tmux", ["-f", "/dev/null"] + arguments, captures: true)
            let output = (try? Spawner.run(request, timeLimit: 30_000))?.output ?? []
            return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }

        /// A session with a client attached in a terminal.
        func look(_ title: String) throws -> String {
            programs.append(try Program(request("xterm", ["-T", title, "-e", "tmux", "-f", "/dev/null", "attach"])))
            _ = eventually { !self.tmux("list-clients").isEmpty }
            return try server.window(title).handle
        }

        func request(_ program: String, _ arguments: [String], captures: Bool = false) -> SpawnRequest {
            SpawnRequest(
                program: "/usr/bin/" + program, arguments: [program] + arguments,
                environment: environment.map { EnvironmentVariable($0.key, $0.value) },
                captureLimit: captures ? 1 << 20 : nil)
        }
    }

    @Test("comes forward with it", arguments: WindowManager.allCases)
    func focus(manager: WindowManager) throws {
        let desk = try Desk(manager)
        desk.tmux("new-session", "-d", "-s", "work", "--", "cat", "-")
        let wanted = desk.tmux("new-window", "-P", "-F", "#{window_id}", "-t", "work:", "--", "cat", "-")
        desk.tmux("select-window", "-t", "work:0")
        let terminal = try desk.look("mux")
        try desk.server.terminal("far away")
        let other = try desk.server.window("far away").handle
        let windows = desk.windows
        _ = try windows.focus(.handle(other, server: nil))
        #expect(desk.server.isActive(other))

        let sighting = try windows.focus(.handle(wanted, server: nil))
        #expect(sighting.view == .shown && sighting.handle == wanted)
        #expect(desk.server.isActive(terminal))
        #expect(desk.tmux("list-clients", "-F", "#{window_id}") == wanted)

        // One that is only to be marked leaves the terminal where it is.
        _ = try windows.focus(.handle(other, server: nil))
        _ = try windows.focus(
            FocusRequest(.handle(wanted, server: nil), policy: FocusPolicy(prominence: .urgent)))
        #expect(desk.server.isActive(other))

        // A new window as well.
        let made = try windows.launch(WindowLaunch(program: "/bin/cat", arguments: ["-"]))
        #expect(made.view == .shown && desk.server.isActive(terminal))
    }

    @Test("is left alone where the client is in no window of the desktop")
    func console() throws {
        let desk = try Desk(.openbox)
        desk.tmux("new-session", "-d", "-s", "work", "--", "cat", "-")
        // A terminal that is none of the desktop's: another tmux's.
        desk.tmux(
            "-L", "outer", "new-session", "-d", "-x", "80", "-y", "24", "--", "env", "-u", "TMUX", "tmux", "-f",
            "/dev/null", "attach")
        defer { desk.tmux("-L", "outer", "kill-server") }
        #expect(eventually { !desk.tmux("list-clients").isEmpty })
        try desk.server.terminal("near")
        let near = try desk.server.window("near").handle
        let window = desk.tmux("display-message", "-p", "-t", "work:", "#{window_id}")
        #expect(try desk.windows.focus(.handle(window, server: nil)).view == .shown)
        #expect(eventually { desk.server.isActive(near) })
    }
}
