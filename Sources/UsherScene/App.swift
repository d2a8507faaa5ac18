public import UsherTarget
internal import UsherText

/// One application: what it owns, which kinds of window it has, and how they are reached. One manifest.
public struct App: Sendable {
    /// Reverse-DNS, such as `example.clowntown`.
    public var id: String
    public var name: String
    /// The `apns-topic`s that mean this app; by default its id.
    public var topics: [String]
    /// Hosts: this app owns their URLs.
    public var domains: [Located<String>] = []
    /// Which addresses of `domains` are the app's; nil means all of them.
    public var association: SiteAssociation?
    /// URL schemes, in lower case, without the colon: this app owns the identifiers with these schemes.
    public var schemes: [Located<String>] = []
    /// The user activity types this app declares.
    public var activityTypes: [Located<String>] = []
    /// Where the manifest says `website = true`: identifiers that are URLs may fall back to the web.
    public var website: Located<Bool>?
    /// Without multiple scenes every request goes to the one window, whatever its conditions.
    public var multipleScenes = true
    /// How many sessions may exist before line 8 of the resolution makes no more; nil means no limit.
    public var scenesLimit: Located<Int>?
    /// How the app's notifications are delivered.
    public var deliver: DeliveryRule {
        get { handlers.notifications.deliver }
        set { notifications.deliver = newValue }
    }
    /// URI templates by name: the identifiers a backend may build.
    public var targets: [TargetTemplate] = []
    /// In the order of the manifest: the first that accepts a subject is created.
    public var scenes: [SceneConfiguration] = []
    /// The declared ones, then the dynamic ones.
    public var shortcuts: [ShortcutDefinition] = []
    /// Run for a notification with `content-available` and nothing to show.
    public var background: Command?
    /// Run when the content that a request names was deleted.
    public var contentDeleted: Command?
    /// Opens the web page of a target; by default the desktop's own opener.
    public var openWeb: Command?
    /// How the app takes user activities.
    public var continuation: Continuation {
        get { handlers.continuation }
        set { handlers = Handlers(newValue, handlers.notifications, handlers.suggestions) }
    }
    /// How the app's notifications are delivered, look, and which buttons they have.
    public var notifications: NotificationSettings {
        get { handlers.notifications }
        set { handlers = Handlers(handlers.continuation, newValue, handlers.suggestions) }
    }
    /// How often its pushes may interrupt; nil for no limit.
    public var rate: InterruptionRate? { handlers.notifications.rate }
    /// What is offered to the app, and what it can be asked to do.
    public var suggestions: AppSuggestions {
        get { handlers.suggestions }
        set { handlers = Handlers(handlers.continuation, handlers.notifications, newValue) }
    }
    // In a place of its own: apps are handed on often, from stack to stack, and this is large.
    private var handlers = Handlers(Continuation(), NotificationSettings(), AppSuggestions())
    public var expectations: [RouteExpectation] = []
    public var location: SourceLocation
    /// Not from a manifest: Usher's own notes. It is not counted where a request goes to the only app there is.
    public var isBuiltIn = false

    public init(id: String, name: String, location: SourceLocation) {
        self.id = id
        self.name = name
        self.topics = [id]
        self.location = location
    }

    private final class Handlers: Sendable {
        let continuation: Continuation
        let notifications: NotificationSettings
        let suggestions: AppSuggestions

        init(_ continuation: Continuation, _ notifications: NotificationSettings, _ suggestions: AppSuggestions) {
            self.continuation = continuation
            self.notifications = notifications
            self.suggestions = suggestions
        }
    }

    public func scene(named name: String) -> SceneConfiguration? {
        scenes.first { $0.name == name }
    }

    /// The template that the targets of a scene are built from.
    public func template(of scene: SceneConfiguration) -> URITemplate? {
        scene.target.flatMap { name in targets.first { $0.name.hasSameBytes(as: name) }?.template }
    }
}

/// A named URI template of a manifest's `[targets]`.
public struct TargetTemplate: Sendable {
    public var name: String
    public var template: URITemplate
    public var location: SourceLocation

