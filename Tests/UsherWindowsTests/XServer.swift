import Foundation
import UsherWindows

@testable import UsherActivation

/// A program that runs until it is ended: with the signals of a new program, which a test's threads may have blocked.
final class Program {
    private var child: ChildProcess

    init(_ request: SpawnRequest) throws { child = try Spawner.start(request) }

    deinit { child.stop(patience: 5000) }

    var process: Int32 { child.pid }

    func end() { child.stop(patience: 5000) }
}

/// A real X server of this test's own without a screen, with a window manager on demand; gone with the value.
///
/// It chooses its number itself; one that takes its place has the same.
final class XServer {
    private let folder: String
    private var server: Program?
    private var others: [Program] = []
    private(set) var number = ""

    var display: String { number }

    init(windowManager: Bool = true) throws {
        // The library writes to a server that may be gone; the daemon ignores this signal as well.
        signal(SIGPIPE, SIG_IGN)
        var template = Array("/tmp/usher-x11-XXXXXX".utf8CString)
        folder = mkdtemp(&template).map { String(cString: $0) } ?? "/tmp"
        try Data(Self.rules.utf8).write(to: URL(fileURLWithPath: folder + "/rc.xml"))
        try start(windowManager: windowManager)
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Windows whose title begins with "far" open on the third desktop.
    private static let rules = """
        <?xml version="1.0"?>
        <openbox_config xmlns="http://openbox.org/3.4/rc">
        <focus><focusNew>yes</focusNew></focus>
        <desktops><number>4</number></desktops>
        <applications><application title="far*"><desktop>3</desktop></application></applications>
        </openbox_config>
        """

    func start(windowManager: Bool = true) throws {
        let answer = folder + "/number"
        let command = "exec Xvfb $1 -displayfd 1 -screen 0 640x480x24 -nolisten tcp -noreset >\"$0\""
        try? FileManager.default.removeItem(atPath: answer)
        server = try run("sh", ["-c", command, answer, number])
        // It writes its number when it is ready.
        var line = ""
        _ = eventually {
            line = (try? String(contentsOfFile: answer, encoding: .utf8)) ?? ""
            return line.hasSuffix("\n")
        }
        number = ":" + line.trimmingCharacters(in: .whitespacesAndNewlines)
        guard windowManager else { return }
        others.append(try run("openbox", ["--config-file", folder + "/rc.xml", "--sm-disable"]))
        _ = eventually { self.root("_NET_SUPPORTING_WM_CHECK").contains("window id") }
    }

    /// The server, and with it everything on it.
    func stop() {
        // Its clients end with it.
        server?.end()
        server = nil
        for program in others { program.end() }
        others = []
    }

    /// An xterm that stays until it is ended.
    @discardableResult
    func terminal(_ title: String, _ options: [String] = []) throws -> Program {
        let program = try run("xterm", ["-T", title] + options + ["-e", "cat"])
        others.append(program)
        return program
    }

    /// What a program of others says about the root window.
    func root(_ property: String) -> String { say("xprop", ["-root", property]) }

    func property(_ name: String, of handle: String) -> String {
        say("xprop", ["-id", String(handle.dropFirst(4)), name])
    }

    var windowSystem: X11WindowSystem { X11WindowSystem(environment: ["DISPLAY": display]) }

    private func say(_ program: String, _ arguments: [String]) -> String {
        let result = try? Spawner.run(request(program, arguments, captures: true), timeLimit: 30_000)
        return String(decoding: result?.output ?? [], as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func run(_ program: String, _ arguments: [String]) throws -> Program {
        try Program(request(program, arguments))
    }

    private func request(_ program: String, _ arguments: [String], captures: Bool = false) -> SpawnRequest {
        let environment = ["PATH": "/usr/bin:/bin", "HOME": folder, "DISPLAY": number, "LANG": "C.UTF-8"]
        return SpawnRequest(
            program: "/usr/bin/" + program, arguments: [program] + arguments,
            environment: environment.map { EnvironmentVariable($0.key, $0.value) },
            captureLimit: captures ? 1 << 16 : nil)
    }
}

/// Waits for something that another program does; false when it has not happened in time.
func eventually(within seconds: Double = 30, _ condition: () throws -> Bool) rethrows -> Bool {
    let end = Date().addingTimeInterval(seconds)
    while Date() < end {
        if try condition() { return true }
        usleep(10_000)
    }
    return try condition()
}
