internal import Dispatch
internal import Glibc
internal import Synchronization
public import UsherActivation
internal import UsherJSON
internal import UsherScene
public import UsherSystem
internal import UsherText

/// The windows and tabs of browsers that let themselves be driven (`--remote-debugging-port`), for kiosks:
/// `devtools:127.0.0.1:9222/1676751109`, its tabs `…/TARGET`.
///
/// Chrome opens no such port on a user's own profile, and any process that reaches the port controls the browser: for
/// people's browsers there is the extension (`BrowserWindowSystem`). A handle is good for one life of the browser.
public final class DevToolsWindowSystem: PageWindowSystem {
    public let name = "devtools"
    let addresses: [DevToolsAddress]
    /// On which the browsers' windows are windows, too.
    private let desktop: (any WindowSystem)?
    private let limits: Limits
    /// What is known of browsers, so that their processes are looked for once.
    private let known = Mutex<[DevToolsAddress: DevToolsBrowser]>([:])
    let hanging = HangingBrowsers()

    /// In milliseconds.
    struct Limits: Sendable {
        /// How long the browser may take for an answer.
        var answer = 2000
        /// How long all that is asked of it for one purpose may take, the desktop's part included.
        var visit = 6000
        /// How long a tab may take until it is seen.
        var seen = 1500
        /// How long the desktop may take until it shows what it was asked for.
        var desktop = 1000
        /// How long it is until a browser that went away is looked for, at first and at last.
        var back = 500...30_000
    }

    /// - Parameter desktop: where the browsers' windows are brought forward and read back as well.
    public convenience init(_ addresses: [DevToolsAddress], desktop: (any WindowSystem)? = nil) {
        self.init(addresses, desktop: desktop, limits: Limits())
    }

    init(_ addresses: [DevToolsAddress], desktop: (any WindowSystem)?, limits: Limits) {
        var seen: Set<DevToolsAddress> = []
        self.addresses = addresses.filter { seen.insert($0).inserted }
        self.desktop = desktop
        self.limits = limits
    }

    public var isAvailable: Bool { !addresses.isEmpty }

    public var support: WindowSupport {
        var found: [String] = []
        var problems: [String] = []
        let answers = each { [self] address -> Result<DevToolsBrowser, DevToolsProblem> in
            do throws(DevToolsProblem) {
                var connection = try connect(address)
                try connection.call("Target.getTargets")
                return .success(browser(connection, at: address))
            } catch {
                return .failure(error)
            }
        }
        for (address, answer) in zip(addresses, answers) {
            switch answer {
            case .success(let browser):
                found.append("\(browser.name) on \(address), \(Printable.text(browser.product, limit: 60))")
            case .failure(let problem): problems.append("\(address): \(problem.text)")
            }
        }
        guard !found.isEmpty else {
            let reason = problems.isEmpty ? "no address is set" : problems.joined(separator: "; ")
            return WindowSupport(name, nothing: reason)
        }
        return support(by: (found + problems).joined(separator: "; "))
    }

    public func recognizes(handle: String) -> Bool { DevToolsHandle(handle) != nil }

    /// Of all browsers that answer; each window names its own server. The list's is all of theirs.
    public func windows() throws(ActivationFailure) -> WindowList {
        let lists = each { [self] address -> WindowList? in
            if hanging.has(address) { return Optional.none }
            return try? look(at: address)
        }
        return Self.joined(lists.compactMap { $0 })
    }

    /// Asks all of them side by side: one that hangs holds up few of the others.
    private func each<Answer: Sendable>(_ ask: @escaping @Sendable (DevToolsAddress) -> Answer) -> [Answer] {
        guard addresses.count > 1 else { return addresses.map(ask) }
        let answers = Mutex<[Int: Answer]>([:])
        // On a queue each: `concurrentPerform`, once used, makes libdispatch wake the process every second for good.
        let asking = DispatchGroup()
        for (place, address) in addresses.enumerated() {
            DispatchQueue(label: "usher.devtools.address").async(group: asking) {
                let answer = ask(address)
                answers.withLock { $0[place] = answer }
            }
        }
        asking.wait()
        return answers.withLock { answers in addresses.indices.compactMap { answers[$0] } }
    }

