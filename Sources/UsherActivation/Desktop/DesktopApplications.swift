public import UsherSystem

/// The applications of a desktop session: desktop entries, and programs that implement `org.freedesktop.Application`.
///
/// All calls block, and may come from several threads.
public protocol DesktopApplications: Sendable {
    /// Starts an application as its desktop entry says.
    func launch(_ launch: EntryLaunch) throws(ActivationFailure) -> ApplicationStart
    /// Calls a program by its bus name; the bus starts it where it does not run.
    func call(_ call: ApplicationCall) throws(ActivationFailure) -> ApplicationStart
    /// The process that owns a bus name; nil where none does.
    func owner(of name: String) throws(ActivationFailure) -> Int32?
    /// Returns when a process owns the name, or at the deadline; the process.
    func wait(for name: String, until deadline: Deadline) throws(ActivationFailure) -> Int32?
    /// Whether a process owns a bus name, or the bus can start one that will.
    func isProvided(name: String) throws(ActivationFailure) -> Bool
    /// Whether there is such a desktop entry, and its program (`TryExec`).
    func isInstalled(entry: String) -> Bool
    /// The entries of this name, or all of them that are to be shown.
    func entries(_ name: String?) throws(ActivationFailure) -> [DesktopEntry]
    /// The media players that run, by name.
    func players() throws(ActivationFailure) -> [MediaPlayer]
    /// Has a player play something; returns when it plays that, or at the deadline: the player as it is then, and whether
    /// it plays what was asked for.
    func play(
        _ request: MediaRequest, on player: String, until deadline: Deadline
    ) throws(ActivationFailure) -> (player: MediaPlayer, plays: Bool)
}

extension DesktopApplications {
    public func isProvided(name: String) throws(ActivationFailure) -> Bool { try owner(of: name) != nil }
}

/// A desktop entry, and what it is started with.
public struct EntryLaunch: Sendable, Hashable {
    /// Its file id, with or without `.desktop`.
    public var entry: String
    /// One of its `Actions`; nil is the entry itself.
    public var action: String?
    public var uris: [String]
    /// Beside what applications get of Usher's own environment.
    public var environment: [EnvironmentVariable]
    public var workingDirectory: String?
    /// An activation token.
    public var token: String?

    public init(
        entry: String, action: String? = nil, uris: [String] = [], environment: [EnvironmentVariable] = [],
        workingDirectory: String? = nil, token: String? = nil
    ) {
        self.entry = entry
        self.action = action
        self.uris = uris
        self.environment = environment
        self.workingDirectory = workingDirectory
        self.token = token
    }
}

/// A call of `org.freedesktop.Application`.
public struct ApplicationCall: Sendable, Hashable {
    public enum Verb: Sendable, Hashable {
        case activate
        case open([String])
        /// With one string, or no parameter.
        case action(String, parameter: String?)
    }

    /// `org.gnome.TextEditor`: its object path follows from it (Desktop Entry Specification, D-Bus activation).
    public var name: String
    public var verb: Verb
    public var token: String?
    /// In milliseconds.
    public var timeLimit: Int

    public init(name: String, verb: Verb, token: String? = nil, timeLimit: Int = 5000) {
        self.name = name
        self.verb = verb
        self.token = token
        self.timeLimit = timeLimit
    }
}

/// An application that was started or called.
public struct ApplicationStart: Sendable, Hashable {
    /// nil where the desktop does not say it.
    public var process: Int32?
    /// For people: the command line, or the call.
    public var summary: String
    /// Deviations from what the application announces.
    public var warnings: [ActivationFailure]

    public init(process: Int32?, summary: String, warnings: [ActivationFailure] = []) {
        self.process = process
        self.summary = summary
        self.warnings = warnings
    }
}

/// The contents of a desktop entry, in the user's language where it is translated.
public struct DesktopEntry: Sendable, Hashable {
    public struct Action: Sendable, Hashable {
        public var id: String
        public var name: String
        public var icon: String?

        public init(id: String, name: String, icon: String? = nil) {
            self.id = id
            self.name = name
            self.icon = icon
        }
    }

    /// `org.gnome.TextEditor.desktop`.
    public var id: String
    public var name: String
    public var comment: String?
    public var icon: String?
    public var path: String?
    public var exec: String?
    public var windowClass: String?
    public var isTerminal: Bool
    public var isActivatable: Bool
    public var actions: [Action]

    /// The id of an entry without `.desktop`.
    public static func name(_ id: String) -> String {
        id.hasSuffix(".desktop") ? String(id.dropLast(".desktop".count)) : id
    }

    public init(
        id: String, name: String, comment: String? = nil, icon: String? = nil, path: String? = nil, exec: String? = nil,
        windowClass: String? = nil, isTerminal: Bool = false, isActivatable: Bool = false, actions: [Action] = []
    ) {
        self.id = id
        self.name = name
        self.comment = comment
        self.icon = icon
        self.path = path
        self.exec = exec
        self.windowClass = windowClass
        self.isTerminal = isTerminal
        self.isActivatable = isActivatable
        self.actions = actions
    }
}
