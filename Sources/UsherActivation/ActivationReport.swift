public import UsherScene
internal import UsherSystem
internal import UsherText

/// What became of an activation, for the record.
public struct ActivationReport: Sendable {
    public var outcome: Outcome
    /// The window now, where it is known.
    public var handle: String?
    public var handleServer: String?
    /// The window's name, as its window system shows it.
    public var title: String?
    /// The window does not exist any more: mark its session and resolve once more.
    public var windowGone: Bool
    /// Set exactly where the outcome is `failed`.
    public var failure: ActivationFailure?
    /// Why the outcome is not better than `unverified`: a time limit, `ready` that did not hold.
    public var warnings: [ActivationFailure]
    /// The programs that were run, in order.
    public var handlers: [HandlerReport]
    /// What the user sees instead, where the effect could not be confirmed.
    public var seen: String?
    /// How the window is seen that came forward, where that was read back.
    public var view: WindowView?
    /// The desktop's window that was read back to be in front with the keyboard.
    public var front: WindowSighting.Front?
    /// What shows whether the user sees it, where that was read.
    public var evidence: SeenEvidence?
    /// A terminal was opened for it.
    public var hasOpened = false
    /// Less was done because the user was typing elsewhere.
    public var sparedTyping = false
    /// What was launched runs, and was still waited for when this run was stopped: it is not over.
    public var isLeft = false
    /// The process that was started and left to itself, where what it opened is not known.
    public var process: Int32?
    /// With `isLeft`: the program was not even started.
    public var isUnstarted = false
    /// What became of the window of a launch, where that is not its session's window now; nil elsewhere.
    public var window: LostWindow?

    public enum LostWindow: Sendable {
        /// It did not come in time, and may come later.
        case missing
        /// It came, and was closed at once.
        case closed
        /// One came that may be another launch's: no session may keep it.
        case unidentified
    }

    public init(
        outcome: Outcome, handle: String? = nil, handleServer: String? = nil, title: String? = nil,
        windowGone: Bool = false, failure: ActivationFailure? = nil, warnings: [ActivationFailure] = [],
        handlers: [HandlerReport] = [], seen: String? = nil
    ) {
        self.outcome = outcome
        self.handle = handle
        self.handleServer = handleServer
        self.title = title
        self.windowGone = windowGone
        self.failure = failure
        self.warnings = warnings
        self.handlers = handlers
        self.seen = seen
    }

    /// Whether what was done is over, and did not have the effect that was asked for, as far as is known.
    var isUnconfirmed: Bool { !isLeft && (outcome == .failed || outcome == .unverified) }

    /// A time limit leaves open what happened; any other failure means that it did not.
    init(_ failure: ActivationFailure, handlers: [HandlerReport] = []) {
        let isOpen = failure.code == .timeLimit || failure.code == .notReady
        self.init(
            outcome: isOpen ? .unverified : .failed, windowGone: failure.code == .windowGone,
            failure: isOpen ? nil : failure, warnings: isOpen ? [failure] : [], handlers: handlers)
    }

    /// Replaces the outcome and what the user sees by those of a later look at the window.
    mutating func takeView(of look: ActivationReport) {
        (outcome, seen, view, front, evidence) = (look.outcome, look.seen, look.view, look.front, look.evidence)
        warnings += look.warnings
    }

    /// - Parameter output: the last line that the program wrote.
    init(_ program: String, _ end: ProcessEnd, output: String? = nil, handlers: [HandlerReport]) {
        if let failure = ActivationFailure.unsuccessful(program, end, output: output) {
            self.init(failure, handlers: handlers)
        } else {
            self.init(outcome: .done, handlers: handlers)
        }
    }

    init(_ sighting: WindowSighting, policy: FocusPolicy = FocusPolicy(), handlers: [HandlerReport] = []) {
        self.init(
            outcome: .done, handle: sighting.handle, handleServer: sighting.server, title: sighting.title,
            handlers: handlers)
        sparedTyping = sighting.sparedTyping
        let prominence = sighting.sparedTyping ? policy.whileTyping ?? policy.prominence : policy.prominence
        let problem = prominence.showsWindow ? sighting.problem : nil
        evidence = sighting.evidence
        if prominence.showsWindow, sighting.isOfDesktop {
            var evidence = SeenEvidence()
            evidence.take(sighting, prominence)
            evidence.reason = problem?.code.name
            self.evidence = evidence
        }
        if let problem {
            let isOpen = sighting.view != .nobodyLooks
            (outcome, seen, warnings) = (isOpen ? .unverified : .done, problem.message, [problem])
            return
        }
        switch sighting.view {
        case .shown:
            outcome = .verified
            switch prominence {
            case .focus:
                view = .inFront
                front = sighting.front
            case .raise: view = .inFront
            case .urgent: view = .marked
            case .none: break
            }
        case .untouched: outcome = .done
        case .nobodyLooks: outcome = .done
        case .hidden(let seen):
            outcome = .unverified
            self.seen = seen
        }
    }
}

