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

// MARK: - Body

extension APNsPayload {
    /// The JSON text, checked for a push type.
    ///
    /// - Throws: ``BuildingError``: an empty identifier, a value out of its range, a custom member named `aps` or given
    ///   twice, a background push with something to show, or more bytes than ``APNsPushType/sizeLimit`` (and how many).
    public func body(for type: APNsPushType = .alert) throws(BuildingError) -> [UInt8] {
        try check(for: type)
        var aps: [PayloadValue.Member] = []
        if let alert { aps.append(.init("alert", alert.value)) }
        if let badge { aps.append(.init("badge", .integer(Int64(badge)))) }
        if let sound { aps.append(.init("sound", sound.value)) }
        if let threadIdentifier { aps.append(.init("thread-id", .string(threadIdentifier))) }
        if let category { aps.append(.init("category", .string(category))) }
        if isContentAvailable { aps.append(.init("content-available", 1)) }
        if isMutableContent { aps.append(.init("mutable-content", 1)) }
        if let targetContentIdentifier { aps.append(.init("target-content-id", .string(targetContentIdentifier))) }
        if let interruptionLevel { aps.append(.init("interruption-level", .string(interruptionLevel.rawValue))) }
        if let relevanceScore { aps.append(.init("relevance-score", .number(relevanceScore))) }
        if let filterCriteria { aps.append(.init("filter-criteria", .string(filterCriteria))) }
        let bytes = PayloadValue.object([.init("aps", .object(aps))] + custom).bytes
        guard bytes.count <= type.sizeLimit else { throw .tooLarge("payload", bytes.count, limit: type.sizeLimit) }
        return bytes
    }

    private func check(for type: APNsPushType) throws(BuildingError) {
        if let targetContentIdentifier {
            try BuildingError.check(target: targetContentIdentifier, at: "aps.target-content-id")
        }
        if let badge, badge < 0 { throw BuildingError(.value, "aps.badge", "is \(badge); 0 removes the badge") }
        if case .critical(_, let volume) = sound, !(0...1).contains(volume) {
            throw BuildingError(.value, "aps.sound.volume", "is \(volume), not from 0 to 1")
        }
        if let relevanceScore {
            guard relevanceScore.isFinite, type == .liveActivity || (0...1).contains(relevanceScore) else {
                throw BuildingError(.value, "aps.relevance-score", "is \(relevanceScore), not from 0 to 1")
            }
        }
        if case .named(let name) = sound, name.isEmpty { throw BuildingError(.value, "aps.sound", "is empty") }
        try alert?.check()
        if type == .background {
            guard isContentAvailable else {
                throw BuildingError(.conflict, "aps.content-available", "is what a background push is for")
            }
            guard alert == nil, badge == nil, sound == nil else {
                throw BuildingError(.conflict, "aps", "a background push has no alert, badge or sound")
            }
        }
        var names: Set<[UInt8]> = [Array("aps".utf8)]
        for member in custom where !names.insert(Array(member.name.utf8)).inserted {
            throw BuildingError(.member, member.name, "is there already: custom members stand beside aps, each once")
        }
    }
}

extension APNsPayload.Alert {
    fileprivate func check() throws(BuildingError) {
        for (place, text, key) in [
            ("title", title, localizedTitle?.key), ("subtitle", subtitle, localizedSubtitle?.key),
            ("body", body, localizedBody?.key),
        ] {
            if text != nil, key != nil {
                throw BuildingError(.conflict, "aps.alert.\(place)", "is given as text and as a key")
            }
            if key == "" { throw BuildingError(.value, "aps.alert.\(place)", "the key is empty") }
        }
    }

    fileprivate var value: PayloadValue {
        var members: [PayloadValue.Member] = []
        func add(_ name: String, _ text: String?) { if let text { members.append(.init(name, .string(text))) } }
        func add(_ prefix: String, _ text: APNsPayload.LocalizedText?) {
            guard let text else { return }
            members.append(.init(prefix + "loc-key", .string(text.key)))
            if !text.arguments.isEmpty {
                members.append(.init(prefix + "loc-args", .array(text.arguments.map { .string($0) })))
            }
        }
        add("title", title)
        add("title-", localizedTitle)
        add("subtitle", subtitle)
        add("subtitle-", localizedSubtitle)
        add("body", body)
        add("", localizedBody)
        add("launch-image", launchImage)
        return .object(members)
    }
}

extension APNsPayload.Sound {
    fileprivate var value: PayloadValue {
        switch self {
        case .default: "default"
        case .named(let name): .string(name)
        case .critical(let name, let volume): ["critical": 1, "name": .string(name), "volume": .number(volume)]
        }
    }
}
