public import UsherText

/// A decision: which window should show the content, and why. Nothing has happened yet.
///
/// It has references and places, and no names of app, scene and session: those and locations are read where they are.
public struct Resolution: Sendable {
    public var reason: Reason
    /// What it was decided by, and where the app and its scene are there. No place: no app could be found, or the decision is
    /// about none of its scenes.
    public let configuration: Shared<Configuration>
    public let appPlace: Int?
    /// The command of a hook is run that names no app: records are about none.
    public var hidesApp = false
    public private(set) var scenePlace: Int?
    /// The chosen session as it was decided on.
    public private(set) var chosen: SceneSession?
    /// A new session is made of the scene.
    public private(set) var makesSession: Bool
    /// The web page that is shown instead of a window.
    @Rare public private(set) var page: String?
    /// The alias list that was tried, newest first; empty for the NULL subject.
    public var subjects: [TargetContentIdentifier]
    /// Where a file says what decided, if that is neither a condition of the scene nor the limit of its app.
    @Rare var otherRule: SourceLocation?
    /// What went wrong, for `no-app`, `no-scene`, `no-such-session` and `content-deleted`.
    @Rare public var failure: Diagnostic?
    /// What is wrong although there is a result: the web page of the request is opened instead, or one of several apps
    /// was taken. Records have it as a warning.
    @Rare public var warning: Diagnostic?
    /// The content has one identifier, and an app owns it by `domains`, an association file or `schemes`. False also means
    /// that it was not looked for.
    public var isClaimed = false

    /// A function, since an initialiser copies what it has made.
    public static func of(
        _ reason: Reason, by configuration: Shared<Configuration>, app: Int? = nil, scene: Int? = nil,
        chosen: SceneSession? = nil, makesSession: Bool = false, page: String? = nil,
        subjects: [TargetContentIdentifier] = [], rule: SourceLocation? = nil, failure: Diagnostic? = nil
    ) -> Resolution {
        Resolution(
            reason: reason, configuration: configuration, appPlace: app, scenePlace: scene, chosen: chosen,
            makesSession: makesSession, page: page, subjects: subjects, otherRule: rule, failure: failure)
    }

    /// The newest identifier of the content.
    public var resolved: TargetContentIdentifier? { subjects.first }

    /// Takes a session of its app, or makes one of a scene.
    public mutating func choose(_ session: SceneSession?, ofScene name: String?, makesSession: Bool) {
        scenePlace = name.flatMap { name in ofApp { $0.scenes.firstIndex { $0.name == name } } ?? nil }
        (chosen, self.makesSession) = (session, makesSession)
        (page, otherRule) = (nil, nil)
    }
}

// MARK: - Names

extension Resolution {
    /// Reads its app in place: a copy of it takes a reference to each of some twenty members.
    @inlinable @inline(__always)
    public func ofApp<Value>(_ read: (borrowing App) -> Value) -> Value? {
        guard let appPlace else { return nil }
        return read(configuration.value.apps[appPlace])
    }

    /// The same of the scene.
    @inlinable @inline(__always)
    public func ofScene<Value>(_ read: (borrowing SceneConfiguration) -> Value) -> Value? {
        guard let appPlace, let scenePlace else { return nil }
        return read(configuration.value.apps[appPlace].scenes[scenePlace])
    }

    /// The app the request went to; nil when none could be found.
    public var app: String? { hidesApp ? nil : ofApp { $0.id } }

    /// The chosen session.
    public var session: String? { chosen?.id }

    /// The chosen session's configuration, or the one that is created.
    public var scene: String? { chosen?.scene ?? ofScene { $0.name } }

    /// The condition that decided, where a file has it: not for defaults, and for what the app set itself.
    public var rule: SourceLocation? {
        switch reason {
        case .prefers where chosen?.conditions.prefersToActivate.origin == .configuration:
            ofScene { $0.prefersToActivate?.location } ?? nil
        case .can where chosen?.conditions.canActivate.origin == .configuration:
            ofScene { $0.canActivate?.location } ?? nil
        case .opens where makesSession: ofScene { $0.opens?.location } ?? nil
        case .limit where chosen != nil: ofApp { $0.scenesLimit?.location } ?? nil
        default: otherRule
        }
    }
}

/// The rule that decided.
public enum Reason: String, Sendable, CaseIterable {
    case explicit, single, prefers, can, opens, `default`, limit, recent
    /// A new window was asked for.
    case requested
    case webFallback = "web-fallback"
    case contentDeleted = "content-deleted"
    case duplicate, collapsed, expired
    case noApp = "no-app"
    case noScene = "no-scene"
    case noSuchSession = "no-such-session"
    case invalid
}

/// What any carrier of a target content identifier becomes: the question that a resolution answers.
public struct ActivationRequest: Sendable {
    public var carrier = Carrier.notification
    /// Whether the user asks for a window by a tap: a notification that asks for a window, or a shortcut item.
    public var isTap = false
    /// As the sender wrote it.
    public var target: TargetContentIdentifier?
    /// The web page, where the carrier has one; the subject when there is no target.
    public var url: String?
    /// The web page's address of today, where it has moved.
    public var newestURL: String?
    /// An explicitly named app: its id or one of its topics.
    public var app: AppReference?
    public var activityType: String?
    public var shortcutType: String?
    public var role: SceneRole
    /// An explicitly named session wins.
    public var session: String?
    /// An app itself asked for a window: only a session that prefers the subject is used again.
    public var isSceneRequest: Bool
    /// A new window is made, whatever there is.
    @Rare public var newWindow: NewWindow?

    /// Of which scene a new window is.
    public enum NewWindow: Sendable, Hashable {
        case scene(String)
        /// That of line 8.
        case any
    }

    /// What the identifier came in. It decides where a request goes that no app claims.
    public enum Carrier: Sendable, Hashable {
        /// It goes to the only app, if there is one.
        case notification, shortcutItem
        /// A web page goes to the browser.
        case link
        /// It needs an app that declares its type.
        case activity
        /// It names its app or its session.
        case scene
    }

    public enum AppReference: Sendable, Hashable {
        /// An envelope's `app`, `--app`, a Simulator Target Bundle.
        case id(String)
        /// An `apns-topic`, push-type suffix included.
        case topic(String)
    }
}

extension ActivationRequest {
    public init(target: TargetContentIdentifier? = nil, url: String? = nil, app: AppReference? = nil) {
        self = .of(target)
        self.url = url
        self.app = app
    }

    /// A function, since an initialiser copies what it has made.
    public static func of(_ target: TargetContentIdentifier?) -> ActivationRequest {
        ActivationRequest(
            target: target, url: nil, newestURL: nil, app: nil, activityType: nil, shortcutType: nil,
            role: .windowApplication, session: nil, isSceneRequest: false)
    }

    /// The type of the activity that shows a web page. No app has to declare it.
    public static let browsingActivity = "NSUserActivityTypeBrowsingWeb"

    /// The web page to show.
    public var page: String? { newestURL ?? url }
}

/// How a window is seen that was brought forward as far as was asked.
public enum WindowView: String, Sendable, CaseIterable {
    case inFront = "in-front"
    /// As wanting attention: it is where it was.
    case marked

    /// For people.
    public var text: String {
        switch self {
        case .inFront: "in front"
        case .marked: "marked"
        }
    }
}
