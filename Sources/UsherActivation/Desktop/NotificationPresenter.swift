/// Shows notifications on the desktop (Desktop Notifications Specification 1.2).
public protocol NotificationPresenter: Sendable {
    /// Shows it, or replaces an earlier one; the server's number of it. Comes back when the server has answered.
    func show(_ notification: DesktopNotification) throws(ActivationFailure) -> UInt32
    /// Takes it away, where it is still shown.
    func close(_ id: UInt32) throws(ActivationFailure)
    /// What its user does with notifications that were shown here, from a thread of its own. To be called once, before the
    /// first is shown.
    func observe(_ body: @escaping @Sendable (NotificationEvent) -> Void)
    /// What the server can show (`body`, `actions`, `body-markup`, `persistence`, …).
    func capabilities() throws(ActivationFailure) -> Set<String>
}

public struct DesktopNotification: Sendable, Hashable {
    public enum Urgency: UInt8, Sendable, Hashable {
        case low = 0
        case normal = 1
        case critical = 2
    }

    /// A button. The key `default` is the click on the notification itself.
    public struct Action: Sendable, Hashable {
        public var key: String
        public var label: String

        public init(key: String, label: String) {
            self.key = key
            self.label = label
        }
    }

    /// The name of the application.
    public var application: String
    /// A name of the icon theme, or an absolute path.
    public var icon: String?
    /// The application's desktop entry, without `.desktop`.
    public var desktopEntry: String?
    public var summary: String
    /// Plain text: what a server with `body-markup` would take for markup is escaped on the way.
    public var body: String
    public var urgency: Urgency
    /// `im.received`, `email.arrived`, … of the specification.
    public var category: String?
    /// An absolute path.
    public var image: String?
    public var actions: [Action]
    /// The number of the one that this replaces.
    public var replaces: UInt32?
    /// In milliseconds; 0 stays, nil is as the server likes.
    public var expires: Int32?
    /// Not kept in a history.
    public var isTransient: Bool
    public var isSilent: Bool

    public init(application: String, summary: String, body: String = "") {
        self.application = application
        self.icon = nil
        self.desktopEntry = nil
        self.summary = summary
        self.body = body
        self.urgency = .normal
        self.category = nil
        self.image = nil
        self.actions = []
        self.replaces = nil
        self.expires = nil
        self.isTransient = false
        self.isSilent = false
    }
}

public enum NotificationEvent: Sendable, Hashable {
    /// A button, or the notification itself; with the token that lets a window come forward for it.
    case invoked(id: UInt32, action: String, token: String?)
    case closed(id: UInt32, CloseReason)
    /// The server is gone, and with it everything it showed.
    case lost

    public enum CloseReason: String, Sendable, CaseIterable {
        case expired, dismissed, closed, undefined
    }
}
