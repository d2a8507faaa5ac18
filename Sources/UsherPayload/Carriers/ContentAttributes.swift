public import UsherJSON
internal import UsherText

/// What an activity is about, in Apple's names (`CSSearchableItemAttributeSet`): a place, a person or media.
///
/// Members that are not known are kept as they are.
public struct ContentAttributes: Sendable {
    /// A JSON object's members, in their order; those that a map item filled come last.
    public private(set) var members: [JSONValue.Member]

    /// A member that cannot be taken.
    public struct Fault: Error, Sendable {
        public var code: PayloadCode
        /// Of `contentAttributeSet`; nil for the whole of it.
        public var member: String?
        /// One sentence without a full stop.
        public var message: String
    }

    /// Checks attributes that were filled from a map item, which they go before.
    ///
    /// - Parameters:
    ///   - value: `contentAttributeSet`.
    ///   - mapItem: `mapItem`, Apple's `MKMapItem` as JSON.
    public init(_ value: JSONValue?, mapItem: JSONValue? = nil) throws(Fault) {
        try self.init(stored: value, mapItem: mapItem)
        try check()
    }

    /// The same without the checks of members: for attributes that were checked when they were stored.
    public init(stored value: JSONValue?, mapItem: JSONValue?) throws(Fault) {
        members = []
        if let value, value != .null {
            guard let given = value.members else {
                throw Fault(.attributesType, nil, "contentAttributeSet is \(value.kind.phrase), not an object")
            }
            members = given
        }
        if let mapItem, mapItem != .null { try fill(from: mapItem) }
    }

    /// The first member of a name; null counts as absent.
    public subscript(name: String) -> JSONValue? {
        let value = members.first { $0.name.hasSameBytes(as: name) }?.value
        if case .null = value { return nil }
        return value
    }

    /// Text that has more than blanks, without the blanks around it.
    public func text(_ name: String) -> String? { self[name]?.string?.trimmed }

    /// The texts of an array, as `text`.
    public func texts(_ name: String) -> [String] {
        self[name]?.elements?.compactMap { $0.string?.trimmed } ?? []
    }

    public var json: JSONValue { .object(members) }
}

// MARK: - What they are about

extension ContentAttributes {
    private static let addressMembers = [
        "subThoroughfare", "thoroughfare", "fullThoroughfare", "city", "stateOrProvince", "postalCode", "country",
    ]
    private static let coordinateMembers = ["latitude", "longitude"]
    private static let placeMembers =
        ["namedLocation"] + addressMembers + coordinateMembers + ["supportsPhoneCalls", "supportsNavigation"]
    private static let nameMembers = ["displayName", "givenName", "familyName"]
    private static let personMembers = nameMembers + ["phoneNumbers", "emailAddresses"]
    private static let textMembers =
        ["namedLocation"] + addressMembers + nameMembers + ["title", "artist", "album", "thumbnailURL", "contentURL"]

    private func has(_ names: [String]) -> Bool { names.contains { self[$0] != nil } }

    /// Whether it has a position, or at least a name.
    public var isPlace: Bool { text("namedLocation") != nil }

    /// A display name alone may be that of a place.
    public var isPerson: Bool {
        text("givenName") != nil || text("familyName") != nil
            || text("displayName") != nil && !has(ContentAttributes.placeMembers)
    }

    public var isMedia: Bool { has(["artist", "album", "duration"]) }

    /// Whether directions to it make sense: as it says, else where there is an address or a coordinate.
    public var supportsNavigation: Bool {
        self["supportsNavigation"]?.boolean
            ?? (has(ContentAttributes.addressMembers) || has(ContentAttributes.coordinateMembers))
    }

    /// Whether it can be called: as it says, else where there is a number.
    public var supportsPhoneCalls: Bool { self["supportsPhoneCalls"]?.boolean ?? !texts("phoneNumbers").isEmpty }

    /// Of a person: the name for people.
    public var personName: String? {
        if let name = text("displayName") { return name }
        let parts = [text("givenName"), text("familyName")].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }
}

// MARK: - Map items

extension ContentAttributes {
    private static let placemarkMembers = [
        ("subThoroughfare", "subThoroughfare"), ("thoroughfare", "thoroughfare"), ("locality", "city"),
        ("administrativeArea", "stateOrProvince"), ("postalCode", "postalCode"), ("country", "country"),
    ]

    /// Adds what a map item says and the attributes do not.
    private mutating func fill(from item: JSONValue) throws(Fault) {
        try ContentAttributes.require(item, .object, "mapItem")
        let placemark = ContentAttributes.member("placemark", of: item)
        let coordinate = placemark.flatMap { ContentAttributes.member("coordinate", of: $0) }
        if let placemark { try ContentAttributes.require(placemark, .object, "mapItem.placemark") }
        if let coordinate { try ContentAttributes.require(coordinate, .object, "mapItem.placemark.coordinate") }
        try fill("namedLocation", ContentAttributes.member("name", of: item), "mapItem.name", .string)
        if let placemark {
            for (name, attribute) in ContentAttributes.placemarkMembers {
                try fill(
                    attribute, ContentAttributes.member(name, of: placemark), "mapItem.placemark.\(name)", .string)
            }
        }
        // One without the other would be another point.
        if let coordinate, !has(ContentAttributes.coordinateMembers) {
            for name in ContentAttributes.coordinateMembers {
                try fill(
                    name, ContentAttributes.member(name, of: coordinate), "mapItem.placemark.coordinate.\(name)",
                    .number)
            }
        }
        if let number = ContentAttributes.member("phoneNumber", of: item), self["phoneNumbers"] == nil {
            set("phoneNumbers", .array([number]))
        }
        if self["supportsPhoneCalls"] == nil, self["phoneNumbers"] != nil { set("supportsPhoneCalls", true) }
        if self["supportsNavigation"] == nil, supportsNavigation { set("supportsNavigation", true) }
        try fill("contentURL", ContentAttributes.member("url", of: item), "mapItem.url", .string)
    }

