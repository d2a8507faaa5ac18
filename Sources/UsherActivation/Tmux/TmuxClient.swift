import Glibc
internal import UsherSystem
internal import UsherText

/// Runs the `tmux` program: several commands in one run, their lines back.
struct TmuxClient: Sendable {
    enum Answer: Sendable {
        case lines([String])
        /// The error message of tmux, and the lines of the commands before the one that failed.
        case error(String, lines: [String])
        case noServer
    }

    /// A message to the tmux server holds no more than 16 KiB; what is longer goes as a file on standard input.
    private static let longestCommandLine = 12 * 1024
    private static let captureLimit = 8 * 1024 * 1024

    let locator: ProgramLocator
    let environment: [EnvironmentVariable]
    /// Options before the command: `-L name`, `-f file`.
    let options: [String]
    /// In milliseconds.
    let timeLimit: Int
    /// The file to run instead of the `tmux` in PATH.
    private(set) var program: String?

    /// A client of one server, of the server's own version: between two versions a client may wait for ever.
    ///
    /// - Parameter socket: where the server listens.
    func of(server: Int32, socket: String) -> TmuxClient {
        TmuxClient(
            locator: locator, environment: environment, options: ["-S", socket], timeLimit: Self.serverPatience,
            program: "/proc/\(server)/exe")
    }

    /// How long a server that was found by its process may take for an answer, in milliseconds.
    private static let serverPatience = 2000

    var isInstalled: Bool { locator.isInstalled("tmux") }

    /// Where its server listens (tmux(1), -L and -S, TMUX, TMUX_TMPDIR).
    var socket: String {
        func option(_ name: String) -> String? {
            options.lastIndex(of: name).flatMap { $0 + 1 < options.count ? options[$0 + 1] : nil }
        }
        func variable(_ name: String) -> String? {
            environment.last { $0.name == name && !$0.value.isEmpty }?.value
        }
        if let path = option("-S") { return path }
        if option("-L") == nil, let running = variable("TMUX"),
            let path = running.split(separator: ",").first, path.utf8.first == UInt8(ascii: "/")
        {
            return String(path)
        }
        let folder = variable("TMUX_TMPDIR") ?? "/tmp"
        return "\(folder)/tmux-\(geteuid())/\(option("-L") ?? "default")"
    }

    /// The commands in order, in one run; those after a failed one are not executed. `startsServer` where one of them may: the
    /// server keeps the command line it was started with in the process table as long as it lives, so nothing of a payload
    /// may be on it. `nonce` is that of a launch: after a crash it shows that the launch is on its way.
    func run(
        _ commands: [[String]], startsServer: Bool = false, nonce: String? = nil
    ) throws(ActivationFailure) -> Answer {
        guard let program = program ?? locator.locate("tmux") else { throw notInstalled }
        for command in commands {
            for argument in command where argument.utf8.contains(0) { throw .holdsNUL("an argument of tmux") }
        }
        var environment = environment
        var commands = commands
        if let nonce {
            environment.append(EnvironmentVariable(UsherVariables.carries, nonce))
            // A server that is started here would hand the variable on to every window it ever makes.
            commands.insert(["set-environment", "-g", "-u", UsherVariables.carries], at: 0)
        }
        var answer = try runOnce(program, commands, environment, isScript: startsServer)
        // A server that is just ending takes the connection and drops it; the next one finds none.
        if case .error(let problem, _) = answer, problem == "server exited unexpectedly" || problem == "lost server" {
            answer = try runOnce(program, commands, environment, isScript: startsServer)
        }
        return answer
    }

    /// Starts a client that waits for one of the hooks, and returns when the server has it among those that wait
    /// (tmux(1), `wait-for`). Nil where no server runs or it does not answer.
    func waitFor(_ hooks: TmuxHooks) throws(ActivationFailure) -> ChildProcess? {
        guard let program = program ?? locator.locate("tmux") else { throw notInstalled }
        // The server executes both commands of the client before it sends the line.
        let arguments = ["tmux", "-u"] + options + TmuxSnapshot.askServer + [";", "wait-for", hooks.channel]
        var request = SpawnRequest(
            program: program, arguments: arguments, environment: environment + [hooks.mark],
            captureLimit: 1024)
        request.errors = .discarded
        var client = try Spawner.start(request)
        if client.waitForOutput(until: Deadline(inMilliseconds: timeLimit)) { return client }
        client.stop()
        return nil
    }

    private var notInstalled: ActivationFailure {
        .windowSystem("tmux", "the program is not installed", help: "install tmux; PATH is \(locator.path)")
    }

