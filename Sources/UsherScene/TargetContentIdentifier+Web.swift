extension TargetContentIdentifier {
    /// The host of an `http` or `https` URL in lower case, and what follows it (port left out, from the first `/`, `?`
    /// or `#` on); nil for any other identifier.
    ///
    /// The identifier itself stays opaque: this only looks whose it is.
    public var webHost: (host: String, rest: Substring)? {
        let bytes = text.utf8
        guard let authority = TargetContentIdentifier.authority(in: bytes) else { return nil }
        let end =
            bytes[authority...].firstIndex {
                $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
            }
            ?? bytes.endIndex
        var host = text[authority..<end]
        if let at = host.utf8.lastIndex(of: UInt8(ascii: "@")) { host = host[host.utf8.index(after: at)...] }
        if host.utf8.first != UInt8(ascii: "["), let colon = host.utf8.lastIndex(of: UInt8(ascii: ":")) {
            host = host[..<colon]
        }
        guard !host.isEmpty else { return nil }
        return (host.lowercased(), text[end...])
    }

    /// What stands before the first colon, in lower case, where that is a scheme (RFC 3986, 3.1).
    public var scheme: String? {
        let bytes = text.utf8
        guard let colon = bytes.prefix(TargetContentIdentifier.longestScheme + 1).firstIndex(of: UInt8(ascii: ":")),
            TargetContentIdentifier.isScheme(bytes[..<colon])
        else { return nil }
        return String(decoding: bytes[..<colon].map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
    }

    /// A letter, then letters, digits, `+`, `-` and `.`.
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

    /// The standard knows no limit; an identifier is not searched to its end for a colon.
    private static let longestScheme = 64

    /// Whether a browser can show it.
    public var isWebAddress: Bool { webHost != nil }

    /// The begin of what follows `https://` or `http://`, in any case.
    private static func authority(in bytes: String.UTF8View) -> String.Index? {
        for scheme in ["https://", "http://"] {
            let start = bytes.prefix(scheme.utf8.count)
            let isScheme = start.elementsEqual(scheme.utf8) { byte, expected in
                ((65...90).contains(byte) ? byte + 32 : byte) == expected
            }
            if isScheme { return start.endIndex }
        }
        return nil
    }
}
