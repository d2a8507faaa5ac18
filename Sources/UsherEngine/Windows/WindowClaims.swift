internal import UsherActivation
internal import UsherScene
internal import UsherStore
internal import UsherText

/// Whose a window is that no session has, as far as launches are concerned.
public enum WindowOwner: Sendable, Hashable {
    /// No launch has to do with it.
    case noLaunch
    /// A launch that is under way may get it, or has got it.
    case pending
    /// It can only be the window of this session, whose launch ended before the window came.
    case late(session: String)
    /// It came forward for a launch, and may as well be another one's.
    case contested
}

/// Which launch owns which window, while launches wait for their windows: a value, without clock and store.
///
/// A window is granted for sure only where its evidence excludes every other launch: its own startup id; the launched
/// process, as long as no other launch of the program may have handed over to it; anything weaker, where no other launch
/// could have opened it. Launches that could are the *rivals*: of the same program, or with a `focus` that means the window.
struct WindowClaims: Sendable {
    struct Window: Sendable, Hashable {
        private var handle: String
        private var server: String?

        init(_ window: WindowList.Window) { (handle, server) = (window.handle, window.server) }
    }

    /// What the store says at the time of a claim.
    struct Facts: Sendable {
        /// Those of the candidates that open sessions have.
        var held: Set<Window> = []
        /// The nonces of the launches of this scene that are acting, whichever process carries them out.
        var acting: Set<String> = []
    }

    private enum Standing: Sendable {
        case waits, identified, likely
    }

    private struct Launch: Sendable {
        var launch: PendingLaunch
        /// The order in which launches began.
        var number: Int
        /// nil before it was started, and where it is not known.
        var process: Store.SessionProcess?
        /// How many launches had begun when its process had ended with 0: it handed over to none that began later.
        var handedOver: Int?
        var standing = Standing.waits
        /// What others were granted while it waited.
        var taken: Set<Window> = []
        /// Launches that ended, while this one waited, without a window that is surely theirs.
        var unidentified: [Ended] = []
    }

    /// A launch that ended without a window that is surely its own.
    private struct Ended: Sendable {
        var launch: PendingLaunch
        var number: Int
        var process: Store.SessionProcess?
        var handedOver: Int?

        init(_ launch: Launch) {
            (self.launch, number, process, handedOver) = (
                launch.launch, launch.number, launch.process, launch.handedOver
            )
        }

        /// Whether it has handed over, and may have done so to this launch's process.
        func hasHandedOver(toLaunch number: Int) -> Bool { handedOver.map { number <= $0 } ?? false }
    }

    /// How long the window of a launch may still come that has ended without one.
    static let lateness = Duration.seconds(30)

    private var launches: [String: Launch] = [:]
    /// Launches that wait for their program's turn, in order.
    private var queue: [PendingLaunch] = []
    /// The launches of this process from `enter` until `release`.
    private var own: Set<String> = []
    private var granted: [Window: String] = [:]
    private var programsThatHandOver: Set<String> = []
    private var late: [(ended: Ended, until: MonotonicInstant)] = []
    /// Windows that were granted without proof.
    private var contested: [Window: MonotonicInstant] = [:]
    private var count = 0

    /// Registers a launch; false where it has to wait for others of its program: `leave` says when it is let in.
    ///
    /// - Parameter isRunning: asked of the processes of launches that have ended without their windows.
    mutating func enter(
        _ launch: PendingLaunch, at now: MonotonicInstant, isRunning: (Store.SessionProcess) -> Bool
    ) -> Bool {
        own.insert(launch.nonce)
        if launch.handsOver { programsThatHandOver.insert(launch.program) }
        queue.append(launch)
        return !admit(at: now, isRunning).filter { $0 == launch.nonce }.isEmpty
    }

    mutating func noteStart(of nonce: String, process: Store.SessionProcess?) { launches[nonce]?.process = process }

    /// The launched process has ended with 0.
    mutating func noteHandOver(of nonce: String) { launches[nonce]?.handedOver = count }

    /// - Parameter isRunning: asked of the processes of launches that have ended: while such a process runs, it has handed
    ///   over to no other one.
    mutating func claim(
        _ candidates: [WindowCandidate], for nonce: String, facts: Facts, isLast: Bool, at now: MonotonicInstant,
        isRunning: (Store.SessionProcess) -> Bool
    ) -> WindowGrant? {
        guard let claimant = launches[nonce], claimant.standing == .waits else { return nil }
        let others = facts.acting.subtracting(own)
        var held: WindowCandidate?
        let free = candidates.filter { candidate in
            let window = Window(candidate.window)
            if claimant.taken.contains(window) || granted[window] != nil { return false }
            if facts.held.contains(window) {
                if candidate.evidence == .cameForward { held = held ?? candidate }
                return false
            }
            // It looks right, and its program was started by a launch that still waits for its window.
            guard candidate.evidence == .looks, let other = candidate.otherLaunch else { return true }
            return launches[other]?.standing != .waits && !others.contains(other)
        }
        for level in WindowCandidate.levels(of: free, isLast: isLast) {
            let candidate = level[0]
            let waiting = launches.values.filter { rival in
                rival.number != claimant.number && rival.standing == .waits
                    && Self.isRival(rival.launch, of: claimant, for: candidate.window)
            }
            let ended = claimant.unidentified.filter { Self.isRival($0.launch, of: claimant, for: candidate.window) }
            let isContended = !waiting.isEmpty || !ended.isEmpty
            let isAlone = !isContended && others.isEmpty
            // Several look right, and nothing says which one is meant.
            if candidate.evidence == .looks, level.count > 1, isAlone { continue }
            let isSure =
                if candidate.evidence == .startupID, !candidate.window.sharesStartupID {
                    true
                } else if candidate.isOfLaunchedProcess {
                    candidate.otherLaunch == nil
                        && !waiting.contains { mayHandOver($0, to: claimant) }
                        && !ended.contains { mayHaveHandedOver($0, to: claimant, isRunning) }
                } else {
                    isAlone
                }
            // A launch that is acting and not known here is about to be registered, was released since the store was
            // read, or is an earlier run's: it is seldom still there when this is asked again.
            guard isSure || isLast || isContended else { return nil }
            // What proves nothing goes to the launch that waits longest.
            guard isSure || waiting.allSatisfy({ $0.number > claimant.number }) else { return nil }
            grant(candidate, to: nonce, isSure: isSure, at: now)
            return isSure ? .identified(candidate) : .likely(candidate)
        }
        return held.map(WindowGrant.held)
    }

