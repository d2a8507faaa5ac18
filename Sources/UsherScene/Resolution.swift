public import UsherText

/// A decision: which window should show the content, and why. Nothing has happened yet.
public struct Resolution: Sendable {
    public var verdict: Verdict
    public var reason: Reason
    /// The app the request went to; nil when none could be found.
    public var app: String?
    /// The alias list that was tried, newest first; empty for the NULL subject.
    public var subjects: [TargetContentIdentifier]
    /// The condition that decided, where a file has it.
    public var rule: SourceLocation?
    /// What went wrong, for `no-app`, `no-scene`, `no-such-session` and `content-deleted`.
    @Rare public var failure: Diagnostic?
    /// What is wrong although there is a result: the web page of the request is opened instead, or one of several apps
    /// was taken. Records have it as a warning.
    @Rare public var warning: Diagnostic?
    /// The content has one identifier, and an app owns it by `domains`, an association file or `schemes`. False also means
    /// that it was not looked for.
    public var isClaimed = false
    /// Where the app and its scene lie in the configuration that it was decided by; nil where they do not.
    public var appPlace: Int?
    public var scenePlace: Int?
    /// The chosen session as it was decided on.
    public var chosen: SceneSession?

    public enum Verdict: Sendable, Hashable {
        /// Use this session.
        case activate(session: String, scene: String)
        /// Make a new session of this configuration.
        case create(scene: String)
        /// Show the web page.
        case openWeb(url: String)
        case nothing
    }

    public init(
        verdict: Verdict, reason: Reason, app: String? = nil, at appPlace: Int? = nil,
        subjects: [TargetContentIdentifier] = [], rule: SourceLocation? = nil, failure: Diagnostic? = nil,
        scenePlace: Int? = nil, chosen: SceneSession? = nil
    ) {
        self.verdict = verdict
        self.reason = reason
        self.app = app
        self.appPlace = appPlace
        self.scenePlace = scenePlace
        self.chosen = chosen
        self.subjects = subjects
        self.rule = rule
        self.failure = failure
    }

    /// The newest identifier of the content.
    public var resolved: TargetContentIdentifier? { subjects.first }
}

/// The rule that decided.
public enum Reason: String, Sendable, CaseIterable {
    case explicit, single, prefers, can, opens, `default`, limit, recent
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

    /// What the identifier came in. It decides where a request goes that no app claims.
    public enum Carrier: Sendable, Hashable {
        /// It goes to the only app, if there is one.
        case notification, shortcutItem
        /// A web page goes to the browser.
        case link
        /// It needs an app that declares its type.
        case activity
    }

    public enum AppReference: Sendable, Hashable {
        /// An envelope's `app`, `--app`, a Simulator Target Bundle.
        case id(String)
        /// An `apns-topic`, push-type suffix included.
        case topic(String)
    }

    public init(target: TargetContentIdentifier? = nil, url: String? = nil, app: AppReference? = nil) {
        self.target = target
        self.url = url
        self.app = app
        self.newestURL = nil
        self.activityType = nil
        self.shortcutType = nil
        self.role = .windowApplication
        self.session = nil
        self.isSceneRequest = false
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
