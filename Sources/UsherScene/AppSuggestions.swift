public import UsherTarget
internal import UsherText

/// What can be suggested: an event of the activity store, that the user may need next.
public enum SuggestionKind: String, Sendable, CaseIterable { case place, text, contact, media, app }

/// What `usher perform` asks an app to do.
public enum PerformVerb: String, Sendable, CaseIterable { case place, directions, ride, call, message, email, play }

/// A way to get somewhere that an app has directions for.
public enum DirectionsMode: String, Sendable, CaseIterable {
    case car, pedestrian, bike, transit
    case rideShare = "ride-share"
    case taxi, ferry, plane, other

    /// Apple's names of modes (`MKDirectionsApplicationSupportedModes` of Info.plist), and what each is here.
    public static let appleNames: [(name: String, mode: DirectionsMode)] = [
        ("MKDirectionsModeCar", .car), ("MKDirectionsModePedestrian", .pedestrian), ("MKDirectionsModeBike", .bike),
        ("MKDirectionsModeBus", .transit), ("MKDirectionsModeTrain", .transit), ("MKDirectionsModeSubway", .transit),
        ("MKDirectionsModeStreetcar", .transit), ("MKDirectionsModeRideShare", .rideShare),
        ("MKDirectionsModeTaxi", .taxi), ("MKDirectionsModeFerry", .ferry), ("MKDirectionsModePlane", .plane),
        ("MKDirectionsModeOther", .other),
    ]

    /// By our name or Apple's.
    public init?(named name: String) {
        guard let mode = DirectionsMode(rawValue: name) ?? Self.appleNames.first(where: { $0.name == name })?.mode
        else { return nil }
        self = mode
    }
}

/// What is offered to an app, and what it can be asked to do: `suggestions`, `directions-modes`, `artwork` and `[perform]`
/// of a manifest.
public struct AppSuggestions: Sendable {
    /// The kinds that are offered to it.
    public var kinds: [SuggestionKind] = []
    /// Each once, in the order of the manifest.
    public var directionsModes: [DirectionsMode] = []
    /// A picture for media without one, an absolute path.
    public var artwork: String?
    /// The templates of the targets that make the app do it; their variables are among `variables`.
    public var perform = ShortMap<PerformVerb, Located<URITemplate>>()

    /// What a template of `[perform]` may name.
    public static let variables = [
        "name", "query", "address", "latitude", "longitude", "mode", "number", "email", "text", "item", "index-path",
    ]

    public init() {}
}

/// What a text field holds, in Apple's words (`UITextContentType`).
public enum TextContentType: String, Sendable, CaseIterable {
    case name, givenName, familyName
    case fullStreetAddress, addressCityAndState, addressCity, addressState, postalCode, countryName
    case location, telephoneNumber, emailAddress
}

/// `[suggestions]` of `usher.toml`: what is taken in and offered at all.
public struct SuggestionSettings: Sendable, Hashable {
    public var isEnabled = true
    public var kinds = Set(SuggestionKind.allCases)
    /// Whether pages in front are read for places, persons and media.
    public var includesPages = true
    /// Whether imported contacts are offered.
    public var includesContacts = true
    /// Ids of apps.
    public var excludedApps: [String] = []
    /// Hosts in lower case; what is below them is excluded, too.
    public var excludedHosts: [String] = []
    /// Older events do not count.
    public var keepDays = 30
    /// Texts after which something of a type is meant, besides the built-in ones: without white space around them.
    public var phrases: [TextContentType: [String]] = [:]

    public init() {}

    /// Whether events and contacts are taken in at all.
    public var takesIn: Bool { isEnabled && !kinds.isEmpty }

    /// Whether what was done with an intent can be offered in some kind.
    public func takesIn(intent: String) -> Bool {
        let kind: SuggestionKind =
            switch intent {
            case "playMedia": .media
            case "requestRide", "getDirections": .app
            default: .contact
            }
        return takesIn(kinds: [kind])
    }

    /// Whether an activity can be offered in some kind: in those of its attributes, or as a use of its app.
    public func takesIn(kinds: Set<SuggestionKind>) -> Bool {
        isEnabled && (self.kinds.contains(.app) || !self.kinds.isDisjoint(with: kinds))
    }

    /// Whether neither the app nor a host of what it is about is excluded.
    ///
    /// - Parameters:
    ///   - isPage: whether it is the page that a browser shows.
    ///   - identifiers: of the content, and the web page.
    public func includes(app: String, isPage: Bool = false, _ identifiers: [String?]) -> Bool {
        if excludes(app: app) || isPage && !includesPages { return false }
        guard !excludedHosts.isEmpty else { return true }
        return !identifiers.contains { identifier in
            guard let host = identifier.flatMap({ TargetContentIdentifier($0).webHost?.host }) else { return false }
            return excludes(host: host)
        }
    }

    public func excludes(app: String) -> Bool { excludedApps.contains { $0.hasSameBytes(as: app) } }

    /// Whether the data of a page in front of an app is taken in.
    public func reads(page address: String, of app: String) -> Bool {
        isEnabled && !kinds.isDisjoint(with: [.place, .text, .contact])
            && includes(app: app, isPage: true, [address])
    }

    /// - Parameter host: in lower case; a dot at its end does not count.
    public func excludes(host: String) -> Bool {
        let host = host.hasSuffix(".") ? String(host.dropLast()) : host
        return excludedHosts.contains { excluded in
            host.utf8.count > excluded.utf8.count
                ? host.utf8.reversed().starts(with: ("." + excluded).utf8.reversed())
                : host.hasSameBytes(as: excluded)
        }
    }
}
