public import UsherScene
public import UsherSystem
internal import UsherText

/// A window system: tmux, a desktop (`DesktopName`), or browsers.
///
/// All calls block and may come from several threads. A window that is gone is an error (`activation.window-gone`), never a
/// reason to choose another window.
public protocol WindowSystem: Sendable {
    /// `tmux`, `browser`, `wayland`, or a `DesktopName`. Handles begin with it, except those of tmux.
    var name: String { get }
    /// Whether the environment names it. Does not say that its server runs.
    var isAvailable: Bool { get }
    /// Whether programs open windows of their own in it: true for desktops, false for tmux and browsers.
    var isDesktop: Bool { get }
    /// Whether its windows are reported by browsers.
    var isOfBrowsers: Bool { get }
    /// What it can do here, for `usher doctor`.
    var support: WindowSupport { get }
    /// Whether this text has the form of a handle of its windows.
    func recognizes(handle: String) -> Bool
    /// All windows and their server; no windows where no server runs.
    func windows() throws(ActivationFailure) -> WindowList
    /// The running server of windows with such handles; nil where none runs, or the handle has another form.
    func server(of handle: String) throws(ActivationFailure) -> String?
    func presence(of window: WindowReference) throws(ActivationFailure) -> WindowPresence
    /// Opens a window that runs a program, brings it forward, and reads back what is shown.
    func launch(_ launch: WindowLaunch) throws(ActivationFailure) -> WindowSighting
    /// Brings a window as far forward as the policy says, and reads back what is shown.
    func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting
    /// Asks a window to close, as its user would. Returns when it was asked: it may stay, and ask its user something.
    func close(_ window: WindowReference) throws(ActivationFailure)
    /// Types into a window. Text with parts of a payload is refused where the window could run it as a command.
    func type(_ keys: WindowKeys, into window: WindowReference) throws(ActivationFailure)
    /// Shows an address in a browser's window: in the tab that shows it already, else in a new one.
    func navigate(_ window: WindowReference, to address: String) throws(ActivationFailure) -> WindowSighting
    /// Whether a launch with this nonce, begun by a process that was killed, was handed to the window system and may still
    /// open its window.
    func isOnItsWay(nonce: String) -> Bool
    /// The window that was opened for one of these processes.
    func find(processes: [Int32]) throws(ActivationFailure) -> WindowSighting?
    /// Waits until the windows differ from `list`, the deadline has passed, or the descriptor, if given, is readable (a
    /// pidfd: its process has ended). The windows then. By events where the window system has them.
    func change(
        after list: WindowList, until deadline: Deadline, or descriptor: Int32?
    ) throws(ActivationFailure) -> WindowList
    /// Waits until the windows are as is asked, or the deadline has passed. The windows then. Titles count at once.
    func windows(
        until deadline: Deadline, where holds: (WindowList) -> Bool
    ) throws(ActivationFailure) -> WindowList
    /// Calls `changed` with the windows now and after each change, from a thread of its own; changes in quick succession
    /// are one call. A server that ended is a list without a server. nil where there are no events.
    func watch(_ changed: @escaping @Sendable (WindowList) -> Void) -> (any WindowWatch)?
    /// Waits, by events, until another window takes the place of one that is in front. nil where none does until the
    /// deadline, or where there are no events. A dialog of the window does not take its place.
    func frontLoss(of handle: String, until deadline: Deadline) throws(ActivationFailure) -> FrontLoss?
    /// The same of what was read back, with what a client of tmux shows.
    func loss(of front: WindowSighting.Front, until deadline: Deadline) throws(ActivationFailure) -> FrontLoss?
    /// How much of a window is seen; nil where that is not known.
    func exposure(of handle: String) throws(ActivationFailure) -> WindowExposure?
    /// Whether the window in front fills its screen; nil where that is not known.
    func isFrontFullscreen() throws(ActivationFailure) -> Bool?
    /// Waits until the user clicks a window or brings it forward. nil at the deadline, or when the user cancels.
    func pick(until deadline: Deadline) throws(ActivationFailure) -> WindowList.Window?
    /// A token with which the window of a program that is started now may come forward: its `DESKTOP_STARTUP_ID` and
    /// `XDG_ACTIVATION_TOKEN`. nil where the system gives none without an input event.
    func startupToken(nonce: String) -> String?
    /// Ends the wait for the window of a token that was given to a launcher: it has come, or will not come.
    func endStartup(_ token: String)
    /// What a step would do, for the output of a dry run: `tmux select-window @3, read it back`.
    func plan(_ step: WindowStep) -> String
}

