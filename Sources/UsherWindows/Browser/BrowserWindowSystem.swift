internal import Dispatch
internal import Synchronization
public import UsherActivation
internal import UsherScene
public import UsherSystem
internal import UsherText

/// The windows and tabs of browsers that have Usher's extension: `browser:firefox/3`, its tabs `browser:firefox/3/17`.
///
/// Each browser connects to a Unix socket through its native messaging host (`usher browser host`). The last state that
/// it reported is available without a request. A handle is valid for one life of the browser's process.
public final class BrowserWindowSystem: WindowSystem {
    public let name = "browser"
    let hub: BrowserHub
    /// On which the browsers' windows are windows, too.
    private let desktop: (any WindowSystem)?
    private let limits: Limits
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
        desktopWatch = desktop?.watch { [hub] in hub.updateDesktop($0) }
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
            return WindowSupport(name, nothing: "no browser is connected: usher browser status")
        }
        let names = clients.map { Printable.text(($0.name ?? "") + " " + $0.version, limit: 60) }
        return WindowSupport(
            "\(name) (\(names.joined(separator: ", ")))",
            allBut: [
                .launch: "programs open no windows in a browser: `show = { tab = … }` opens a tab",
                .token: "browsers take none",
            ])
    }

    public func recognizes(handle: String) -> Bool { BrowserHandle(handle) != nil }

    /// Of all browsers; each window names its own server. The list's is all of theirs.
    public func windows() throws(ActivationFailure) -> WindowList { hub.listed }

    public func server(of handle: String) throws(ActivationFailure) -> String? {
        BrowserHandle(handle).flatMap { hub.client(named: $0.client)?.client.server }
    }

    /// `unknown` for a browser that runs and is not connected.
    public func presence(of window: WindowReference) throws(ActivationFailure) -> WindowPresence {
        guard case .handle(let text, let server) = window, let handle = BrowserHandle(text) else { return .unknown }
        guard let (_, client) = hub.client(named: handle.client), server == nil || server == client.server else {
            guard let server else { return .unknown }
            return BrowserClient.isAlive(server) ? .unknown : .gone
        }
        return find(handle, in: client) == nil ? .gone : .present
    }

    public func launch(_ launch: WindowLaunch) throws(ActivationFailure) -> WindowSighting {
        throw .windowSystem(name, "no program runs in a browser's window", help: "launch the browser with exec")
    }

    public func type(_ keys: WindowKeys, into window: WindowReference) throws(ActivationFailure) {
        throw .windowSystem(name, "nothing is typed into a browser's window", help: "`show = { tab = … }` shows a page")
    }

    public func find(processes: [Int32]) throws(ActivationFailure) -> WindowSighting? { nil }

    public func plan(_ step: WindowStep) -> String {
        switch step {
        case .focus(let window): "\(name): bring \(Printable.text(window.text)) forward, read it back"
        case .navigate(let window, let address):
            "\(name): show \(Printable.text(address)) in \(Printable.text(window.text)), read it back"
        case .launch, .type: "nothing: browsers only show pages"
        }
    }

    private func find(_ handle: BrowserHandle, in client: BrowserClient) -> (BrowserWindow, BrowserWindow.Tab?)? {
        guard let window = client.windows?.first(where: { $0.id == handle.window }) else { return nil }
        guard let id = handle.tab else { return (window, nil) }
        return window.tabs.first { $0.id == id }.map { (window, $0) }
    }
}

// MARK: - Desktop

