internal import Glibc
public import UsherScene
public import UsherSystem
internal import UsherText

/// Something that has windows: tmux, X11, sway, a browser's tabs. Every effect has a harmless twin in `DryRunWindowSystem`.
///
/// All calls block and may come from several threads. None resolves anything: a window that is gone is an error
/// (`activation.window-gone`), never a reason to choose another.
public protocol WindowSystem: Sendable {
    /// `tmux`, `x11`, `sway`, `browser`: also what its handles begin with, where they begin with a name.
    var name: String { get }
    /// Whether it can be asked at all; says nothing about a running server.
    var isAvailable: Bool { get }
    /// Whether programs open windows of their own in it: X11 and sway, not tmux and not a browser.
    var isDesktop: Bool { get }
    /// Whether its windows are those of browsers, as these tell of them.
    var isOfBrowsers: Bool { get }
    /// What it can do here, for people.
    var support: WindowSupport { get }
    /// Whether this text can be the handle of one of its windows.
    func recognizes(handle: String) -> Bool
    /// Every window there is, with the server that has them; no windows where no server runs.
    func windows() throws(ActivationFailure) -> WindowList
    /// The server that runs now and that this handle would be of; nil where none runs, or the handle is nobody's.
    func server(of handle: String) throws(ActivationFailure) -> String?
    func presence(of window: WindowReference) throws(ActivationFailure) -> WindowPresence
    /// Makes a window that runs a program, brings it forward, and looks what its user sees now.
    func launch(_ launch: WindowLaunch) throws(ActivationFailure) -> WindowSighting
    /// Brings a window as far forward as is asked, and looks what its user sees now.
    func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting
    /// Types into a window. Text that holds parts of a payload is refused where it could be a command.
    func type(_ keys: WindowKeys, into window: WindowReference) throws(ActivationFailure)
    /// Lets a browser's window show an address: in the tab that shows it already, else in a new one.
    func navigate(_ window: WindowReference, to address: String) throws(ActivationFailure) -> WindowSighting
    /// Whether a launch of this nonce has been handed to the window system and may still make its window: somebody who was
    /// killed meanwhile had begun it.
    func isOnItsWay(nonce: String) -> Bool
    /// The window in which one of these processes is the one it was made for.
    func find(processes: [Int32]) throws(ActivationFailure) -> WindowSighting?
    /// Comes back with the windows as soon as something about them is other than in `list`, at the deadline, or when the
    /// descriptor, where one is given, can be read (a pidfd: its process has ended). By events, where there are any.
    func change(
        after list: WindowList, until deadline: Deadline, or descriptor: Int32?
    ) throws(ActivationFailure) -> WindowList
    /// Tells of the windows now, and again whenever something about them changes, from a thread of its own; many changes at
    /// once are told once. A server that went away is a list without a server. nil where that cannot be known without asking.
    func watch(_ changed: @escaping @Sendable (WindowList) -> Void) -> (any WindowWatch)?
    /// Watches a window that is in front, by events: what takes its place until the deadline. nil where nothing does, or
    /// where the window system cannot tell. A window that belongs to it, such as a dialog of its own, takes nothing.
    func frontLoss(of handle: String, until deadline: Deadline) throws(ActivationFailure) -> FrontLoss?
    /// Whether the window in front fills its screen; nil where that is not known.
    func isFrontFullscreen() throws(ActivationFailure) -> Bool?
    /// Waits until its user points at a window: clicks it, or brings it forward. nil at the deadline, or when they think
    /// better of it.
    func pick(until deadline: Deadline) throws(ActivationFailure) -> WindowList.Window?
    /// A token that lets the window of a program come forward which is started now, where the system gives one to anybody:
    /// `DESKTOP_STARTUP_ID` and `XDG_ACTIVATION_TOKEN` of the program.
    func startupToken(nonce: String) -> String?
    /// Says that what a launcher has given this token for is there, or will not come: nobody waits for its window any more.
    func endStartup(_ token: String)
    /// What a step would do, for people: `tmux select-window @3, read it back`.
    func plan(_ step: WindowStep) -> String
}

/// An ongoing `watch`.
public protocol WindowWatch: Sendable {
    /// Returns when nothing is told any more.
    func stop()
}

extension WatchThread: WindowWatch {}

extension WindowSystem {
    public var isDesktop: Bool { false }

    public var isOfBrowsers: Bool { false }

    public func focus(_ window: WindowReference) throws(ActivationFailure) -> WindowSighting {
        try focus(FocusRequest(window))
    }

