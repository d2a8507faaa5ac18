internal import UsherScene
internal import UsherText

/// A process as it was read: with its start, since its number may be given to another one later.
public struct LiveProcess: Sendable, Hashable {
    public var pid: Int32
    /// In clock ticks since boot (field 22 of `stat`, proc_pid_stat(5)).
    public var start: UInt64
    /// Its name for the kernel, at most 15 bytes.
    public var name: String

    public init(pid: Int32, start: UInt64, name: String) {
        self.pid = pid
        self.start = start
        self.name = name
    }
}

/// What the place of a process is asked by.
public enum TerminalSubject: Sendable, Hashable {
    case process(Int32)
    /// `/dev/pts/3`, or `pts/3`.
    case tty(String)
    /// A pane of tmux: `%5`, of the server that listens at a path.
    case pane(String, socket: String)
    /// A pane of tmux, or the active one of a window, by the process of its server.
    case part(String, server: Int32)

    /// What a window's handle names; nil for one that is no place of a process.
    ///
    /// - Parameters:
    ///   - server: the window's server, if it is known.
    ///   - tmux: where the server of panes listens that have no known one.
    init?(handle: String, server: String?, tmux: String) {
        if let process = ProcessHandle(handle) {
            // Its number may be another process's now.
            guard let running = process.running else { return nil }
            self = .process(running.pid)
        } else if let part = TmuxHandle(handle, server: server),
            let server = server.flatMap(TmuxSnapshot.place(ofServer:))
        {
            self = .part(part.text, server: server.pid)
        } else if TerminalSubject.isPane(handle) {
            self = .pane(handle, socket: tmux)
        } else {
            return nil
        }
    }

    /// Whether this text has the form of a terminal with another end: `/dev/pts/3`, `pts/3`.
    public static func isTTY(_ text: String) -> Bool {
        TerminalWalk.number(of: text.utf8.first == UInt8(ascii: "/") ? text : "/dev/" + text) != nil
    }

    /// Whether this text has the form of a window or a pane of tmux: `@3`, `%5`.
    public static func isTmux(_ text: String) -> Bool { TmuxHandle(text) != nil }

    /// Whether this text has the form of a pane: `%5`.
    public static func isPane(_ text: String) -> Bool {
        if case .pane? = TmuxHandle(text) { true } else { false }
    }
}

/// A terminal on the way from a process to its window, and the process that holds the other end of it.
public struct TerminalStep: Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        /// It shows the terminal itself, or is the last that is known.
        case terminal
        case tmux
        /// GNU screen, or another multiplexer whose windows are not asked for.
        case screen
        /// A program in a terminal of its own: `script`, `sudo` with `use_pty`, `expect`.
        case relay
        /// An editor with a terminal in one of its buffers.
        case editor
        /// `sshd`: the window is on another machine.
        case ssh
    }

    /// `/dev/pts/3`.
    public var tty: String
    /// The process that it is the terminal of.
    var user: Int32
    public var holder: LiveProcess
    public var kind: Kind
    /// With `Kind.tmux`.
    public var tmux: TmuxPlace?
}

/// What a tmux server says of one of its terminals.
public struct TmuxPlace: Sendable {
    /// A client that could show it.
    public struct Candidate: Sendable {
        var client: TmuxSnapshot.Client
        /// 0: it shows the pane's window; 1: it is attached to a session that has this window; 2: to another session.
        public var rank: Int
        /// Whether its own terminal has a window here.
        public var isHere: Bool

        public var tty: String { client.name }
        public var pid: Int32? { client.process }
    }

    public var server: LiveProcess
    /// This life of the server, as windows name it.
    var life: String
    /// The path that it listens on.
    public var socket: String
    let client: TmuxClient
    /// The pane with this terminal, once for each session that has its window; empty for a program in a popup.
    var panes: [TmuxSnapshot.Pane]
    /// In the order in which they are to be used.
    public var candidates: [Candidate]
    /// Whether a popup is open somewhere on the server: a terminal of it is no pane's.
    var hasPopup: Bool

    /// `%5`.
    public var pane: String? { panes.first?.id }

    /// The ids of the sessions that have the pane.
    public var sessions: [String] { panes.map(\.session) }
}

/// The terminals from a process outwards, and the windows at the end.
public struct TerminalPath: Sendable {
    public var steps: [TerminalStep] = []
    /// What shows the last terminal in windows of its own; nil where that is not known, or no client of tmux is attached.
    public var terminal: LiveProcess?
    /// The windows of that process.
    public var windows: [WindowList.Window] = []
    /// Why there is no window.
    public var failure: ActivationFailure?

    /// Whether it ends in a window here.
    var isHere: Bool { failure == nil && terminal != nil }

    /// What tmux servers say on the way, the inner one first.
    public var tmux: [TmuxPlace] { steps.compactMap(\.tmux) }
}

/// Where a process is, as its terminals say.
public struct TerminalPlace: Sendable {
    public var process: LiveProcess?
    public var tty: String?
    public var path = TerminalPath()

    public var failure: ActivationFailure? { path.failure }
}

extension ActivationFailure {
    static func noTerminal(_ process: String) -> ActivationFailure {
        ActivationFailure(
            .terminalNone, "neither \(process) nor a parent of it has a terminal",
            help: "name a process that runs in a terminal, or its tty")
    }

    static func terminalGone(_ what: String) -> ActivationFailure {
        ActivationFailure(.terminalGone, "\(Printable.text(what)) is not there any more")
    }

    static func foreign(_ what: String) -> ActivationFailure {
        ActivationFailure(
            .terminalForeign, "no process of yours holds \(Printable.text(what))",
            help: "it belongs to another user or to a container: only your own processes are looked at")
    }

    static func remote(_ tty: String) -> ActivationFailure {
        ActivationFailure(.terminalRemote, "\(tty) is of sshd: its window is on another machine")
    }

    static func noWindow(of holder: LiveProcess) -> ActivationFailure {
        ActivationFailure(
            .terminalNoWindow, "\(Printable.text(holder.name)) (process \(holder.pid)) has no window here",
            help: "usher doctor shows which windows are known")
    }

    static let terminalLoop = ActivationFailure(
        .terminalLoop, "the terminals contain each other, or are more than \(TerminalWalk.deepest) in each other",
        help: "detach the client of tmux that shows its own session")
}
