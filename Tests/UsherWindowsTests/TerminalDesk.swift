import Foundation
import TestSupport
import Testing
import UsherBus

@testable import UsherActivation
@testable import UsherWindows

/// A tmux of the test's own, with a terminal on the desktop that shows it.
final class TerminalDesk {
    let server: XServer
    private(set) var bus: PrivateBus?
    private let files = TemporaryFolder()

    func write(_ text: String, to file: String) throws { try files.write(text, to: file) }

    private var programs: [Program] = []

    /// - Parameter hasBus: with a session bus, on which programs publish what assistive technologies read.
    init(_ manager: WindowManager, hasBus: Bool = false) throws {
        server = try XServer(manager)
        guard hasBus else { return }
        let services = [
            "org.a11y.Bus": "/usr/libexec/at-spi-bus-launcher",
            // Only where it is installed.
            "org.gnome.Terminal": "/usr/" + "libexec/gnome-terminal-server",
        ]
        let bus = try PrivateBus(services: services, environment: environment)
        // Programs of Qt look for it when they start, and do not start it.
        try SessionBus(environment: bus.environment)
            .call(BusCall("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress"))
        self.bus = bus
    }

    var folder: String { files.path }

    /// A terminal without a window, in which a program runs.
    static let display = """
        import os, pty, sys
        pid, terminal = pty.fork()
        if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
        try:
            while os.read(terminal, 65536): pass
        except OSError: pass
        """

    deinit {
        tmux("kill-server")
        for program in programs { program.end() }
        server.stop()
    }

    private var environment: [String: String] {
        [
            "PATH": "/usr/bin:/bin", "HOME": folder, "TMUX_TMPDIR": folder, "LANG": "C.UTF-8", "TERM": "xterm",
            "DISPLAY": server.display, "XDG_RUNTIME_DIR": folder, "SHELL": folder + "/shell",
            "GSETTINGS_BACKEND": "keyfile", "LIBGL_ALWAYS_SOFTWARE": "1", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
        ].merging(bus?.environment ?? [:]) { $1 }
    }

    var activator: Activator {
        Activator(
            windowSystem: windows, tabs: bus.map { BusTerminalTabs(SessionBus(environment: $0.environment)) },
            environment: environment, stateDirectory: folder)
    }

    var windows: WindowSystems {
        WindowSystems([
            TmuxWindowSystem(environment: environment, options: ["-f", "/dev/null"]), server.windowSystem,
        ])
    }

    @discardableResult
    func tmux(_ arguments: String...) -> String { tmux(arguments) }

    @discardableResult
    func tmux(_ arguments: [String]) -> String {
        let request = request("tmux", ["-f", "/dev/null"] + arguments, captures: true)
        let output = (try? Spawner.run(request, timeLimit: 30_000))?.output ?? []
        return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// A session with a client attached in a terminal.
    func look(_ title: String, at session: String? = nil) throws -> String {
        let before = clients.count
        let target = session.map { ["-t", "=" + $0] } ?? []
        let window = try terminal(title, ["tmux", "-f", "/dev/null", "attach"] + target)
        _ = eventually { self.clients.count > before }
        return window
    }

    /// A terminal in which a program runs; its window.
    func terminal(_ title: String, _ command: [String]) throws -> String {
        programs.append(try Program(request("xterm", ["-T", title, "-e"] + command)))
        return try server.window(title).handle
    }

    /// A program that ends with the desk.
    @discardableResult
    func run(_ program: String, _ arguments: String...) throws -> Program { try run(program, arguments) }

    @discardableResult
    func run(_ program: String, _ arguments: [String]) throws -> Program {
        let started = try Program(request(program, arguments))
        programs.append(started)
        return started
    }

    private var clients: [Substring] { tmux("list-clients").split(separator: "\n") }

    // MARK: Witnesses

    /// A program that writes each key that its terminal gives it into a file.
    func witness(_ name: String) -> [String] {
        let script = #"stty raw -echo; echo $$ >"$0.pid.new"; mv "$0.pid.new" "$0.pid"; exec cat >"$0.keys""#
        return ["sh", "-c", script, "\(folder)/\(name)"]
    }

    /// Makes the shell of this desk a witness: the first that is started is the first of `names`, and so on.
    func makeShells(_ names: String...) throws {
        let lines = names.map { #"mkdir "$0.\#($0)" 2>/dev/null && exec \#(quoted(witness($0)))"# }
        let file = folder + "/shell"
        try Data(("#!/bin/sh\n" + lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: file))
        #expect(chmod(file, 0o755) == 0)
    }

    private func quoted(_ words: [String]) -> String { words.map { "'\($0)'" }.joined(separator: " ") }

    /// The process of a witness, as soon as it runs.
    func process(_ name: String) throws -> Int32 {
        var found: Int32?
        try waitUntil("\(name) runs") {
            found = text("\(name).pid").flatMap { Int32($0) }
            return found != nil
        }
        return try #require(found)
    }

    /// Types a key into whatever has the keyboard, and returns the witness that got it.
    func receiverOfKey() throws -> String {
        let before = keys()
        server.say("xdotool", ["key", "x"])
        var after = before
        _ = eventually(within: 10) {
            after = keys()
            return after != before
        }
        return after.filter { before[$0.key] != $0.value }.map(\.key).sorted().joined(separator: " ")
    }

    private func keys() -> [String: Int] {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let names = files.filter { $0.hasSuffix(".keys") }
        return Dictionary(uniqueKeysWithValues: names.map { (String($0.dropLast(5)), text($0)?.count ?? 0) })
    }

    func text(_ name: String) -> String? {
        (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8))?.trimmingCharacters(in: .newlines)
    }

    func request(_ program: String, _ arguments: [String], captures: Bool = false) -> SpawnRequest {
        SpawnRequest(
            program: "/usr/bin/" + program, arguments: [program] + arguments,
            environment: environment.map { EnvironmentVariable($0.key, $0.value) },
            captureLimit: captures ? 1 << 20 : nil)
    }
}