    public func server(of handle: String) throws(ActivationFailure) -> String? {
        guard let handle = DevToolsHandle(handle), addresses.contains(handle.address), !hanging.has(handle.address)
        else { return nil }
        let deadline = Deadline(inMilliseconds: limits.answer)
        return try? DevToolsVersion(of: handle.address, until: deadline).life
    }

    public func presence(of window: WindowReference) throws(ActivationFailure) -> WindowPresence {
        guard case .handle(let text, let server) = window, let handle = DevToolsHandle(text),
            addresses.contains(handle.address), !hanging.has(handle.address)
        else { return .unknown }
        do throws(DevToolsProblem) {
            let list = try look(at: handle.address)
            return list.has(text, of: server) ? .present : .gone
        } catch {
            return error.meansGone ? .gone : .unknown
        }
    }

    // MARK: - Browsers

    private func connect(_ address: DevToolsAddress) throws(DevToolsProblem) -> DevToolsConnection {
        try DevToolsConnection(address, patience: limits.answer, limit: limits.visit)
    }

    private func browser(_ connection: borrowing DevToolsConnection, at address: DevToolsAddress) -> DevToolsBrowser {
        let version = connection.version
        if let browser = known.withLock({ $0[address] }), browser.server == version.life { return browser }
        let process = connection.peer.process
        let browser = DevToolsBrowser(
            address: address, server: version.life, product: version.product,
            name: version.name(program: process.flatMap(PeerSocket.program(of:))), process: process)
        known.withLock { $0[address] = browser }
        return browser
    }

    private func look(at address: DevToolsAddress) throws(DevToolsProblem) -> WindowList {
        var connection = try connect(address)
        let browser = browser(connection, at: address)
        return try DevToolsSnapshot(&connection).list(browser)
    }

    static func joined(_ lists: [WindowList]) -> WindowList {
        let servers = lists.compactMap(\.server).sorted()
        return WindowList(
            server: servers.isEmpty ? Optional.none : servers.joined(separator: " "), windows: lists.flatMap(\.windows))
    }
}

// MARK: - Desktop

extension DevToolsWindowSystem {
    /// Brings the desktop's own window forward, then turns to the tab, and looks again on both sides.
    private func raise(
        _ page: DevToolsSnapshot.Page, _ visit: Visit, _ request: FocusRequest, on desktop: any WindowSystem,
        _ connection: inout DevToolsConnection
    ) throws(DevToolsProblem) -> WindowSighting {
        let isWhole = request.policy.prominence == .focus
        do throws(ActivationFailure) {
            let (window, alike) = try desktopWindow(of: visit, on: desktop)
            guard let window else {
                let problem =
                    alike == 0 ? "\(desktop.name) has no window of it" : "\(alike) windows of it look the same"
                return visit.sighting(page, .hidden(seen: problem))
            }
            let reference = WindowReference.handle(window.handle, server: window.server)
            let sighting = try desktop.focus(
                FocusRequest(reference, policy: request.policy, token: request.token))
            var result = visit.sighting(page, sighting.view)
            result.sparedTyping = sighting.sparedTyping
            result.front = sighting.front
            guard case .shown = sighting.view, !sighting.sparedTyping else { return result }
            let seen: DevToolsSnapshot.Page
            do throws(DevToolsProblem) {
                seen = try isWhole ? turn(to: page, &connection) : see(page, &connection)
            } catch {
                throw error.failure(visit.handle.address)
            }
            if seen.sight?.isVisible != true, request.policy.prominence != .urgent || !page.isMinimized {
                return visit.sighting(seen, .hidden(seen: unseen(seen)))
            }
            result.title = seen.title
            // What the desktop saw before says nothing about now.
            if isWhole, try !isActive(window.handle, on: desktop) {
                result.view = .hidden(seen: "the window lost the keyboard")
            }
            return result
        } catch {
            throw .other(error)
        }
    }

    private func see(
        _ page: DevToolsSnapshot.Page, _ connection: inout DevToolsConnection
    ) throws(DevToolsProblem) -> DevToolsSnapshot.Page {
        let look = try DevToolsSnapshot(&connection)
        return look.page(page.target) ?? page
    }

