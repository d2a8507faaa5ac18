internal import UsherScene
internal import UsherText

/// A point on the Earth: degrees, WGS 84.
struct Coordinate: Hashable {
    var latitude: Double
    var longitude: Double

    /// - Throws: `place.latitude`, `place.longitude`.
    init(latitude: Double, longitude: Double) throws(Diagnostic) {
        guard abs(latitude) <= 90 else {
            throw Diagnostic(
                .placeLatitude, "the latitude is not between -90 and 90",
                help: "write the latitude first, then the longitude")
        }
        guard abs(longitude) <= 180 else {
            throw Diagnostic(
                .placeLongitude, "the longitude is not between -180 and 180",
                help: "write the longitude between -180 and 180")
        }
        // -0 is 0.
        self.latitude = latitude + 0
        self.longitude = longitude + 0
    }

    /// Nil where one of the texts is no number.
    init?(_ latitude: (some StringProtocol)?, _ longitude: (some StringProtocol)?) throws(Diagnostic) {
        guard let latitude = latitude.flatMap({ decimal($0.utf8) }),
            let longitude = longitude.flatMap({ decimal($0.utf8) })
        else { return nil }
        try self.init(latitude: latitude, longitude: longitude)
    }

    /// A text that is `LAT,LON`, with or without blanks around the numbers; nil for any other.
    init?(_ text: (some StringProtocol)?, separator: Character = ",") throws(Diagnostic) {
        guard let parts = text?.split(separator: separator, maxSplits: 2, omittingEmptySubsequences: false),
            parts.count == 2
        else { return nil }
        try self.init(parts[0].trimmed, parts[1].trimmed)
    }
}

/// A text that is `LAT,LON` or `LAT,LON(NAME)`.
struct LabelledCoordinate {
    var coordinate: Coordinate
    var name: String?

    init?(_ text: String) throws(Diagnostic) {
        guard text.utf8.last == UInt8(ascii: ")"), let parenthesis = text.utf8.firstIndex(of: UInt8(ascii: "(")) else {
            guard let coordinate = try Coordinate(text) else { return nil }
            self.coordinate = coordinate
            return
        }
        guard let coordinate = try Coordinate(text[..<parenthesis]) else { return nil }
        self.coordinate = coordinate
        name = text[text.utf8.index(after: parenthesis)...].dropLast().trimmed
    }
}

/// The number that `[-]digits[.digits]` stands for; nil for any other text. Infinite where no double is as large.
func decimal(_ text: some Collection<UInt8>) -> Double? {
    let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
    var rest = text[...]
    if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
    guard rest.first.map(isDigit) == true else { return nil }
    rest = rest.drop(while: isDigit)
    if rest.first == UInt8(ascii: ".") {
        rest = rest.dropFirst()
        guard rest.first.map(isDigit) == true else { return nil }
        rest = rest.drop(while: isDigit)
    }
    guard rest.isEmpty else { return nil }
    return Double(String(decoding: text, as: UTF8.self))
}
