public import UsherPredicate
internal import UsherText

/// A program and its arguments, run without a shell.
///
/// Each `{placeholder}` is a whole argument or a part of one, and its value is never split. If a placeholder is a whole
/// argument, a value that begins with `-` is refused, unless the argument follows a literal `--`.
public struct Command: Sendable, Hashable {
    /// As written, with placeholders. A first element with a slash is already relative to nothing: the loader has made it
    /// absolute.
    public var arguments: [String]
    public var workingDirectory: String?
    /// Added to the environment, in order; values may hold placeholders.
    public var environment: [String: String] = [:]
    /// Names of further variables handed through from Usher's own environment.
    public var keepEnvironment: [String] = []
    /// How long the program may run (`exec` handlers that are waited for), in milliseconds.
    public var timeLimit = Command.defaultTimeLimit
    /// Whether running it twice does no harm: decides what happens to a delivery that was interrupted.
    public var idempotent = false
    /// How many runs of it may go on at once, where it is for background pushes or for deleted content; with 1 they run in
    /// the order of arrival.
    public var lanes = 1
    /// Whether and how often it is tried again after it failed.
    public var retry: RetryPolicy?
    public var location: SourceLocation

    public static let defaultTimeLimit = 5000
    public static let maximumLanes = 256

    public init(arguments: [String], location: SourceLocation) {
        self.arguments = arguments
        self.location = location
    }

    /// The placeholders that arguments and environment values may use.
    public static let placeholders = [
        "target", "resolved", "original-target", "path", "session", "scene", "app", "title", "subtitle", "body", "url",
        "payload-file", "delivery",
        "action", "reason", "handle", "shortcut-type", "activity-type", "activity-file", "restoration-file", "error",
        "error-code", "notification-action",
    ]
}

/// How a scene's window is made.
public struct LaunchHandler: Sendable {
    public enum Method: Sendable, Hashable {
        /// A process of its own.
        case exec
        /// A new tmux window, in the session of this name, or in the most recently used one.
        case tmux(session: String?)
        /// A desktop entry (`org.gnome.TextEditor`, with or without `.desktop`), which the command begins with; URIs follow.
        case desktop(action: String?)
        /// `org.freedesktop.Application`, by the bus name that the command begins with; URIs follow.
        case dbus(action: String?)
    }

    public var method: Method
    public var command: Command
    /// When the window can take requests; waited for until the time limit is over.
    public var ready: Readiness?
    /// How long after the start a failure is still the launch's fault, in milliseconds.
    public var grace = LaunchHandler.defaultGrace
    /// False for a command without a window (`handle = "none"`): its sessions are no candidates.
    public var hasWindow = true

    /// What says that a launched application can take requests.
    public enum Readiness: Sendable {
        /// A command that is asked until it ends with status 0.
        case exec(Command)
        /// Its window is there.
        case window(timeLimit: Int)
        /// Its name on the session bus has an owner.
        case dbus(name: String, timeLimit: Int)
    }

    public static let defaultGrace = 2000

    public init(method: Method, command: Command) {
        self.method = method
        self.command = command
    }

    /// Whether the program is given the target, so that `show` need not follow.
    public var carriesTarget: Bool {
        command.uses(["target", "resolved", "path", "payload-file"])
    }
}

extension Command {
    /// Whether it names what a request without a target does not have.
    public var usesTarget: Bool {
        uses(["target", "resolved", "original-target", "path", "url"])
    }

    /// Whether an argument or a variable has one of these placeholders; doubled braces are text.
    fileprivate func uses(_ names: Set<String>) -> Bool {
        (arguments + environment.values).contains { text in
            Placeholders.occurrences(in: text).contains { names.contains($0.name) }
        }
    }
}

/// How a target is shown in a scene's window.
public enum ShowHandler: Sendable {
    case exec(Command)
    /// Typed into the window: literal text, and key names written as `<Enter>`.
    case tmuxKeys(Command)
    /// A browser's tab: the command is the address alone. The tab that shows it comes to the front of its window; else a new
    /// one is opened there.
    case tab(Command)
    /// `org.freedesktop.Application`: `Open` with the URIs that follow the bus name, or the named action.
    case dbus(Command, action: String?)

    public var command: Command {
        switch self {
        case .exec(let command), .tmuxKeys(let command), .tab(let command), .dbus(let command, _): command
        }
    }
}

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

/// Identifies the windows of a scene: all given patterns must match.
///
/// Each pattern is compared as a whole, with `*` for any text and `?` for one character (`LIKE`, case and diacritics count).
public struct WindowRule: Sendable {
    /// `WM_CLASS`, class part (X11).
    public var windowClass: Pattern?
    /// `WM_CLASS`, instance part (X11).
    public var instance: Pattern?
    /// `app_id` of a Wayland window; of an X11 window its class.
    public var appID: Pattern?
    public var title: Pattern?
    /// The name of a browser, as its extension says it: `firefox`, `chromium`.
    public var browser: Pattern?
    /// The address of one of its tabs.
    public var tab: Pattern?
    public var location: SourceLocation

    public init(location: SourceLocation) { self.location = location }

    public struct Pattern: Sendable, Hashable {
        /// As it is written.
        public var text: String
        private let predicate: ScenePredicate

        public init(_ text: String) throws(PredicateError) {
            self.text = text
            predicate = try ScenePredicate(parsing: "SELF LIKE \(ScenePredicate.quoted(text))")
        }

        public func matches(_ value: String?) -> Bool { value.map { predicate.evaluate($0) } ?? false }
    }

    /// Whether it is about data that only browsers have, and no desktop.
    public var isOfBrowsers: Bool { browser != nil || tab != nil }

    public var isEmpty: Bool {
        [windowClass, instance, appID, title, browser, tab].allSatisfy { $0 == nil }
    }
}