extension BrowserWindowSystem {
    /// Brings the desktop's own window of a tab forward, and asks both the desktop and the browser whether it is in
    /// front.
    private func raise(
        _ place: FoundWindow, _ answer: BrowserAnswer, _ request: FocusRequest, on desktop: any WindowSystem
    ) throws(ActivationFailure) -> WindowSighting {
        let seen = try desktopWindow(of: place, answer, on: desktop)
        var window = seen.window
        if window == nil, request.policy.prominence == .focus {
            // Among equals, it is the one that comes forward when the browser brings its own.
            if try confirm(place, answer, .focus).isFocused {
                window = try frontmost(among: seen.alike, on: desktop)
            }
        }
        guard let window else {
            let problem =
                seen.alike.isEmpty
                ? "\(desktop.name) has no window of it" : "\(seen.alike.count) windows of it look the same"
            return sighting(place, answer, view: .hidden(seen: problem), cause: .seenTabUnknown)
        }
        let sighting = try desktop.focus(
            FocusRequest(
                .handle(window.handle, server: window.server), policy: request.policy, token: request.token))
        var result = self.sighting(
            place, answer, view: answer.isActive ? sighting.view : .hidden(seen: "another tab is in front"))
        result.sparedTyping = sighting.sparedTyping
        (result.front, result.exposure) = (sighting.front, sighting.exposure)
        guard case .shown = result.view, request.policy.prominence == .focus, !sighting.sparedTyping else {
            return result
        }
        // What the browser saw before says nothing about now.
        let front = try confirm(place, answer, .raise)
        if !front.isActive {
            (result.view, result.cause) = (.hidden(seen: "another tab is in front"), .seenTabHidden)
        }
        if !front.isFocused { result.view = .hidden(seen: "the browser says that its window has no keyboard") }
        return result
    }

    /// What the browser sees a little later.
    private func confirm(
        _ place: FoundWindow, _ answer: BrowserAnswer, _ prominence: FocusPolicy.Prominence
    ) throws(ActivationFailure) -> BrowserAnswer {
        var wanted = BrowserRequest(
            window: place.handle.window, tab: answer.tab, prominence: prominence, wait: limits.seen)
        wanted.needsFocus = true
        return try ask(place, wanted)
    }

    /// The desktop's window that has the tab's title, when it has it; the windows in question where there are several.
    private func desktopWindow(
        of place: FoundWindow, _ answer: BrowserAnswer, on desktop: any WindowSystem
    ) throws(ActivationFailure) -> (window: WindowList.Window?, alike: [WindowList.Window]) {
        let deadline = Deadline(inMilliseconds: limits.title)
        var list = try desktop.windows()
        while true {
            let own = list.windows.filter { $0.process == place.client.process }
            let client = hub.client(named: place.handle.client)?.client ?? place.client
            // One window here and there: nothing can be mistaken.
            if own.count == 1, client.windows?.count == 1 { return (own[0], own) }
            // A page may change its title all the time.
            let tab = client.windows?.first { $0.id == place.handle.window }?.tabs.first { $0.id == answer.tab }
            let alike = own.filter {
                Self.title($0.title, isOf: answer.title) || Self.title($0.title, isOf: tab?.title ?? "")
            }
            if alike.count == 1 { return (alike[0], alike) }
            if !alike.isEmpty || deadline.isOver { return (nil, alike.isEmpty ? own : alike) }
            // The title follows the tab a moment later.
            list = try desktop.change(after: list, until: deadline, or: nil)
        }
    }

    private func frontmost(
        among windows: [WindowList.Window], on desktop: any WindowSystem
    ) throws(ActivationFailure) -> WindowList.Window? {
        let handles = Set(windows.map(\.handle))
        let deadline = Deadline(inMilliseconds: limits.title)
        var list = try desktop.windows()
        while true {
            if let found = list.windows.first(where: {
                $0.activation == .foregroundActive && handles.contains($0.handle)
            }) {
                return found
            }
            guard !deadline.isOver else { return nil }
            list = try desktop.change(after: list, until: deadline, or: nil)
        }
    }

    /// Whether a window's title begins with a page's, up to space and what is not shown: `Page — Mozilla Firefox`.
    static func title(_ window: String, isOf page: String) -> Bool {
        let page = words(page)
        return !page.isEmpty && words(window).starts(with: page)
    }

    private static func words(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        // Window managers cut long titles off.
        for scalar in text.unicodeScalars.prefix(200) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator: continue
            default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        return bytes
    }
}

// MARK: - Focus

