public import UsherText

/// What is suggested.
public enum SuggestionKind: String, Sendable, CaseIterable {
    case place, text, contact, media, app

    /// After so many seconds an event counts half.
    public var halfLife: Int {
        switch self {
        case .place, .text: 3600
        case .contact, .media, .app: 604_800
        }
    }
}

/// What a text field is for, in Apple's words (`UITextContentType`).
public enum TextContentType: String, Sendable, CaseIterable {
    case name, givenName, familyName
    case fullStreetAddress, addressCityAndState, addressCity, addressState, postalCode, countryName
    case location, telephoneNumber, emailAddress
}

/// What `usher perform` does.
public enum PerformVerb: String, Sendable, CaseIterable {
    case place, directions, ride, call, message, email, play

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

/// `[suggestions]` of `usher.toml`.
public struct SuggestionSettings: Sendable {
    public var isEnabled = true
    public var kinds = SuggestionKind.allCases
    /// Whether pages that the browser shows count.
    public var pages = true
    public var contacts = true
    public var excludedApps: [String] = []
    /// Hosts, with everything below them.
    public var excludedHosts: [String] = []
    public var keepDays = 30
    /// More phrases after which a text content type is offered.
    public var phrases: [(type: TextContentType, text: String)] = []

    public init() {}

    /// Whether a host is excluded, or is below one that is.
    func excludes(host: String) -> Bool {
        let host = HostName.plain(host)
        return excludedHosts.contains { excluded in
            let excluded = HostName.plain(excluded)
            return host.utf8.elementsEqual(excluded.utf8) || !excluded.isEmpty && host.hasSuffix("." + excluded)
        }
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
    /// What it wants to be offered: `suggestions`.
    public var suggestions: [SuggestionKind] = []
    /// `directions-modes`, in the manifest's words or Apple's.
    public var directionsModes: [String] = []
    /// What it can do: `[perform]`.
    public var verbs: [PerformVerb] = []

    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }

    private static let rideModes = ["ride-share", "MKDirectionsModeRideShare"]

    private func isRide(_ mode: String) -> Bool { SuggestionApp.rideModes.contains(mode) }

    /// Whether it takes people along, and nothing else.
    var isRideOnly: Bool { !directionsModes.isEmpty && directionsModes.allSatisfy(isRide) }

    /// A ride is directions in the mode `ride-share`.
    func performs(_ verb: PerformVerb) -> Bool {
        verbs.contains(verb) || verb == .ride && verbs.contains(.directions) && directionsModes.contains(where: isRide)
    }
}
