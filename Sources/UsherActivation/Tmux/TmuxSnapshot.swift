internal import UsherScene
internal import UsherText

/// What a tmux server answered about itself, its clients, sessions and panes.
struct TmuxSnapshot: Sendable {
    struct Client: Sendable {
        /// In seconds since 1970.
        var activity: Int
        var flags: [String]
        var session: String
        var window: String
        var pane: String
        /// The program that shows it in a terminal.
        var process: Int32?
        var name: String

        /// A client with output; one without only gets events.
        var isView: Bool { !flags.contains("suspended") && !flags.contains("no-output") }
        var isTerminal: Bool { !flags.contains("control-mode") && !flags.contains("read-only") }

        /// For messages.
        var words: String { "the client \(Printable.text(name)) shows \(window) (\(pane))" }
    }

    struct Session: Sendable {
        var id: String
        var name: String
    }

    struct Pane: Sendable {
        var session: String
        var window: String
        var id: String
        var process: Int32?
        var isCurrentWindow: Bool
        var isActive: Bool
        var isDead: Bool
        /// `copy-mode`, `tree-mode` …; nil where it shows its program.
        var mode: String?
        var isSynchronized: Bool
        var isWindowZoomed: Bool
        /// The terminal that its program writes to.
        var terminal: String
        /// The name of the program in the foreground; may be empty.
        var command: String
        var windowName: String

        var isInMode: Bool { mode != nil }

        /// What is noted of the server with a session that gets the window of this pane.
        func server(_ life: String) -> String { TmuxHandle(window)?.server(life, pane: id) ?? life }
    }

    /// A window in one of its sessions, or a pane of it.
    struct Mark: Sendable {
        /// A bell rang in it, and it has not been shown since.
        var isRinging: Bool
        /// The terminal that its program writes to.
        var terminal: String
    }

    /// A window just made.
    struct Made: Sendable {
        var window: String
        var pane: String
        var process: Int32?
        var name: String
    }

    var server: String?
    var clients: [Client] = []
    var sessions: [Session] = []
    var panes: [Pane] = []
    var marks: [Mark] = []
    var made: Made?
    /// Lines that none of the commands below makes.
    var other: [String] = []

    // The commands whose lines are parsed here. Fields that can hold spaces stand last, and tmux itself shows control
    // characters in names as escapes, so that no name can look like another line.
    /// Whether a line is one of these answers: they begin with a capital and a blank, as no message of tmux does.
    static func isAnswer(_ line: String) -> Bool {
        let bytes = line.utf8.prefix(2)
        return bytes.count == 2 && (0x41...0x5A).contains(bytes[bytes.startIndex]) && bytes.last == 0x20
    }

    static let askServer = ["display-message", "-p", "S #{pid} #{start_time} #{socket_path}"]
    static let askClients = [
        "list-clients", "-F",
        "C #{client_activity} #{client_flags} #{session_id} #{window_id} #{pane_id} #{client_pid} #{client_name}",
    ]
    static let askSessions = ["list-sessions", "-F", "N #{session_id} #{session_name}"]
    static let madeFormat = "L #{window_id} #{pane_id} #{pane_pid} #{window_name}"

    static func askPanes(_ filter: String? = nil) -> [String] {
        var command = ["list-panes", "-a"]
        if let filter { command += ["-f", filter] }
        return command + [
            "-F",
            "P #{session_id} #{window_id} #{pane_id} #{pane_pid} #{window_active} #{pane_active} #{pane_dead} "
                + "#{pane_in_mode}:#{pane_mode} #{pane_synchronized} #{window_zoomed_flag} #{pane_tty} #{pane_current_command} "
                + "#{window_name}",
        ]
    }

    static func askMarks(_ filter: String) -> [String] {
        ["list-panes", "-a", "-f", filter, "-F", "B #{window_bell_flag} #{pane_tty}"]
    }

    init(lines: [String]) {
        for line in lines { read(line) }
    }

    private mutating func read(_ line: String) {
        switch line.utf8.first {
        case UInt8(ascii: "S"):
            let fields = Self.fields(line, 4)
            guard fields.count == 4 else { return }
            server = "\(fields[3]):\(fields[1]):\(fields[2])"
        case UInt8(ascii: "C"):
            let fields = Self.fields(line, 8)
            guard fields.count == 8 else { return }
            clients.append(
                Client(
                    activity: Int(fields[1]) ?? 0, flags: fields[2].split(separator: ",").map(String.init),
                    session: fields[3], window: fields[4], pane: fields[5], process: Int32(fields[6]), name: fields[7]))
        case UInt8(ascii: "N"):
            let fields = Self.fields(line, 3)
            if fields.count == 3 { sessions.append(Session(id: fields[1], name: fields[2])) }
        case UInt8(ascii: "L"):
            let fields = Self.fields(line, 5)
            guard fields.count == 5 else { return }
            made = Made(window: fields[1], pane: fields[2], process: Int32(fields[3]), name: fields[4])
        case UInt8(ascii: "B"):
            let fields = Self.fields(line, 3)
            if fields.count == 3 { marks.append(Mark(isRinging: fields[1] == "1", terminal: fields[2])) }
        case UInt8(ascii: "P"):
            let fields = Self.fields(line, 14)
            guard fields.count == 14 else { return }
            panes.append(
                Pane(
                    session: fields[1], window: fields[2], id: fields[3], process: Int32(fields[4]),
                    isCurrentWindow: fields[5] == "1", isActive: fields[6] == "1", isDead: fields[7] == "1",
                    mode: Self.mode(fields[8]), isSynchronized: fields[9] == "1", isWindowZoomed: fields[10] == "1",
                    terminal: fields[11], command: fields[12], windowName: fields[13]))
        default: other.append(line)
        }
    }