    private func isActive(_ handle: String, on desktop: any WindowSystem) throws(ActivationFailure) -> Bool {
        let deadline = Deadline(inMilliseconds: limits.desktop)
        var list = try desktop.windows()
        while true {
            if list.windows.contains(where: { $0.handle == handle && $0.activation == .foregroundActive }) {
                return true
            }
            guard !deadline.isOver else { return false }
            list = try desktop.change(after: list, until: deadline, or: nil)
        }
    }

    /// The desktop's window of the browser's process that has the title of the tab in front; else how many there may be.
    private func desktopWindow(
        of visit: Visit, on desktop: any WindowSystem
    ) throws(ActivationFailure) -> (WindowList.Window?, alike: Int) {
        guard let process = visit.browser.process else { return (nil, 0) }
        let titles = (visit.front.map { [$0] } ?? visit.pages).map(\.title)
        let deadline = Deadline(inMilliseconds: limits.desktop)
        var list = try desktop.windows()
        while true {
            let own = list.windows.filter { $0.process == process }
            // One window here and there: nothing can be mistaken.
            if own.count == 1, visit.look.windows.count == 1 { return (own[0], 1) }
            let alike = own.filter { window in
                titles.contains { BrowserWindowSystem.title(window.title, isOf: $0) }
            }
            if alike.count == 1 { return (alike[0], 1) }
            if !alike.isEmpty || deadline.isOver { return (nil, alike.isEmpty ? own.count : alike.count) }
            // The title follows the tab a moment later.
            list = try desktop.change(after: list, until: deadline, or: nil)
        }
    }
}

// MARK: - Focus

extension DevToolsWindowSystem {
    /// The tab that shows the target comes to the front of its window, and the window to the front of the desktop.
    ///
    /// A browser that turns to another tab takes the keyboard along: with less than `focus` the tab in front stays.
    public func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting {
        let (handle, server) = try handle(of: request.window)
        do throws(DevToolsProblem) {
            var connection = try connect(handle.address)
            let visit = try visit(handle, server, &connection)
            return try focus(request, visit, &connection)
        } catch {
            if error.meansGone, server != nil { throw .windowGone(handle.text) }
            throw error.failure(handle.address)
        }
    }

    /// A window that is there.
    private struct Visit {
        var handle: DevToolsHandle
        var browser: DevToolsBrowser
        var look: DevToolsSnapshot

        var pages: [DevToolsSnapshot.Page] { look.pages(of: handle.window) }
        var front: DevToolsSnapshot.Page? { look.front(of: handle.window) }

        func sighting(_ page: DevToolsSnapshot.Page?, _ view: WindowSighting.View) -> WindowSighting {
            WindowSighting(
                handle: handle.text, server: browser.server, title: page?.title, process: browser.process, view: view)
        }
    }

    private func handle(of reference: WindowReference) throws(ActivationFailure) -> (DevToolsHandle, server: String?) {
        guard case .handle(let text, let server) = reference, let handle = DevToolsHandle(text) else {
            throw .windowSystem(
                name, "\(reference.words) is no window of a browser",
                help: "one is named like devtools:127.0.0.1:9222/3")
        }
        guard addresses.contains(handle.address) else {
            throw .windowSystem(
                name, "\(handle.address) is not among the addresses of [browser] devtools",
                help: "add it there, and start usherd anew")
        }
        return (handle, server)
    }

    private func visit(
        _ handle: DevToolsHandle, _ server: String?, _ connection: inout DevToolsConnection
    ) throws(DevToolsProblem) -> Visit {
        let browser = browser(connection, at: handle.address)
        guard server == nil || server == browser.server else { throw .other(.windowGone(handle.text)) }
        let visit = Visit(handle: handle, browser: browser, look: try DevToolsSnapshot(&connection))
        guard !visit.pages.isEmpty, handle.tab == nil || visit.pages.contains(where: { $0.target == handle.tab }) else {
            throw .other(.windowGone(handle.text))
        }
        return visit
    }

