internal import Glibc
internal import Synchronization
internal import UsherActivation
internal import UsherJSON
internal import UsherScene
internal import UsherSystem

/// The connection to a browser's host: one thread reads, any thread may write. `deinit` closes it.
final class BrowserWire: Sendable {
    let descriptor: Int32
    /// Lines of several threads must not be mixed.
    private let sendLock = Mutex(())

    init(owning descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Sends a whole line; false where the other side does not take it in time, and then it is not whole and the
    /// connection is ended.
    func send(_ bytes: [UInt8], until deadline: Deadline) -> Bool {
        sendLock.withLock { _ in
            let isSent = SocketOutput.send(bytes, to: descriptor, until: deadline) == .ready
            if !isSent { end() }
            return isSent
        }
    }

    /// Ends both directions: the reading thread gets the end of the stream.
    func end() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
}

/// One line from a browser, or from its host. Every value is checked for its type, and every length is limited.
enum BrowserMessage: Sendable {
    /// Of the host: which process the browser is.
    case host(process: Int32)
    /// Of the extension, before its first state; `client` is what it was called before.
    case hello(product: String, version: String, client: String?)
    case state([BrowserWindow])
    case answer(id: Int64, BrowserAnswer)
    /// Of `usher browser status`.
    case ask
    /// Of `usher browser pause` and `resume`.
    case pauseChanged

    /// How much of a browser is taken notice of.
    private static let windowLimit = 1000
    private static let tabLimit = 20_000
    /// In bytes. One character more than the longest title that `content` reads, so that a longer one is known to be too long.
    static let titleLimit = 4100
    static let selectionLimit = 16 * 1024
    static let dataLimit = 512 * 1024
    static let dataCountLimit = 100
    private static let languageLimit = 100
    /// The longest identifier that anything in Usher takes.
    static let addressLimit = 16 * 1024

    /// nil where it is none of these.
    init?(line: [UInt8]) {
        guard let value = try? JSONValue(parsing: line, maximumDepth: 16), let type = value["type"]?.string else {
            return nil
        }
        switch type {
        case "host":
            guard let process = value["process"]?.int64.flatMap({ Int32(exactly: $0) }), process > 0 else { return nil }
            self = .host(process: process)
        case "hello":
            guard value["protocol"]?.int64 == 1, let product = value["browser"]?.string else { return nil }
            self = .hello(
                product: Self.clipped(product, 60), version: Self.clipped(value["version"]?.string ?? "", 60),
                client: value["client"]?.string)
        case "state":
            guard let windows = value["windows"]?.elements else { return nil }
            self = .state(Self.windows(windows))
        case "answer":
            guard let id = value["id"]?.int64 else { return nil }
            self = .answer(id: id, BrowserAnswer(value))
        case "ask": self = .ask
        case "pause-changed": self = .pauseChanged
        default: return nil
        }
    }

    private static func windows(_ values: [JSONValue]) -> [BrowserWindow] {
        var tabs = tabLimit
        var seen: Set<Int64> = []
        var windows: [BrowserWindow] = []
        for value in values.prefix(windowLimit) {
            guard let id = value["id"]?.int64, id >= 0, seen.insert(id).inserted else { continue }
            var window = BrowserWindow(
                id: id, isFocused: value["focused"]?.boolean ?? false,
                isMinimized: value["state"]?.string == "minimized",
                isPrivate: value["incognito"]?.boolean ?? true)
            for tab in (value["tabs"]?.elements ?? []).prefix(tabs) {
                guard let id = tab["id"]?.int64, id >= 0 else { continue }
                let address = tab["url"]?.string ?? ""
                window.tabs.append(
                    BrowserWindow.Tab(
                        id: id, address: address.utf8.count <= addressLimit ? address : "",
                        title: clipped(tab["title"]?.string ?? "", titleLimit),
                        isActive: tab["active"]?.boolean ?? false,
                        canonical: tab["canonical"]?.string.flatMap { $0.utf8.count <= addressLimit ? $0 : nil },
                        language: tab["language"]?.string.flatMap { $0.utf8.count <= languageLimit ? $0 : nil },
                        isReadable: tab["readable"]?.boolean ?? false))
            }
            tabs -= window.tabs.count
            windows.append(window)
        }
        return windows
    }

