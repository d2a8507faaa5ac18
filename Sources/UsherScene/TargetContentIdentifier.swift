internal import UsherText

/// An opaque string that names content, usually a URL.
///
/// Never trimmed, folded, decoded or normalised: two identifiers are equal when their UTF-8 bytes are, as in SQLite and
/// in every backend. (Swift's own `String` comparison holds `é` and `e` + U+0301 equal; this type exists so that it
/// doesn't.)
public struct TargetContentIdentifier: Sendable, CustomStringConvertible {
    public let text: String

    public init(_ text: String) { self.text = text }

    public var description: String { text }

    /// The longest identifier that is accepted, in bytes.
    public static let maximumLength = 16 * 1024
}

extension TargetContentIdentifier: Hashable {
    public static func == (one: Self, other: Self) -> Bool {
        one.text.hasSameBytes(as: other.text)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

// MARK: - Command

extension TargetContentIdentifier {
    /// The command that takes back what was said of an identifier, for people to paste: identifiers come from outside, and
    /// a shell must not read any of one as its own (POSIX.1-2024, Shell Command Language, 2.2.2).
    ///
    /// - Parameter isPrefix: the prefix move with this very source.
    public func restoreCommand(isPrefix: Bool = false) -> String {
        let command = "usher content restore"
        // A longer identifier is not useful to copy and paste.
        guard text.utf8.count <= 1000 else { return command + " ID" + (isPrefix ? " --prefix" : "") }
        // Bytes that mean nothing to a shell, wherever they stand.
        let isPlain = text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_./:=@%+,".utf8.contains($0) }
        let word = isPlain && !text.isEmpty ? text : ShellText.inQuotationMarks(text)
        if text.utf8.first == UInt8(ascii: "-") { return command + (isPrefix ? " --prefix" : "") + " -- " + word }
        return command + " " + word + (isPrefix ? " --prefix" : "")
    }
}

// MARK: - Web

extension TargetContentIdentifier {
    /// The host of an `http` or `https` URL in lower case, and what follows it (port left out, from the first `/`, `?`
    /// or `#` on); nil for any other identifier.
    ///
    /// The identifier itself stays opaque: its host is only used to find the app that owns it.
    public var webHost: (host: String, rest: Substring)? {
        guard let (host, end, isPlain) = webAuthority else { return nil }
        func index(_ offset: Int) -> String.Index { text.utf8.index(text.startIndex, offsetBy: offset) }
        let name = text[index(host.lowerBound)..<index(host.upperBound)]
        return (isPlain ? String(name) : name.lowercased(), text[index(end)...])
    }

    /// Where the host of an `http` or `https` URL lies in the bytes of the text, where the rest begins, and whether the host is
    /// ASCII without capital letters; nil for any other identifier.
    package var webAuthority: (host: Range<Int>, rest: Int, isPlain: Bool)? {
        let utf8 = text.utf8Span
        let bytes = utf8.span
        guard let authority = TargetContentIdentifier.authority(in: bytes) else { return nil }
        // In one pass: every request is asked for its host.
        var (start, end) = (authority, authority)
        var colon: Int?
        var isPlain = true
        scan: while end < bytes.count {
            switch bytes[end] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): break
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): break scan
            case UInt8(ascii: "@"): (start, colon) = (end + 1, nil)
            case UInt8(ascii: ":"): colon = end
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...: isPlain = false
            default: break
            }
            end += 1
        }
        var hostEnd = end
        if let colon, bytes[start] != UInt8(ascii: "[") { hostEnd = colon }
        return start < hostEnd ? (start..<hostEnd, end, isPlain) : nil
    }

    /// What stands before the first colon, in lower case, where that is a scheme (RFC 3986, 3.1).
    public var scheme: String? {
        let bytes = text.utf8
        guard let colon = bytes.prefix(TargetContentIdentifier.longestScheme + 1).firstIndex(of: UInt8(ascii: ":")),
            TargetContentIdentifier.isScheme(bytes[..<colon])
        else { return nil }
        return String(decoding: bytes[..<colon].map { $0.lowercasedASCII }, as: UTF8.self)
    }

    /// Whether it is the same content in every app: it has a URI scheme, or is a UUID. Any other identifier is compared
    /// together with its app.
    public var isGlobal: Bool { scheme != nil || UUIDText.isOne(text) }

    /// A letter, then letters, digits, `+`, `-` and `.`.
    @inlinable
    public static func isScheme(_ bytes: some Collection<UInt8>) -> Bool {
        guard let first = bytes.first, bytes.count <= longestScheme else { return false }
        guard (0x41...0x5A).contains(first) || (0x61...0x7A).contains(first) else { return false }
        return bytes.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
            default: false
            }
        }
    }

    /// The standard has no limit; an identifier is not searched to its end for a colon.
    @usableFromInline static var longestScheme: Int { 64 }

    /// Whether a browser can show it.
    public var isWebAddress: Bool { webAuthority != nil }

    /// The begin of what follows `https://` or `http://`, in any case.
    private static func authority(in bytes: Span<UInt8>) -> Int? {
        var place = 0
        for expected in "http".utf8 {
            guard place < bytes.count, bytes[place] | 0x20 == expected else { return nil }
            place += 1
        }
        if place < bytes.count, bytes[place] | 0x20 == UInt8(ascii: "s") { place += 1 }
        for expected in "://".utf8 {
            guard place < bytes.count, bytes[place] == expected else { return nil }
            place += 1
        }
        return place
    }
}

// MARK: - Files

extension TargetContentIdentifier {
    /// The path of a `file:` URL with an empty host or `localhost`: decoded, absolute, without query, fragment and a slash
    /// at its end; nil for any other identifier (RFC 8089). A path is bytes, without NUL.
    public var filePath: [UInt8]? {
        guard scheme == "file" else { return nil }
        var rest = text.utf8.dropFirst("file:".utf8.count)
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let host = rest.prefix { $0 != UInt8(ascii: "/") }
            guard host.isEmpty || host.map({ $0 | 0x20 }).elementsEqual("localhost".utf8) else { return nil }
            rest = rest.dropFirst(host.count)
        }
        let written = Array(rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
        guard written.first == UInt8(ascii: "/") else { return nil }
        var path = PercentEncoding.decode(written)
        while path.count > 1, path.last == UInt8(ascii: "/") { path.removeLast() }
        return path.contains(0) ? nil : path
    }

    /// The `file:` URL of an absolute path, percent-encoded but for what RFC 3986 allows in a path.
    public init(filePath path: some Sequence<UInt8>) {
        self.init(
            "file://"
                + PercentEncoding.encode(path) { $0.isASCIILetterOrDigit || "-._~/!$&'()*+,;=:@".utf8.contains($0) })
    }
}