    private func focus(
        _ request: FocusRequest, _ visit: Visit, _ connection: inout DevToolsConnection
    ) throws(DevToolsProblem) -> WindowSighting {
        let prominence = request.policy.prominence
        let chosen = request.target.flatMap { TabChoice(showing: $0, in: visit.pages)?.page }
        let named = visit.handle.tab.flatMap { visit.look.page($0) }
        guard let page = named ?? chosen ?? visit.front ?? visit.pages.first else {
            throw .other(.windowGone(visit.handle.text))
        }
        if prominence == .none { return visit.sighting(visit.front, .untouched) }
        if let desktop { return try raise(page, visit, request, on: desktop, &connection) }
        guard prominence == .focus else {
            return visit.sighting(page, .hidden(seen: "only a desktop can raise or mark a window of a browser"))
        }
        if page.isMinimized {
            try connection.call(
                "Browser.setWindowBounds",
                [
                    "windowId": .number(String(visit.handle.window)),
                    "bounds": ["windowState": "normal"],
                ])
        }
        let seen = try turn(to: page, &connection) { $0.sight?.isFocused == true }
        guard seen.sight?.isVisible == true else { return visit.sighting(seen, .hidden(seen: unseen(seen))) }
        guard seen.sight?.isFocused == true else {
            return visit.sighting(seen, .hidden(seen: "the window did not get the keyboard"))
        }
        return visit.sighting(seen, .shown)
    }

    // MARK: - Tabs

    /// Has the browser turn to a tab; how it is seen then.
    ///
    /// - Parameter holds: what is waited for besides.
    private func turn(
        to page: DevToolsSnapshot.Page, _ connection: inout DevToolsConnection,
        until holds: (DevToolsSnapshot.Page) -> Bool = { _ in true }
    ) throws(DevToolsProblem) -> DevToolsSnapshot.Page {
        try follow([page.target], &connection)
        try connection.call("Target.activateTarget", ["targetId": .string(page.target)])
        return try settled(page.target, &connection) { $0.sight?.isVisible == true && holds($0) }
    }

    /// It is heard from now on when these pages change.
    private func follow(_ targets: [String], _ connection: inout DevToolsConnection) throws(DevToolsProblem) {
        try connection.discover()
        try connection.attach(to: targets)
        try connection.report(targets)
    }

    /// A page as soon as it is as it is waited for, or as it is when that takes too long.
    private func settled(
        _ target: String, _ connection: inout DevToolsConnection, until holds: (DevToolsSnapshot.Page) -> Bool
    ) throws(DevToolsProblem) -> DevToolsSnapshot.Page {
        let deadline = Deadline(inMilliseconds: limits.seen)
        while true {
            let look = try DevToolsSnapshot(&connection)
            guard let page = look.page(target) else { throw .refused("the tab was closed meanwhile") }
            if holds(page) || deadline.isOver { return page }
            _ = try connection.wait(until: deadline)
        }
    }

    private func unseen(_ page: DevToolsSnapshot.Page) -> String {
        page.sight == nil ? "the page does not answer" : "another tab is in front"
    }
}

// MARK: - Navigate

extension DevToolsWindowSystem {
    /// Turns to the tab that shows an address, and opens one in this window where there is none.
    public func navigate(_ window: WindowReference, to address: String) throws(ActivationFailure) -> WindowSighting {
        guard address.utf8.count <= BrowserMessage.addressLimit else {
            throw .browserAddress(address, "it is longer than \(BrowserMessage.addressLimit) bytes")
        }
        let (handle, server) = try handle(of: window)
        do throws(DevToolsProblem) {
            var connection = try connect(handle.address)
            let visit = try visit(handle, server, &connection)
            return try navigate(visit, to: address, &connection)
        } catch {
            if error.meansGone, server != nil { throw .windowGone(handle.text) }
            throw error.failure(handle.address)
        }
    }

