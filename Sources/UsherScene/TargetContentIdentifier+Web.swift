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
