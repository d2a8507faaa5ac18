public import UsherScene
public import UsherText

extension SuggestionKind {
    /// After so many seconds an event counts half.
    var halfLife: Int {
        switch self {
        case .place, .text: 3600
        case .contact, .media, .app: 604_800
        }
    }
}

extension PerformVerb {
    /// What an app donates that did it.
    public var intents: [Intent] {
        switch self {
        case .place: []
        case .directions: [.getDirections]
        case .ride: [.requestRide]
        case .call: [.startAudioCall, .startVideoCall]
        case .message: [.sendMessage]
        case .email: [.sendEmail]
        case .play: [.playMedia]
        }
    }
}

/// The question: `usher suggest KIND [NAME]` and its options.
public struct SuggestionQuery: Sendable {
    public var kind: SuggestionKind
    /// Of a person, for `contact`.
    public var name: String?
    public var contentType: TextContentType?
    public var prefix: String?
    /// The text before the cursor.
    public var context: String?
    /// The app that it is offered to.
    public var forApp: String?
    public var verb: PerformVerb?
    /// Only what was used just after this signal.
    public var signal: String?
    public var now: Instant
    public var limit = SuggestionQuery.defaultLimit
    /// Whether each suggestion says why it is one.
    public var showsWhy = false

    public static let defaultLimit = 5

    public init(_ kind: SuggestionKind, now: Instant) {
        self.kind = kind
        self.now = now
    }
}

/// Names of hosts as people write them.
enum HostName {
    /// In lower case, without dots around it or `*.` before it.
    static func plain(_ name: String) -> String {
        var name = name.lowercased()[...]
        if name.hasPrefix("*.") { name = name.dropFirst(2) }
        while name.hasPrefix(".") { name = name.dropFirst() }
        while name.hasSuffix(".") { name = name.dropLast() }
        return String(name)
    }
}

/// What of an app's manifest matters for suggestions.
public struct SuggestionApp: Sendable {
    public var id: String
    public var name: String
    /// The kinds to offer: `suggestions`.
    public var suggestions: [SuggestionKind] = []
    /// `directions-modes`.
    public var directionsModes: [DirectionsMode] = []
    /// What it can do: `[perform]`.
    public var verbs: [PerformVerb] = []

    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }

    public init(_ app: App) {
        self.init(id: app.id, name: app.name)
        suggestions = app.suggestions.kinds
        directionsModes = app.suggestions.directionsModes
        verbs = app.suggestions.perform.keys
    }

    /// Whether it takes people along, and nothing else.
    var isRideOnly: Bool { !directionsModes.isEmpty && directionsModes.allSatisfy { $0 == .rideShare } }

    /// A ride is directions in the mode `ride-share`.
    func performs(_ verb: PerformVerb) -> Bool {
        verbs.contains(verb) || verb == .ride && verbs.contains(.directions) && directionsModes.contains(.rideShare)
    }
}