/// An ongoing `watch`.
public protocol WindowWatch: Sendable {
    /// Returns after the last call of `changed` has ended.
    func stop()
}

extension WatchThread: WindowWatch {}

extension WindowSystem {
    public var isDesktop: Bool { false }

    public var isOfBrowsers: Bool { false }

    public func launch(_ launch: WindowLaunch) throws(ActivationFailure) -> WindowSighting {
        throw .windowSystem(
            name, "it makes no windows: programs make their own", help: "launch the program with exec")
    }

    public func close(_ window: WindowReference) throws(ActivationFailure) {
        throw .windowSystem(name, "it cannot close windows", help: "close it by hand")
    }

    public func type(_ keys: WindowKeys, into window: WindowReference) throws(ActivationFailure) {
        throw .windowSystem(name, "nothing is typed into its windows", help: "show with exec")
    }

    public func isOnItsWay(nonce: String) -> Bool { false }

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

    /// By asking every 50 ms.
    func changeByAsking(
        after list: WindowList, until deadline: Deadline, or descriptor: Int32?
    ) throws(ActivationFailure) -> WindowList {
        while true {
            let now = try windows()
            if now != list || deadline.isOver { return now }
            let pause = Deadline.earlier(deadline, Deadline(inMilliseconds: 50))
            if Poll.wait(for: descriptor ?? -1, until: pause) == .ready { return try windows() }
        }
    }

    public func windows(
        until deadline: Deadline, where holds: (WindowList) -> Bool
    ) throws(ActivationFailure) -> WindowList {
        var list = try windows()
        while !holds(list), !deadline.isOver { list = try change(after: list, until: deadline, or: nil) }
        return list
    }

    public func watch(_ changed: @escaping @Sendable (WindowList) -> Void) -> (any WindowWatch)? { nil }

    public func pick(until deadline: Deadline) throws(ActivationFailure) -> WindowList.Window? {
        throw .windowSystem(name, "its windows cannot be picked")
    }

    public func frontLoss(of handle: String, until deadline: Deadline) throws(ActivationFailure) -> FrontLoss? { nil }

    public func loss(
        of front: WindowSighting.Front, until deadline: Deadline
    ) throws(ActivationFailure) -> FrontLoss? { try frontLoss(of: front.handle, until: deadline) }

    public func exposure(of handle: String) throws(ActivationFailure) -> WindowExposure? { nil }

    public func isFrontFullscreen() throws(ActivationFailure) -> Bool? { nil }

    public func startupToken(nonce: String) -> String? { nil }

    public func endStartup(_ token: String) {}

    public func plan(_ step: WindowStep) -> String {
        switch step {
        case .focus(let window): "\(name): bring \(Printable.text(window.text)) forward, read it back"
        case .launch, .type, .navigate: "nothing: \(name) only brings windows forward"
        }
    }
}

/// A request to bring a window forward.
public struct FocusRequest: Sendable {
    public var window: WindowReference
    public var policy: FocusPolicy
    /// The content to show: in a browser's window, the tab that shows it comes to the front.
    public var target: String?
    /// The activation token that the desktop gave the origin of the request (xdg-activation, startup notification).
    public var token: String?
    /// How the terminal of a tmux window comes forward.
    public var terminal = TerminalSettings()
    /// Opens a terminal for a tmux session that no client shows; nil where none is to be opened.
    var open: TerminalOpening?
    /// Brings hidden tabs of terminals forward; nil where there is no session bus.
    var tabs: (any TerminalTabs)?

    public init(
        _ window: WindowReference, policy: FocusPolicy = FocusPolicy(), target: String? = nil, token: String? = nil
    ) {
        self.window = window
        self.policy = policy
        self.target = target
        self.token = token
    }
}

/// Identifies a window.
public enum WindowReference: Sendable, Hashable {
    /// By its handle. The window is gone if another server runs than the one named.
    case handle(String, server: String?)
    /// The current window of a named group: in tmux, a session.
    case group(String)

    /// For messages.
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
    /// It cannot be found out here.
    case unknown
}

/// A program to be run in a new window.
public struct WindowLaunch: Sendable {
    /// The group (tmux session) to make it in, made on demand; nil is wherever the user is.
    public var group: String?
    /// The file to run.
    public var program: String
    /// What follows the program.
    public var arguments: [String] = []
    public var environment: [EnvironmentVariable] = []
    public var workingDirectory: String?
    /// The launch nonce; see `isOnItsWay(nonce:)`.
    public var nonce: String?
    /// How the window comes forward; which one it is does not matter.
    public var focus = FocusRequest(.group(""))
}

