/// What any carrier of a target content identifier becomes: the question that a resolution answers.
public struct ActivationRequest: Sendable {
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

    /// The web page to show.
    public var page: String? { newestURL ?? url }
}
