/// A remote notification for APNs, with the identifier of the content that it is about in its right place.
///
///     var payload = APNsPayload()
///     payload.alert = .init(title: "Your clown is on the way")
///     payload.targetContentIdentifier = "https://clowntown.example/clowns/crusty"
///     let body = try payload.body(for: .alert)  // {"aps":{"alert":{"title":…},"target-content-id":…}}
///
/// Apple: Generating a remote notification.
public struct APNsPayload: Sendable {
    /// What is shown.
    public var alert: Alert?
    /// The number on the app's icon: 0 removes it, nil leaves it.
    public var badge: Int?
    /// What is heard.
    public var sound: Sound?
    /// Groups notifications.
    public var threadIdentifier: String?
    /// A category that the app registered: its buttons.
    public var category: String?
    /// Wakes the app in the background.
    public var isContentAvailable = false
    /// Lets the app's service extension change the notification before it is shown.
    public var isMutableContent = false
    /// How urgent it is; nil means active.
    public var interruptionLevel: InterruptionLevel?
    /// What is shown first in a summary: 0…1; of a Live Activity any number.
    public var relevanceScore: Double?
    /// The content that it is about: which window comes forward. Compared byte by byte.
    public var targetContentIdentifier: String?
    /// Matched against the current Focus.
    public var filterCriteria: String?
    /// The app's own members, beside `aps`, in this order.
    public var custom: [PayloadValue.Member] = []

    public init() {}

    /// How much a notification may interrupt.
    public enum InterruptionLevel: String, Sendable, Hashable, CaseIterable {
        case passive, active
        case timeSensitive = "time-sensitive"
        case critical
    }

    /// The text of a notification: literal, or by keys of the app's string tables.
    public struct Alert: Sendable, Hashable {
        public var title: String?
        public var subtitle: String?
        public var body: String?
        /// Takes the place of `title`.
        public var localizedTitle: LocalizedText?
        /// Takes the place of `subtitle`.
        public var localizedSubtitle: LocalizedText?
        /// Takes the place of `body`.
        public var localizedBody: LocalizedText?
        /// A file of the app, shown while it is launched.
        public var launchImage: String?

        public init(title: String? = nil, subtitle: String? = nil, body: String? = nil) {
            self.title = title
            self.subtitle = subtitle
            self.body = body
        }
    }

    /// A key of a string table, and what its placeholders stand for.
    public struct LocalizedText: Sendable, Hashable {
        /// As in the app's string table.
        public var key: String
        /// What replaces `%@`, left to right.
        public var arguments: [String]

        public init(key: String, arguments: [String] = []) {
            self.key = key
            self.arguments = arguments
        }
    }

    /// A sound of the app's, or the default one.
    public enum Sound: Sendable, Hashable {
        case `default`
        /// A file of the app.
        case named(String)
        /// Is heard on a muted device too; needs an entitlement. The volume is 0…1.
        case critical(name: String = "default", volume: Double = 1)
    }
}