    public func server(of handle: String) throws(ActivationFailure) -> String? {
        recognizes(handle: handle) ? try windows().server : nil
    }

    public func navigate(_ window: WindowReference, to address: String) throws(ActivationFailure) -> WindowSighting {
        throw .noTabs(name)
    }

    public func change(
        after list: WindowList, until deadline: Deadline, or descriptor: Int32?
    ) throws(ActivationFailure) -> WindowList {
        try changeByAsking(after: list, until: deadline, or: descriptor)
    }

    /// Asks again and again.
    func changeByAsking(
        after list: WindowList, until deadline: Deadline, or descriptor: Int32?
    ) throws(ActivationFailure) -> WindowList {
        while true {
            let now = try windows()
            if now != list || deadline.isOver { return now }
            let pause = Deadline.earlier(deadline, Deadline(inMilliseconds: 50))
            var events = pollfd(fd: descriptor ?? -1, events: Int16(POLLIN), revents: 0)
            if unsafe poll(&events, 1, pause.remainingMilliseconds) > 0 { return try windows() }
        }
    }

    public func watch(_ changed: @escaping @Sendable (WindowList) -> Void) -> (any WindowWatch)? { nil }

    public func pick(until deadline: Deadline) throws(ActivationFailure) -> WindowList.Window? {
        throw .windowSystem(name, "nobody can point at its windows")
    }

    public func frontLoss(of handle: String, until deadline: Deadline) throws(ActivationFailure) -> FrontLoss? { nil }

    public func isFrontFullscreen() throws(ActivationFailure) -> Bool? { nil }

    public func startupToken(nonce: String) -> String? { nil }

    public func endStartup(_ token: String) {}
}

/// A wish to bring a window forward.
public struct FocusRequest: Sendable {
    public var window: WindowReference
    public var policy: FocusPolicy
    /// The content that is asked for: in a browser's window, the tab that shows it comes to the front.
    public var target: String?
    /// What a desktop gave whoever asked, so that focus is no theft (xdg-activation, startup notification).
    public var token: String?

    public init(
        _ window: WindowReference, policy: FocusPolicy = FocusPolicy(), target: String? = nil, token: String? = nil
    ) {
        self.window = window
        self.policy = policy
        self.target = target
        self.token = token
    }
}

/// Which window is meant.
public enum WindowReference: Sendable, Hashable {
    /// By its handle; a server other than the one named means that the window is gone.
    case handle(String, server: String?)
    /// The current window of a named group: in tmux, a session.
    case group(String)

    /// For people.
    public var words: String { Printable.text(text) }

    package var text: String {
        switch self {
        case .handle(let handle, _): handle
        case .group(let name): name
        }
    }
}

public enum WindowPresence: Sendable, Hashable {
    case present, gone
    /// It may be there: its handle was of a connection that has ended, and nothing shows which window it named.
    case forgotten
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
    /// How far the terminal comes forward that shows the window.
    public var policy: FocusPolicy

    public init(
        group: String? = nil, program: String, arguments: [String] = [], environment: [EnvironmentVariable] = [],
        workingDirectory: String? = nil, nonce: String? = nil, policy: FocusPolicy = FocusPolicy()
    ) {
        self.nonce = nonce
        self.policy = policy
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
        /// It is as far in front as was asked: read back.
        case shown
        /// Nobody looks: it is the one that will be seen first.
        case nobodyLooks
        /// The user looks at something else.
        case hidden(seen: String)
        /// It was to be left where it is.
        case untouched
    }

    /// nil where a group was brought forward, not a window of it.
    public var handle: String?
    public var server: String
    /// Its name, as its window system shows it.
    public var title: String?
    /// The program it was made for.
    public var process: Int32?
    public var view: View
    /// The program that shows it in a terminal, which may be a window itself: tmux's client.
    public var client: Int32?
    /// Somebody was typing elsewhere, so less was done than without (`while-typing`).
    public var sparedTyping = false
    /// The desktop's window that was read back to be in front with the keyboard: it, or the terminal or browser window that
    /// shows it. See `WindowSystem.frontLoss`.
    public var front: Front?

    public struct Front: Sendable, Hashable {
        public var handle: String
        public var server: String

        public init(handle: String, server: String) {
            self.handle = handle
            self.server = server
        }
    }

    public init(handle: String?, server: String, title: String? = nil, process: Int32? = nil, view: View) {
        self.handle = handle
        self.server = server
        self.title = title
        self.process = process
        self.view = view
    }
}

/// Another window took the place of the one that was in front.
public struct FrontLoss: Sendable, Hashable {
    /// What is in front now, for people.
    public var seen: String
    /// Whether the user pressed a key or used the pointer meanwhile, so that it may be what they wanted.
    public var mayBeWanted: Bool

