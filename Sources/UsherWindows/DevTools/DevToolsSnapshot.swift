internal import UsherActivation
internal import UsherJSON
internal import UsherScene

/// What a browser shows at one moment.
struct DevToolsSnapshot {
    struct Page {
        var target: String
        var window: Int64
        var isMinimized: Bool
        /// As the browser has it: also of a page that could not be loaded.
        var address: String
        var title: String
        /// What the page itself says; nil where it does not answer.
        var sight: Sight?
    }

    struct Sight {
        var isVisible: Bool
        /// It has the keyboard.
        var isFocused: Bool
        var address: String
    }

    var pages: [Page] = []

    /// More are not taken notice of.
    private static let pageLimit = 1000
    /// How long a page may take to answer, in milliseconds: a page whose script is busy does not answer.
    private static let pagePatience = 700

    /// Looks; afterwards there is a session with each page.
    init(_ connection: inout DevToolsConnection) throws(DevToolsProblem) {
        connection.hasNews = false
        let targets = try connection.call("Target.getTargets")["targetInfos"]?.elements ?? []
        for target in targets.prefix(Self.pageLimit) {
            // A page that is only prepared is of a kind of its own.
            guard target["type"]?.string == "page", target["subtype"] == nil, let id = target["targetId"]?.string,
                DevToolsHandle.isName(id)
            else {
                continue
            }
            let address = target["url"]?.string ?? ""
            // The tools themselves are pages, too.
            guard !address.hasPrefix("devtools:") else { continue }
            pages.append(
                Page(
                    target: id, window: -1, isMinimized: false,
                    address: address.utf8.count <= BrowserMessage.addressLimit ? address : "",
                    title: BrowserMessage.clipped(target["title"]?.string ?? "", BrowserMessage.titleLimit)))
        }
        try findWindows(&connection)
        pages = pages.filter { $0.window >= 0 }.sorted { ($0.window, $0.target) < ($1.window, $1.target) }
        let there = Set(pages.map(\.target))
        connection.sessions = connection.sessions.filter { there.contains($0.key) }
        connection.reporting.formIntersection(there)
        try connection.attach(to: pages.map(\.target))
        try see(&connection)
    }

    private mutating func findWindows(_ connection: inout DevToolsConnection) throws(DevToolsProblem) {
        let calls = pages.map { page in
            DevToolsConnection.Call(
                method: "Browser.getWindowForTarget", parameters: .object([.init("targetId", .string(page.target))]))
        }
        for (place, answer) in try connection.call(calls, within: connection.patience).enumerated() {
            switch answer {
            case .value(let value):
                pages[place].window = value["windowId"]?.int64 ?? -1
                pages[place].isMinimized = value["bounds"]?["windowState"]?.string == "minimized"
            // Closed meanwhile, or of no window.
            case .refused: continue
            case .silence: throw .silent
            }
        }
    }

    private mutating func see(_ connection: inout DevToolsConnection) throws(DevToolsProblem) {
        let parameters: JSONValue = .object([
            .init("expression", "[document.visibilityState, document.hasFocus(), location.href]"),
            .init("returnByValue", true),
        ])
        var asked: [Int] = []
        var calls: [DevToolsConnection.Call] = []
        for (place, page) in pages.enumerated() {
            guard let session = connection.sessions[page.target] else { continue }
            asked.append(place)
            calls.append(.init(method: "Runtime.evaluate", parameters: parameters, session: session))
        }
        for (place, answer) in zip(asked, try connection.call(calls, within: Self.pagePatience)) {
            guard let words = answer.value?["result"]?["value"]?.elements, words.count == 3 else { continue }
            pages[place].sight = Sight(
                isVisible: words[0].string == "visible", isFocused: words[1].boolean ?? false,
                address: words[2].string ?? "")
        }
    }

    // MARK: - What it shows

    func page(_ target: String?) -> Page? { pages.first { $0.target == target } }

    func pages(of window: Int64) -> [Page] { pages.filter { $0.window == window } }

    func front(of window: Int64) -> Page? { pages.first { $0.window == window && $0.sight?.isVisible == true } }

    var windows: [Int64] {
        var seen: Set<Int64> = []
        return pages.map(\.window).filter { seen.insert($0).inserted }
    }

    /// As the protocol shows it.
    func list(_ browser: DevToolsBrowser) -> WindowList {
        let windows = windows.map { id in
            let pages = pages(of: id)
            let tabs = pages.map { page in
                WindowList.Tab(
                    handle: DevToolsHandle(browser.address, window: id, tab: page.target).text, address: page.address,
                    title: page.title, isActive: page.sight?.isVisible ?? false)
            }
            var window = WindowList.Window(
                handle: DevToolsHandle(browser.address, window: id).text, title: front(of: id)?.title ?? "",
                group: "\(browser.address)", parts: tabs.map(\.handle))
            window.browser = browser.name
            window.process = browser.process
            window.tabs = tabs
            if pages.contains(where: \.isMinimized) {
                window.activation = .background
            } else if pages.contains(where: { $0.sight?.isFocused == true }) {
                window.activation = .foregroundActive
            }
            return window
        }
        return WindowList(server: browser.server, windows: windows)
    }
}

/// A browser that answers, and what is known of its process.
struct DevToolsBrowser: Sendable, Hashable {
    var address: DevToolsAddress
    var server: String
    var product: String
    var name: String
    var process: Int32?
}