    public init(name: String, template: URITemplate, location: SourceLocation) {
        self.name = name
        self.template = template
        self.location = location
    }
}

/// The icon of a shortcut item (`UIApplicationShortcutIcon`).
public enum ShortcutIcon: Hashable, Sendable {
    /// An SF symbol.
    case symbolName(String)
    /// An image of the app's bundle.
    case templateImageName(String)
    /// One of the system's icons, by its name in Info.plist.
    case type(String)

    /// From `icon` of a manifest: a name of Info.plist for one of the system's icons, else a symbol.
    public init(manifest text: String) {
        self = text.utf8.starts(with: "UIApplicationShortcutIconType".utf8) ? .type(text) : .symbolName(text)
    }

    /// - Parameter member: Apple's name for the property; nil where it is another.
    public init?(member: String, _ name: String) {
        switch member {
        case "symbolName": self = .symbolName(name)
        case "templateImageName": self = .templateImageName(name)
        case "type": self = .type(name)
        default: return nil
        }
    }

    public var name: String {
        switch self {
        case .symbolName(let name), .templateImageName(let name), .type(let name): name
        }
    }

    /// Apple's name for the property.
    public var member: String {
        switch self {
        case .symbolName: "symbolName"
        case .templateImageName: "templateImageName"
        case .type: "type"
        }
    }
}

/// A shortcut item as a manifest (or an Info.plist that it includes) declares it, or as an app registered it at run time.
public struct ShortcutDefinition: Sendable {
    public var type: String
    public var title: String
    public var subtitle: String?
    public var icon: ShortcutIcon?
    public var target: TargetContentIdentifier?
    /// A JSON object, as text.
    public var userInfo: String?
    /// Where it is declared; nil for a dynamic item, which the app registered at run time.
    public var location: SourceLocation?

    public var isDynamic: Bool { location == nil }

    public init(type: String, title: String, location: SourceLocation?) {
        self.type = type
        self.title = title
        self.location = location
    }
}

/// A shortcut item that an app registered at run time (Apple: `UIApplication.shortcutItems`).
public struct DynamicShortcut: Sendable {
    /// The app's id.
    public var app: String
    public var item: ShortcutDefinition

    public init(app: String, _ item: ShortcutDefinition) {
        self.app = app
        self.item = item
    }
}

/// A route test of a manifest's `[[expect]]`: with these windows open, this target leads to that scene.
public struct RouteExpectation: Sendable {
    public struct OpenScene: Sendable {
        public var scene: String
        public var target: TargetContentIdentifier?
        public init(scene: String, target: TargetContentIdentifier? = nil) {
            self.scene = scene
            self.target = target
        }
    }

    public var target: TargetContentIdentifier?
    /// Sessions assumed open, oldest first: the last one was used last.
    public var open: [OpenScene]
    /// The expected scene; nil where none is expected.
    public var scene: String?
    public var reason: Reason?
    public var location: SourceLocation

    public init(
        target: TargetContentIdentifier?, open: [OpenScene], scene: String?, reason: Reason?, location: SourceLocation
    ) {
        self.target = target
        self.open = open
        self.scene = scene
        self.reason = reason
        self.location = location
    }
}

// MARK: - Domains

extension App {
    /// Whether an entry of `domains` covers a host, in small letters: `clowntown.example`, `*.example`,
    /// `shop.example/clowns`.
    public func has(host: String) -> Bool {
        domains.contains { domain in
            let name = domain.value.utf8.prefix { $0 != UInt8(ascii: "/") }
            guard name.starts(with: "*.".utf8) else { return name.elementsEqual(host.utf8) }
            let suffix = name.dropFirst()
            return host.utf8.count > suffix.count && host.utf8.suffix(suffix.count).elementsEqual(suffix)
        }
    }

    /// What the app's association file says of an identifier on one of its hosts; nil where the app has no such file, or
    /// not the host.
    public func verdict(on target: TargetContentIdentifier) -> SiteAssociation.Verdict? {
        guard let association, let (host, rest) = target.webHost, has(host: host) else { return nil }
        var address = LinkAddress(rest)
        return association.verdict(on: &address)
    }
}

