public import UsherScene

/// A launch whose window is awaited, as far as it matters for whose a window is.
public struct PendingLaunch: Sendable {
    public var nonce: String
    public var app: String
    public var scene: String?
    public var session: String?
    /// What is started: the file of the program, the desktop entry or the bus name.
    public var program: String
    /// What its window looks like; nil where `focus` does not say.
    public var rule: WindowRule?
    /// The application shows a window of a process that may have run before.
    public var handsOver: Bool = false
}

/// A window that a launch may bring forward.
public enum WindowGrant: Sendable, Hashable {
    /// It is the launch's, and nothing speaks against it.
    case identified(WindowCandidate)
    /// It may as well be the window of another launch: its outcome is `unverified`, and no session keeps it.
    case likely(WindowCandidate)
    /// What came forward is the window of another open session. Another candidate may follow.
    case held(WindowCandidate)
}

/// The owner of all windows that launches wait for: no window is given to two of them, nor one that an open session has.
///
/// Calls may come from several threads, and from none that holds the lock of a window system.
public protocol WindowClaiming: Sendable {
    /// Registers a launch before its program is started. Launches of a program that is known to hand over to a running
    /// instance are let in one after the other: this call blocks until it is this one's turn.
    ///
    /// - Parameter isStopped: asked about four times a second while it blocks.
    /// - Returns: false where it was stopped: nothing is registered, and nothing is to be started.
    func begin(_ launch: PendingLaunch, isStopped: () -> Bool) -> Bool
    /// The program of the launch runs as this process.
    func noteStart(of nonce: String, process: Int32)
    /// The launched process has ended with 0: its window belongs to another process.
    func noteHandOver(of nonce: String)
    /// Asks for one of these windows, the best ones first. nil: none of them, or not yet; that may change without a change
    /// of the windows.
    ///
    /// - Parameter isLast: the last time that this launch asks.
    func claim(_ candidates: [WindowCandidate], for nonce: String, isLast: Bool) -> WindowGrant?
    /// The launch waits for no window any more. What it was granted stays its own until `release`.
    ///
    /// - Parameter hasFailed: its program cannot open a window any more.
    func end(_ nonce: String, hasFailed: Bool)
    /// What the launch was granted is written to its session, or given up.
    func release(_ nonce: String)
}

extension WindowCandidate {
    /// The candidates of each kind of evidence that may be taken now, the strongest kind first.
    ///
    /// - Parameter isLast: nothing else will come: then a window that is surely the program's is taken though `focus` means
    ///   another one. Before that it may be the picture or the question that a program shows while it starts, unless it is
    ///   `isLone`.
    public static func levels(of candidates: [WindowCandidate], isLast: Bool) -> [[WindowCandidate]] {
        WindowEvidence.allCases.compactMap { evidence in
            let level = candidates.filter { $0.evidence == evidence && ($0.isDescribed || $0.isLone || isLast) }
            return level.isEmpty ? nil : level
        }
    }

    /// What a launch takes that is alone. Of several windows that only look right, nothing says which one is meant.
    static func best(of candidates: [WindowCandidate], isLast: Bool) -> WindowCandidate? {
        levels(of: candidates, isLast: isLast).first { $0.count == 1 || $0[0].evidence != .looks }?.first
    }
}

/// The windows that open sessions have, by handle.
public struct HeldWindows: Sendable {
    private struct Holder {
        var server: String?
        var session: String
    }

    private var holders: [String: [Holder]] = [:]

    public init() {}

    /// - Parameter session: the session that has it, for messages.
    public mutating func insert(handle: String, server: String?, session: String) {
        holders[handle, default: []].append(Holder(server: server, session: session))
    }

    /// The session that has a window; nil where none has it.
    func holder(of window: WindowList.Window) -> String? {
        holders[window.handle]?.first { window.isOf(server: $0.server) }?.session
    }
}