    /// `0:` is none.
    private static func mode(_ text: String) -> String? {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let count = parts.first, !count.isEmpty, !count.elementsEqual("0".utf8) else { return nil }
        let name = parts.count > 1 ? String(Substring(parts[1])) : ""
        return name.isEmpty ? "mode" : name
    }

    private static func fields(_ line: String, _ count: Int) -> [String] {
        line.utf8.split(separator: UInt8(ascii: " "), maxSplits: count - 1, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
    }

    /// The clients that show windows to a user.
    var views: [Client] { clients.filter(\.isView) }

    /// The client that was used last; a terminal before a client in control mode.
    var mostRecentClient: Client? { usable.max { $0.activity < $1.activity } }

    /// The pane with this handle, or the active one of the window; nil where its program has ended.
    func pane(of handle: TmuxHandle) -> Pane? {
        switch handle {
        case .pane: panes.first { $0.id == handle.text && !$0.isDead }
        case .window:
            panes.first { $0.window == handle.text && $0.isActive && !$0.isDead }
                ?? panes.first { $0.window == handle.text && !$0.isDead }
        }
    }

    /// The process of a server, as `server` names it, and the path that it listens on.
    static func place(ofServer server: String) -> (pid: Int32, socket: String)? {
        let parts = server.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count > 2, let pid = Int32(String(decoding: parts[parts.count - 2], as: UTF8.self)) else {
            return nil
        }
        let length = parts.suffix(2).reduce(2) { $0 + $1.count }
        return (pid, String(decoding: server.utf8.dropLast(length), as: UTF8.self))
    }

    /// 0: the client shows the window of the panes; 1: it is attached to a session that has the window; 2: to another one.
    func rank(of client: Client, for panes: [Pane]) -> Int {
        if panes.contains(where: { $0.window == client.window }) { return 0 }
        return panes.contains { $0.session == client.session } ? 1 : 2
    }

    private var usable: [Client] {
        let terminals = views.filter(\.isTerminal)
        return terminals.isEmpty ? views : terminals
    }
}

/// A tmux window (`@3`) or pane (`%5`), by the number that its server gives only once; `tmux:@3` is the same.
package enum TmuxHandle: Sendable, Hashable {
    case window(UInt32)
    case pane(UInt32)

    package init?(_ text: String) {
        var rest = text.utf8[...]
        if rest.starts(with: "tmux:".utf8) { rest = rest.dropFirst(5) }
        guard let kind = rest.first else { return nil }
        let digits = rest.dropFirst()
        guard digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = UInt32(Substring(digits)) else {
            return nil
        }
        switch kind {
        case UInt8(ascii: "@"): self = .window(number)
        case UInt8(ascii: "%"): self = .pane(number)
        default: return nil
        }
    }

    package var text: String {
        switch self {
        case .window(let number): "@\(number)"
        case .pane(let number): "%\(number)"
        }
    }

    /// What a session's handle means: of a window, the pane that is noted with its server, where one is.
    package init?(_ text: String, server: String?) {
        self.init(text)
        if case .window = self, let pane = server.flatMap(WindowServer.client) { self = .pane(UInt32(pane)) }
    }

    /// What is noted of the server with a session that gets this window, and so a pane of it; a pane's own handle says it all.
    ///
    /// - Parameter pane: its handle.
    func server(_ life: String, pane: String?) -> String {
        guard case .window = self, case .pane(let number)? = pane.flatMap({ TmuxHandle($0) }) else { return life }
        return WindowServer.text(life, client: Int32(clamping: number))
    }

    /// A tmux format that is true for this window's panes, or for this pane.
    var filter: String {
        switch self {
        case .window: "#{==:#{window_id},\(text)}"
        case .pane: "#{==:#{pane_id},\(text)}"
        }
    }
}

/// The steps of tmux in words: what `explain` and dry runs print.
package enum TmuxPlan {
    package static func text(_ step: WindowStep) -> String {
        switch step {
        case .launch(let launch):
            let place = launch.group.map { " in session \(ShellText.command([$0]))" } ?? ""
            let command = ShellText.command([launch.program] + launch.arguments, limit: ShellText.planLimit)
            return "tmux new-window\(place): \(command), read it back"
        case .focus(.group(let name)):
            return "tmux switch-client to session \(ShellText.command([name])), read it back"
        case .focus(.handle(let handle, _)):
            guard let handle = TmuxHandle(handle) else { return "nothing: \(Printable.text(handle)) is no tmux window" }
            switch handle {
            case .window: return "tmux select-window \(handle.text), read it back"
            case .pane: return "tmux select-pane \(handle.text), read it back"
            }
        case .navigate: return "nothing: windows of tmux have no tabs"
        case .type(let keys, let window):
            let words = keys.strokes.map { stroke in
                switch stroke {
                case .key(let name): "<\(name)>"
                case .text(let text): ShellText.command([text])
                }
            }
            return "tmux send-keys to \(Printable.text(window.text)): \(words.joined(separator: " "))"
        }
    }
}