    static func clipped(_ text: String, _ bytes: Int) -> String {
        guard text.utf8.count > bytes else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: bytes)
        while end > text.startIndex, end.samePosition(in: text.unicodeScalars) == nil {
            end = text.utf8.index(before: end)
        }
        return String(text[..<end])
    }
}

/// A window as its browser reports it.
struct BrowserWindow: Sendable, Hashable {
    struct Tab: Sendable, Hashable {
        var id: Int64
        /// Empty where it was too long to be sent.
        var address: String
        var title: String
        var isActive: Bool
        /// nil where it was not read.
        var canonical: String?
        var language: String?
        var isReadable = false
    }

    var id: Int64
    var isFocused: Bool
    var isMinimized: Bool
    /// Also where the browser does not say so.
    var isPrivate: Bool
    var tabs: [Tab] = []

    /// What the window shows.
    var front: Tab? { tabs.first { $0.isActive } }
}

/// What a browser's extension saw after it did something.
struct BrowserAnswer: Sendable {
    /// `gone`, `address`, `failed`; nil where it was done.
    var error: String?
    /// What the browser says about the error.
    var message: String
    var tab: Int64?
    var title: String
    var isActive: Bool
    var isFocused: Bool
    /// Whether the page has begun to be shown.
    var isLoaded: Bool
    /// What was to be read; nil where the page cannot be read.
    var content: PageContent?

    init(_ value: JSONValue) {
        let address = BrowserMessage.clipped(value["url"]?.string ?? "", BrowserMessage.addressLimit)
        if let selection = value["selection"]?.string {
            let data = (value["data"]?.elements ?? []).prefix(BrowserMessage.dataCountLimit).compactMap { element in
                element.string.flatMap { $0.utf8.count <= BrowserMessage.dataLimit ? $0 : nil }
            }
            content = PageContent(
                address: address, selection: BrowserMessage.clipped(selection, BrowserMessage.selectionLimit),
                data: data, title: value["title"]?.string.map { BrowserMessage.clipped($0, BrowserMessage.titleLimit) },
                base: value["base"]?.string.flatMap { $0.utf8.count <= BrowserMessage.addressLimit ? $0 : nil },
                isPartial: value["partial"]?.boolean ?? false)
        }
        error = value["error"]?.string
        message = BrowserMessage.clipped(value["message"]?.string ?? "", 600)
        tab = value["tab"]?.int64
        title = BrowserMessage.clipped(value["title"]?.string ?? "", BrowserMessage.titleLimit)
        isActive = value["active"]?.boolean ?? false
        isFocused = value["focused"]?.boolean ?? false
        isLoaded = value["loaded"]?.boolean ?? false
    }
}

/// A request that a browser's extension carries out.
struct BrowserRequest: Sendable {
    var window: Int64
    var tab: Int64?
    /// The address that a tab is to show.
    var address: String?
    /// Whether a new tab is opened where no tab shows the address.
    var opens = false
    var prominence: FocusPolicy.Prominence
    /// Whether the extension waits until the window has keyboard focus, whatever gave it the focus.
    var needsFocus = false
    /// What is wanted of the page, and nothing else is done.
    var reads: PageContent.Part?
    /// The tab, or the window, is closed, and nothing else is done.
    var closes = false
    /// How many milliseconds may pass until it is seen.
    var wait: Int

    func line(id: Int64) -> [UInt8] {
        var json = JSONWriter(escaping: .minimal)
        json.beginObject()
        json.member("id", id)
        json.member("window", window)
        if let tab { json.member("tab", tab) }
        if let address { json.member("url", address) }
        if opens { json.member("open", true) }
        if let reads { json.member("read", reads.rawValue) }
        if closes { json.member("close", true) }
        json.member("prominence", prominence.rawValue)
        if needsFocus { json.member("focused", true) }
        json.member("wait", wait)
        json.endObject()
        json.newline()
        return json.bytes
    }
}