extension BrowserWindowSystem {
    /// The tab that shows the target comes to the front of its window, and the window to the front of the desktop.
    ///
    /// `shown` means that the browser says so and the desktop, where there is one, says so too.
    public func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting {
        let place = try place(of: request.window)
        var wanted = BrowserRequest(
            window: place.handle.window, tab: place.handle.tab, address: request.target, prominence: .raise,
            wait: limits.seen)
        if request.policy.prominence == .none {
            return sighting(place, title: place.window.front?.title, view: .untouched)
        }
        // With a desktop, the browser only selects the tab: the desktop decides which window gets the keyboard.
        if desktop == nil { wanted.prominence = request.policy.prominence }
        let answer = try ask(place, wanted)
        guard let desktop else { return sighting(place, answer, view: view(answer, request.policy)) }
        return try raise(place, answer, request, on: desktop)
    }

    /// Turns to the tab that shows an address, and opens one where there is none. The window stays where it is.
    public func navigate(_ window: WindowReference, to address: String) throws(ActivationFailure) -> WindowSighting {
        guard address.utf8.count <= BrowserMessage.addressLimit else {
            throw .browserAddress(address, "it is longer than \(BrowserMessage.addressLimit) bytes")
        }
        let place = try place(of: window)
        let answer = try ask(
            place,
            BrowserRequest(
                window: place.handle.window, address: address, opens: true, prominence: .raise, wait: limits.seen))
        guard answer.isActive else { return sighting(place, answer, view: .hidden(seen: "another tab is in front")) }
        guard answer.isLoaded else {
            return sighting(
                place, answer, view: .hidden(seen: "the page has not begun to load"), cause: .seenOtherTarget)
        }
        return sighting(place, answer, view: .shown)
    }

    /// The tab, or the window with all its tabs.
    public func close(_ window: WindowReference) throws(ActivationFailure) {
        let place = try place(of: window)
        var request = BrowserRequest(
            window: place.handle.window, tab: place.handle.tab, prominence: .none, wait: limits.seen)
        request.closes = true
        do throws(ActivationFailure) {
            _ = try ask(place, request)
        } catch  where error.code == .browserNotConnected {
            // A browser ends with its last window, before it answers. `presence` says whether it has.
        }
    }

    // MARK: - Pages

    /// Tells the extensions whether to read the canonical link and the language of the pages in front.
    public func readPages(_ readsPages: Bool) { hub.readPages(readsPages) }

    /// Calls `observer` when `usher browser pause` or `resume` says so; it must not wait.
    public func observePauses(_ observer: @escaping @Sendable () -> Void) { hub.observePauses(observer) }

    /// What the tab in front of a window has: its selected text, or its data for programs. nil where the page cannot
    /// be read.
    public func read(_ part: PageContent.Part, of window: WindowReference) throws(ActivationFailure) -> PageContent? {
        let place = try place(of: window)
        guard !place.window.isPrivate else { return nil }
        var wanted = BrowserRequest(
            window: place.handle.window, tab: place.handle.tab ?? place.window.front?.id, prominence: .none,
            wait: limits.seen)
        wanted.reads = part
        return try ask(place, wanted).content
    }

    // MARK: - Asking

    struct FoundWindow {
        var token: UInt64
        var client: BrowserClient
        var handle: BrowserHandle
        var window: BrowserWindow
    }

    func place(of reference: WindowReference) throws(ActivationFailure) -> FoundWindow {
        guard case .handle(let text, let server) = reference, let handle = BrowserHandle(text) else {
            throw .windowSystem(
                name, "\(reference.text) is no window of a browser", help: "one is named like browser:firefox/3")
        }
        guard let (token, client) = hub.client(named: handle.client) else {
            // A browser that has ended took its windows with it.
            if let server, !BrowserClient.isAlive(server) { throw .windowGone(text) }
            throw .browserNotConnected(handle.client)
        }
        guard server == nil || server == client.server, let (window, _) = find(handle, in: client) else {
            throw .windowGone(text)
        }
        return FoundWindow(token: token, client: client, handle: handle, window: window)
    }