/// Keys for a window.
public struct WindowKeys: Sendable {
    package var strokes: [KeyStroke]
    /// Whether any of the text comes from a payload.
    var holdsPayloadText: Bool
    /// In a window with several programs, the session whose program receives the keys.
    public var session: String?
}

/// A window as it was read back after an operation.
public struct WindowSighting: Sendable, Hashable {
    public enum View: Sendable, Hashable {
        /// It is as far in front as the policy says.
        case shown
        /// No client is attached: it is the window that the next client shows.
        case nobodyLooks
        /// The user looks at something else.
        case hidden(seen: String)
        /// The policy leaves it where it is.
        case untouched
    }

    /// nil where a group was brought forward, not a window of it.
    public var handle: String?
    public var server: String
    /// Its name, as its window system shows it.
    public var title: String?
    /// The program that it was opened for.
    public var process: Int32?
    public var view: View
    /// The user was typing elsewhere, so less was done (`while-typing`).
    public var sparedTyping = false
    /// What was read back as in front with the keyboard: the window, or that of the desktop which shows it. See
    /// `WindowSystem.loss`.
    public var front: Front?
    /// Of a window of tmux: what shows whether the user sees it, and the first condition that does not hold.
    public var evidence: SeenEvidence?
    public var doubt: ActivationFailure?
    /// How much of that is seen; nil where its window system does not tell.
    public var exposure: WindowExposure?
    /// Why it is hidden, where it is.
    public var cause = DiagnosticCode.seenNotFront

    public struct Front: Sendable, Hashable {
        /// A client of tmux.
        struct Client: Sendable, Hashable {
            var name: String
            /// When a key was pressed last in it, in seconds since 1970.
            var activity: Int
            /// The desktop's window that shows it; nil without a desktop.
            var window: String?
        }

        public var handle: String
        public var server: String
        /// Of a pane of tmux: what shows it.
        var client: Client?

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

/// Another window has taken the place of the one in front.
public struct FrontLoss: Sendable, Hashable {
    /// What is in front now, for messages.
    public var seen: String
    /// Whether the user pressed a key or used the pointer meanwhile, and so may have caused it.
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
        /// The life of the server in which the handle is valid: see `WindowServer`.
        public var server: String?
        public var title: String
        /// The tmux session, workspace or desktop that it is in.
        public var group: String
        /// The handles of its parts: in tmux, its panes; in a browser, its tabs.
        public var parts: [String]
        /// In tmux: its active pane.
        public var shownPart: String?
        /// In tmux: the processes that its panes were opened for.
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
        /// All windows of its program have the `startupID` of the newest launch.
        public var sharesStartupID = false
        /// Whether it is in front, visible or hidden; nil where that is not known.
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

        /// Whether it is a window of tmux, by its handle.
        public var isOfTmux: Bool { TmuxHandle(handle) != nil }

        /// What is noted of its server with a session that gets it: of a window of tmux its pane, where it has one alone.
        package var notedServer: String? {
            guard parts.count == 1, let handle = TmuxHandle(handle) else { return server }
            return server.map { handle.server($0, pane: parts[0]) }
        }

        /// Whether it is the window of a session, or holds what the session has of it.
        package func holds(_ handle: String, of noted: String?) -> Bool {
            let handle = TmuxHandle(handle, server: noted)?.text ?? handle
            return (self.handle == handle || parts.contains(handle)) && isOf(server: noted)
        }

        /// One of its panes, as a window; nil where it has no such pane.
        public func pane(_ handle: String) -> Window? {
            guard isOfTmux, let place = parts.firstIndex(of: handle) else { return nil }
            var pane = self
            pane.handle = handle
            pane.processes = processes.count == parts.count ? [processes[place]] : []
            return pane
        }

        /// Whether its server agrees with a recorded one; nil agrees with each.
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
        /// The page's `<link rel="canonical">`, if requested.
        public var canonical: String?
        /// The page's language (BCP 47), if requested.
        public var language: String?
        /// Whether enough of the page is loaded to read its data.
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

    /// Whether a window or part has this handle and belongs to this server.
    public func has(_ handle: String, of server: String?) -> Bool {
        windows.contains { $0.holds(handle, of: server) }
    }
}

extension WindowRule {
    /// Whether the rule describes a window. Windows reported by browsers are windows of the desktop as well, so they match
    /// only rules with `browser` or `tab`. Windows of tmux never match.
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

/// A step of a dry run.
public enum WindowStep: Sendable {
    case launch(WindowLaunch)
    case focus(WindowReference)
    case type(WindowKeys, WindowReference)
    case navigate(WindowReference, String)
}
