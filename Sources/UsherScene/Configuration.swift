public import UsherTarget
internal import UsherText

/// The loaded manifests.
public struct Configuration: Sendable {
    public var apps: [App]
    /// `sha256:` and 64 hexadecimal digits over every file that was read.
    public var digest: String
    /// The manifests as they were read, to decide by them again later: `ConfigurationLoader.load(kept:)`. Empty where they
    /// were not read from files.
    public var manifests: [UInt8] = []
    /// The commands of the hooks that have `run`, by the hook's name.
    public var hookCommands: [String: Command] = [:]
    /// How addresses of web pages are compared.
    public var addresses = AddressSettings()
    /// `[browser] open`: what opens a web page where an app names nothing.
    public var pageOpener: PageOpener?
    /// What pushes do at most while the user should not be disturbed, where an app says nothing else.
    public var quiet = QuietRule()
    /// `[agents]`: what sessions of coding agents notify of.
    public var agents = AgentSettings()
    /// `[terminal]`: how terminals of processes come forward.
    public var terminal = TerminalSettings()
    /// Whether notifications are needed, where an app says nothing else.
    public var notices = NoticeRule()
    /// `[suggestions]`: what is taken in and offered at all.
    public var suggestions = SuggestionSettings()
    private var byID: [String: Int]

    public init(
        apps: [App] = [], digest: String = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    ) {
        self.apps = apps
        self.digest = digest
        self.byID = Dictionary(apps.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Those that have a manifest: for answers that list the apps.
    public var manifestApps: [App] { apps.filter { !$0.isBuiltIn } }

    public func app(id: String) -> App? { byID[id].map { apps[$0] } }

    /// Whether an app's notifications are needed.
    public func notices(of app: String) -> NoticeRule {
        byID[app].map { apps[$0].notifications.need.over(notices) } ?? notices
    }

    /// Whether a session is a command without a window: the session exists only while the command runs.
    public func isCommand(_ session: SceneSession) -> Bool {
        app(id: session.app)?.scene(named: session.scene)?.isCommand == true
    }

    /// The place of an app among `apps`.
    public func place(ofApp id: String) -> Int? { byID[id] }

    /// The app that has a manifest, by its id or one of its topics.
    public func manifestApp(named name: String) -> App? {
        manifestApps.first { app in
            app.id.hasSameBytes(as: name) || app.topics.contains { $0.hasSameBytes(as: name) }
        }
    }

    /// Takes these dynamic shortcut items in the place of those before. One with the type of a declared item is left out,
    /// and so is that of an app without a manifest.
    public mutating func replaceDynamicShortcuts(_ items: [DynamicShortcut]) {
        let groups = Dictionary(grouping: items, by: \.app)
        for place in apps.indices where !apps[place].isBuiltIn {
            let id = apps[place].id
            let new = (groups[id] ?? []).filter { $0.app.hasSameBytes(as: id) }.map(\.item)
            if new.isEmpty, !apps[place].shortcuts.contains(where: \.isDynamic) { continue }
            let declared = apps[place].shortcuts.filter { !$0.isDynamic }
            apps[place].shortcuts =
                declared + new.filter { item in !declared.contains { $0.type.hasSameBytes(as: item.type) } }
        }
    }
}

/// What opens a web page that no window shows.
public enum PageOpener: Sendable, Hashable {
    case exec(Command)
    /// The id of a desktop entry, then URIs.
    case desktop(Command, action: String?)
    /// The browser that handled web links before Usher, else `xdg-open`.
    case system

    /// nil for the system's.
    public var command: Command? {
        switch self {
        case .exec(let command), .desktop(let command, _): command
        case .system: nil
        }
    }
}

/// A scene configuration by name, and its app's id.
public struct SceneName: Hashable, Sendable {
    public var app: String
    public var scene: String
    public init(app: String, scene: String) {
        self.app = app
        self.scene = scene
    }
}

/// A place in a configuration file: `apps/clown-town.toml:23:11`.
public struct SourceLocation: Hashable, Sendable, CustomStringConvertible {
    /// Relative to the configuration folder.
    public var path: String
    /// From 1.
    public var line: Int
    /// From 1, in characters as an editor counts them.
    public var column: Int

    public init(path: String, line: Int, column: Int) {
        self.path = path
        self.line = line
        self.column = column
    }

    public var description: String { "\(path):\(line):\(column)" }
}

/// A value and the place it was written at.
public struct Located<Value: Sendable>: Sendable {
    public var value: Value
    public var location: SourceLocation

    public init(_ value: Value, at location: SourceLocation) {
        self.value = value
        self.location = location
    }
}

extension Located: Equatable where Value: Equatable {}
extension Located: Hashable where Value: Hashable {}
