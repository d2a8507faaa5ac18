/// Shows notifications on the desktop (Desktop Notifications Specification 1.2).
public protocol NotificationPresenter: Sendable {
    /// Shows it, or replaces an earlier one; its number on the server. Returns when the server has answered.
    func show(_ notification: DesktopNotification) throws(ActivationFailure) -> ShownNotification
    /// Takes it away, where it is still shown; a notification of a server that is gone is passed over.
    func close(_ shown: ShownNotification) throws(ActivationFailure)
    /// What its user does with notifications, those of other programs perhaps among them, one after the other from a thread
    /// of its own. To be called once, before the first is shown. An event may come before `show` has returned.
    func observe(_ body: @escaping @Sendable (NotificationEvent) -> Void)
    /// What the server can show (`body`, `actions`, `body-markup`, `persistence`, …).
    func capabilities() throws(ActivationFailure) -> Set<String>
    /// The server that runs now, as in `ShownNotification.server`; nil where none does. Starts none.
    func server() throws(ActivationFailure) -> String?
}

/// A notification as its server identifies it.
public struct ShownNotification: Sendable, Hashable {
    public var id: UInt32
    /// One life of a server: numbers begin anew with the next.
    public var server: String

    public init(id: UInt32, server: String) {
        self.id = id
        self.server = server
    }
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
    public var urgency = Urgency.normal
    /// `im.received`, `email.arrived`, … of the specification.
    public var category: String?
    /// An absolute path.
    public var image: String?
    public var actions: [Action] = []
    /// The one that this replaces, where its server still runs.
    public var replaces: ShownNotification?
    /// In milliseconds; 0 stays, nil is as the server likes.
    public var expires: Int32?
    /// Not kept in a history.
    public var isTransient = false
    public var isSilent = false
    /// A name of the sound theme.
    public var sound: String?
    /// The name of the error that it tells of: the hint `x-usher-error`.
    public var error: String?

    public init(application: String, summary: String, body: String = "") {
        self.application = application
        self.summary = summary
        self.body = body
    }
}

public enum NotificationEvent: Sendable, Hashable {
    /// A button, or the notification itself; with the token that lets a window come forward for it.
    case invoked(ShownNotification, action: String, token: String?)
    case closed(ShownNotification, CloseReason)
    /// A server is gone, and with it everything it showed.
    case lost(server: String)

    public enum CloseReason: String, Sendable, CaseIterable {
        case expired, dismissed, closed, undefined
    }
}
