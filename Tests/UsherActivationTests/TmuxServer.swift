import Foundation
import TestSupport
import UsherActivation

/// A real tmux server of this test's own, with a terminal attached on demand; gone with the value.
final class TmuxServer {
    let directory = TemporaryFolder()
    private(set) var environment: [String: String]
    let options: [String]

    init() {
        // A window is called by what was started in it, and not for a moment by what starts that.
        let rules = directory.path + "/tmux.conf"
        try? Data("set -g automatic-rename off\n".utf8).write(to: URL(fileURLWithPath: rules))
        options = ["-f", rules]
        environment = [
            "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": directory.path, "TERM": "xterm-256color", "LANG": "C.UTF-8",
            "TMUX_TMPDIR": directory.path,
        ]
    }

    deinit {
        tmux("kill-server")
        outer("kill-server")
        display?.end()
    }

    var windowSystem: TmuxWindowSystem { TmuxWindowSystem(environment: environment, options: options) }

    var activator: Activator {
        Activator(windowSystem: windowSystem, environment: environment, stateDirectory: directory.path)
    }

    @discardableResult
    func tmux(_ arguments: String...) -> String { run(options + arguments) }

    /// The server whose pane is the terminal of our client.
    @discardableResult
    private func outer(_ arguments: String...) -> String { run(options + ["-L", "outer"] + arguments) }

    private func run(_ arguments: [String]) -> String {
        let request = SpawnRequest(
            program: "/usr/bin/tmux", arguments: ["tmux", "-u"] + arguments,
            environment: environment.map { EnvironmentVariable($0.key, $0.value) }, captureLimit: 1 << 20)
        let output = (try? Spawner.run(request, timeLimit: 5000))?.output ?? []
        return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// A session with one window, in which `cat` runs.
    func start(session: String = "main") { tmux("new-session", "-d", "-s", session, "--", "cat", "-") }

    /// What shows the outer server: a terminal that reads and never types.
    private var display: Program?
    private static let display = """
        import os, pty, sys
        pid, terminal = pty.fork()
        if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
        try:
            while os.read(terminal, 65536): pass
        except OSError: pass
        """

    /// A terminal on which the session is seen.
    func attach(session: String = "main") {
        let before = clients.count
        outer(
            "new-session", "-d", "-x", "120", "-y", "40", "--", "env", "-u", "TMUX", "tmux", "-u", "-f", "/dev/null",
            "attach", "-t", "=" + session)
        _ = eventually { clients.count > before }
        guard display == nil else { return }
        let command = ["python3", "-c", Self.display, "tmux", "-u"] + options + ["-L", "outer", "attach"]
        display = try? Program(
            SpawnRequest(
                program: "/usr/bin/python3", arguments: command,
                environment: environment.map { EnvironmentVariable($0.key, $0.value) }, captureLimit: nil))
        _ = eventually { !outer("list-clients").isEmpty }
    }

    /// Types into the terminal that was attached first.
    func type(_ key: String) { outer("send-keys", "-t", "0:0", key) }

    private var clients: [String] {
        tmux("list-clients", "-F", "#{client_name}").split(separator: "\n").map(String.init).filter {
            $0.hasPrefix("/dev/")
        }
    }

    /// Whether some process watches the server.
    var hasHooks: Bool { tmux("show-options", "-g", "window-linked").contains("wait-for -S usher-") }

    /// The window that the attached client shows.
    var shown: String { tmux("list-clients", "-F", "#{session_name} #{window_id}") }

    func window(_ format: String = "#{window_id}", of target: String) -> String {
        tmux("display-message", "-p", "-t", target, format)
    }
}