    /// The launch waits no more, whatever it was granted; the nonces of those that are let in now.
    ///
    /// - Parameter hasFailed: its program opens no window any more.
    mutating func leave(
        _ nonce: String, hasFailed: Bool, at now: MonotonicInstant, isRunning: (Store.SessionProcess) -> Bool
    ) -> [String] {
        queue.removeAll { $0.nonce == nonce }
        if let launch = launches.removeValue(forKey: nonce), launch.standing == .waits, !hasFailed {
            for other in launches.keys { launches[other]?.unidentified.append(Ended(launch)) }
            late.append((Ended(launch), now + WindowClaims.lateness))
        }
        return admit(at: now, isRunning)
    }

    /// Its windows are written to its session, or given up.
    mutating func release(_ nonce: String) {
        own.remove(nonce)
        granted = granted.filter { $0.value != nonce }
    }

    // MARK: -

    /// Lets in what need not wait.
    private mutating func admit(at now: MonotonicInstant, _ isRunning: (Store.SessionProcess) -> Bool) -> [String] {
        var admitted: [String] = []
        var passed: Set<String> = []
        late.removeAll { $0.until <= now }
        contested = contested.filter { $0.value > now }
        for place in late.indices where late[place].ended.handedOver == nil {
            // It can hand over to none that begins now.
            if !(late[place].ended.process.map(isRunning) ?? false) { late[place].ended.handedOver = count }
        }
        queue.removeAll { next in
            if programsThatHandOver.contains(next.program) {
                guard passed.insert(next.program).inserted,
                    !launches.values.contains(where: { $0.launch.program == next.program })
                else { return false }
            }
            count += 1
            launches[next.nonce] = Launch(launch: next, number: count, unidentified: late.map(\.ended))
            admitted.append(next.nonce)
            return true
        }
        return admitted
    }

    private mutating func grant(
        _ candidate: WindowCandidate, to nonce: String, isSure: Bool, at now: MonotonicInstant
    ) {
        let window = Window(candidate.window)
        guard let claimant = launches[nonce] else { return }
        launches[nonce]?.standing = isSure ? .identified : .likely
        granted[window] = nonce
        for other in launches.keys where other != nonce {
            launches[other]?.taken.insert(window)
            if !isSure { launches[other]?.unidentified.append(Ended(claimant)) }
        }
        if !isSure { contested[window] = now + WindowClaims.lateness }
        if !candidate.isOfLaunchedProcess, !candidate.carriesNonce {
            programsThatHandOver.insert(claimant.launch.program)
        }
    }

    /// Whether another launch may have opened a window: one that waits, or that ended and never found its own.
    private static func isRival(
        _ rival: PendingLaunch, of claimant: Launch, for window: WindowList.Window
    ) -> Bool {
        rival.program == claimant.launch.program || rival.rule?.matches(window) ?? false
    }

    private func mayHandOver(_ waiting: Launch, to claimant: Launch) -> Bool {
        waiting.handedOver.map { claimant.number <= $0 } ?? programsThatHandOver.contains(waiting.launch.program)
    }

    private func mayHaveHandedOver(
        _ ended: Ended, to claimant: Launch, _ isRunning: (Store.SessionProcess) -> Bool
    ) -> Bool {
        if ended.handedOver != nil { return ended.hasHandedOver(toLaunch: claimant.number) }
        return programsThatHandOver.contains(ended.launch.program) || !(ended.process.map(isRunning) ?? false)
    }
}

// MARK: - Windows that come late

extension WindowClaims {
    /// - Parameter carried: the nonce in the environment of the window's process.
    func owner(of window: WindowList.Window, carrying carried: String?, at now: MonotonicInstant) -> WindowOwner {
        func carries(_ launch: PendingLaunch) -> Bool { carried.map { $0.hasSameBytes(as: launch.nonce) } ?? false }
        func isMeant(_ launch: PendingLaunch) -> Bool { launch.rule?.matches(window) ?? false }
        let identity = Window(window)
        if granted[identity] != nil { return .pending }
        let waiting = launches.values.filter { $0.standing == .waits }
        if waiting.contains(where: { carries($0.launch) || isMeant($0.launch) }) { return .pending }
        if let until = contested[identity], until > now { return .contested }
        let ended = late.filter { $0.until > now }.map(\.ended).filter { ended in
            // What another launch has started is its own, unless this one handed over to it.
            carries(ended.launch) || isMeant(ended.launch) && (carried == nil || ended.handedOver != nil)
        }
        guard let first = ended.first else { return .noLaunch }
        guard ended.count > 1 else { return first.launch.session.map { .late(session: $0) } ?? .noLaunch }
        // Each has its own process, as long as none has handed over to that of another.
        guard let own = ended.first(where: { carries($0.launch) }),
            !ended.contains(where: { $0.hasHandedOver(toLaunch: own.number) })
        else { return .contested }
        return own.launch.session.map { .late(session: $0) } ?? .noLaunch
    }
}