    private func runOnce(
        _ program: String, _ commands: [[String]], _ environment: [EnvironmentVariable], isScript: Bool
    ) throws(ActivationFailure) -> Answer {
        var arguments = ["tmux", "-u"] + options
        var input: [UInt8] = []
        let length = commands.reduce(0) { $0 + $1.reduce(0) { $0 + $1.utf8.count + 2 } }
        if isScript || length > Self.longestCommandLine {
            input = TmuxQuoting.script(commands)
            arguments += ["start-server", ";", "source-file", "-"]
        } else {
            for (index, command) in commands.enumerated() {
                if index > 0 { arguments.append(";") }
                arguments += command.map(TmuxQuoting.argument)
            }
        }
        let request = SpawnRequest(
            program: program, arguments: arguments, environment: environment, input: input,
            captureLimit: Self.captureLimit)
        let result = try Spawner.run(request, timeLimit: timeLimit)
        guard let end = result.end else { throw .timeLimit("tmux", milliseconds: timeLimit) }
        var lines = result.output.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        if end == .exited(0) { return .lines(lines) }
        let problem = lines.popLast() ?? "it ended without a word"
        // A server that ended while it answered leaves no other word.
        if Self.isNoServer(problem) || TmuxSnapshot.isAnswer(problem) { return .noServer }
        return .error(problem, lines: lines)
    }

    private static func isNoServer(_ problem: String) -> Bool {
        problem.utf8.starts(with: "no server running".utf8) || problem.utf8.starts(with: "error connecting to".utf8)
    }
}

/// The hooks by which a tmux server wakes a client of ours that waits when something has changed (tmux(1), HOOKS and
/// `wait-for`).
///
/// tmux runs such a hook itself, without a process, and the client that waits is attached to nothing. A client in control mode
/// would be notified, too; but while one connects, a tmux before April 2026 (3.3a and 3.5a among others) ends with a segmentation
/// fault when a session is made or another window is selected, and everything that runs in it ends too (pull request 4980
/// of tmux).
struct TmuxHooks: Sendable {
    private static let events = [
        "session-created", "session-closed", "session-renamed", "session-window-changed", "window-linked",
        "window-unlinked",
        "window-renamed", "window-layout-changed", "window-pane-changed", "pane-exited", "pane-died", "client-attached",
        "client-detached", "client-session-changed",
        // Since tmux 3.3: a person went to another terminal.
        "client-active",
    ]
    private static let prefix = "wait-for -S usher-"

    /// Hooks are lists: each process has the elements of its own number.
    private let process: Int32

    init(process: Int32 = getpid()) { self.process = process }

    var channel: String { "usher-\(process)" }
    /// In the environment of the client that waits.
    var mark: EnvironmentVariable { EnvironmentVariable(UsherVariables.waits, channel) }
    private var command: String { "wait-for -S \(channel)" }

    /// Quietly, as an older tmux does not have all of them.
    var set: [[String]] { Self.events.map { ["set-option", "-gq", "\($0)[\(process)]", command] } }

    /// Wakes the client that waits.
    var wake: [String] { ["wait-for", "-S", channel] }

    var unset: [[String]] { Self.events.map { ["set-option", "-gqu", "\($0)[\(process)]"] } + [wake] }

    // MARK: What is set

    /// A command whose lines name the processes that have hooks.
    static let ask = ["show-options", "-gqv", events[0]]

    /// Whether the lines of `ask` say that the hooks of this process are set.
    func areSet(_ lines: [String]) -> Bool { lines.contains(command) }

    /// The hooks of processes that were killed.
    static func left(_ lines: [String]) -> [TmuxHooks] {
        lines.filter { $0.hasPrefix(prefix) }.compactMap { Int32($0.dropFirst(prefix.count)) }
            .filter { kill($0, 0) != 0 && errno == ESRCH }.map(TmuxHooks.init)
    }
}

/// How text is kept text on its way through tmux.
enum TmuxQuoting {
    /// An argument on a command line: tmux takes a trailing `;` for the end of the command.
    static func argument(_ text: String) -> String {
        text.utf8.last == UInt8(ascii: ";") ? String(text.unicodeScalars.dropLast()) + "\\;" : text
    }

    /// An argument that tmux expands as a format: a doubled `#` is a `#`.
    static func format(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte == UInt8(ascii: "#") { bytes.append(byte) }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Commands as a file for `source-file`: one a line, each argument in double quotes, and each byte in it that is not a
    /// letter or a digit as its octal escape, so that the parser finds no syntax in it.
    static func script(_ commands: [[String]]) -> [UInt8] {
        var script: [UInt8] = []
        for command in commands {
            for argument in command {
                script.append(UInt8(ascii: "\""))
                for byte in argument.utf8 {
                    if byte.isASCIILetterOrDigit || byte == UInt8(ascii: "-") {
                        script.append(byte)
                    } else {
                        script.append(UInt8(ascii: "\\"))
                        script.append(0x30 + (byte >> 6))
                        script.append(0x30 + ((byte >> 3) & 7))
                        script.append(0x30 + (byte & 7))
                    }
                }
                script += Array("\" ".utf8)
            }
            script.append(0x0A)
        }
        return script
    }

    /// A session name as tmux keeps it.
    static func sessionName(_ name: String) -> String {
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            let isSeparator = byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
            bytes.append(isSeparator ? UInt8(ascii: "_") : byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