extension WindowSighting {
    /// Whether it is a window of the desktop or of a browser, not of tmux.
    fileprivate var isOfDesktop: Bool { handle.map { TmuxHandle($0) == nil } ?? false }

    /// The first condition that does not hold of those that its window system tells of.
    fileprivate var problem: ActivationFailure? {
        if let doubt { return doubt }
        guard isOfDesktop else { return nil }
        if case .hidden(let seen) = view { return ActivationFailure(cause, seen) }
        if let process, ProcessStatus(pid: process)?.isStopped ?? false {
            return ActivationFailure(.seenClientStopped, "its process \(process) is stopped")
        }
        return coverProblem
    }

    /// Too little of it is on the screens and not covered.
    var coverProblem: ActivationFailure? {
        guard case .shown = view, let exposure else { return nil }
        func percent(_ part: Double?) -> Int { Int(((part ?? 0) * 100).rounded()) }
        if exposure.isOffScreen {
            return ActivationFailure(
                .seenOffScreen, "\(percent(exposure.offScreen)) % of the window is on no screen")
        }
        if exposure.isCovered {
            return ActivationFailure(.seenCovered, "\(percent(exposure.covered)) % of the window is covered")
        }
        return nil
    }
}

extension SeenEvidence {
    /// What the window system has read back of a window.
    mutating func take(_ sighting: WindowSighting, _ prominence: FocusPolicy.Prominence = .focus) {
        window = sighting.front?.handle ?? sighting.handle
        hasKeyboard =
            if case .shown = sighting.view { prominence == .focus ? true : nil } else { false }
        take(sighting.exposure)
    }

    mutating func take(_ exposure: WindowExposure?) {
        // A ten-thousandth is less than a row of pixels.
        func rounded(_ part: Double?) -> Double? { part.map { ($0 * 10_000).rounded() / 10_000 } }
        (offScreen, covered) = (rounded(exposure?.offScreen), rounded(exposure?.covered))
        unknown.removeAll { $0 == .screen || $0 == .cover }
        if offScreen == nil { unknown.append(.screen) }
        if covered == nil { unknown.append(.cover) }
    }
}

extension FocusPolicy.Prominence {
    /// Whether the user is to see the window itself.
    fileprivate var showsWindow: Bool {
        switch self {
        case .focus, .raise: true
        case .urgent, .none: false
        }
    }
}

/// One program that was run for a delivery.
public struct HandlerReport: Sendable {
    public enum Status: Sendable, Hashable {
        case ended(ProcessEnd)
        /// Stopped at its time limit.
        case timedOut
        case failedToStart
        /// Started, and left to itself.
        case running

        /// Of a program that was waited for; nil where it was stopped at its time limit.
        init(_ end: ProcessEnd?) { self = end.map { .ended($0) } ?? .timedOut }
    }

    /// `launch`, `ready`, `focus`, `show`, `background`, …
    public var verb: String
    /// The command, to be shown: quoted, escaped, shortened.
    public var command: String
    public var status: Status
    /// How long it ran, or was waited for.
    public var milliseconds = 0
    /// The end of what it wrote on standard output, at most `keptOutput` bytes of UTF-8; empty where that is not captured.
    public var output = ""
    /// The same of standard error. Of a program that goes on running only where the outcome is `failed` or `unverified`.
    public var errorOutput = ""

    static let keptOutput = 4096

    public var exitStatus: Int32? {
        if case .ended(.exited(let status)) = self.status { status } else { nil }
    }
}

extension HandlerReport {
    /// It was begun at this time, and is over, or is not waited for any longer.
    init(verb: String, command: String, status: Status, since begin: MonotonicInstant) {
        self.init(verb: verb, command: command, status: status, milliseconds: MonotonicClock.milliseconds(since: begin))
    }
}

/// What a launch left behind when its dispatcher was killed: enough to take it over.
public struct FoundLaunch: Sendable, Hashable {
    /// The window, where the process is a window's.
    public var handle: String?
    public var handleServer: String?
    public var title: String?
    /// The oldest process that has the nonce.
    public var process: Int32
}
