public import UsherPayload
public import UsherScene
public import UsherText

/// Something that a user did: an activity that became current, or an interaction.
public struct SuggestionEvent: Sendable {
    public struct Activity: Sendable {
        public var id: String?
        public var title: String?
        /// Its content; the newest identifier of moved content. Nil takes part in no offer.
        public var subject: String?
        public var webpageURL: String?
        public var attributes: ContentAttributes?
        /// Whether the browser shows it.
        public var isPage = false
        /// `isEligibleForPrediction`; nil where it does not say.
        public var isEligible: Bool?
        public var expires: Instant?
        public var isContentDeleted = false

        public init() {}
    }

    public enum Content: Sendable {
        case activity(Activity)
        case interaction(Interaction)
    }

    public var time: Instant
    /// The app in which it was done.
    public var app: String
    public var content: Content

    public init(time: Instant, app: String, _ content: Content) {
        self.time = time
        self.app = app
        self.content = content
    }

    var activity: Activity? { if case .activity(let activity) = content { activity } else { nil } }

    var interaction: Interaction? { if case .interaction(let interaction) = content { interaction } else { nil } }
}

/// Everything that suggestions are made of.
public struct SuggestionInput: Sendable {
    /// Something that happened around the user: headphones were put in, the car was entered.
    public struct Signal: Sendable {
        public var name: String
        public var time: Instant

        public init(_ name: String, at time: Instant) {
            self.name = name
            self.time = time
        }

        /// `[a-z0-9-]+`.
        public static func isName(_ text: String) -> Bool {
            !text.isEmpty
                && text.utf8.allSatisfy {
                    switch $0 {
                    case 0x61...0x7A, 0x30...0x39, UInt8(ascii: "-"): true
                    default: false
                    }
                }
        }
    }

    /// When an app was used of which a later use is among the events: for the kind `app`, where no more than its time
    /// matters. In microseconds since 1970.
    public struct EarlierUses: Sendable {
        public var app: String
        public var times: [Int64]
    }

    public var apps: [SuggestionApp] = []
    public var settings = SuggestionSettings()
    public var contacts: [Contact] = []
    /// In the order in which they became known.
    public var events: [SuggestionEvent] = []
    public var earlierUses: [EarlierUses] = []
    public var signals: [Signal] = []

    public init() {}

    func app(_ id: String) -> SuggestionApp? { apps.first { $0.id.hasSameBytes(as: id) } }
}

extension SuggestionEvent {
    /// Its page and its content.
    var identifiers: [String?] {
        switch content {
        case .activity(let activity): [activity.webpageURL, activity.subject]
        case .interaction(let interaction): [interaction.target?.text]
        }
    }
}
