internal import UsherScene
internal import UsherText

/// The parameters of a query, each name once: the first that has more than white space. Names ignore case.
struct LinkParameters {
    private var values: [String: String] = [:]

    init(_ query: some Collection<UInt8>) {
        for parameter in FormParameters.parse(query) ?? [] {
            let name = parameter.name.lowercased()
            if values[name] == nil { values[name] = parameter.value.trimmed }
        }
    }

    /// Without white space around it.
    subscript(name: String) -> String? { values[name] }

    /// Nil where it is no number.
    func number(_ name: String) -> Double? {
        values[name].flatMap { decimal($0.utf8) }.flatMap { $0.isFinite ? $0 + 0 : nil }
    }
}

/// A link of a map service, taken apart (RFC 3986).
struct MapLink {
    private let service: Service
    /// Decoded; an empty one where two slashes follow each other, or the path ends with one.
    let path: [String]
    let parameters: LinkParameters
    /// Without `#`, as it was written.
    let fragment: String

    private enum Service {
        case google, apple, openStreetMap, bing, shortened
    }

    /// Nil where the link is of no map service.
    ///
    /// - Parameter text: what follows the colon of the scheme.
    init?(_ text: ArraySlice<UInt8>) {
        let slash = UInt8(ascii: "/")
        guard text.starts(with: [slash, slash]) else { return nil }
        var rest = text.dropFirst(2)
        let authority = rest.prefix { $0 != slash && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        rest = rest.dropFirst(authority.count)
        let pathBytes = rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        rest = rest.dropFirst(pathBytes.count)
        let query = rest.first == UInt8(ascii: "?") ? rest.prefix { $0 != UInt8(ascii: "#") } : []
        rest = rest.dropFirst(query.count)
        let folders = pathBytes.dropFirst().split(separator: slash, omittingEmptySubsequences: false)
        guard let host = Self.host(authority),
            let service = Self.service(host, folder: folders.first.map { FormParameters.decode($0).lowercased() })
        else { return nil }
        self.service = service
        path = folders.map { FormParameters.decode($0) }
        parameters = LinkParameters(query.dropFirst())
        fragment = String(decoding: rest.dropFirst(), as: UTF8.self)
    }

    /// - Throws: `place.short-link`, `place.nothing`, `place.latitude`, `place.longitude`.
    func place() throws(Diagnostic) -> Place {
        let place: Place
        switch service {
        case .google: place = try google()
        case .apple: place = try apple()
        case .openStreetMap: place = try openStreetMap()
        case .bing: place = try bing()
        case .shortened:
            throw Diagnostic(
                .placeShortLink, "this is a short link: only its server knows the place",
                help: "open it in a browser, and take the address that it leads to")
        }
        guard !place.namesNothing else {
            throw Diagnostic(
                .placeNothing, "the link names no place",
                help: "take the link that the map service offers to share a place")
        }
        return place
    }

    // MARK: Hosts

    /// In lower case, without a dot at the end. User and port are passed over; what a browser could read as another host
    /// is none.
    private static func host(_ authority: ArraySlice<UInt8>) -> String? {
        let parts = authority.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = parts.last,
            parts.count == 1 || parts[0].allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
        else { return nil }
        let name = address.prefix { $0 != UInt8(ascii: ":") }
        let port = address.dropFirst(name.count + 1)
        guard port.count <= 5, port.allSatisfy({ (0x30...0x39).contains($0) }),
            (Int(String(decoding: port, as: UTF8.self)) ?? 0) <= 65_535
        else { return nil }
        let host = String(decoding: name, as: UTF8.self).lowercased()
        return host.utf8.last == UInt8(ascii: ".") ? String(host.dropLast()) : host
    }

    /// - Parameter folder: the first part of the path, decoded and in lower case.
    private static func service(_ host: String, folder: @autoclosure () -> String?) -> Service? {
        switch host {
        case "maps.apple.com": return .apple
        case "maps.app.goo.gl", "maps.apple": return .shortened
        case "goo.gl": return folder() == "maps" ? .shortened : nil
        case "openstreetmap.org", "www.openstreetmap.org", "osm.org", "www.osm.org":
            return folder() == "go" ? .shortened : .openStreetMap
        case "bing.com", "www.bing.com": return folder() == "maps" ? .bing : nil
        case "maps.bing.com": return .bing
        default:
            let isOfMaps = host.hasPrefix("maps.")
            let name = host.dropFirst(isOfMaps ? 5 : host.hasPrefix("www.") ? 4 : 0)
            guard name.hasPrefix("google."), isTopLevel(name.dropFirst(7)), isOfMaps || folder() == "maps" else {
                return nil
            }
            return .google
        }
    }

    /// `com`, `pl`, `cat`; `co.uk`, `com.br`.
    private static func isTopLevel(_ name: Substring) -> Bool {
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard let last = labels.last, last.utf8.allSatisfy({ (0x61...0x7A).contains($0) }) else { return false }
        switch labels.count {
        case 1: return (2...3).contains(last.utf8.count)
        case 2: return last.utf8.count == 2 && (labels.first == "co" || labels.first == "com")
        default: return false
        }
    }
}
