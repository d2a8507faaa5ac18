internal import Dispatch
internal import Synchronization
public import UsherActivation
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// The windows and tabs of browsers that let themselves be driven (`--remote-debugging-port`), for kiosks:
/// `devtools:127.0.0.1:9222/1676751109`, its tabs `…/TARGET`.
///
/// Chrome opens no such port on a user's own profile, and whoever reaches the port owns the browser: for people's browsers
/// there is the extension (`BrowserWindowSystem`). A handle is good for one life of the browser.
public final class DevToolsWindowSystem: WindowSystem {
    public let name = "devtools"
    let addresses: [DevToolsAddress]
    /// On which the browsers' windows are windows, too.
    let desktop: (any WindowSystem)?
    let limits: Limits
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

    public var isOfBrowsers: Bool { true }

    public var support: WindowSupport {
        var found: [String] = []
        var problems: [String] = []
        let answers = each { address -> Result<DevToolsBrowser, DevToolsProblem> in
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
            return WindowSupport(
                name, Dictionary(uniqueKeysWithValues: WindowSupport.Ability.allCases.map { ($0, .no(reason)) }))
        }
        return WindowSupport(
            "\(name) (\((found + problems).joined(separator: "; ")))",
            [
                .list: .yes, .focus: .yes, .verify: .yes, .watch: .yes,
                .launch: .no("programs open no windows in a browser: `show = { tab = … }` opens a tab"),
                .token: .no("browsers take none"),
            ])
    }

    public func recognizes(handle: String) -> Bool { DevToolsHandle(handle) != nil }

    /// Of all browsers that answer; each window names its own server. The list's is all of theirs.
    public func windows() throws(ActivationFailure) -> WindowList {
        let lists = each { address -> WindowList? in
            if hanging.has(address) { return Optional.none }
            return try? look(at: address)
        }
        return Self.joined(lists.compactMap { $0 })
    }

    /// Asks all of them side by side: one that hangs holds up few of the others.
    private func each<Answer: Sendable>(_ ask: @Sendable (DevToolsAddress) -> Answer) -> [Answer] {
        guard addresses.count > 1 else { return addresses.map(ask) }
        let answers = Mutex<[Int: Answer]>([:])
        DispatchQueue.concurrentPerform(iterations: addresses.count) { place in
            let answer = ask(addresses[place])
            answers.withLock { $0[place] = answer }
        }
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
        case .focus(let window): "devtools: bring \(Printable.text(window.text)) forward, read it back"
        case .navigate(let window, let address):
            "devtools: show \(Printable.text(address)) in \(Printable.text(window.text)), read it back"
        case .launch, .type: "nothing: browsers only show pages"
        }
    }

    // MARK: - Browsers

    func connect(_ address: DevToolsAddress) throws(DevToolsProblem) -> DevToolsConnection {
        try DevToolsConnection(address, patience: limits.answer, limit: limits.visit)
    }

    func browser(_ connection: borrowing DevToolsConnection, at address: DevToolsAddress) -> DevToolsBrowser {
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
        return try DevToolsLook(&connection).list(browser)
    }

    static func joined(_ lists: [WindowList]) -> WindowList {
        let servers = lists.compactMap(\.server).sorted()
        return WindowList(
            server: servers.isEmpty ? Optional.none : servers.joined(separator: " "), windows: lists.flatMap(\.windows))
    }
}
