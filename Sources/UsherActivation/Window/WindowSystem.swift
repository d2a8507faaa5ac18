/// Something that has windows: tmux today. Every effect has a harmless twin in `DryRunWindowSystem`.
///
/// All calls block and may come from several threads. None resolves anything: a window that is gone is an error
/// (`activation.window-gone`), never a reason to choose another.
public protocol WindowSystem: Sendable {
    var name: String { get }
    /// Whether its programs are installed; says nothing about a running server.
    var isAvailable: Bool { get }
    /// Whether this text can be the handle of one of its windows.
    func recognizes(handle: String) -> Bool
    /// Every window there is, with the server that has them; no windows where no server runs.
    func windows() throws(ActivationFailure) -> WindowList
    func presence(of window: WindowReference) throws(ActivationFailure) -> WindowPresence
    /// Makes a window that runs a program, brings it forward, and looks what its user sees now.
    func launch(_ launch: WindowLaunch) throws(ActivationFailure) -> WindowSighting
    /// Brings a window forward and looks what its user sees now.
    func focus(_ window: WindowReference) throws(ActivationFailure) -> WindowSighting
    /// Types into a window. Text that holds parts of a payload is refused where it could be a command.
    func type(_ keys: WindowKeys, into window: WindowReference) throws(ActivationFailure)
    /// Whether a launch of this nonce has been handed to the window system and may still make its window: somebody who was
    /// killed meanwhile had begun it.
    func isOnItsWay(nonce: String) -> Bool
    /// The window in which one of these processes is the one it was made for.
    func find(processes: [Int32]) throws(ActivationFailure) -> WindowSighting?
    /// What a step would do, for people: `tmux select-window @3, read it back`.
    func plan(_ step: WindowStep) -> String
}

/// Which window is meant.
public enum WindowReference: Sendable, Hashable {
    /// By its handle; a server other than the one named means that the window is gone.
    case handle(String, server: String?)
    /// The current window of a named group: in tmux, a session.
    case group(String)

    package var text: String {
        switch self {
        case .handle(let handle, _): handle
        case .group(let name): name
        }
    }
}

public enum WindowPresence: Sendable, Hashable {
    case present, gone
    /// Nobody here can tell.
    case unknown
}

/// A program to be run in a new window.
public struct WindowLaunch: Sendable {
    /// The group (tmux session) to make it in, made on demand; nil is wherever the user is.
    public var group: String?
    /// The file to run.
    public var program: String
    /// What follows the program.
    public var arguments: [String]
    public var environment: [EnvironmentVariable]
    public var workingDirectory: String?
    /// The launch nonce; see `isOnItsWay(nonce:)`.
    public var nonce: String?

    public init(
        group: String? = nil, program: String, arguments: [String] = [], environment: [EnvironmentVariable] = [],
        workingDirectory: String? = nil, nonce: String? = nil
    ) {
        self.nonce = nonce
        self.group = group
        self.program = program
        self.arguments = arguments
        self.environment = environment
        self.workingDirectory = workingDirectory
    }
}

/// What is typed, and for whom.
public struct WindowKeys: Sendable {
    public var strokes: [KeyStroke]
    /// Whether any of it comes from a payload.
    public var holdsPayloadText: Bool
    /// In a window of several programs the one of this session is meant.
    public var session: String?

    public init(strokes: [KeyStroke], holdsPayloadText: Bool, session: String? = nil) {
        self.strokes = strokes
        self.holdsPayloadText = holdsPayloadText
        self.session = session
    }
}

/// A window as it was seen after something was done to it.
public struct WindowSighting: Sendable, Hashable {
    public enum View: Sendable, Hashable {
        /// The user looks at it: read back.
        case shown
        /// Nobody looks: it is the one that will be seen first.
        case nobodyLooks
        /// The user looks at something else.
        case hidden(seen: String)
    }

    /// nil where a group was brought forward, not a window of it.
    public var handle: String?
    public var server: String
    /// Its name, as its window system shows it.
    public var title: String?
    /// The program it was made for.
    public var process: Int32?
    public var view: View

    public init(handle: String?, server: String, title: String? = nil, process: Int32? = nil, view: View) {
        self.handle = handle
        self.server = server
        self.title = title
        self.process = process
        self.view = view
    }
}

/// The windows of a server.
public struct WindowList: Sendable {
    public struct Window: Sendable, Hashable {
        public var handle: String
        public var title: String
        /// The group that it is in.
        public var group: String
        /// The handles of its parts: in tmux, its panes.
        public var parts: [String]

        public init(handle: String, title: String, group: String, parts: [String] = []) {
            self.handle = handle
            self.title = title
            self.group = group
            self.parts = parts
        }
    }

    /// nil where no server runs.
    public var server: String?
    public var windows: [Window]

    public init(server: String?, windows: [Window]) {
        self.server = server
        self.windows = windows
    }

    /// Every handle that is present, windows and their parts: for many sessions at once.
    public var handles: Set<String> { Set(windows.flatMap { [$0.handle] + $0.parts }) }
}

/// A step as a plan shows it.
public enum WindowStep: Sendable {
    case launch(WindowLaunch)
    case focus(WindowReference)
    case type(WindowKeys, WindowReference)
}
