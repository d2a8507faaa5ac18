import Glibc

/// The hooks by which a tmux server wakes a client of ours that waits when something has changed (tmux(1), HOOKS and
/// `wait-for`).
///
/// tmux runs such a hook itself, without a process, and the client that waits is attached to nothing. A client in control mode
/// would be told the same; but while one connects, a tmux before April 2026 (3.3a and 3.5a among others) ends with a segmentation
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

    /// A command whose lines tell which processes have hooks.
    static let ask = ["show-options", "-gqv", events[0]]

    /// Whether the lines of `ask` say that the hooks of this process are set.
    func areSet(_ lines: [String]) -> Bool { lines.contains(command) }

    /// The hooks of processes that were killed.
    static func left(_ lines: [String]) -> [TmuxHooks] {
        lines.filter { $0.hasPrefix(prefix) }.compactMap { Int32($0.dropFirst(prefix.count)) }
            .filter { kill($0, 0) != 0 && errno == ESRCH }.map(TmuxHooks.init)
    }
}
