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
    public var liveActivity: LiveActivity?
    /// Fills the placeholders of a website's URL format (Safari website pushes).
    public var urlArguments: [String] = []
    /// Whether there was an `aps` dictionary at all; Wallet and MDM pushes have none.
    public var hasAps = true

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

        public init(name: String? = nil) { self.name = name }
    }
}
