/// `browser:firefox/3`, a window; `browser:firefox/3/17`, a tab of it.
struct BrowserHandle: Sendable, Hashable {
    /// Which browser: the name that it was given.
    var client: String
    var window: Int64
    var tab: Int64?

    init(client: String, window: Int64, tab: Int64? = nil) {
        self.client = client
        self.window = window
        self.tab = tab
    }

    init?(_ text: String) {
        guard text.utf8.starts(with: Self.prefix.utf8) else { return nil }
        let parts = text.dropFirst(Self.prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        let numbers = parts.dropFirst().compactMap(Self.number)
        guard 2...3 ~= parts.count, numbers.count == parts.count - 1, Self.isName(parts[0]) else { return nil }
        self.init(client: String(parts[0]), window: numbers[0], tab: numbers.dropFirst().first)
    }

    var text: String { Self.prefix + "\(client)/\(window)" + (tab.map { "/\($0)" } ?? "") }

    private static let prefix = "browser:"

    /// As browsers write theirs: no sign, no zeros in front.
    private static func number(_ text: Substring) -> Int64? {
        guard let first = text.utf8.first, first &- 0x30 < 10, first != 0x30 || text.utf8.count == 1 else { return nil }
        return Int64(text)
    }

    /// What clients are called: one spelling a name, so that equal handles are equal texts.
    static func isName(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.count <= 40
            && text.utf8.allSatisfy { byte in
                byte &- 0x61 < 26 || byte &- 0x30 < 10 || byte == UInt8(ascii: "-")
            }
    }
}
