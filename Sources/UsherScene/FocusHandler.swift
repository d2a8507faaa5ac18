/// How a scene's window is found and brought forward.
public struct FocusHandler: Sendable {
    public enum Method: Sendable {
        case exec(Command)
        /// A tmux session by its name; its current window is meant.
        case tmux(session: String, location: SourceLocation)
        /// The window that is like this, on any window system.
        case window(WindowRule)
        /// `org.freedesktop.Application.Activate`, by bus name.
        case dbus(name: String, location: SourceLocation)
    }

    /// Used when the session has no handle of its own; nil where there is no other way.
    public var method: Method?
    public var policy: FocusPolicy

    public init(method: Method?, policy: FocusPolicy = FocusPolicy()) {
        self.method = method
        self.policy = policy
    }

    public static func exec(_ command: Command) -> FocusHandler { FocusHandler(method: .exec(command)) }

    public static func tmux(session: String, location: SourceLocation) -> FocusHandler {
        FocusHandler(method: .tmux(session: session, location: location))
    }

    /// What its windows look like, where the manifest says so.
    public var rule: WindowRule? {
        if case .window(let rule) = method { rule } else { nil }
    }
}

/// How far a window may come forward.
public struct FocusPolicy: Sendable, Hashable {
    /// From most to least.
    public enum Prominence: String, Sendable, CaseIterable {
        /// In front, with the keyboard.
        case focus
        /// In front; the keyboard stays where it is.
        case raise
        /// Marked as wanting attention.
        case urgent
        /// Left where it is.
        case none
    }

    public enum Placement: String, Sendable, CaseIterable {
        /// The user is taken to the window's workspace.
        case go
        /// The window is brought to the user's workspace.
        case summon
    }

    public var prominence: Prominence
    public var placement: Placement
    /// The lower prominence that applies while the user types in another window; nil if typing makes no difference.
    public var whileTyping: Prominence?

    public init(prominence: Prominence = .focus, placement: Placement = .go, whileTyping: Prominence? = nil) {
        self.prominence = prominence
        self.placement = placement
        self.whileTyping = whileTyping
    }
}

/// UIScene.ActivationState: how a session's window is seen.
public enum ActivationState: String, Sendable, CaseIterable {
    /// No window.
    case unattached
    /// It has the keyboard.
    case foregroundActive
    /// Seen, without the keyboard.
    case foregroundInactive
    /// Not seen: minimised, on another workspace, behind a tab.
    case background
}