    private func ask(_ place: FoundWindow, _ request: BrowserRequest) throws(ActivationFailure) -> BrowserAnswer {
        let limit = request.wait + limits.answer
        switch hub.ask(place.token, request, until: Deadline(inMilliseconds: limit)) {
        case .lost: throw .browserLost(place.handle.client)
        case .silence: throw .browserSilent(place.handle.client, milliseconds: limit)
        case .answer(let answer):
            switch answer.error {
            case nil: return answer
            case "gone": throw .windowGone(place.handle.text)
            case "address": throw .browserAddress(request.address ?? "", answer.message)
            default: throw .browserRefused(place.handle.client, answer.message)
            }
        }
    }

    // MARK: - What is seen

    private func view(_ answer: BrowserAnswer, _ policy: FocusPolicy) -> WindowSighting.View {
        guard answer.isActive else { return .hidden(seen: "another tab is in front") }
        switch policy.prominence {
        case .focus: return answer.isFocused ? .shown : .hidden(seen: "the window did not get the keyboard")
        // Without a desktop it is unknown which windows cover this one.
        case .raise: return answer.isFocused ? .shown : .hidden(seen: "only a desktop can raise a window of a browser")
        case .urgent, .none: return .shown
        }
    }

    private func sighting(
        _ place: FoundWindow, _ answer: BrowserAnswer, view: WindowSighting.View,
        cause: DiagnosticCode = .seenNotFront
    ) -> WindowSighting {
        var result = sighting(place, title: answer.title, view: view)
        result.cause = answer.isActive ? cause : .seenTabHidden
        return result
    }

    private func sighting(_ place: FoundWindow, title: String?, view: WindowSighting.View) -> WindowSighting {
        WindowSighting(
            handle: place.handle.text, server: place.client.server ?? "", title: title, process: place.client.process,
            view: view)
    }
}

// MARK: - Watch

extension BrowserWindowSystem {
    public func change(
        after list: WindowList, until deadline: Deadline, or descriptor: Int32?
    ) throws(ActivationFailure) -> WindowList {
        let signal = WakeSignal()
        let token = hub.observe { signal.raise() }
        defer { hub.endObserving(token) }
        while true {
            signal.clear()
            let now = hub.listed
            if now != list || deadline.isOver { return now }
            if signal.wait(until: deadline, or: descriptor).other { return hub.listed }
        }
    }

    public func watch(_ changed: @escaping @Sendable (WindowList) -> Void) -> (any WindowWatch)? {
        BrowserWatch(hub, changed)
    }
}

/// Publishes the browsers' windows whenever they have changed. Changes during a callback are published once, after it.
private final class BrowserWatch: WindowWatch {
    private struct State: Sendable {
        var last: WindowList?
        var isDue = false
        var isOver = false
    }

    private let hub: BrowserHub
    private let changed: @Sendable (WindowList) -> Void
    private let queue = DispatchQueue(label: "usher.browser.watch")
    private let state = Mutex(State())
    private let token = Mutex<UInt64?>(nil)

    init(_ hub: BrowserHub, _ changed: @escaping @Sendable (WindowList) -> Void) {
        self.hub = hub
        self.changed = changed
        let number = hub.observe { [weak self] in self?.scheduleReport() }
        token.withLock { $0 = number }
        scheduleReport()
    }

    deinit { if let number = token.withLock({ $0 }) { hub.endObserving(number) } }

    /// Not from within `changed`.
    func stop() {
        if let number = token.withLock({ $0.take() }) { hub.endObserving(number) }
        state.withLock { $0.isOver = true }
        queue.sync {}
    }

    private func scheduleReport() {
        let begins = state.withLock { state in
            defer { state.isDue = true }
            return !state.isDue
        }
        if begins { queue.async { self.report() } }
    }

    private func report() {
        let isOver = state.withLock { state in
            state.isDue = false
            return state.isOver
        }
        guard !isOver else { return }
        let list = hub.listed
        let isOther = state.withLock { state in
            defer { state.last = list }
            return state.last != list
        }
        if isOther { changed(list) }
    }
}
