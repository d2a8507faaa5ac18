/// A numeric address and a port, such as `127.0.0.1:8484` and `[::1]:8484`.
public struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// Without brackets.
    public var host: String
    /// 0 lets the system pick one.
    public var port: UInt16

    /// Nil where the text is no address with a port; names of hosts are none, but for `localhost`.
    public init?(_ text: String) {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let digits = text[text.utf8.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
            return nil
        }
        var host = String(text[..<colon])
        if host == "localhost" {
            host = "127.0.0.1"
        } else if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
            guard ListenAddress.isVersion6(host) else { return nil }
        } else if !ListenAddress.isVersion4(host) {
            return nil
        }
        self.host = host
        self.port = port
    }

    /// An address as the system tells it.
    ///
    /// - Parameter host: numeric, without brackets.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Whether only this machine can reach it.
    public var isLoopback: Bool { host.hasPrefix("127.") || host == "::1" }

    public var description: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }

    private static func isVersion4(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                part.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt8(part) != nil
                    && (part.utf8.count == 1 || part.utf8.first != UInt8(ascii: "0"))
            }
    }

    /// Whether it may be one; the system judges it in full when it is opened.
    private static func isVersion6(_ text: String) -> Bool {
        text.utf8.count { $0 == UInt8(ascii: ":") } >= 2
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x46, 0x61...0x66, UInt8(ascii: ":"), UInt8(ascii: "."): true
                default: false
                }
            }
    }
}
