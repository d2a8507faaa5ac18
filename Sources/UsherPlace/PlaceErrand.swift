public import UsherScene
public import UsherTarget

/// What an app is asked to do about a place: the end of `usher open` and of a payload whose target is a `geo:` URI or a link
/// of a map service that no app owns.
public struct PlaceErrand: Sendable, Hashable {
    /// The id.
    public var app: String
    public var verb: PerformVerb
    /// What the app opens.
    public var target: TargetContentIdentifier

    /// Chooses the app and expands its template.
    ///
    /// A link that asks for the way goes to the first app with `[perform] directions` that has the mode of the link: one that
    /// names it in `directions-modes`, else one that names no modes at all; a link that says no mode goes to the first app.
    /// Any other link, and one that no app has directions for, goes to the first app with `[perform] place`.
    ///
    /// - Parameter apps: in the order in which they are preferred.
    /// - Returns: nil where no app is able to.
    /// - Throws: where the target would be longer than identifiers may be.
    public init?(_ place: Place, among apps: some Sequence<App>) throws(URITemplateError) {
        let mode = place.mode.flatMap { DirectionsMode(rawValue: $0.rawValue) }
        let router = place.isDirections ? apps.first(toPerform: .directions, by: mode) : nil
        guard let app = router ?? apps.first(toPerform: .place) else { return nil }
        verb = router == nil ? .place : .directions
        guard let template = app.suggestions.perform[verb]?.value else { return nil }
        self.app = app.id
        target = TargetContentIdentifier(try template.expand(place.performValues))
    }
}

extension PlaceErrand {
    /// What a button for it would say; nil for a place without a name.
    public func label(for place: Place) -> String? {
        (place.name ?? place.query).map { verb == .place ? "Show \($0)" : "Get directions to \($0)" }
    }
}

extension Sequence<App> {
    /// The first app with a template for the verb; where a mode is given, the first that names the mode, else the first
    /// that names none.
    public func first(toPerform verb: PerformVerb, by mode: DirectionsMode? = nil) -> App? {
        var last: App?
        for app in self where app.suggestions.perform[verb] != nil {
            guard let mode, !app.suggestions.directionsModes.contains(mode) else { return app }
            if last == nil, app.suggestions.directionsModes.isEmpty { last = app }
        }
        return last
    }
}

extension Place {
    /// The variables of a template of `[perform]`. What has no coordinates is passed on as `query`.
    var performValues: [String: TemplateValue] {
        let values = [
            "name": name, "query": query, "latitude": latitude.map(Place.decimalText),
            "longitude": longitude.map(Place.decimalText), "mode": mode?.rawValue,
        ]
        return values.compactMapValues { $0.map(TemplateValue.string) }
    }

    /// As `geo:` URIs write degrees: no exponent, and a fraction only where there is one. Ten decimals are less than a
    /// tenth of a millimeter.
    public static func decimalText(_ degrees: Double) -> String {
        let text = degrees.description
        guard text.utf8.contains(UInt8(ascii: "e")) else {
            return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        }
        // Only numbers below 0.0001 are written with an exponent: no degrees are so large.
        let digits = String(Int((abs(degrees) * 1e10).rounded()))
        var fraction = String(repeating: "0", count: Swift.max(0, 10 - digits.count)) + digits
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return fraction.isEmpty ? "0" : (degrees < 0 ? "-0." : "0.") + fraction
    }
}
