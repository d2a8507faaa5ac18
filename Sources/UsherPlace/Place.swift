public import UsherJSON
public import UsherScene

/// A place that a `geo:` URI or a link of a map service names.
///
/// Nothing is looked up: what is not in the text is nil. Reading is linear in the length of the text.
public struct Place: Sendable, Hashable {
    public enum Service: String, Sendable, CaseIterable {
        case geo, google, apple, osm, bing

        /// The services whose links are read, for people.
        public static var names: String { allCases.compactMap(\.title).joined(separator: ", ") }

        private var title: String? {
            switch self {
            case .geo: nil
            case .google: "Google Maps"
            case .apple: "Apple Maps"
            case .osm: "OpenStreetMap"
            case .bing: "Bing Maps"
            }
        }
    }

    /// The means of transport.
    public enum Mode: String, Sendable { case car, pedestrian, bike, transit }

    /// A parameter of a `geo:` URI: its name in lower case; no value is another thing than an empty one.
    public struct Parameter: Sendable, Hashable {
        public var name: String
        public var value: String?
    }

    public var service: Service
    /// What the place is called.
    public var name: String?
    /// What has to be geocoded or searched for; with coordinates, near them.
    public var query: String?
    /// Degrees, WGS 84; both or neither.
    public internal(set) var latitude: Double?
    public internal(set) var longitude: Double?
    /// Meters.
    public var altitude: Double?
    /// Meters.
    public var uncertainty: Double?
    public var zoom: Double?
    /// Whether the way there is asked for.
    public var isDirections = false
    /// Nil where the link does not say.
    public var mode: Mode?
    /// Of a `geo:` URI those but `crs` and `u`, each name once: the first.
    public var parameters: [Parameter] = []

    init(_ service: Service) { self.service = service }

    /// Reads a `geo:` URI (RFC 5870, with Android's `q` and `z`), or a link of a map service (`Service`).
    ///
    /// - Throws: one of the codes `place.…`.
    public init(_ uri: String) throws(Diagnostic) {
        let bytes = Array(uri.utf8)
        let colon = bytes.prefix(6).firstIndex(of: UInt8(ascii: ":")) ?? 0
        switch String(decoding: bytes[..<colon], as: UTF8.self).lowercased() {
        case "geo": try self.init(geo: bytes[(colon + 1)...])
        case "http", "https":
            guard let link = MapLink(bytes[(colon + 1)...]) else { throw .unknownPlace }
            self = try link.place()
        default: throw .unknownPlace
        }
    }
}

// MARK: - Filled in while a text is read

extension Place {
    /// `latitude` and `longitude` together; nil if the place has none.
    var coordinate: Coordinate? {
        get {
            guard let latitude, let longitude else { return nil }
            return try? Coordinate(latitude: latitude, longitude: longitude)
        }
        set {
            latitude = newValue?.latitude
            longitude = newValue?.longitude
        }
    }

    /// Takes over a text that says where the place is: coordinates, else something to search for.
    mutating func locate(_ text: String?) throws(Diagnostic) {
        guard let text else { return }
        if let found = try LabelledCoordinate(text) {
            coordinate = found.coordinate
            name = name ?? found.name
        } else {
            query = text
        }
    }

    /// Takes coordinates from a source of lower precedence: only if the place has none yet. Otherwise, the source is not read.
    mutating func fillCoordinate(_ found: @autoclosure () throws(Diagnostic) -> Coordinate?) throws(Diagnostic) {
        if coordinate == nil { coordinate = try found() }
    }

    /// Whether it has no coordinates, no query and no name.
    var namesNothing: Bool { latitude == nil && query == nil && name == nil }
}

extension Diagnostic {
    fileprivate static var unknownPlace: Diagnostic {
        Diagnostic(
            .placeUnknown, "this is neither a geo URI nor a link of a map service",
            help: "geo:LATITUDE,LONGITUDE, or a link of: \(Place.Service.names)")
    }
}

// MARK: - JSON

extension Place {
    /// The members that describe a place, in their order.
    public static let memberNames = [
        "service", "name", "query", "latitude", "longitude", "altitude", "uncertainty", "crs", "zoom", "directions",
        "mode", "parameters",
    ]

    /// Writes the value of one of `memberNames`; null for no place.
    public static func write(_ member: String, of place: Place?, to json: inout JSONWriter) {
        func write(_ number: Double?) { if let number { json.value(number) } else { json.null() } }
        func write(_ text: String?) { if let text { json.value(text) } else { json.null() } }
        guard let place else { return json.null() }
        switch member {
        case "service": write(place.service.rawValue)
        case "name": write(place.name)
        case "query": write(place.query)
        case "latitude": write(place.latitude)
        case "longitude": write(place.longitude)
        case "altitude": write(place.altitude)
        case "uncertainty": write(place.uncertainty)
        case "crs": write(place.service == .geo ? "wgs84" : nil)
        case "zoom": write(place.zoom)
        case "directions": json.value(place.isDirections)
        case "mode": write(place.mode?.rawValue)
        case "parameters" where place.service == .geo:
            json.beginObject()
            for parameter in place.parameters { json.member(parameter.name, parameter.value) }
            json.endObject()
        default: json.null()
        }
    }
}
