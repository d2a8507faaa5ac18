internal import UsherActivation
internal import UsherJSON
internal import UsherSystem

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
            let length = DevToolsHandle.number(head.fields["content-length"] ?? ""), length <= Self.longest
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
