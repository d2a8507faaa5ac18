internal import UsherActivation
internal import UsherJSON
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// A connected browser: one profile of one process.
struct BrowserClient: Sendable {
    let wire: BrowserWire
    /// The browser's process, as the host reports it; 0 before that report.
    var process: Int32 = 0
    /// The browser's process and its start time: unchanged by a restart of the host, the extension or the daemon. nil before
    /// the host's report, and if that process does not run.
    var server: String?
    /// What its handles name it; nil until it has introduced itself.
    var name: String?
    var product = ""
    var version = ""
    /// nil before its first report.
    var windows: [BrowserWindow]?
    var nextRequest: Int64 = 1

    /// Sets `process` and `server`. Process numbers are reused: number and start time together identify a process.
    mutating func setProcess(_ process: Int32) {
        self.process = process
        server = ProcessStatus(pid: process).map { "\(process).\($0.startTime)" }
    }

    /// Whether the process with this identity still runs; false for one that has ended and was not yet waited for.
    static func isAlive(_ server: String) -> Bool {
        let parts = server.split(separator: ".")
        guard parts.count == 2, let process = Int32(parts[0]), let start = UInt64(parts[1]) else { return false }
        guard let status = ProcessStatus(pid: process) else { return false }
        return status.isRunning && status.startTime == start
    }

    /// `Google Chrome` is called `google-chrome`, the second one `google-chrome-2`.
    static func name(for product: String, wanted: String?, taken: Set<String>) -> String {
        var base = ""
        for byte in product.utf8.prefix(30) {
            let lower = byte.lowercasedASCII
            let isPlain = lower &- 0x61 < 26 || lower &- 0x30 < 10
            if isPlain { base.unicodeScalars.append(Unicode.Scalar(lower)) } else if base.last != "-" { base += "-" }
        }
        base = base.split(separator: "-").joined(separator: "-")
        if base.isEmpty { base = "browser" }
        // Its earlier name, so that its handles stay valid after the daemon was restarted.
        if let wanted, BrowserHandle.isName(wanted[...]),
            wanted.hasSameBytes(as: base) || wanted.utf8.starts(with: (base + "-").utf8), !taken.contains(wanted)
        {
            return wanted
        }
        if !taken.contains(base) { return base }
        return (2...).lazy.map { "\(base)-\($0)" }.first { !taken.contains($0) } ?? base
    }

    private func handle(_ window: BrowserWindow, _ tab: BrowserWindow.Tab? = nil) -> String {
        BrowserHandle(client: name ?? "", window: window.id, tab: tab?.id).text
    }

    /// As the protocol shows it.
    ///
    /// - Parameter front: the process of the window in front on the desktop, where that is known.
    func listed(_ window: BrowserWindow, front: Int32? = nil) -> WindowList.Window {
        let tabs = window.tabs.map { tab in
            var listed = WindowList.Tab(
                handle: handle(window, tab), address: tab.address, title: tab.title, isActive: tab.isActive)
            listed.canonical = tab.canonical
            listed.language = tab.language
            listed.isReadable = tab.isReadable
            return listed
        }
        var listed = WindowList.Window(
            handle: handle(window), title: window.front?.title ?? "", group: name ?? "", parts: tabs.map(\.handle),
            server: server)
        listed.browser = name
        listed.tabs = tabs
        listed.isPrivate = window.isPrivate
        listed.process = process
        // A browser cannot report whether a window without the keyboard is visible.
        let isFocused = window.isFocused && (front == nil || front == process)
        listed.activation = isFocused ? .foregroundActive : (window.isMinimized ? .background : Optional.none)
        return listed
    }

    /// For `usher browser status`.
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("client", name)
        json.member("browser", product)
        json.member("version", version)
        json.member("process", Int(process))
        json.member("windows", windows?.count ?? 0)
        json.member("tabs", windows?.reduce(0) { $0 + $1.tabs.count } ?? 0)
        json.endObject()
    }
}