    private func navigate(
        _ visit: Visit, to address: String, _ connection: inout DevToolsConnection
    ) throws(DevToolsProblem) -> WindowSighting {
        let choice = TabChoice(showing: address, in: visit.pages)
        var seen: DevToolsSnapshot.Page
        if let choice, choice.isExact {
            seen = choice.page
            if seen.sight?.isVisible != true { seen = try turn(to: seen, &connection) }
        } else {
            guard TabChoice.isWeb(address) else {
                throw .other(.browserAddress(address, "its scheme is neither http nor https"))
            }
            let target: String
            if let choice {
                target = choice.page.target
                // The same page, elsewhere on it.
                if choice.page.sight?.isVisible != true { _ = try turn(to: choice.page, &connection) }
                let session = connection.sessions[target]
                let call = DevToolsConnection.Call(
                    method: "Page.navigate", parameters: ["url": .string(address)], session: session)
                _ = try connection.call([call], within: limits.answer)
            } else {
                target = try open(address, visit, &connection)
            }
            try follow([target], &connection)
            seen = try settled(target, &connection) { page in
                guard page.sight?.isVisible == true, Self.hasBegun(page) else { return false }
                return choice == nil || Self.shows(page, address)
            }
            // A new tab goes where it is sent on to; a page that is there already was to move within itself.
            if choice != nil, seen.sight?.isVisible == true, !Self.shows(seen, address) {
                return visit.sighting(seen, .hidden(seen: "the page is at \(Printable.text(seen.address)) instead"))
            }
        }
        return visit.sighting(seen, view(of: seen))
    }

    private func view(of page: DevToolsSnapshot.Page) -> WindowSighting.View {
        guard let sight = page.sight, sight.isVisible else { return .hidden(seen: unseen(page)) }
        guard Self.hasBegun(page) else { return .hidden(seen: "the page has not begun to load") }
        guard !sight.address.hasPrefix("chrome-error:") else {
            return .hidden(seen: "the browser could not load the page")
        }
        return .shown
    }

    private static func shows(_ page: DevToolsSnapshot.Page, _ address: String) -> Bool {
        TabChoice(showing: address, in: [page])?.isExact == true
    }

    private static func hasBegun(_ page: DevToolsSnapshot.Page) -> Bool {
        guard let address = page.sight?.address else { return false }
        return !address.isEmpty && !address.hasPrefix("about:")
    }

    /// A new tab of this window; its target.
    private func open(
        _ address: String, _ visit: Visit, _ connection: inout DevToolsConnection
    ) throws(DevToolsProblem) -> String {
        if visit.look.windows.count == 1 {
            let answer = try connection.call("Target.createTarget", ["url": .string(address)])
            guard let target = answer["targetId"]?.string, DevToolsHandle.isName(target) else {
                throw .garbled("a new tab without a name")
            }
            return target
        }
        // The protocol opens tabs in the window it likes; a page opens them in its own.
        guard let page = visit.front ?? visit.pages.first, let session = connection.sessions[page.target] else {
            throw .refused("no page of the window answers")
        }
        let before = Set(visit.look.pages.map(\.target))
        try follow([page.target], &connection)
        let tree = try connection.ask(session, "Page.getFrameTree")
        guard let frame = tree["frameTree"]?["frame"]?["id"]?.string else { throw .garbled("a page without a frame") }
        let world = try connection.ask(
            session, "Page.createIsolatedWorld", ["frameId": .string(frame), "worldName": "usher-open"])
        guard let context = world["executionContextId"]?.int64 else { throw .garbled("a world without a number") }
        let words = JSONValue.string(address).text()
        _ = try connection.ask(
            session, "Runtime.evaluate",
            [
                "expression": .string("window.open(\(words), \"_blank\", \"noopener\"), 0"),
                "contextId": .number(String(context)), "userGesture": true,
            ])
        let deadline = Deadline(inMilliseconds: limits.seen)
        while true {
            let look = try DevToolsSnapshot(&connection)
            if let new = look.pages(of: visit.handle.window).first(where: { !before.contains($0.target) }) {
                return new.target
            }
            guard try connection.wait(until: deadline) else { throw .refused("no tab was opened") }
        }
    }
}

// MARK: - Watch

extension DevToolsWindowSystem {
    public func change(
        after list: WindowList, until deadline: Deadline, or descriptor: Int32?
    ) throws(ActivationFailure) -> WindowList {
        let last = LatestWindowList()
        guard let watch = watch({ last.publish($0) }) else { return try windows() }
        defer { watch.stop() }
        while true {
            last.signal.clear()
            if let now = last.list, now != list { return now }
            let isOther = last.signal.wait(until: deadline, or: descriptor).other
            if isOther || deadline.isOver { return try windows() }
        }
    }

