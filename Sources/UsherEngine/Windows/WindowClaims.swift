internal import UsherActivation
internal import UsherScene
internal import UsherText

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
        var isHandedOver = false
        var standing = Standing.waits
        /// What others were granted while it waited.
        var taken: Set<Window> = []
        /// Launches that ended, while this one waited, without a window that is surely theirs.
        var unidentified: [PendingLaunch] = []
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
    private var late: [(launch: PendingLaunch, until: MonotonicInstant)] = []
    private var count = 0

    /// Registers a launch; false where it has to wait for others of its program: `leave` says when it is let in.
    mutating func enter(_ launch: PendingLaunch, at now: MonotonicInstant) -> Bool {
        own.insert(launch.nonce)
        if launch.handsOver { programsThatHandOver.insert(launch.program) }
        queue.append(launch)
        return !admit(at: now).filter { $0 == launch.nonce }.isEmpty
    }

    /// The launched process has ended with 0.
    mutating func noteHandOver(of nonce: String) { launches[nonce]?.isHandedOver = true }

    mutating func claim(
        _ candidates: [WindowCandidate], for nonce: String, facts: Facts, isLast: Bool
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
            let rivals = rivals(of: claimant, for: candidate.window)
            let waiting = rivals.filter { $0.standing == .waits }
            let isAlone = rivals.isEmpty && others.isEmpty
            // Several look right, and nothing says which one is meant.
            if candidate.evidence == .looks, level.count > 1, isAlone { continue }
            let isSure =
                if candidate.evidence == .startupID, !candidate.window.sharesStartupID {
                    true
                } else if candidate.isOfLaunchedProcess {
                    candidate.otherLaunch == nil && !rivals.contains(where: mayHaveHandedOver)
                } else {
                    isAlone
                }
            // A launch that is acting and not known here is about to be registered, was released since the store was
            // read, or is an earlier run's: it is seldom still there when this is asked again.
            guard isSure || isLast || !rivals.isEmpty else { return nil }
            // What proves nothing goes to the launch that waits longest.
            guard isSure || waiting.allSatisfy({ $0.number > claimant.number }) else { return nil }
            grant(candidate, to: nonce, isSure: isSure)
            return isSure ? .identified(candidate) : .likely(candidate)
        }
        return held.map(WindowGrant.held)
    }

    /// The launch waits no more, whatever it was granted; the nonces of those that are let in now.
    ///
    /// - Parameter hasFailed: its program opens no window any more.
    mutating func leave(_ nonce: String, hasFailed: Bool, at now: MonotonicInstant) -> [String] {
        queue.removeAll { $0.nonce == nonce }
        if let launch = launches.removeValue(forKey: nonce), launch.standing == .waits, !hasFailed {
            for other in launches.keys { launches[other]?.unidentified.append(launch.launch) }
            late.append((launch.launch, now + WindowClaims.lateness))
        }
        return admit(at: now)
    }

    /// Its windows are written to its session, or given up.
    mutating func release(_ nonce: String) {
        own.remove(nonce)
        granted = granted.filter { $0.value != nonce }
    }

    // MARK: -

    /// Lets in what need not wait.
    private mutating func admit(at now: MonotonicInstant) -> [String] {
        var admitted: [String] = []
        var passed: Set<String> = []
        late.removeAll { $0.until <= now }
        queue.removeAll { next in
            if programsThatHandOver.contains(next.program) {
                guard passed.insert(next.program).inserted,
                    !launches.values.contains(where: { $0.launch.program == next.program })
                else { return false }
            }
            count += 1
            launches[next.nonce] = Launch(launch: next, number: count, unidentified: late.map(\.launch))
            admitted.append(next.nonce)
            return true
        }
        return admitted
    }

    private mutating func grant(_ candidate: WindowCandidate, to nonce: String, isSure: Bool) {
        let window = Window(candidate.window)
        guard let claimant = launches[nonce] else { return }
        launches[nonce]?.standing = isSure ? .identified : .likely
        granted[window] = nonce
        for other in launches.keys where other != nonce {
            launches[other]?.taken.insert(window)
            if !isSure { launches[other]?.unidentified.append(claimant.launch) }
        }
        if !candidate.isOfLaunchedProcess, !candidate.carriesNonce {
            programsThatHandOver.insert(claimant.launch.program)
        }
    }

    /// The other launches that may have opened a window: those that wait, and those that ended and never found theirs.
    private func rivals(of claimant: Launch, for window: WindowList.Window) -> [Launch] {
        let waiting = launches.values.filter { $0.number != claimant.number && $0.standing == .waits }
        let ended = claimant.unidentified.map { Launch(launch: $0, number: 0, standing: .likely) }
        return (waiting + ended).filter { rival in
            rival.launch.program == claimant.launch.program || rival.launch.rule?.matches(window) ?? false
        }
    }

    private func mayHaveHandedOver(_ rival: Launch) -> Bool {
        rival.standing != .waits || rival.isHandedOver || programsThatHandOver.contains(rival.launch.program)
    }
}