    public init(seen: String, mayBeWanted: Bool) {
        self.seen = seen
        self.mayBeWanted = mayBeWanted
    }
}

/// The windows of a server.
public struct WindowList: Sendable, Hashable {
    public struct Window: Sendable, Hashable {
        public var handle: String
        /// What the handle is good for: see `WindowServer`.
        public var server: String?
        public var title: String
        /// The group that it is in: a tmux session, a workspace, a desktop.
        public var group: String
        /// The handles of its parts: in tmux, its panes; in a browser, its tabs.
        public var parts: [String]
        /// In tmux: the processes that its panes were made for.
        public var processes: [Int32] = []
        /// `WM_CLASS` of an X11 window: class and instance.
        public var windowClass: String?
        public var instance: String?
        /// `app_id` of a Wayland window.
        public var appID: String?
        /// The process it belongs to.
        public var process: Int32?
        /// The startup notification or activation token it was opened with.
        public var startupID: String?
        /// `startupID` is said of all windows of its program, and so names the newest launch, not the window's own.
        public var sharesStartupID = false
        /// How it is seen; nil where that is not known.
        public var activation: ActivationState?
        /// The name of the browser whose window it is.
        public var browser: String?
        public var tabs: [Tab] = []
        /// Whether it is a private window of a browser.
        public var isPrivate = false

        public init(handle: String, title: String, group: String, parts: [String] = [], server: String? = nil) {
            self.handle = handle
            self.title = title
            self.group = group
            self.parts = parts
            self.server = server
        }

        /// Whether it is a window of tmux: known by its handle, and called anything.
        public var isOfTmux: Bool { TmuxHandle(handle) != nil }

        /// One of its panes, as a window; nil where it has no such pane.
        public func pane(_ handle: String) -> Window? {
            guard isOfTmux, let place = parts.firstIndex(of: handle) else { return nil }
            var pane = self
            pane.handle = handle
            pane.processes = processes.count == parts.count ? [processes[place]] : []
            return pane
        }

        /// Whether its handle is one that was noted with this server; nil: with none.
        public func isOf(server noted: String?) -> Bool {
            guard let noted else { return true }
            return server.map { WindowServer.agree(noted, $0) } ?? false
        }
    }

    /// A page in a browser's window.
    public struct Tab: Sendable, Hashable {
        public var handle: String
        public var address: String
        public var title: String
        /// The one that the window shows.
        public var isActive: Bool
        /// The page's `<link rel="canonical">`, as far as it was asked for.
        public var canonical: String?
        /// The page's language (BCP 47), as far as it was asked for.
        public var language: String?
        /// Whether the page is loaded so far that its data can be read.
        public var isReadable = false

        public init(handle: String, address: String, title: String, isActive: Bool) {
            self.handle = handle
            self.address = address
            self.title = title
            self.isActive = isActive
        }
    }

    /// nil where no server runs, and in the list of several window systems.
    public var server: String?
    public var windows: [Window]

    public init(server: String?, windows: [Window]) {
        self.server = server
        self.windows = windows
        for place in self.windows.indices where self.windows[place].server == nil {
            self.windows[place].server = server
        }
    }

    /// Whether there is a window or part with this handle, as it was noted with this server.
    public func has(_ handle: String, of server: String?) -> Bool {
        windows.contains { ($0.handle == handle || $0.parts.contains(handle)) && $0.isOf(server: server) }
    }
}

extension WindowRule {
    /// Whether a window is one of those that are meant. A browser's own account of its windows is meant only where the rule
    /// speaks of browsers or tabs: they are windows of the desktop as well. Windows of tmux are never meant.
    public func matches(_ window: WindowList.Window) -> Bool {
        if window.browser != nil, !isOfBrowsers { return false }
        if window.isOfTmux { return false }
        func holds(_ pattern: Pattern?, _ value: String?) -> Bool { pattern.map { $0.matches(value) } ?? true }
        return !isEmpty && holds(windowClass, window.windowClass) && holds(instance, window.instance)
            && holds(appID, window.appID ?? window.windowClass) && holds(title, window.title)
            && holds(browser, window.browser)
            && (tab.map { tab in window.tabs.contains { tab.matches($0.address) } } ?? true)
    }
}

/// A step as a plan shows it.
public enum WindowStep: Sendable {
    case launch(WindowLaunch)
    case focus(WindowReference)
    case type(WindowKeys, WindowReference)
    case navigate(WindowReference, String)
}
