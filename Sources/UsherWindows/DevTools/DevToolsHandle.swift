internal import UsherActivation
internal import UsherJSON
internal import UsherSystem

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
        guard let (browser, window, tab) = PageHandle.parts(of: text, after: Self.prefix),
            let address = DevToolsAddress(browser), tab.map(Self.isName) ?? true
        else { return nil }
        self.init(address, window: window, tab: tab.map(String.init))
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
}

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
        guard let number = PageHandle.number(digits), let port = UInt16(exactly: number) else { return nil }
        var host = String(text[..<colon])
        if host == "[::1]" { host = "::1" } else if host == "::1" { return nil }
        self.init(host: host, port: port)
    }

    public var description: String { isVersion6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    var isVersion6: Bool { host == "::1" }

    private static func isLoopback(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { part in PageHandle.number(part).map { $0 < 256 } ?? false }
    }
}

/// What a browser says about itself: `GET /json/version`.
struct DevToolsVersion: Sendable, Hashable {
    /// One life of the browser: the last part of its `webSocketDebuggerUrl`, another one with each start.
    var life: String
    /// `Chrome/156.0.8078.79`, which Chromium says as well.
    var product: String

    static let folder = "/devtools/browser/"

    private static let longest = 64 * 1024

    init(of address: DevToolsAddress, until deadline: Deadline, or end: Int32 = -1) throws(DevToolsProblem) {
        var socket = try DevToolsSocket(address, until: deadline, or: end)
        let request = "GET /json/version HTTP/1.1\r\nHost: \(address)\r\nConnection: close\r\n\r\n"
        try socket.send(Array(request.utf8), until: deadline)
        let head = try DevToolsHead(of: &socket, until: deadline)
        guard head.status == 200, head.fields["transfer-encoding"] == nil,
            let length = PageHandle.number(head.fields["content-length"] ?? ""), length <= Self.longest
        else { throw .garbled("no answer to /json/version (status \(head.status))") }
        while socket.received.count < Int(length) {
            guard !deadline.isOver, try socket.receive(until: deadline) else { throw .silent }
        }
        guard let value = try? JSONValue(parsing: Array(socket.received.prefix(Int(length))), maximumDepth: 16),
            let version = Self(value)
        else { throw .garbled("no answer to /json/version") }
        self = version
    }

    /// Only the path of the address is used: Usher connects to its own configured host and port.
    init?(_ value: JSONValue) {
        guard let address = value["webSocketDebuggerUrl"]?.string, address.hasPrefix("ws://") else { return nil }
        let rest = address.dropFirst(5)
        guard let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        let path = rest[slash...]
        guard path.hasPrefix(Self.folder) else { return nil }
        let name = path.dropFirst(Self.folder.count)
        guard DevToolsHandle.isName(name) else { return nil }
        life = String(name)
        product = BrowserMessage.clipped(value["Browser"]?.string ?? "", 60)
    }

    /// What the browser is called in rules: by its program where that is known, as Chromium says that it is Chrome.
    ///
    /// - Parameter program: the file that it runs.
    func name(program: String?) -> String {
        var file = program?.split(separator: "/").last.map(String.init) ?? ""
        // An update has put another file in its place.
        if file.hasSuffix(" (deleted)") { file.removeLast(10) }
        let product = product.split(separator: "/").first.map(String.init) ?? ""
        let word =
            switch (file, product) {
            case ("chrome", _): "google-chrome"
            case ("msedge", _): "microsoft-edge"
            case ("", "Chrome"), ("", "HeadlessChrome"): "chromium"
            case ("", _): product
            default: file
            }
        return BrowserClient.name(for: word, wanted: nil, taken: [])
    }
}
