public import UsherText

/// A remote notification: the complete `aps` dictionary.
///
/// Apple: Generating a remote notification; for `liveActivity`, Starting and updating Live Activities with ActivityKit
/// push notifications. Members Apple does not define are ignored here; they stay in the payload's raw bytes.
public struct Notification: Sendable {
    public var alert: Alert?
    /// 0 removes the badge; nil leaves it.
    public var badge: Int?
    public var sound: Sound?
    /// Groups notifications.
    public var threadIdentifier: String?
    /// A registered category, which has the buttons.
    public var category: String?
    /// Which window to bring forward: opaque.
    public var targetContentIdentifier: String?
    /// A background update.
    public var isContentAvailable = false
    /// The notification may be rewritten before it is shown.
    public var isMutableContent = false
    public var interruptionLevel: InterruptionLevel?
    /// 0…1; of a Live Activity any number.
    public var relevanceScore: Double?
    /// Matched against the current Focus.
    public var filterCriteria: String?
    @Rare public var liveActivity: LiveActivity?
    /// Fills the placeholders of a website's URL format (Safari website pushes).
    public var urlArguments: [String] = []
    /// Whether there was an `aps` dictionary at all; Wallet and MDM pushes have none.
    var hasAps = true

    public init() {}

    /// Says whether there is something to show: alert text or a key of a string table.
    public var isDisplayable: Bool { alert?.isDisplayable ?? false }

    /// How urgently a notification asks for attention; absent means active.
    public enum InterruptionLevel: String, CaseIterable, Hashable, Sendable {
        case passive, active
        case timeSensitive = "time-sensitive"
        case critical
    }

    /// The sound to play.
    public struct Sound: Hashable, Sendable {
        /// A file name, or "default".
        public var name: String?
        /// Plays even when the device is muted.
        public var isCritical = false
        /// 0…1.
        public var volume: Double?
    }
}

// MARK: - Alert

extension Notification {
    /// The text of a notification, literal or as keys into the app's string table.
    public struct Alert: Hashable, Sendable {
        public var title: String?
        public var subtitle: String?
        public var body: String?
        public var titleLocalization: Localization?
        public var subtitleLocalization: Localization?
        public var bodyLocalization: Localization?
        /// The image shown while the app is launched.
        public var launchImage: String?
        /// Titles of the one button of older systems.
        public var action: String?
        public var actionLocalizationKey: String?

        /// Says whether there is any text, or a key that stands for one.
        public var isDisplayable: Bool {
            title?.isEmpty == false || subtitle?.isEmpty == false || body?.isEmpty == false
                || titleLocalization != nil || subtitleLocalization != nil || bodyLocalization != nil
        }
    }

    /// A key of the app's string table and what replaces its `%@`, left to right.
    public struct Localization: Hashable, Sendable {
        public var key: String
        public var arguments: [String] = []
    }
}

// MARK: - Live activity

extension Notification {
    /// What a push says to a Live Activity. Times are seconds since 1970.
    public struct LiveActivity: Sendable {
        public enum Event: String, CaseIterable, Hashable, Sendable {
            case start, update, end
        }

        public var event: Event?
        /// When it was sent; older than the last one seen means ignore.
        public var timestamp: Double?
        /// When the activity's content is out of date.
        public var staleDate: Double?
        /// When an ended activity disappears; may be in the past.
        public var dismissalDate: Double?
        /// The new state: an object's bytes as sent.
        public var contentState: ArraySlice<UInt8>?
        /// With `start`: the name of the attributes' type, and the attributes' bytes as sent.
        public var attributesType: String?
        public var attributes: ArraySlice<UInt8>?
        /// With `start`: asks for an update token, or subscribes to a broadcast channel.
        public var requestsInputPushToken = false
        public var inputPushChannel: String?

        public init() {}
    }
}
