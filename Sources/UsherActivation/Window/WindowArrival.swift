import UsherScene
internal import UsherSystem

/// What ties a window to a launch, the strongest first.
public enum WindowEvidence: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// It was opened with the startup id that the launch gave its program.
    case startupID
    /// It belongs to the launched process, or to a descendant of that.
    case process
    /// Its process has the launch's nonce in its environment.
    case nonce
    /// It is new, and looks as `focus` says.
    case looks
    /// It was there before, and came forward or changed its title after the program had handed over.
    case cameForward

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// A window that may be the one of a launch, and why.
public struct WindowCandidate: Sendable, Hashable {
    public var window: WindowList.Window
    public var evidence: WindowEvidence
    /// Whether it looks as `focus` says; true where `focus` says nothing.
    public var isDescribed: Bool
    /// It is not described, and no other window of the launch is expected any more: see `LoneWindows`.
    var isLone = false
    /// It belongs to the process that this launch has started, or to a descendant of that.
    public var isOfLaunchedProcess: Bool
    /// Its process has the launch's nonce in its environment.
    public var carriesNonce: Bool
    /// The nonce of another launch: of the startup id that all windows of its program share, or of the environment of its
    /// process. A window that carries another launch's startup id itself is never a candidate.
    public var otherLaunch: String?

    public init(
        _ window: WindowList.Window, _ evidence: WindowEvidence, isDescribed: Bool = true,
        isOfLaunchedProcess: Bool = false, carriesNonce: Bool = false, otherLaunch: String? = nil
    ) {
        self.window = window
        self.evidence = evidence
        self.isDescribed = isDescribed
        self.isOfLaunchedProcess = isOfLaunchedProcess
        self.carriesNonce = carriesNonce
        self.otherLaunch = otherLaunch
    }
}

/// Which windows may be that of a program just started, ranked by evidence. Which of them a launch gets is decided where all
/// launches are known: see `WindowClaiming`.
struct WindowArrival {
    /// The windows that there were before.
    var before: WindowList
    /// nil where it is not known.
    var process: Int32?
    var token: String?
    var nonce: String
    var rule: WindowRule?
    /// `process` is an application that may have run before: its windows may belong to other requests.
    var isApplication = false
    /// It was handed to another program: its process has ended without a fault, or was there before.
    var isHandedOver = false

    /// The strongest evidence first; among equals those that look as `focus` says, then in the order of the list.
    func candidates(in list: WindowList) -> [WindowCandidate] {
        let known = Dictionary(before.windows.map { ($0.handle, $0) }, uniquingKeysWith: { first, _ in first })
        let older = Set(before.windows.compactMap(\.process))
        var found: [WindowCandidate] = []
        for window in list.windows {
            // The number of a window that is gone may be given to a new one.
            if let earlier = known[window.handle], window.isOf(server: earlier.server) {
                if comesForward(window, since: earlier) { found.append(WindowCandidate(window, .cameForward)) }
            } else if let candidate = candidate(window, older: older) {
                found.append(candidate)
            }
        }
        return found.enumerated().sorted { one, other in
            if one.element.evidence != other.element.evidence { return one.element.evidence < other.element.evidence }
            if one.element.isDescribed != other.element.isDescribed { return one.element.isDescribed }
            return one.offset < other.offset
        }.map(\.element)
    }

    /// - Parameter older: the processes that had windows before.
    private func candidate(_ window: WindowList.Window, older: Set<Int32>) -> WindowCandidate? {
        var candidate = WindowCandidate(window, .looks, isDescribed: rule?.matches(window) ?? true)
        let isOfProcess = window.process.map(isOfLaunchedProcess) ?? false
        candidate.isOfLaunchedProcess = isOfProcess && !isApplication
        candidate.carriesNonce = !nonce.isEmpty && (window.process.map(carriesNonce) ?? false)
        if let id = window.startupID, id == token {
            candidate.evidence = .startupID
            return candidate
        }
        if let other = StartupToken.launch(of: window.startupID), other != nonce {
            // An id that all windows of a program share names the newest launch, not the one that this window is for.
            guard window.sharesStartupID else { return nil }
            candidate.otherLaunch = other
        }
        if isOfProcess || candidate.carriesNonce {
            candidate.evidence = isOfProcess ? .process : .nonce
            return candidate
        }
        guard rule != nil, candidate.isDescribed else { return nil }
        if let carried = window.process.flatMap({ ProcessTable.value(of: UsherVariables.launch, in: $0) }) {
            // What another launch started at the same time opens windows that look the same, and those are its own. A
            // program that had a window before may be handed any launch.
            guard isHandedOver || window.process.map(older.contains) ?? false else { return nil }
            candidate.otherLaunch = candidate.otherLaunch ?? carried
        }
        return candidate
    }

    private func isOfLaunchedProcess(_ other: Int32) -> Bool {
        process.map { other == $0 || ProcessTable.isDescendant(other, of: $0) } ?? false
    }

    private func carriesNonce(_ process: Int32) -> Bool {
        ProcessTable.process(process, holds: EnvironmentVariable(UsherVariables.launch, nonce))
    }

