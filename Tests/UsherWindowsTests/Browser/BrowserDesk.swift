import Foundation
import TestSupport
import Testing
import UsherControl
import UsherOperation

@testable import UsherActivation
@testable import UsherWindows

/// A desktop with real browsers on it: an X server, pages on loopback, a state folder whose daemon is this test, and the
/// browsers' own profiles; all of it gone with the value.
final class BrowserDesk {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case firefox, chromium

        var testDescription: String { rawValue }
    }

    let server: XServer
    private let files = TemporaryFolder()
    private(set) var windows: BrowserWindowSystem
    private let lock: DaemonLock
    private var programs: [Program] = []
    private(set) var port = 0

    static let usher = Repository.products + "/usher"

    init() throws {
        server = try XServer()
        let folder = files.path
        for name in ["home/.mozilla", "pages", "state"] {
            try FileManager.default.createDirectory(atPath: folder + "/" + name, withIntermediateDirectories: true)
        }
        lock = try DaemonLock.acquire(
            state: folder + "/state", socket: folder + "/state/usherd.sock", version: "test", started: "")
        windows = try BrowserWindowSystem(
            socket: BrowserSocket.path(beside: folder + "/state/usherd.sock"), desktop: server.windowSystem,
            limits: Self.limits)
        try startPages()
    }

    var folder: String { files.path }

    deinit {
        for program in programs { program.end() }
        server.stop()
        windows.stop()
    }

    /// Machines that run tests are slow.
    private static let limits = BrowserWindowSystem.Limits(seen: 10_000, answer: 20_000, title: 10_000)

    /// As if the daemon had been started anew.
    func restart() throws {
        windows.stop()
        windows = try BrowserWindowSystem(
            socket: BrowserSocket.path(beside: folder + "/state/usherd.sock"), desktop: server.windowSystem,
            limits: Self.limits)
    }

    // MARK: - Pages

    func page(_ name: String) -> String { "http://127.0.0.1:\(port)/\(name)" }

    private func startPages() throws {
        for number in 1...4 {
            try Data("<!doctype html><title>Page \(number)</title><h1 id=part>\(number)</h1>".utf8)
                .write(to: URL(fileURLWithPath: folder + "/pages/\(number)"))
        }
        let script = """
            import http.server, functools, sys
            class Handler(http.server.SimpleHTTPRequestHandler):
                def guess_type(self, path): return 'text/html'
                def log_message(self, *text): pass
            server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), functools.partial(Handler, directory=sys.argv[1]))
            open(sys.argv[2], 'w').write(str(server.server_port) + '\\n')
            server.serve_forever()
            """
        let answer = folder + "/port"
        _ = try run("python3", ["-c", script, folder + "/pages", answer])
        var line = ""
        _ = eventually {
            line = (try? String(contentsOfFile: answer, encoding: .utf8)) ?? ""
            return line.hasSuffix("\n")
        }
        port = try #require(Int(line.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    // MARK: - Browsers

    /// Starts a browser with these pages in the tabs of a window, and waits until it is connected.
    @discardableResult
    func start(_ kind: Kind, withExtension: Bool = true) throws -> Program {
        let pages = (1...3).map { page("\($0)") }
        let profile = folder + "/" + kind.rawValue
        try FileManager.default.createDirectory(atPath: profile, withIntermediateDirectories: true)
        let program: Program
        switch kind {
        case .firefox:
            try install(["firefox"])
            if withExtension { try pack(to: profile + "/extensions/browser@usher.xpi") }
            try Data(Self.preferences.utf8).write(to: URL(fileURLWithPath: profile + "/user.js"))
            program = try run("firefox-esr", ["--no-remote", "--profile", profile] + pages)
        case .chromium:
            try install(["chromium", "--profile", profile])
            var options = [
                "--no-sandbox", "--user-data-dir=\(profile)", "--no-first-run", "--no-default-browser-check",
                "--disable-gpu",
                "--disable-crash-reporter", "--password-store=basic", "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-features=DisableLoadExtensionCommandLineSwitch",
            ]
            if withExtension { options.append("--load-extension=\(Repository.path)/Extension") }
            program = try run("chromium", options + pages)
        }
        programs.append(program)
        guard withExtension else { return program }
        #expect(
            eventually(within: 90) { window(of: kind)?.tabs.map(\.title) == ["Page 1", "Page 2", "Page 3"] },
            "\(kind) is not connected")
        return program
    }

    func window(of kind: Kind) -> WindowList.Window? {
        (try? windows.windows())?.windows.first { $0.browser == kind.rawValue }
    }

    /// As its user does it.
    private func install(_ arguments: [String]) throws {
        let request = SpawnRequest(
            program: Self.usher,
            arguments: ["usher", "browser", "install"] + arguments + ["--state", folder + "/state"],
            environment: environment, captureLimit: 1 << 16)
        let result = try Spawner.run(request, timeLimit: 30_000)
        #expect(result.end == .exited(0), "\(String(decoding: result.output, as: UTF8.self))")
    }

    private func pack(to path: String) throws {
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        let files = ["manifest.json", "background.js"].map { Repository.path + "/Extension/" + $0 }
        let request = SpawnRequest(
            program: "/usr/bin/python3", arguments: ["python3", "-m", "zipfile", "-c", path] + files,
            environment: environment, captureLimit: 1 << 16)
        let result = try Spawner.run(request, timeLimit: 30_000)
        #expect(result.end == .exited(0), "\(String(decoding: result.output, as: UTF8.self))")
    }

    private static let preferences = """
        user_pref("xpinstall.signatures.required", false);
        user_pref("extensions.autoDisableScopes", 0);
        user_pref("extensions.startupScanScopes", 15);
        user_pref("browser.shell.checkDefaultBrowser", false);
        user_pref("browser.startup.homepage_override.mstone", "ignore");
        user_pref("browser.aboutwelcome.enabled", false);
        user_pref("datareporting.policy.dataSubmissionEnabled", false);
        user_pref("app.update.enabled", false);
        user_pref("network.captive-portal-service.enabled", false);
        user_pref("network.connectivity-service.enabled", false);
        """

    // MARK: - Programs

    private var environment: [EnvironmentVariable] {
        [
            "PATH": "/usr/bin:/bin", "HOME": folder + "/home", "DISPLAY": server.display, "LANG": "C.UTF-8",
            "MOZ_CRASHREPORTER_DISABLE": "1", "NO_AT_BRIDGE": "1", "GTK_A11Y": "none",
        ].map { EnvironmentVariable($0.key, $0.value) }
    }

    private func run(_ program: String, _ arguments: [String]) throws -> Program {
        let started = try Program(
            SpawnRequest(
                program: "/usr/bin/" + program, arguments: [program] + arguments, environment: environment))
        programs.append(started)
        return started
    }

    /// Has another program do something on the desktop.
    func command(_ program: String, _ arguments: [String]) throws {
        _ = try Spawner.run(
            SpawnRequest(
                program: "/usr/bin/" + program, arguments: [program] + arguments, environment: environment,
                captureLimit: 1 << 16),
            timeLimit: 30_000)
    }
}
