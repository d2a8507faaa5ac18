import Foundation
import TestSupport
import UsherWindows

@testable import UsherActivation

/// A real sway of this test's own without a screen, XWayland on demand; gone with the value.
///
/// It refuses to run for root, so its programs run as nobody there.
final class SwayServer {
    private let files = TemporaryFolder()
    private let hasX: Bool
    private var compositor: Program?
    private var others: [Program] = []
    private(set) var socket = ""
    private var variables: [String: String] = [:]

    init(xwayland: Bool = false, outputs: Int = 1) throws {
        hasX = xwayland
        self.outputs = outputs
        mkdir(folder + "/run", 0o700)
        if getuid() == 0 { for path in [folder, folder + "/run"] { chown(path, Self.nobody, Self.nobody) } }
        try start()
    }

    private var folder: String { files.path }

    deinit { stop() }

    private static let nobody: UInt32 = 65534
    private let outputs: Int

    /// What programs know that were started without sway's own variable.
    var wayland: [String: String] {
        ["WAYLAND_DISPLAY": variables["WAYLAND_DISPLAY"] ?? "", "XDG_RUNTIME_DIR": folder + "/run"]
    }

    func start() throws {
        // It says where it is when it is ready to start programs.
        let answer = folder + "/run/variables"
        try? FileManager.default.removeItem(atPath: answer)
        let rules = """
            xwayland \(hasX ? "enable" : "disable")
            default_border pixel 1
            focus_on_window_activation smart
            exec env > \(answer).part && mv \(answer).part \(answer)
            """
        try Data(rules.utf8).write(to: URL(fileURLWithPath: folder + "/config"))
        compositor = try Program(request(["sway", "-c", folder + "/config"]))
        _ = eventually { FileManager.default.fileExists(atPath: answer) }
        let lines = ((try? String(contentsOfFile: answer, encoding: .utf8)) ?? "").split(separator: "\n")
        for line in lines {
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            if parts.count == 2, ["WAYLAND_DISPLAY", "SWAYSOCK", "DISPLAY"].contains(parts[0]) {
                variables[parts[0]] = parts[1]
            }
        }
        socket = variables["SWAYSOCK"] ?? folder + "/run/none"
        _ = eventually { !self.message("get_version", kind: true).isEmpty }
    }

    /// The compositor, and with it everything on it.
    func stop() {
        compositor?.end()
        compositor = nil
        for program in others { program.end() }
        others = []
    }

    var process: Int32 { compositor?.process ?? 0 }

    var windowSystem: SwayWindowSystem { SwayWindowSystem(environment: ["SWAYSOCK": socket]) }

    /// A foot that stays until it is ended.
    @discardableResult
    func terminal(_ title: String, _ options: [String] = [], command: [String] = ["cat"]) throws -> Program {
        try run(["foot", "-T", title] + options + command)
    }

    /// An xterm on XWayland.
    @discardableResult
    func xterm(_ title: String) throws -> Program { try run(["xterm", "-T", title, "-e", "cat"]) }

    @discardableResult
    func run(_ arguments: [String]) throws -> Program {
        let program = try Program(request(arguments))
        others.append(program)
        return program
    }

    /// What a program of others answers.
    @discardableResult
    func message(_ text: String, kind: Bool = false) -> String {
        var own = request(
            ["swaymsg", "-s", socket, "-r"] + (kind ? ["-t", text] : ["--", text]), captures: 4 << 20)
        own.errors = .discarded
        let result = try? Spawner.run(own, timeLimit: 30_000)
        return String(decoding: result?.output ?? [], as: UTF8.self)
    }

    /// The container that has the keyboard, by a program of others.
    var focused: String {
        let seats =
            (try? JSONSerialization.jsonObject(with: Data(message("get_seats", kind: true).utf8))) as? [[String: Any]]
        return "sway:\(seats?.first?["focus"] ?? "?")"
    }

    /// What it says about a window.
    func node(_ handle: String) -> [String: Any] {
        var waiting = [
            (try? JSONSerialization.jsonObject(with: Data(message("get_tree", kind: true).utf8))) as? [String: Any]
        ]
        while let node = waiting.popLast() {
            guard let node else { continue }
            if "sway:\(node["id"] ?? "")" == handle { return node }
            for key in ["nodes", "floating_nodes"] {
                waiting += (node[key] as? [[String: Any]] ?? []).map(Optional.some)
            }
        }
        return [:]
    }

    private func request(_ arguments: [String], captures: Int? = nil) -> SpawnRequest {
        var environment = [
            "PATH": "/usr/bin:/bin", "HOME": folder + "/run", "XDG_RUNTIME_DIR": folder + "/run", "LANG": "C.UTF-8",
            "WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman", "WLR_LIBINPUT_NO_DEVICES": "1",
            "WLR_HEADLESS_OUTPUTS": "\(outputs)",
        ]
        if arguments.first != "sway" { environment.merge(variables) { $1 } }
        var words = arguments
        if getuid() == 0 {
            let user = "\(Self.nobody)"
            words = ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--"] + words
        }
        return SpawnRequest(
            program: "/usr/bin/" + words[0], arguments: words,
            environment: environment.map { EnvironmentVariable($0.key, $0.value) }, workingDirectory: folder,
            captureLimit: captures)
    }
}