    public func watch(_ changed: @escaping @Sendable (WindowList) -> Void) -> (any WindowWatch)? {
        guard isAvailable else { return nil }
        let joiner = DevToolsListJoiner(addresses, changed)
        let threads = addresses.compactMap { address in
            WatchThread(named: "watch devtools") { end in
                var pace = WatchPace { joiner.add($0, of: address) }
                self.watch(address, until: end, &pace)
            }
        }
        return DevToolsWatch(threads)
    }

    /// From one life of the browser to the next. No event reports a new one: Usher polls for it, with growing pauses.
    private func watch(_ address: DevToolsAddress, until end: WatchThread.End, _ pace: inout WatchPace) {
        var pause = limits.back.lowerBound
        while !end.hasCome {
            do throws(DevToolsProblem) {
                var connection = try DevToolsConnection(address, patience: limits.answer, or: end.descriptor)
                try connection.discover()
                // Only one that can be looked at is back.
                let look = try DevToolsSnapshot(&connection)
                pause = limits.back.lowerBound
                hanging.set(address, hangs: false)
                try follow(&connection, look, at: address, until: end, &pace)
            } catch {
                // One that hangs keeps its windows, once they are known.
                let hangs = if case .silent = error { true } else { false }
                hanging.set(address, hangs: hangs)
                if !hangs || !pace.hasTold { pace.tell(WindowList(server: nil, windows: []), unless: end) }
            }
            end.wait(until: Deadline(inMilliseconds: pause))
            pause = min(pause * 2, limits.back.upperBound)
        }
        hanging.set(address, hangs: false)
    }

    /// Through one life of the browser.
    private func follow(
        _ connection: inout DevToolsConnection, _ first: DevToolsSnapshot, at address: DevToolsAddress,
        until end: WatchThread.End, _ pace: inout WatchPace
    ) throws(DevToolsProblem) {
        let browser = browser(connection, at: address)
        var look = first
        while true {
            pace.tell(look.list(browser), unless: end)
            try connection.report(look.pages.map(\.target))
            guard try connection.wait(until: nil) else { return }
            // A burst is one look.
            let quiet = pace.quiet(isSlight: false)
            end.wait(until: quiet)
            look = try DevToolsSnapshot(&connection)
        }
    }
}

/// The lists of several browsers as one, published once every browser has reported.
private final class DevToolsListJoiner: Sendable {
    private struct State: Sendable {
        var missing: Set<DevToolsAddress>
        var lists: [DevToolsAddress: WindowList] = [:]
    }

    private let order: [DevToolsAddress]
    private let changed: @Sendable (WindowList) -> Void
    /// Held during the callback, so that lists are published one after the other.
    private let state: Mutex<State>

    init(_ addresses: [DevToolsAddress], _ changed: @escaping @Sendable (WindowList) -> Void) {
        order = addresses
        self.changed = changed
        state = Mutex(State(missing: Set(addresses)))
    }

    func add(_ list: WindowList, of address: DevToolsAddress) {
        state.withLock { state in
            state.lists[address] = list
            state.missing.remove(address)
            guard state.missing.isEmpty else { return }
            changed(DevToolsWindowSystem.joined(order.compactMap { state.lists[$0] }))
        }
    }
}

/// The browsers that a watch found hanging: as long as they hang, no other call waits for their windows.
final class HangingBrowsers: Sendable {
    private let addresses = Mutex<Set<DevToolsAddress>>([])

    func set(_ address: DevToolsAddress, hangs: Bool) {
        addresses.withLock { addresses in
            addresses.remove(address)
            if hangs { addresses.insert(address) }
        }
    }

    func has(_ address: DevToolsAddress) -> Bool { addresses.withLock { $0.contains(address) } }
}

/// The last list that a watch published, for another thread.
private final class LatestWindowList: Sendable {
    let signal = BrowserSignal()
    private let told = Mutex<WindowList?>(nil)

    var list: WindowList? { told.withLock { $0 } }

    func publish(_ list: WindowList) {
        told.withLock { $0 = list }
        signal.raise()
    }
}

/// A thread for each browser.
private final class DevToolsWatch: WindowWatch {
    private let threads: [WatchThread]

    init(_ threads: [WatchThread]) { self.threads = threads }

    /// Must not be called from within the watch's callback.
    func stop() { for thread in threads { thread.stop() } }
}
