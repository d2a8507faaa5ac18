public import UsherActivation
internal import UsherScene
internal import UsherText

/// The windows and tabs of browsers that have Usher's extension: `browser:firefox/3`, its tabs `browser:firefox/3/17`.
///
/// Browsers come by themselves, over a Unix socket that their native messaging host (`usher browser host`) finds. What they
/// told last is known without asking. A handle is good for one life of the browser's process.
public final class BrowserWindowSystem: WindowSystem {
    public let name = "browser"
    let hub: BrowserHub
    /// On which the browsers' windows are windows, too.
    let desktop: (any WindowSystem)?
    let limits: Limits
    private let desktopWatch: (any WindowWatch)?

    /// In milliseconds.
    struct Limits: Sendable {
        /// How long the extension may take until what it did is seen; then it answers what it sees instead.
        var seen = 1500
        /// How long beyond that a browser may be silent.
        var answer = 1500
        /// How long a desktop may take to show a tab's title as that of its window.
        var title = 1000
    }

    /// - Parameters:
    ///   - socket: the path of the socket, which is made; `BrowserSocket.path(beside:)` says where it is looked for.
    ///   - desktop: where the browsers' windows are brought forward and read back as well.
    public convenience init(socket: String, desktop: (any WindowSystem)? = nil) throws(ActivationFailure) {
        try self.init(socket: socket, desktop: desktop, limits: Limits())
    }

    init(socket: String, desktop: (any WindowSystem)?, limits: Limits) throws(ActivationFailure) {
        hub = try BrowserHub(path: socket)
        self.desktop = desktop
        self.limits = limits
        desktopWatch = desktop?.watch { [hub] in hub.note(desktop: $0) }
    }

    deinit { stop() }

    /// Ends every connection and removes the socket.
    public func stop() {
        desktopWatch?.stop()
        hub.stop()
    }

    public var isAvailable: Bool { true }

    public var isOfBrowsers: Bool { true }

    public var support: WindowSupport {
        let clients = hub.clients
        guard !clients.isEmpty else {
            let reason = "no browser is connected: usher browser status"
            return WindowSupport(
                name,
                Dictionary(uniqueKeysWithValues: WindowSupport.Ability.allCases.map { ($0, .no(reason)) }))
        }
        let names = clients.map { Printable.text(($0.name ?? "") + " " + $0.version, limit: 60) }
        return WindowSupport(
            "\(name) (\(names.joined(separator: ", ")))",
            [
                .list: .yes, .focus: .yes, .verify: .yes, .watch: .yes,
                .launch: .no("programs open no windows in a browser: `show = { tab = … }` opens a tab"),
                .token: .no("browsers take none"),
            ])
    }

    public func recognizes(handle: String) -> Bool { BrowserHandle(handle) != nil }

    /// Of all browsers; each window names its own server. The list's is all of theirs.
    public func windows() throws(ActivationFailure) -> WindowList { hub.listed }

    public func server(of handle: String) throws(ActivationFailure) -> String? {
        BrowserHandle(handle).flatMap { hub.client(named: $0.client)?.client.server }
    }

    /// Of a browser that runs and is not connected nobody can tell.
    public func presence(of window: WindowReference) throws(ActivationFailure) -> WindowPresence {
        guard case .handle(let text, let server) = window, let handle = BrowserHandle(text) else { return .unknown }
        guard let (_, client) = hub.client(named: handle.client), server == nil || server == client.server else {
            guard let server else { return .unknown }
            return BrowserClient.isAlive(server) ? .unknown : .gone
        }
        return find(handle, in: client) == nil ? .gone : .present
    }

    func find(_ handle: BrowserHandle, in client: BrowserClient) -> (BrowserWindow, BrowserWindow.Tab?)? {
        guard let window = client.windows?.first(where: { $0.id == handle.window }) else { return nil }
        guard let id = handle.tab else { return (window, nil) }
        return window.tabs.first { $0.id == id }.map { (window, $0) }
    }

    public func launch(_ launch: WindowLaunch) throws(ActivationFailure) -> WindowSighting {
        throw .windowSystem(name, "no program runs in a browser's window", help: "launch the browser with exec")
    }

    public func type(_ keys: WindowKeys, into window: WindowReference) throws(ActivationFailure) {
        throw .windowSystem(name, "nothing is typed into a browser's window", help: "`show = { tab = … }` shows a page")
    }

    public func isOnItsWay(nonce: String) -> Bool { false }

    public func find(processes: [Int32]) throws(ActivationFailure) -> WindowSighting? { nil }

    public func plan(_ step: WindowStep) -> String {
        switch step {
        case .focus(let window): "browser: bring \(Printable.text(window.text)) forward, read it back"
        case .navigate(let window, let address):
            "browser: show \(Printable.text(address)) in \(Printable.text(window.text)), read it back"
        case .launch, .type: "nothing: browsers only show pages"
        }
    }
}
