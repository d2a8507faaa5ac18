internal import Synchronization
public import UsherActivation
internal import UsherJSON
public import UsherSystem

/// The desktop's windows and applications, looked at through `usherd --windows`, a child of this process: for a program that
/// links no window library itself. Windows are brought forward by an engine alone; the one thing that is done here is to start
/// an action of a desktop entry, which is no request and has no record.
///
/// A child is started by the first call and ends with this value; another one is started for a call that is made while each
/// waits for an answer, so that a call that waits for the user delays no other call.
public final class RemoteWindows: WindowSystem, DesktopApplications {
    public let name = "desktop"
    private let children: RemoteChildren
    private let hasDesktop: Bool
    private let hasBus: Bool

    /// - Parameters:
    ///   - program: the file of `usherd`; nil where there is none.
    ///   - environment: this process's, which says where the desktop is.
    public init(program: String?, environment: [String: String]) {
        let variables = environment.sorted { $0.key < $1.key }.map { EnvironmentVariable($0.key, $0.value) }
        children = RemoteChildren(program: program, environment: variables)
        func isSet(_ name: String) -> Bool { !(environment[name] ?? "").isEmpty }
        hasDesktop = DesktopName.isNamed(in: environment)
        hasBus = isSet("DBUS_SESSION_BUS_ADDRESS") || isSet("XDG_RUNTIME_DIR")
    }

    // MARK: WindowSystem

    public var isAvailable: Bool { hasDesktop && children.program != nil }

    public var isDesktop: Bool { true }

    public var support: WindowSupport { supports.first ?? WindowSupport(name, [:]) }

    /// Of each window system that is meant.
    public var supports: [WindowSupport] {
        guard isAvailable else { return [] }
        return ((try? ask("support"))?.elements ?? []).compactMap(WindowWire.support)
    }

    public func recognizes(handle: String) -> Bool {
        let names = DesktopName.allCases.filter(\.sharesHandles).map(\.rawValue) + ["browser"]
        return names.contains { handle.utf8.starts(with: "\($0):".utf8) }
    }

    public func windows() throws(ActivationFailure) -> WindowList { WindowWire.list(try ask("windows")) }

    public func server(of handle: String) throws(ActivationFailure) -> String? {
        guard isAvailable else { return nil }
        return try ask("server", [.init("handle", .string(handle))]).string
    }

    public func presence(of window: WindowReference) throws(ActivationFailure) -> WindowPresence {
        switch try ask("presence", WindowWire.members(window)).string {
        case "present": .present
        case "gone": .gone
        case "forgotten": .forgotten
        default: .unknown
        }
    }

    public func launch(_ launch: WindowLaunch) throws(ActivationFailure) -> WindowSighting { throw onlyLooks }

    public func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting { throw onlyLooks }

    public func type(_ keys: WindowKeys, into window: WindowReference) throws(ActivationFailure) { throw onlyLooks }

    public func find(processes: [Int32]) throws(ActivationFailure) -> WindowSighting? { throw onlyLooks }

    public func pick(until deadline: Deadline) throws(ActivationFailure) -> WindowList.Window? {
        let within = Int(deadline.remainingMilliseconds)
        return WindowWire.window(
            try ask("pick", [.init("within", WindowWire.number(Int64(within)))], within: within))
    }

    public func plan(_ step: WindowStep) -> String {
        switch step {
        case .focus(let window): "bring \(window.words) forward, read it back"
        case .navigate(let window, let address): "show \(address.prefix(200)) in \(window.words), read it back"
        case .launch, .type: "nothing: windows of the desktop are only brought forward"
        }
    }

    // MARK: DesktopApplications

    public func launch(_ launch: EntryLaunch) throws(ActivationFailure) -> ApplicationStart {
        WindowWire.start(try ask("launch-entry", WindowWire.members(launch)))
    }

    public func call(_ call: ApplicationCall) throws(ActivationFailure) -> ApplicationStart { throw onlyLooks }

    public func owner(of name: String) throws(ActivationFailure) -> Int32? { throw onlyLooks }

    public func wait(for name: String, until deadline: Deadline) throws(ActivationFailure) -> Int32? { throw onlyLooks }

    public func isProvided(name: String) throws(ActivationFailure) -> Bool {
        // Only a clear no is one.
        try ask("provided", [.init("name", .string(name))]).boolean ?? true
    }

    public func isInstalled(entry: String) -> Bool {
        (try? ask("installed", [.init("entry", .string(entry))]))?.boolean ?? false
    }

    public func entries(_ name: String?) throws(ActivationFailure) -> [DesktopEntry] {
        (try ask("entries", [.init("name", WindowWire.text(name))]).elements ?? []).compactMap(WindowWire.entry)
    }

    public func players() throws(ActivationFailure) -> [MediaPlayer] {
        (try ask("players").elements ?? []).compactMap(MediaWire.player)
    }

    public func play(
        _ request: MediaRequest, on player: String, until deadline: Deadline
    ) throws(ActivationFailure) -> (player: MediaPlayer, plays: Bool) { throw onlyLooks }

    // MARK: The child

    /// How long the other end may take beyond the time that the call itself may take, in milliseconds: longer than
    /// it waits itself for a server that hangs, so that it can say so.
    private static let patience = 8000

    private var onlyLooks: ActivationFailure {
        .windowSystem(name, "usherd --windows brings nothing forward", help: "usher dispatch acts, through an engine")
    }

    private func ask(
        _ call: String, _ members: [JSONValue.Member] = [], within milliseconds: Int = 0
    ) throws(ActivationFailure) -> JSONValue {
        let line = Array(JSONValue.object([.init("call", .string(call))] + members).text().utf8)
        let answer = try children.ask(line, until: Deadline(inMilliseconds: milliseconds + RemoteWindows.patience))
        guard let value = try? JSONValue(parsing: answer) else {
            throw .windowSystem(name, "usherd --windows answered something else than JSON")
        }
        if let failure = value["failure"] { throw WindowWire.failure(failure) }
        return value["result"] ?? .null
    }
}

/// Child processes that answer each line with one line. They are started on demand, kept for further calls, and ended
/// when this value is released.
private final class RemoteChildren: Sendable {
    let program: String?
    private let environment: [EnvironmentVariable]
    /// The child processes that no call uses now.
    private let idle = Mutex<[Coprocess]>([])

    private static let mostIdle = 4

    init(program: String?, environment: [EnvironmentVariable]) {
        self.program = program
        self.environment = environment
    }

    func ask(_ line: [UInt8], until deadline: Deadline) throws(ActivationFailure) -> [UInt8] {
        let talk: Coprocess
        if let free = idle.withLock({ $0.popLast() }) { talk = free } else { talk = try started() }
        // One that fails is not asked again: what it would answer later is no answer to the next question.
        let answer = try talk.ask(line, until: deadline)
        idle.withLock { idle in
            if idle.count < Self.mostIdle { idle.append(talk) }
        }
        return answer
    }

    private func started() throws(ActivationFailure) -> Coprocess {
        guard let program else {
            throw .windowSystem(
                "desktop", "windows of the desktop are asked for through usherd, which is not there",
                help: "make install puts both programs in one folder")
        }
        return try Coprocess(program: program, arguments: ["usherd", "--windows"], environment: environment)
    }
}