/// How an app's notifications are delivered and how they look: `deliver` and `[notifications]` of a manifest.
public struct NotificationSettings: Sendable {
    public var deliver = DeliveryRule.tapped
    /// How often pushes may interrupt; nil for no limit.
    public var rate: InterruptionRate?
    /// What pushes do at most while the user should not be disturbed.
    public var quiet = QuietRule()
    /// A name of the icon theme, or an absolute path.
    public var icon: String?
    /// An absolute path.
    public var image: String?
    /// Without `.desktop`.
    public var desktopEntry: String?
    /// A name of the sound theme, for pushes that have a sound.
    public var sound: String?
    public var isSilent = false
    /// In milliseconds; 0 stays, nil is as the server likes.
    public var expires: Int32?
    /// Whether they are needed.
    public var need = NoticeRule()
    /// By the payload's `aps.category`.
    public var categories: [NotificationCategory] = []

    public init() {}

    public func category(_ id: String?) -> NotificationCategory? {
        guard let id else { return nil }
        return categories.first { $0.id.hasSameBytes(as: id) }
    }
}

/// A kind of notification, which has buttons (Apple: UNNotificationCategory).
public struct NotificationCategory: Sendable {
    public var id: String
    /// `im.received`, `email.arrived`, … of the Desktop Notifications Specification.
    public var desktopCategory: String?
    public var actions: [NotificationAction]
    public var location: SourceLocation

    public init(id: String, actions: [NotificationAction] = [], location: SourceLocation) {
        self.id = id
        self.actions = actions
        self.location = location
    }
}

/// A button of a notification (Apple: UNNotificationAction).
public struct NotificationAction: Sendable {
    public var id: String
    public var title: String
    /// Shown instead of the payload's own.
    public var target: TargetContentIdentifier?
    /// Run instead of bringing a window forward.
    public var background: Command?
    /// Whether a press on it is the answer that the waiting sender gets. The button is there only while one waits.
    public var isAnswer = false
    public var location: SourceLocation

    /// The click on the notification itself (Desktop Notifications Specification, Notify).
    public static let click = "default"

    public init(id: String, title: String, location: SourceLocation) {
        self.id = id
        self.title = title
        self.location = location
    }
}

/// How often an app's pushes may interrupt: `rate` of its manifest.
public struct InterruptionRate: Sendable, Hashable {
    /// So many notifications shown, or windows brought forward.
    public var limit: Int
    /// In a time of this length, in milliseconds.
    public var milliseconds: Int

    public init(limit: Int, milliseconds: Int) {
        self.limit = limit
        self.milliseconds = milliseconds
    }

    /// For people: `5 in 1m`.
    public var words: String {
        let time =
            if milliseconds % 60_000 == 0 { "\(milliseconds / 60_000)m" } else if milliseconds % 1000 == 0 {
                "\(milliseconds / 1000)s"
            } else { "\(milliseconds)ms" }
        return "\(limit) in \(time)"
    }
}

/// A version as numbers with dots between them, such as `2.10.1`: compared number by number, missing ones being 0.
///
/// Numbers may have any length: nothing overflows.
public struct DottedVersion: Sendable {
    /// Without leading zeros and without zeros at the end.
    private let numbers: [[UInt8]]

    /// nil where the text is anything else.
    public init?(_ text: String) {
        var numbers: [[UInt8]] = []
        for part in text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            guard !part.isEmpty, part.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            numbers.append(Array(part.drop { $0 == 0x30 }))
        }
        while numbers.last?.isEmpty == true { numbers.removeLast() }
        self.numbers = numbers
    }
}

extension DottedVersion: Comparable {
    public static func < (one: Self, other: Self) -> Bool {
        for (left, right) in zip(one.numbers, other.numbers) where left != right {
            return left.count == right.count ? left.lexicographicallyPrecedes(right) : left.count < right.count
        }
        return one.numbers.count < other.numbers.count
    }
}
