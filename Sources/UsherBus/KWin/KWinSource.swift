internal import Dispatch
internal import Glibc
internal import Synchronization
package import UsherActivation
internal import UsherJSON
package import UsherSystem
internal import UsherText

/// The windows of KWin 5.27 and 6 on Wayland, Xwayland's among them, by a script that is loaded into it over D-Bus.
///
/// The script reports to this connection by its unique name, so several processes load one each. Calls of other connections
/// than KWin's are refused. When KWin restarts, or another program unloads the script, it is loaded again at once, by
/// events.
package final class KWinSource: ToplevelSource {
    package enum Event: Sendable {
        /// Another program had unloaded the script; it is loaded again.
        case loadedAgain
        /// The script cannot be loaded, or does not report.
        case failed(ActivationFailure)
    }

    private struct Request {
        var number: UInt64
        var action: String
        var id: String
        var receipt: DispatchSemaphore
    }

    private struct State {
        var bus: SessionBus?
        var observation: BusObservation?
        var isStopped = false
        /// The unique name of this connection.
        var peer = ""
        /// The unique name of KWin's connection; nil where it does not run.
        var compositor: String?
        /// Names the life of KWin.
        var server = ""
        /// The name of the script in use.
        var plugin: String?
        var loads = 0
        /// How often others have unloaded it, and whether it is to be reported that it is loaded again.
        var losses = 0
        var isLost = false
        /// The first report has arrived completely.
        var isReady = false
        var readiness: DispatchSemaphore?
        var windows: [Toplevel] = []
        /// Bottom to top.
        var order: [String] = []
        var focused = ""
        var raises = false
        /// Why the script does not work, until it may be tried again.
        var failure: (ActivationFailure, Deadline)?
        var requests: [Request] = []
        var lastRequest: UInt64 = 0
        /// What the script has seen, by the number of the request.
        var seen: [UInt64: WindowExposure] = [:]
        /// The call that takes the next request.
        var poll: BusReplier?
    }

    package let desktop = DesktopName.kwin
    private let environment: [String: String]
    private let report: @Sendable (Event) -> Void
    private let model = ToplevelModel()
    private let state = Mutex(State())
    /// Scripts are loaded here, one after the other.
    private let queue = DispatchQueue(label: "usher.kwin")

    private static let service = "org.kde.KWin"
    private static let scripting = "org.kde.kwin.Scripting"
    /// In milliseconds, for a call of KWin.
    private static let patience = 2000
    /// In milliseconds: how long the first report may take, and when a script that failed is tried again.
    private static let firstReport = 5000
    private static let pause = 10_000

    /// - Parameter environment: says where the session bus is, and names the desktop.
    package init(environment: [String: String], report: @escaping @Sendable (Event) -> Void = { _ in }) {
        self.environment = environment
        self.report = report
    }

    /// Whether the compositor of an environment is KWin: the environment says so, or KWin is on the session bus.
    package static func isHere(_ environment: [String: String]) -> Bool {
        guard environment["WAYLAND_DISPLAY"]?.isEmpty == false else { return false }
        let desktops = (environment["XDG_CURRENT_DESKTOP"] ?? "").split(separator: ":")
        if desktops.contains(where: { $0.utf8.elementsEqual("KDE".utf8) }) { return true }
        return desktops.isEmpty && (try? SessionBus(environment: environment).owner(of: service)) ?? nil != nil
    }

    package var isAvailable: Bool { environment["WAYLAND_DISPLAY"]?.isEmpty == false }

    package var support: WindowSupport {
        do throws(ActivationFailure) {
            guard try snapshot() != nil else { return WindowSupport(name, nothing: "KWin is not on the session bus") }
            let losses = state.withLock { $0.losses }
            return WindowSupport(
                (softwareVersion.map { "kwin \($0)" } ?? name)
                    + (losses > 0 ? ", its script unloaded by others \(losses)×" : ""),
                allBut: [.token: "its script brings windows forward without one"])
        } catch {
            return WindowSupport(name, error)
        }
    }

    private static let supportInformation = "supportInformation"

    private var softwareVersion: String? {
        let answer = try? bus()?.call(kwin("/KWin", Self.service, Self.supportInformation))
        return Self.version(in: answer).map { Printable.text($0) }
    }

    private static func version(in supportInformation: [BusValue]?) -> String? {
        supportInformation?.first?.string?.split(separator: "\n")
            .first { $0.hasPrefix("KWin version: ") }.map { String($0.dropFirst("KWin version: ".count)) }
    }

    /// A UUID: `30ae92d4-ab7b-4059-ad95-d7a83b00b797`.
    package func isID(_ text: String) -> Bool {
        guard text.utf8.count == 36 else { return false }
        return text.utf8.enumerated().allSatisfy { place, byte in
            switch byte {
            case UInt8(ascii: "-"): [8, 13, 18, 23].contains(place)
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"):
                ![8, 13, 18, 23].contains(place)
            default: false
            }
        }
    }

    /// KWin 5.27 has no request to raise a window.
    package var actions: Set<ToplevelAction> {
        state.withLock { $0.raises }
            ? [.activate, .raise, .markUrgent, .moveHere, .close] : [.activate, .markUrgent, .moveHere, .close]
    }

    // MARK: - Windows

    package func snapshot() throws(ActivationFailure) -> ToplevelSnapshot? {
        try prepare()
        // KWin sends what has changed before it answers a later call.
        let plugin = state.withLock { $0.isReady ? $0.plugin : nil }
        guard let plugin, let bus = bus() else { return model.current }
        let answer: BusMessage
        let call = kwin("/Scripting", Self.scripting, "isScriptLoaded", [.string(plugin)])
        do throws(BusProblem) {
            answer = try bus.ask(call)
        } catch {
            if Self.isAbsence(error) { return nil }
            throw error.failure(call)
        }
        if answer.arguments.first?.boolean == false {
            lose(plugin)
            try prepare()
        }
        return model.current
    }

    package func wait(
        after serial: UInt64?, until deadline: Deadline?, or descriptor: Int32?
    ) throws(ActivationFailure) -> ToplevelSnapshot? {
        try prepare()
        return model.wait(after: serial, until: deadline, or: descriptor)
    }

    package func request(
        _ action: ToplevelAction, of id: String, server: String, token: String?
    ) throws(ActivationFailure) {
        guard isID(id) else { throw .windowGone("\(name):\(id)") }
        let word =
            switch action {
            case .activate: "activate"
            case .raise: "raise"
            case .markUrgent: "urgent"
            case .moveHere: "here"
            case .close: "close"
            }
        try request(word, of: id, server: server)
    }

    package func exposure(of id: String) throws(ActivationFailure) -> WindowExposure? {
        guard isID(id), let server = try snapshot()?.server else { return nil }
        let number = try request("look", of: id, server: server)
        return state.withLock { $0.seen.removeValue(forKey: number) }
    }

    /// The number of the request, when the script has done it.
    @discardableResult
    private func request(_ word: String, of id: String, server: String) throws(ActivationFailure) -> UInt64 {
        let receipt = DispatchSemaphore(value: 0)
        let number: UInt64? = state.withLock { state in
            guard state.compositor != nil, state.server == server else { return nil }
            state.lastRequest += 1
            state.requests.append(Request(number: state.lastRequest, action: word, id: id, receipt: receipt))
            Self.serve(&state)
            return state.lastRequest
        }
        guard let number else { throw .windowGone("\(name):\(id)") }
        guard receipt.wait(timeout: .now() + .milliseconds(Self.patience)) == .success else {
            state.withLock { state in state.requests.removeAll { $0.number == number } }
            throw .windowSystem(name, "KWin did not take a request within \(Self.patience) ms")
        }
        return number
    }

    /// Hands the first request to the script, where it waits for one.
    private static func serve(_ state: inout State) {
        guard let next = state.requests.first, let poll = state.poll else { return }
        state.poll = nil
        poll.give(.values([.string(String(next.number)), .string(next.action), .string(next.id)]))
    }

    // MARK: - The script

    /// Connects to the bus, and loads the script where KWin runs and has none.
    private func prepare() throws(ActivationFailure) {
        let isDone = state.withLock { state in
            state.isStopped || state.observation != nil && (state.compositor == nil || state.isReady)
        }
        if isDone { return }
        try queue.sync { Result { () throws(ActivationFailure) in try self.connectAndLoad() } }.get()
    }

    private func bus() -> SessionBus? { state.withLock { $0.bus } }

    /// On the queue.
    private func connectAndLoad() throws(ActivationFailure) {
        if state.withLock({ $0.isStopped }) { return }
        if state.withLock({ $0.observation }) == nil { try connect() }
        let (compositor, isReady, failure) = state.withLock { ($0.compositor, $0.isReady, $0.failure) }
        guard let compositor, !isReady, let bus = bus() else { return }
        if let failure, !failure.1.isOver { throw failure.0 }
        do throws(ActivationFailure) {
            try load(bus, compositor)
            let wasLost = state.withLock { state in
                defer { state.isLost = false }
                return state.isLost && state.isReady
            }
            if wasLost { report(.loadedAgain) }
        } catch {
            // One that has ended meanwhile has not failed.
            guard state.withLock({ $0.compositor == compositor }) else { return }
            state.withLock { state in
                state.plugin = nil
                state.failure = (error, Deadline(inMilliseconds: Self.pause))
            }
            report(.failed(error))
            throw error
        }
    }

    private func connect() throws(ActivationFailure) {
        let bus = SessionBus(environment: environment)
        let peer = try bus.serve { [weak self] in self?.answer($0) }
        // No signal is like this: only the owner of the name is followed.
        let match = BusMatch(
            sender: Self.service, path: KWinScript.path, interface: KWinScript.interface, member: "Owner")
        let observation = try bus.observe(match) { [weak self] in self?.follow($0) }
        let owner = try? bus.ask(.driver("GetNameOwner", [.string(Self.service)])).arguments.first?.string
        state.withLock { state in
            (state.bus, state.observation, state.peer) = (bus, observation, peer)
            if state.compositor == nil { state.compositor = owner }
        }
    }

    /// Loads the script, and waits for its first report.
    private func load(_ bus: SessionBus, _ compositor: String) throws(ActivationFailure) {
        guard let process = try bus.owner(of: compositor) else { return }
        let information = try ask(kwin("/KWin", Self.service, Self.supportInformation), bus)
        let version: KWinScript.Version = Self.version(in: information)?.hasPrefix("5.") == true ? .five : .six
        // KWin numbers a script by the count of loaded scripts. After one was unloaded, this number can belong to another
        // script, and the call to run reaches that one: then the script stays only until the next one has a free number.
        let taken = numbers(of: version, bus)
        var placeholders: [String] = []
        defer { for plugin in placeholders { unload(plugin, bus) } }
        let readiness = DispatchSemaphore(value: 0)
        var number: Int64
        repeat {
            let (peer, plugin) = try state.withLock { (state) throws(ActivationFailure) in
                guard state.compositor == compositor else { throw .windowSystem(name, "KWin has ended") }
                state.loads += 1
                let plugin = "usher" + (state.peer + ".\(state.loads)").map { $0 == ":" || $0 == "." ? "-" : $0 }
                (state.server, state.plugin, state.readiness) = ("\(process)\(compositor)", plugin, readiness)
                return (state.peer, plugin)
            }
            // While it starts, KWin runs by itself what is loaded: the file is complete before KWin has its name.
            let path = try file(KWinScript.text(version, peer: peer, plugin: plugin))
            let loading = kwin("/Scripting", Self.scripting, "loadDeclarativeScript", [.string(path), .string(plugin)])
            number = try ask(loading, bus).first?.integer ?? -1
            if taken.contains(number) { placeholders.append(plugin) }
            guard number >= 0, placeholders.count <= taken.count else {
                throw .windowSystem(name, "KWin does not load a script")
            }
        } while taken.contains(number)
        try bus.call(kwin(version.path(ofScript: number), "org.kde.kwin.Script", "run"))
        guard readiness.wait(timeout: .now() + .milliseconds(Self.firstReport)) == .success else {
            throw .windowSystem(
                name, "the script in KWin does not report",
                help: "KWin's log says why: journalctl --user -u plasma-kwin_wayland")
        }
    }

    /// The numbers of the scripts that are loaded.
    private func numbers(of version: KWinScript.Version, _ bus: SessionBus) -> Set<Int64> {
        let (path, prefix) = version.scripts
        let call = kwin(path, "org.freedesktop.DBus.Introspectable", "Introspect")
        // <node name="Script2"/>
        let names = (try? bus.ask(call).arguments.first?.string)?.split(separator: "\"") ?? []
        return Set(names.compactMap { $0.hasPrefix(prefix) ? Int64($0.dropFirst(prefix.count)) : nil })
    }

    private func unload(_ plugin: String, _ bus: SessionBus) {
        _ = try? bus.call(kwin("/Scripting", Self.scripting, "unloadScript", [.string(plugin)]))
    }

    /// While it starts, KWin has its name before it has the objects that are called.
    private func ask(_ call: BusCall, _ bus: SessionBus) throws(ActivationFailure) -> [BusValue] {
        let deadline = Deadline(inMilliseconds: Self.firstReport)
        while true {
            do throws(BusProblem) {
                return try bus.ask(call).arguments
            } catch {
                guard case .error("org.freedesktop.DBus.Error.UnknownObject", _) = error, !deadline.isOver else {
                    throw error.failure(call)
                }
                usleep(20_000)
            }
        }
    }

    /// A new file: KWin keeps what it has read of a path, in memory and in the user's cache. So each
    /// session begins with the same paths, and a file stays until the session ends.
    private func file(_ text: String) throws(ActivationFailure) -> String {
        let folder = environment["XDG_RUNTIME_DIR"] ?? ""
        for number in 1..<10_000 {
            let path = "\(folder.isEmpty ? "/tmp" : folder)/usher-kwin-\(number).qml"
            do throws(FileSystem.WriteFailure) {
                try FileSystem.create(path, Array(text.utf8), mode: 0o600)
                return path
            } catch {
                if error.error.number == EEXIST { continue }
                throw .windowSystem(name, "\(Printable.text(path)) cannot be written: \(error.error.text)")
            }
        }
        throw .windowSystem(name, "there are too many files \(folder)/usher-kwin-*.qml")
    }

    /// Unloads the script. Nothing is loaded afterwards.
    package func stop() {
        queue.sync {
            let (bus, plugin) = state.withLock { state in
                state.isStopped = true
                defer { (state.plugin, state.observation, state.poll) = (nil, nil, nil) }
                return (state.bus, state.plugin)
            }
            if let bus, let plugin { unload(plugin, bus) }
            state.withLock { $0.bus = nil }
        }
    }

    private func kwin(_ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []) -> BusCall {
        BusCall(Self.service, path, interface, member, arguments).ofRunning(within: Self.patience)
    }

    private static func isAbsence(_ problem: BusProblem) -> Bool {
        switch problem {
        case .error(let name, _):
            ["ServiceUnknown", "NameHasNoOwner", "NoReply"].contains { name == "org.freedesktop.DBus.Error.\($0)" }
        case .absent, .lost: true
        case .timeLimit, .unsuitable: false
        }
    }

    // MARK: - What arrives, on the bus thread

    private func follow(_ event: BusEvent) {
        switch event {
        case .signal: break
        case .ownerChanged(let owner):
            let isOther = state.withLock { state in
                guard state.compositor != owner else { return false }
                Self.forget(&state)
                state.compositor = owner
                return true
            }
            guard isOther else { return }
            publish()
            if owner != nil { loadAgain() }
        case .lost:
            state.withLock { state in
                Self.forget(&state)
                (state.compositor, state.bus, state.observation) = (nil, nil, nil)
            }
            publish()
        }
    }

    private func loadAgain() { queue.async { [weak self] in try? self?.connectAndLoad() } }

    /// KWin has ended.
    private static func forget(_ state: inout State) {
        (state.plugin, state.isReady, state.failure, state.poll) = (nil, false, nil, nil)
        (state.windows, state.order, state.focused, state.requests, state.seen) = ([], [], "", [], [:])
    }

    /// The script was unloaded.
    private func lose(_ plugin: String) {
        let isOurs = state.withLock { state in
            guard state.plugin == plugin, !state.isStopped else { return false }
            (state.plugin, state.isReady, state.poll) = (nil, false, nil)
            (state.losses, state.isLost) = (state.losses + 1, true)
            return true
        }
        if isOurs { loadAgain() }
    }

    private func answer(_ call: BusMessage) -> BusReply? {
        guard call.path == KWinScript.path, call.interface == KWinScript.interface,
            let plugin = call.arguments.first?.string
        else { return nil }
        let isOurs = state.withLock { $0.compositor == call.sender && $0.plugin == plugin }
        guard isOurs else {
            return .error("org.freedesktop.DBus.Error.AccessDenied", "only the script in use reports here")
        }
        switch call.member {
        case "Changed" where call.arguments.count == 2:
            note(call.arguments[1].string ?? "")
            return .values([])
        case "Next" where call.arguments.count == 2:
            guard let received = call.arguments[1].string.flatMap(UInt64.init) else { return nil }
            return .later { [self] replier in
                state.withLock { state in
                    state.requests.removeAll { request in
                        guard request.number <= received else { return false }
                        request.receipt.signal()
                        return true
                    }
                    state.poll = replier
                    Self.serve(&state)
                }
            }
        case "Seen" where call.arguments.count == 3:
            guard let number = call.arguments[1].string.flatMap(UInt64.init) else { return nil }
            let exposure = call.arguments[2].string.flatMap(Self.exposure)
            state.withLock { state in
                // Of one that nothing waits for any more, nothing is kept.
                if state.requests.contains(where: { $0.number == number }) { state.seen[number] = exposure }
            }
            return .values([])
        case "Left":
            lose(plugin)
            return .values([])
        default: return nil
        }
    }

    private func note(_ text: String) {
        guard let report = try? JSONValue(parsing: Array(text.utf8)) else { return }
        let (isComplete, readiness) = state.withLock { state -> (Bool, DispatchSemaphore?) in
            if report["reset"]?.boolean == true { state.windows = [] }
            let gone = Set((report["gone"]?.elements ?? []).compactMap(\.string))
            if !gone.isEmpty { state.windows.removeAll { gone.contains($0.id) } }
            for value in report["windows"]?.elements ?? [] {
                guard let window = Self.window(value), isID(window.id) else { continue }
                if let place = state.windows.firstIndex(where: { $0.id == window.id }) {
                    state.windows[place] = window
                } else {
                    state.windows.append(window)
                }
            }
            state.focused = report["focused"]?.string ?? ""
            state.raises = report["raises"]?.boolean ?? false
            if let order = report["order"]?.elements { state.order = order.compactMap(\.string) }
            guard report["more"]?.boolean != true else { return (false, nil) }
            state.isReady = true
            defer { state.readiness = nil }
            return (true, state.readiness)
        }
        guard isComplete else { return }
        publish()
        readiness?.signal()
    }

    private static func exposure(_ text: String) -> WindowExposure? {
        guard let report = try? JSONValue(parsing: Array(text.utf8)) else { return nil }
        func numbers(_ value: JSONValue?) -> [Int] { (value?.elements ?? []).compactMap { $0.int64.map(Int.init) } }
        func all(_ name: String) -> [[Int]] { (report[name]?.elements ?? []).map(numbers) }
        return WindowExposure(of: numbers(report["window"]), on: all("screens"), under: all("above"))
    }

    private static func window(_ value: JSONValue) -> Toplevel? {
        guard let id = value["id"]?.string else { return nil }
        var window = Toplevel(id: id, title: value["title"]?.string ?? "")
        let kind = value["class"]?.string
        if value["x11"]?.boolean == true {
            (window.windowClass, window.instance) = (kind, value["instance"]?.string)
        } else {
            window.appID = kind
        }
        window.process = value["process"]?.int64.flatMap { $0 > 0 ? Int32(exactly: $0) : nil }
        window.parent = value["parent"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        window.workspace = value["desktop"]?.string ?? ""
        window.isOnCurrentWorkspace = value["here"]?.boolean ?? true
        window.isMinimized = value["minimized"]?.boolean ?? false
        window.isFullscreen = value["fullscreen"]?.boolean ?? false
        window.isUrgent = value["urgent"]?.boolean ?? false
        return window
    }

    private func publish() {
        state.withLock { state in
            let seen = Set(state.windows.filter { $0.isOnCurrentWorkspace != false && !$0.isMinimized }.map(\.id))
            let top = state.order.last(where: seen.contains)
            let windows = state.windows.map { window in
                var window = window
                window.isFocused = window.id == state.focused
                window.isOnTop = window.id == top
                return window
            }
            model.publish(server: state.compositor != nil && state.isReady ? state.server : nil, windows: windows)
        }
    }
}
