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
        guard let (client, window, tab) = PageHandle.parts(of: text, after: Self.prefix), Self.isName(client) else {
            return nil
        }
        self.init(client: String(client), window: window, tab: tab.flatMap(PageHandle.number))
        if (self.tab == nil) != (tab == nil) { return nil }
    }

    var text: String { Self.prefix + "\(client)/\(window)" + (tab.map { "/\($0)" } ?? "") }

    private static let prefix = "browser:"

    /// What clients are called: one spelling a name, so that equal handles are equal texts.
    static func isName(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.count <= 40
            && text.utf8.allSatisfy { byte in
                byte &- 0x61 < 26 || byte &- 0x30 < 10 || byte == UInt8(ascii: "-")
            }
    }
}
