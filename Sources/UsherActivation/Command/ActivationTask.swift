public import UsherScene

/// The data that handlers get about one request: the values of placeholders and of the `USHER_*` variables.
public struct ActivationTask: Sendable {
    /// The id of the delivery.
    public var delivery: String
    /// Made for this attempt and journalled before it: what was started can be found by it after a crash.
    public var nonce: String
    public var app: String
    public var scene: String?
    public var session: String?
    /// The window, in the words of its window system.
    public var handle: String?
    /// The server that the handle belongs to.
    public var handleServer: String?
    /// The windows of other sessions, where the session has none: a rule never means one of them.
    public var otherWindows = HeldWindows()
    /// The desktop's activation token of the sender, without which a focus counts as stealing.
    public var token: String?
    /// How a terminal comes forward.
    public var terminal = TerminalSettings()
    /// As the sender wrote it.
    public var target: String?
    /// The newest identifier of the content: what is to be shown.
    public var resolved: String?
    public var title: String?
    public var subtitle: String?
    public var body: String?
    public var url: String?
    public var shortcutType: String?
    public var activityType: String?
    /// Whether the payload is a user activity.
    public var isActivity = false
    /// The activity that the session had when its window was lost: a file of its own, for the launch that brings it back.
    public var restorationFile: String?
    /// The place that is suggested to the app: a file of its own, for `show`.
    public var suggestionFile: String?
    /// The button of the notification that was pressed, as the manifest calls it; `default` for the notification itself.
    public var notificationAction: String?
    /// Why it failed, for the handler of failures.
    public var error: ActivationFailure?
    /// The hook whose command this is; its payload is the body of the request.
    public var hook: Hook?
    /// As it arrived; on a handler's standard input.
    public var payload: [UInt8]
    public var action: Action
    public var reason: Reason

    /// The data that the command of a hook gets.
    public struct Hook: Sendable, Hashable {
        public var name: String
        /// The values of the hook's templates, by name.
        public var values: [String: String]

        public init(name: String, values: [String: String]) {
            self.name = name
            self.values = values
        }
    }

    public init(
        delivery: String, nonce: String, app: String, scene: String? = nil, session: String? = nil,
        handle: String? = nil, handleServer: String? = nil, target: String? = nil, resolved: String? = nil,
        title: String? = nil, subtitle: String? = nil, body: String? = nil, url: String? = nil,
        shortcutType: String? = nil, activityType: String? = nil, payload: [UInt8] = [], action: Action,
        reason: Reason
    ) {
        self.delivery = delivery
        self.nonce = nonce
        self.app = app
        self.scene = scene
        self.session = session
        self.handle = handle
        self.handleServer = handleServer
        self.target = target
        self.resolved = resolved
        self.title = title
        self.subtitle = subtitle
        self.body = body
        self.url = url
        self.shortcutType = shortcutType
        self.activityType = activityType
        self.payload = payload
        self.action = action
        self.reason = reason
    }
}
