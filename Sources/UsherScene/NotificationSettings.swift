/// How an app's notifications are delivered and how they look: `deliver` and `[notifications]` of a manifest.
public struct NotificationSettings: Sendable {
    public var deliver = DeliveryRule.tapped
    /// How often pushes may interrupt; nil for no limit.
    public var rate: InterruptionRate?
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
    /// By the payload's `aps.category`.
    public var categories: [NotificationCategory] = []

    public init() {}

    public func category(_ id: String?) -> NotificationCategory? {
        guard let id else { return nil }
        return categories.first { $0.id.utf8.elementsEqual(id.utf8) }
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
        self.desktopCategory = nil
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
    public var location: SourceLocation

    /// The click on the notification itself (Desktop Notifications Specification, Notify).
    public static let click = "default"

    public init(id: String, title: String, location: SourceLocation) {
        self.id = id
        self.title = title
        self.target = nil
        self.background = nil
        self.location = location
    }
}
