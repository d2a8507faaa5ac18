/// `devtools:127.0.0.1:9222/1676751109`, a window; with `/TARGET`, a tab of it.
struct DevToolsHandle: Sendable, Hashable {
    var address: DevToolsAddress
    var window: Int64
    /// The name of the page's target.
    var tab: String?

    init(_ address: DevToolsAddress, window: Int64, tab: String? = nil) {
        self.address = address
        self.window = window
        self.tab = tab
    }

    init?(_ text: String) {
        guard text.utf8.starts(with: Self.prefix.utf8) else { return nil }
        let parts = text.dropFirst(Self.prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3, let address = DevToolsAddress(parts[0]),
            let window = Self.number(parts[1])
        else { return nil }
        (self.address, self.window, tab) = (address, window, nil)
        if parts.count == 3 {
            guard Self.isName(parts[2]) else { return nil }
            tab = String(parts[2])
        }
    }

    var text: String { Self.prefix + "\(address)/\(window)" + (tab.map { "/\($0)" } ?? "") }

    private static let prefix = "devtools:"

    /// What browsers call their pages and themselves.
    static func isName(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.count <= 64
            && text.utf8.allSatisfy { byte in
                (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || byte == UInt8(ascii: "-")
            }
    }

    /// No sign, no zeros in front.
    static func number(_ text: some StringProtocol) -> Int64? {
        guard let first = text.utf8.first, first &- 0x30 < 10, first != 0x30 || text.utf8.count == 1 else { return nil }
        return Int64(text)
    }
}
