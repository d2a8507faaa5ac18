internal import UsherScene
internal import UsherText

// `geo:` URIs (RFC 5870, section 3.3), with the parameters that Android adds behind a question mark
// (https://developer.android.com/guide/components/intents-common#Maps).

extension Place {
    /// - Parameter text: what follows the colon of the scheme.
    init(geo text: ArraySlice<UInt8>) throws(Diagnostic) {
        self.init(.geo)
        let path = text.prefix { $0 != UInt8(ascii: "?") }
        let parts = path.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        let numbers = try parts[0].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { text throws(Diagnostic) in try Self.number(text, "a coordinate") }
        guard (2...3).contains(numbers.count) else {
            throw .geoSyntax("there are \(numbers.count) coordinates, not two or three")
        }
        altitude = numbers.count > 2 ? numbers[2] + 0 : nil
        if let altitude, !altitude.isFinite { throw .geoSyntax("the altitude is too large") }
        try read(parts.dropFirst())
        coordinate = try Coordinate(latitude: numbers[0], longitude: numbers[1])
        // A fragment is no part of the query.
        let query = text.dropFirst(path.count + 1).prefix { $0 != UInt8(ascii: "#") }
        let android = LinkParameters(query)
        zoom = android.number("z")
        guard let place = android["q"] else { return }
        let written = coordinate
        if written?.latitude == 0, written?.longitude == 0 { coordinate = nil }
        try locate(place)
        if coordinate != written { (altitude, uncertainty) = (nil, nil) }
    }

    /// `crs` and `u` stand before all others, in this order, once each.
    private mutating func read(_ parts: ArraySlice<ArraySlice<UInt8>>) throws(Diagnostic) {
        var system: String?
        var names: Set<String> = []
        for part in parts {
            let nameBytes = part.prefix { $0 != UInt8(ascii: "=") }
            guard !nameBytes.isEmpty, nameBytes.allSatisfy(Self.isLabel) else {
                throw .geoSyntax("the name of a parameter is not of letters, digits and hyphens")
            }
            let name = String(decoding: nameBytes, as: UTF8.self).lowercased()
            let value = nameBytes.count < part.count ? part.dropFirst(nameBytes.count + 1) : nil
            switch name {
            case "crs":
                guard system == nil, uncertainty == nil, names.isEmpty else {
                    throw .geoSyntax("crs stands once, before all other parameters")
                }
                guard let value, !value.isEmpty, value.allSatisfy(Self.isLabel) else {
                    throw .geoSyntax("crs is not of letters, digits and hyphens")
                }
                system = String(decoding: value, as: UTF8.self)
            case "u":
                guard uncertainty == nil, names.isEmpty else {
                    throw .geoSyntax("u stands once, before all other parameters but crs")
                }
                let number = try Self.number(value ?? [], "the uncertainty u")
                guard value?.first != UInt8(ascii: "-"), number.isFinite else {
                    throw .geoSyntax("the uncertainty u is negative or too large")
                }
                uncertainty = number
            default:
                let isNew = names.insert(name).inserted
                let text = try value.map { value throws(Diagnostic) in try Self.decode(value, of: name) }
                if isNew { parameters.append(Parameter(name: name, value: text)) }
            }
        }
        if let system, system.lowercased() != "wgs84" {
            throw Diagnostic(
                .placeReferenceSystem, "the coordinates are of the system \(QuotedText.text(system)), not of WGS 84",
                help: "convert them to WGS 84, and leave crs out")
        }
    }

    private static func number(_ text: ArraySlice<UInt8>, _ what: String) throws(Diagnostic) -> Double {
        guard let number = decimal(text) else {
            let found = QuotedText.text(String(decoding: text, as: UTF8.self))
            throw .geoSyntax("\(what) is \(found), not [-]digits[.digits]")
        }
        return number
    }

    private static func decode(_ value: ArraySlice<UInt8>, of name: String) throws(Diagnostic) -> String {
        var rest = value
        guard !rest.isEmpty else { throw .geoSyntax("the parameter \(QuotedText.text(name)) has an empty value") }
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard rest.count >= 2, rest.prefix(2).allSatisfy({ Hexadecimal.value(of: $0) != nil }) else {
                    throw .geoSyntax("a % in the parameter \(QuotedText.text(name)) begins no escape")
                }
                rest = rest.dropFirst(2)
            } else if !isValue(byte) {
                throw .geoSyntax("the parameter \(QuotedText.text(name)) has a character that must be escaped")
            }
        }
        return PercentEncoding.decodedText(value)
    }

    /// Letters, digits and hyphens: `labeltext`.
    private static func isLabel(_ byte: UInt8) -> Bool { byte.isASCIILetterOrDigit || byte == UInt8(ascii: "-") }

    /// `unreserved` and `p-unreserved`.
    private static func isValue(_ byte: UInt8) -> Bool { isLabel(byte) || "_.!~*'()[]:&+$".utf8.contains(byte) }
}

extension Diagnostic {
    fileprivate static func geoSyntax(_ message: String) -> Diagnostic {
        Diagnostic(
            .placeSyntax, message, help: "geo:LATITUDE,LONGITUDE[,ALTITUDE][;crs=wgs84][;u=METERS][;NAME=VALUE]")
    }
}
