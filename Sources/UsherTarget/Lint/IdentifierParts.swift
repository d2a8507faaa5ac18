internal import UsherText

/// An identifier taken apart as far as it can be: as a URL where it is one, else as one path.
///
/// Lenient: no text is refused, so that any input can be judged. RFC 3986, appendix B.
struct IdentifierParts {
    /// A parameter of a query.
    struct Parameter {
        /// In lower case, decoded, without `_` and `-`: `lastModified` and `last_modified` are one.
        var key: String
        /// Decoded.
        var value: String
        /// As written.
        var text: String
    }

    let text: String
    /// As written, without its colon.
    var scheme: String?
    /// Whether `//` and a host follow the scheme.
    var hasAuthority = false
    var userInfo: String?
    var path = ""
    /// The decoded pieces of the path, empty ones left out.
    var segments: [String] = []
    var query: [Parameter] = []

    /// Neither scheme nor host: an identifier that its app made up.
    var isBare: Bool { scheme == nil }

    /// A URL that browsers open.
    var isWeb: Bool { hasAuthority && ["http", "https", "ws", "wss", "ftp"].contains(lowercaseScheme) }

    var lowercaseScheme: String { scheme?.lowercased() ?? "" }

    init(_ text: String) {
        self.text = text
        var rest = text[...]
        if let colon = rest.firstIndex(of: ":"), Self.isScheme(rest[..<colon]) {
            scheme = String(rest[..<colon])
            rest = rest[rest.index(after: colon)...]
        }
        if scheme != nil, rest.hasPrefix("//") {
            hasAuthority = true
            rest = rest.dropFirst(2)
            let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
            if let at = rest[..<end].lastIndex(of: "@") { userInfo = String(rest[..<at]) }
            rest = rest[end...]
        }
        // `ticket#48213` is no address, and so has no fragment.
        if hasAuthority || rest.hasPrefix("/"), let hash = rest.firstIndex(of: "#") {
            rest = rest[..<hash]
        }
        if let mark = rest.firstIndex(of: "?") {
            query = Self.parameters(rest[rest.index(after: mark)...])
            rest = rest[..<mark]
        }
        path = String(rest)
        segments = rest.split(separator: "/").map { Self.decoded($0) }
    }

    /// A scheme has two letters and more: one is a drive.
    private static func isScheme(_ text: Substring) -> Bool {
        guard text.utf8.count > 1, let first = text.utf8.first, ASCII.isLetter(first) else { return false }
        // `photo-2024-05-12T10:00` has a time of day, and no scheme.
        if case let tail = Array(text.utf8.suffix(4)), tail.count == 4, tail[1] == 0x54,
            [tail[0], tail[2], tail[3]].allSatisfy(TextShape.isDigit)
        {
            return false
        }
        return text.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == 0x2B || $0 == 0x2D || $0 == ASCII.period }
    }

    private static func parameters(_ text: Substring) -> [Parameter] {
        text.split { $0 == "&" || $0 == ";" }.map { piece in
            let parts = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? String(parts[1]) : ""
            return Parameter(
                key: key(decoded(parts[0])), value: decoded(value.replacingPlus()[...]), text: String(piece))
        }
    }

    private static func key(_ name: String) -> String {
        let key = name.lowercased().filter { $0 != "_" && $0 != "-" }
        return key.isEmpty ? name : key
    }

    static func decoded(_ text: Substring) -> String {
        text.utf8.contains(ASCII.percent) ? PercentEncoding.decodedText(text.utf8) : String(text)
    }
}

extension String {
    /// `+` stands for a space in the queries of forms.
    fileprivate func replacingPlus() -> String { String(map { $0 == "+" ? " " : $0 }) }
}