    private mutating func fill(
        _ attribute: String, _ value: JSONValue?, _ place: String, _ kind: JSONKind
    ) throws(Fault) {
        guard let value else { return }
        try ContentAttributes.require(value, kind, place)
        if self[attribute] == nil { set(attribute, value) }
    }

    private mutating func set(_ name: String, _ value: JSONValue) {
        members.removeAll { $0.name.hasSameBytes(as: name) }
        members.append(.init(name, value))
    }

    private static func member(_ name: String, of object: JSONValue) -> JSONValue? {
        let value = object[name]
        if case .null = value { return nil }
        return value
    }

    private static func require(_ value: JSONValue, _ kind: JSONKind, _ place: String) throws(Fault) {
        guard value.kind == kind else {
            throw Fault(.attributesType, nil, "\(place) is \(value.kind.phrase), not \(kind.phrase)")
        }
    }
}

// MARK: - Checks

extension ContentAttributes.Fault {
    fileprivate init(_ code: PayloadCode, _ member: String?, _ message: String) {
        self.init(code: code, member: member, message: message)
    }
}

extension ContentAttributes {
    /// Types first, then values, then what is missing: so one fault is not reported as another.
    private func check() throws(Fault) {
        for name in ContentAttributes.textMembers { try require(name, .string) }
        for name in ContentAttributes.coordinateMembers + ["duration"] { try require(name, .number) }
        for name in ["supportsPhoneCalls", "supportsNavigation"] { try require(name, .boolean) }
        for name in ["keywords", "emailAddresses"] {
            try require(name, .array)
            if let other = self[name]?.elements?.first(where: { $0.kind != .string }) {
                throw Fault(.attributesType, name, "\(name) has \(other.kind.phrase), and takes strings")
            }
        }
        try checkDegrees("latitude", within: 90, .attributesLatitude)
        try checkDegrees("longitude", within: 180, .attributesLongitude)
        if (self["latitude"] == nil) != (self["longitude"] == nil) {
            let missing = self["latitude"] == nil ? "latitude" : "longitude"
            throw Fault(.attributesCoordinate, nil, "contentAttributeSet has a coordinate without \(missing)")
        }
        try checkNumbers()
        let located = ContentAttributes.addressMembers + ContentAttributes.coordinateMembers
        if has(located), text("namedLocation") == nil {
            throw Fault(
                .attributesNamedLocation, nil,
                "contentAttributeSet has \(located.first { self[$0] != nil } ?? ""), and no namedLocation")
        }
        if has(ContentAttributes.personMembers), !has(ContentAttributes.placeMembers),
            !ContentAttributes.nameMembers.contains(where: { text($0) != nil })
        {
            throw Fault(.attributesPerson, nil, "contentAttributeSet is about a person without a name")
        }
    }

    private func require(_ name: String, _ kind: JSONKind) throws(Fault) {
        guard let value = self[name], value.kind != kind else { return }
        throw Fault(.attributesType, name, "\(name) is \(value.kind.phrase), not \(kind.phrase)")
    }

    private func checkDegrees(_ name: String, within limit: Double, _ beyond: PayloadCode) throws(Fault) {
        guard let text = self[name]?.numberText, let degrees = Double(text) else { return }
        guard degrees.magnitude <= limit else {
            throw Fault(beyond, name, "\(name) is \(text), and goes from -\(Int(limit)) to \(Int(limit))")
        }
    }

    private func checkNumbers() throws(Fault) {
        guard let value = self["phoneNumbers"] else { return }
        guard let numbers = value.elements else {
            throw Fault(.attributesPhoneNumber, "phoneNumbers", "phoneNumbers is \(value.kind.phrase), not an array")
        }
        for number in numbers {
            guard let text = number.string else {
                throw Fault(
                    .attributesPhoneNumber, "phoneNumbers",
                    "phoneNumbers has \(number.kind.phrase), and takes strings")
            }
            guard ContentAttributes.isTelephoneNumber(text) else {
                throw Fault(
                    .attributesPhoneNumber, "phoneNumbers",
                    "\"\(PayloadReader.printable(text))\" is no telephone number")
            }
        }
    }

    /// 3 to 20 digits, besides them only blanks, `+ ( ) - . / # * , ;`, and `ext` or `x`.
    public static func isTelephoneNumber(_ text: String) -> Bool {
        var digits = 0
        var rest = Array(text.unicodeScalars)[...]
        while let scalar = rest.first {
            switch scalar {
            case "0"..."9": digits += 1
            case "+", "(", ")", "-", ".", "/", "#", "*", ",", ";", "x", "X": break
            case "e", "E":
                guard String(String.UnicodeScalarView(rest.prefix(3))).lowercased() == "ext" else { return false }
                rest = rest.dropFirst(2)
            default: guard scalar.properties.isWhitespace else { return false }
            }
            rest = rest.dropFirst()
        }
        return (3...20).contains(digits)
    }
}
