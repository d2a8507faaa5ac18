internal import Glibc
internal import Synchronization
package import UsherActivation
internal import UsherScene
package import UsherSystem
internal import UsherText

/// The windows of GNOME Shell, as Usher's extension of the shell reports them.
///
/// The extension owns the name `org.usher.Shell` on the connection of the shell. Without the name the shell has ended, and its
/// windows with it, or the extension is disabled: then every question is an error, and the windows are those known last.
package final class ShellSource: ToplevelSource {
    private static let interface = "org.usher.Shell"
    private static let path = "/org/usher/Shell"
    /// In milliseconds: how long the shell may take to answer.
    private static let patience = 3000
    private static let stackSize = 256 * 1024

    private struct State {
        var observation: BusObservation?
        /// The unique name of the connection that the windows are of.
        var owner: String?
        /// Names the life of the shell.
        var server = ""
        /// Of the last report that is in the windows.
        var serial: UInt64 = 0
        var windows: [Toplevel] = []
        /// Reports that arrived before the list that they change.
        var early: [BusMessage] = []
        /// Calls for a list that wait for the answer.
        var asking = 0
    }

    private let bus: SessionBus
    private let environment: [String: String]
    private let state = Mutex(State())
    private let model = ToplevelModel()

    /// - Parameter environment: says which desktop runs, and where extensions of the shell are.
    package init(_ bus: SessionBus, environment: [String: String]) {
        self.bus = bus
        self.environment = environment
    }

    package let desktop = DesktopName.shell

    package let actions: Set<ToplevelAction> = [.activate, .raise, .markUrgent, .moveHere, .close]

    package var isAvailable: Bool { ShellExtension.isSession(environment) && ShellExtension.isInstalled(environment) }

    package func isID(_ text: String) -> Bool { UInt64(text).map { String($0).utf8.elementsEqual(text.utf8) } ?? false }

    // MARK: - Windows

    package func snapshot() throws(ActivationFailure) -> ToplevelSnapshot? {
        try observe()
        state.withLock { $0.asking += 1 }
        let answer = Result { () throws(BusProblem) in try bus.ask(Self.call("Windows")) }
        // The life of the shell is asked for once, outside of the lock.
        let sender = (try? answer.get())?.sender
        let isKnown = state.withLock { $0.owner == sender }
        let server = isKnown ? nil : sender.flatMap(life)
        var reason: String?
        if case .failure(let problem) = answer, Self.isAbsence(problem), life(Self.shell) != nil {
            reason = whyAbsent()
        }
        let failure = state.withLock { state -> ActivationFailure? in
            state.asking -= 1
            defer { if state.asking == 0 { state.early = [] } }
            switch answer {
            case .success(let message):
                guard let list = Self.list(message.arguments) else {
                    return .windowSystem(name, "the extension has another version", help: Self.reinstall)
                }
                if state.owner != message.sender {
                    // It has ended since it answered.
                    guard let server else { return nil }
                    (state.owner, state.server, state.serial) = (message.sender, server, 0)
                }
                // Another thread may have got a later one.
                if list.serial >= state.serial {
                    (state.serial, state.windows) = (list.serial, list.windows)
                    for report in state.early where report.sender == message.sender { Self.apply(report, to: &state) }
                }
                publish(state)
                return nil
            case .failure(let problem):
                if Self.isAbsence(problem) {
                    // Without the extension the windows are there, and nothing reports them.
                    if let reason { return .windowSystem(name, reason) }
                    forget(&state)
                    return nil
                }
                if case .error("org.freedesktop.DBus.Error.AccessDenied", let text) = problem {
                    return .windowSystem(name, "the extension refuses usherd: \(text)", help: Self.reinstall)
                }
                return problem.failure(Self.call("Windows"))
            }
        }
        if let failure { throw failure }
        return model.current
    }

    package func wait(
        after serial: UInt64?, until deadline: Deadline?, or descriptor: Int32?
    ) throws(ActivationFailure) -> ToplevelSnapshot? {
        if try observe() { _ = try snapshot() }
        return model.wait(after: serial, until: deadline, or: descriptor)
    }

    package func request(
        _ action: ToplevelAction, of id: String, server: String, token: String?
    ) throws(ActivationFailure) {
        guard let number = UInt64(id) else { throw .windowGone("\(name):\(id)") }
        let word =
            switch action {
            case .activate: "activate"
            case .raise: "raise"
            case .markUrgent: "mark-urgent"
            case .moveHere: "move-here"
            case .close: "close"
            }
        let call = Self.call("Request", [.string(word), .uint64(number), .string(token ?? "")])
        do throws(BusProblem) {
            _ = try bus.ask(call)
        } catch {
            if case .error("org.freedesktop.DBus.Error.InvalidArgs", _) = error { throw .windowGone("\(name):\(id)") }
            throw error.failure(call)
        }
    }

    /// Not from an extension that is older than this program.
    package func exposure(of id: String) throws(ActivationFailure) -> WindowExposure? {
        guard let number = UInt64(id), let answer = try? bus.call(Self.call("Exposure", [.uint64(number)])),
            answer.count == 3
        else { return nil }
        func numbers(_ value: BusValue) -> [Int] { (value.elements ?? []).compactMap { $0.integer.map(Int.init) } }
        func all(_ value: BusValue) -> [[Int]] { (value.elements ?? []).map(numbers) }
        return WindowExposure(of: numbers(answer[0]), on: all(answer[1]), under: all(answer[2]))
    }

    package func startupToken() -> String? {
        let token = try? bus.call(Self.call("StartupToken")).first?.string
        return token.flatMap { $0.isEmpty ? nil : $0 }
    }

    package func endStartup(_ token: String) { _ = try? bus.call(Self.call("EndStartup", [.string(token)])) }

    // MARK: - Reports

    /// Begins to observe; whether it was not observed before.
    @discardableResult
    private func observe() throws(ActivationFailure) -> Bool {
        if state.withLock({ $0.observation != nil }) { return false }
        let match = BusMatch(sender: Self.interface, path: Self.path, interface: Self.interface, member: "Changed")
        let observation = try bus.observe(match) { [weak self] event in self?.handle(event) }
        return state.withLock { state in
            guard state.observation == nil else { return false }
            state.observation = observation
            return true
        }
    }

    /// On the bus thread, which cannot wait for an answer.
    private func handle(_ event: BusEvent) {
        switch event {
        case .signal(let report):
            state.withLock { state in
                if state.asking > 0 { state.early.append(report) }
                guard report.sender == state.owner else { return }
                Self.apply(report, to: &state)
                publish(state)
            }
        case .ownerChanged: lookAgain()
        case .lost:
            state.withLock { forget(&$0) }
            lookAgain()
        }
    }

    /// Asks for the windows from a thread of its own, until there is an answer.
    private func lookAgain() {
        _ = SystemThread.start(named: "usher shell", stackSize: Self.stackSize, takesSignals: false) { [weak self] in
            var pause: UInt32 = 50_000
            while let self {
                do throws(ActivationFailure) {
                    _ = try self.snapshot()
                    return
                } catch {
                    // The bus, or a shell that starts: it is asked more and more rarely.
                    guard error.code != .windowSystem else { return }
                    usleep(pause)
                    pause = min(2 * pause, 5_000_000)
                }
            }
        }
    }

    private func forget(_ state: inout State) {
        (state.owner, state.server, state.serial, state.windows) = (nil, "", 0, [])
        publish(state)
    }

    private func publish(_ state: State) {
        model.publish(server: state.owner == nil ? nil : state.server, windows: state.windows)
    }

    private static func apply(_ report: BusMessage, to state: inout State) {
        guard let list = list(report.arguments), list.serial > state.serial else { return }
        state.serial = list.serial
        let closed = Set((report.arguments.last?.elements ?? []).compactMap(number).map { String($0) })
        state.windows.removeAll { closed.contains($0.id) }
        for window in list.windows {
            if let place = state.windows.firstIndex(where: { $0.id == window.id }) {
                state.windows[place] = window
            } else {
                state.windows.append(window)
            }
        }
    }

    /// The process that has a name, and when it was started; nil where none has it.
    private func life(_ owner: String) -> String? {
        guard let process = (try? bus.owner(of: owner)) ?? nil else { return nil }
        return ProcessTable.life(of: process)
    }

    // MARK: - Messages

    private static func call(_ member: String, _ arguments: [BusValue] = []) -> BusCall {
        BusCall(interface, path, interface, member, arguments).ofRunning(within: patience)
    }

    /// No process has the name.
    private static func isAbsence(_ problem: BusProblem) -> Bool {
        guard case .error(let name, _) = problem else { return false }
        return ["ServiceUnknown", "NameHasNoOwner", "UnknownObject", "UnknownMethod", "NoReply"].contains {
            name == "org.freedesktop.DBus.Error.\($0)"
        }
    }

    private static func list(_ arguments: [BusValue]) -> (serial: UInt64, windows: [Toplevel])? {
        guard arguments.count >= 2, let serial = number(arguments[0]), let values = arguments[1].elements else {
            return nil
        }
        return (serial, values.compactMap(window))
    }

    private static func number(_ value: BusValue) -> UInt64? { value.integer.flatMap { UInt64(exactly: $0) } }

    /// The structure `WINDOW` of Extension/gnome/windows.js.
    private static func window(_ value: BusValue) -> Toplevel? {
        guard let members = value.elements, members.count == 10, let id = number(members[0]),
            let title = members[1].string, let flags = members[9].uint32
        else { return nil }
        func text(_ place: Int) -> String? { members[place].string.flatMap { $0.isEmpty ? nil : $0 } }
        func isSet(_ flag: UInt32) -> Bool { flags & flag != 0 }
        var window = Toplevel(id: String(id), title: title)
        window.appID = text(2)
        window.windowClass = text(3)
        window.instance = text(4)
        window.process = members[5].integer.flatMap { $0 > 0 ? Int32(exactly: $0) : nil }
        window.startupID = text(6)
        window.parent = number(members[7]).flatMap { $0 > 0 ? String($0) : nil }
        window.workspace = text(8) ?? ""
        window.isOnCurrentWorkspace = isSet(1)
        window.isFocused = isSet(2)
        window.isMinimized = isSet(4)
        window.isFullscreen = isSet(8)
        window.isOnTop = isSet(16)
        window.isUrgent = isSet(32)
        return window
    }

    // MARK: - Support

    private static let reinstall = "usher desktop install gnome, then log out and in"
    private static let shell = "org.gnome.Shell"
    private static let shellPath = "/org/gnome/Shell"

    package var support: WindowSupport {
        let version = ask("org.freedesktop.DBus.Properties", "Get", [.string(Self.shell), .string("ShellVersion")])
        guard let version = version?.string else {
            return WindowSupport(name, nothing: "GNOME Shell does not answer on the session bus")
        }
        let system = "\(name) (GNOME Shell \(Printable.text(version)))"
        do throws(ActivationFailure) {
            if try snapshot() == nil { return WindowSupport(system, nothing: whyAbsent()) }
        } catch {
            return WindowSupport(system, error)
        }
        return WindowSupport(system)
    }

    /// What the shell says of an extension that does not run, and the remedy.
    private func whyAbsent() -> String {
        let info = ask(Self.shell + ".Extensions", "GetExtensionInfo", [.string(ShellExtension.uuid)])
        // ExtensionState of the shell.
        switch info?["state"] {
        case .double(2), .double(6):
            return "the extension is disabled: gnome-extensions enable \(ShellExtension.uuid)"
        case .double(3): return "the extension has failed: \(Printable.text(info?["error"]?.string ?? "no reason"))"
        case .double(4): return "the extension is for another version of the shell: \(Self.reinstall)"
        default: return "the shell has not loaded the extension: log out and in"
        }
    }

    private func ask(_ interface: String, _ member: String, _ arguments: [BusValue]) -> BusValue? {
        let call = BusCall(Self.shell, Self.shellPath, interface, member, arguments)
        return try? bus.call(call.ofRunning(within: Self.patience)).first?.contents
    }
}
