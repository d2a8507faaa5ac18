public import UsherActivation
internal import UsherJSON
internal import UsherSystem

/// Answers the lines of `RemoteWindows`: the other end of `usherd --windows`.
public struct WindowService: Sendable {
    private let windowSystem: any WindowSystem
    private let systems: [any WindowSystem]
    private let applications: (any DesktopApplications)?

    public init(_ windowSystem: any WindowSystem, applications: (any DesktopApplications)?) {
        self.windowSystem = windowSystem
        systems = (windowSystem as? WindowSystems)?.systems ?? [windowSystem]
        self.applications = applications
    }

    /// One line for one line: an object with `result`, or with `failure`.
    public func answer(_ line: [UInt8]) -> [UInt8] {
        let answer: JSONValue
        do throws(ActivationFailure) {
            guard let call = try? JSONValue(parsing: line), let name = call["call"]?.string else {
                throw .windowSystem("usherd", "the call is no JSON object with a member call")
            }
            answer = .object([.init("result", try result(of: name, call))])
        } catch {
            answer = .object([.init("failure", WindowWire.value(error))])
        }
        return Array(answer.text().utf8)
    }

    private func result(of name: String, _ call: JSONValue) throws(ActivationFailure) -> JSONValue {
        switch name {
        // Terminals are left out, because the calling process queries them itself, and because one list has one server.
        case "windows":
            return WindowWire.value(try ((windowSystem as? WindowSystems)?.desktop ?? windowSystem).windows())
        case "server": return WindowWire.text(try windowSystem.server(of: try text("handle", call)))
        case "presence":
            switch try windowSystem.presence(of: try reference(call)) {
            case .present: return "present"
            case .gone: return "gone"
            case .forgotten: return "forgotten"
            case .unknown: return "unknown"
            }
        case "pick": return try windowSystem.pick(until: deadline(call)).map(WindowWire.value) ?? .null
        case "support": return .array(systems.filter { $0.name != "tmux" }.map { WindowWire.value($0.support) })
        case "plan":
            let window = try reference(call)
            return .string(
                windowSystem.plan(call["address"]?.string.map { .navigate(window, $0) } ?? .focus(window)))
        default: return try result(ofApplication: name, call)
        }
    }

    private func result(ofApplication name: String, _ call: JSONValue) throws(ActivationFailure) -> JSONValue {
        guard let applications else { throw .windowSystem("usherd", "there is no desktop session here") }
        switch name {
        case "launch-entry":
            guard let launch = WindowWire.entryLaunch(call) else { throw missing("entry") }
            return WindowWire.value(try applications.launch(launch))
        case "provided": return .boolean(try applications.isProvided(name: try text("name", call)))
        case "installed": return .boolean(applications.isInstalled(entry: try text("entry", call)))
        case "players": return .array(try applications.players().map { MediaWire.value($0) })
        case "entries": return .array(try applications.entries(call["name"]?.string).map(WindowWire.value))
        default: throw .windowSystem("usherd", "there is no call \(name)")
        }
    }

    private func reference(_ call: JSONValue) throws(ActivationFailure) -> WindowReference {
        guard let window = WindowWire.reference(call) else { throw missing("handle") }
        return window
    }

    private func text(_ name: String, _ call: JSONValue) throws(ActivationFailure) -> String {
        guard let text = call[name]?.string else { throw missing(name) }
        return text
    }

    private func missing(_ name: String) -> ActivationFailure {
        .windowSystem("usherd", "the call has no \(name)")
    }

    /// `within`: milliseconds from now on.
    private func deadline(_ call: JSONValue) -> Deadline {
        Deadline(inMilliseconds: call["within"]?.int64.flatMap { Int(exactly: $0) } ?? 5000)
    }
}
