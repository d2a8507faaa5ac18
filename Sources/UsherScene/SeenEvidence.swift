/// What shows whether the user sees a window, as it was read after the last change: `evidence` of records.
public struct SeenEvidence: Sendable, Hashable {
    /// What shows which tab of a terminal is in front.
    public enum Tab: String, Sendable, CaseIterable {
        /// The terminal has no other one.
        case only
        /// The terminal itself.
        case interface
        case accessibility
        /// A title that was set for a moment.
        case title
        /// Another one is in front.
        case hidden
        case unknown
    }

    /// A pane of tmux, and the client that is to show it.
    public struct Tmux: Sendable, Hashable {
        public var socket: String
        public var server: Int32
        /// Its terminal; nil where none is attached.
        public var client: String?
        public var session: String?
        public var window: String?
        public var pane: String?
        /// Another pane is zoomed over it.
        public var isZoomed = false
        /// `copy-mode` …; nil in none.
        public var mode: String?
        public var hasPopup = false
        public var isFocused = false

        public init(socket: String, server: Int32) { (self.socket, self.server) = (socket, server) }
    }

    public struct Process: Sendable, Hashable {
        public var pid: Int32
        /// In clock ticks since boot.
        public var start: UInt64
        public var name: String

        public init(pid: Int32, start: UInt64, name: String) {
            (self.pid, self.start, self.name) = (pid, start, name)
        }
    }

    /// Conditions that nothing tells of here; they do not spoil `verified`.
    public enum Unknown: String, Sendable, CaseIterable { case screen, cover, content, window }

    /// The name of the first condition that does not hold; nil where all hold.
    public var reason: String?
    /// The desktop's window.
    public var window: String?
    /// Whether it has the keyboard.
    public var hasKeyboard: Bool?
    /// The part of it that is on no screen, and the part that is covered, from 0 to 1; nil where that is not known.
    public var offScreen: Double?
    public var covered: Double?
    public var isLocked: Bool?
    /// The name of the terminal's process.
    public var terminal: String?
    public var tab: Tab?
    /// The inner server first.
    public var tmux: [Tmux] = []
    public var process: Process?
    /// The target that the window gives of its content.
    public var content: String?
    public var unknown: [Unknown] = []
    /// When a key was pressed last in the clients of tmux, in seconds since 1970; not in records.
    public var keyTime: Int64?

    public init() {}

    /// All conditions hold that are known.
    public var isSeen: Bool { reason == nil }

    /// All conditions are known, and hold.
    public var isCertain: Bool { isSeen && unknown.isEmpty }
}
