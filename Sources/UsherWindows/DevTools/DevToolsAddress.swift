/// Where a browser lets itself be driven: a loopback address and a port.
public struct DevToolsAddress: Sendable, Hashable, CustomStringConvertible {
    /// Numeric, without brackets.
    public let host: String
    public let port: UInt16

    /// nil where it is not a loopback address: a process that reaches the port controls the browser, and Usher trusts
    /// what the browser reports.
    public init?(host: String, port: UInt16) {
        guard host == "::1" || Self.isLoopback(host), port > 0 else { return nil }
        self.host = host
        self.port = port
    }

    /// `127.0.0.1:9222` or `[::1]:9222`; one spelling an address.
    init?(_ text: Substring) {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let digits = text[text.utf8.index(after: colon)...]
        guard let number = DevToolsHandle.number(digits), let port = UInt16(exactly: number) else { return nil }
        var host = String(text[..<colon])
        if host == "[::1]" { host = "::1" } else if host == "::1" { return nil }
        self.init(host: host, port: port)
    }

    public var description: String { isVersion6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    var isVersion6: Bool { host == "::1" }

    private static func isLoopback(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { part in DevToolsHandle.number(part).map { $0 < 256 } ?? false }
    }
}