    /// A tab or a document in a window that was there.
    private func comesForward(_ window: WindowList.Window, since earlier: WindowList.Window) -> Bool {
        guard isHandedOver, window.activation == .foregroundActive,
            earlier.activation != .foregroundActive || earlier.title != window.title
        else { return false }
        return rule?.matches(window) ?? (process != nil && window.process == process)
    }
}

/// Finds the window of a launch that `focus` does not describe, because its `class` is wrong for example.
///
/// Such a window may be the picture that a program shows while it starts, so it is taken only when it has been the
/// program's only window for a while.
struct LoneWindows {
    private let patience: Int
    private var appeared: [String: Deadline] = [:]

    /// - Parameter patience: in milliseconds, from the appearance of the window.
    init(patience: Int = 2000) { self.patience = patience }

    /// Marks the only window of the launched program once its time has passed.
    mutating func mark(_ candidates: inout [WindowCandidate]) {
        let own = candidates.indices.filter { candidates[$0].evidence < .looks }
        for place in own where appeared[candidates[place].window.handle] == nil {
            appeared[candidates[place].window.handle] = Deadline(inMilliseconds: patience)
        }
        guard own.count == 1, let place = own.first, !candidates[place].isDescribed,
            appeared[candidates[place].window.handle]?.isOver == true
        else { return }
        candidates[place].isLone = true
    }
}

/// The startup ids that Usher gives to the programs it launches: `usher-NONCE_TIMEt` (Startup Notification 0.1).
public enum StartupToken {
    private static let prefix = "usher-"

    /// - Parameter time: of the X server, in milliseconds.
    public static func text(nonce: String, time: UInt32) -> String { "\(prefix)\(nonce)_TIME\(time)" }

    /// The nonce of the launch that an id of ours names; nil of one that is not ours.
    static func launch(of id: String?) -> String? {
        guard let id, id.utf8.starts(with: prefix.utf8) else { return nil }
        let rest = id.utf8.dropFirst(prefix.utf8.count)
        guard let end = rest.lastIndex(of: UInt8(ascii: "_")), rest[end...].starts(with: "_TIME".utf8) else {
            return nil
        }
        return String(rest[..<end])
    }
}

extension Activator {
    /// The oldest process that was started for a session and still runs: it has `USHER_SESSION` in its environment, and
    /// `USHER_STATE` names the session's state folder.
    public static func survivor(of session: String, in stateFolder: String) -> Int32? {
        ProcessTable.processes(withVariable: EnvironmentVariable(UsherVariables.session, session))
            .first { isProcess($0, of: stateFolder) }
    }

    /// Whether a window's program was started for a session. Programs that were started from that window later inherit the
    /// sign: so it counts only while the session has no window.
    public static func belongs(_ window: WindowList.Window, to session: String, in stateFolder: String) -> Bool {
        guard let process = window.process else { return false }
        return ProcessTable.process(process, holds: EnvironmentVariable(UsherVariables.session, session))
            && isProcess(process, of: stateFolder)
    }

    /// Whether a program in a window is the one that a session has no handle for: it was started for the session, or it is
    /// the session's process, or one of the two has started the other.
    package static func runs(
        _ window: WindowList.Window, for session: String, _ process: Int32?, in stateFolder: String
    ) -> Bool {
        let own = [window.process].compactMap(\.self) + window.processes
        if let process, own.contains(where: { ProcessTable.isRelated($0, to: process) }) { return true }
        let variable = EnvironmentVariable(UsherVariables.session, session)
        return own.contains { ProcessTable.process($0, holds: variable) && isProcess($0, of: stateFolder) }
    }

    /// The nonce of the launch that a window's program was started by.
    public static func launch(of window: WindowList.Window) -> String? {
        window.process.flatMap { ProcessTable.value(of: UsherVariables.launch, in: $0) }
    }

    /// Whether a process asks the store of a folder when it calls `usher`: two stores may have sessions of the same name. A
    /// process that names no folder may be of any.
    private static func isProcess(_ process: Int32, of stateFolder: String) -> Bool {
        guard let named = ProcessTable.value(of: UsherVariables.state, in: process) else { return true }
        return FileSystem.isSame(named, stateFolder)
    }
}

/// Where the window of a program will be seen that is being started: on the desktop; where `focus` speaks of browsers, by the
/// account of these.
struct AwaitedWindows {
    private let system: any WindowSystem

    /// nil where the window system cannot tell.
    init?(_ windowSystem: any WindowSystem, _ rule: WindowRule?) {
        if rule?.isOfBrowsers == true {
            guard let browsers = windowSystem.browsers else { return nil }
            system = browsers
        } else {
            guard windowSystem.isDesktop else { return nil }
            system = windowSystem
        }
    }

    /// nil where it does not answer.
    func now() -> WindowList? {
        try? change(after: WindowList(server: nil, windows: []), until: Deadline(inMilliseconds: 0), or: nil)
    }

    /// As `WindowSystem.change`.
    func change(
        after list: WindowList, until deadline: Deadline, or descriptor: Int32?
    ) throws(ActivationFailure) -> WindowList {
        try system.change(after: list, until: deadline, or: descriptor)
    }
}

extension WindowSystem {
    /// The window system whose windows are reported by browsers; nil where there is none.
    var browsers: (any WindowSystem)? {
        if isOfBrowsers { return self }
        return (self as? WindowSystems)?.systems.first { $0.isOfBrowsers && $0.isAvailable }
    }
}
