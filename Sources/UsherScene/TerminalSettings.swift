/// `[terminal]` of `usher.toml`: how terminals of processes come forward.
public struct TerminalSettings: Sendable, Hashable {
    /// What is done for a tmux session that no client shows.
    public enum Detached: String, Sendable, CaseIterable {
        /// A client of another session is switched to it; where there is none, a terminal is opened.
        case `switch`
        /// A terminal is opened.
        case open
        case none
    }

    /// How a tab that is not in front is selected.
    public enum TabWay: String, Sendable, CaseIterable {
        /// By an interface of the terminal.
        case api
        /// By the interface for assistive technologies.
        case accessibility
        /// Tabs are shown one after the other.
        case walk
    }

    public var detached = Detached.switch
    /// The program that opens a terminal, with its arguments; empty: the first that is installed.
    public var program: [String] = []
    /// Whether titles may be set for a moment, to find windows by them.
    public var usesTitles = true
    public var tabs = TabWay.allCases

    public init() {}
}
