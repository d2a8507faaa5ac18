public import UsherSystem
internal import UsherText

/// Brings tabs of terminals forward in other ways than by their titles: by the session bus.
public protocol TerminalTabs: Sendable {
    /// Selects the tab of a step by the terminal's own interface. nil where it has none, or cannot be asked.
    func select(_ step: TerminalStep) -> TabSelection?

    /// The tabs that a process publishes to assistive technologies, those that are not in front included.
    func tabs(of process: Int32) -> [any PublishedTab]

    /// Shows the tabs of a terminal one after the other until `isThere`; at the deadline, or if none is, those that were shown
    /// before.
    func walk(_ step: TerminalStep, until deadline: Deadline, _ isThere: () -> Bool) -> Bool
}

/// What a terminal said to a request for a tab.
public enum TabSelection: Sendable, Hashable {
    /// It took the request, and says nothing of the result.
    case requested
    /// It says that the tab is selected, and in which window of the X server.
    case selected(window: Int64?)
}

/// A tab as assistive technologies see it.
public protocol PublishedTab: Sendable {
    /// Its title, as it was read when the tab was listed.
    var name: String { get }
    /// What tells it from the other tabs of its process.
    var id: String { get }

    /// Requests that it come to the front of its window. Whether the terminal took the request.
    func select() -> Bool
    /// Whether the terminal says now that it is in front. Some never say so.
    func isSelected() -> Bool
}

extension TerminalStep {
    /// A variable that the terminal gave to the process which runs in it. It is inherited, so it counts only if it leads to
    /// `holder`.
    public func variable(_ name: String) -> String? { ProcessTable.value(of: name, in: user) }
}
