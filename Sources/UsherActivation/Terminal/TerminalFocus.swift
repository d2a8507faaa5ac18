import Glibc
internal import Synchronization
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// Opens a terminal with a client of a tmux session.
typealias TerminalOpening = @Sendable (TerminalTicket) throws(ActivationFailure) -> Void

/// Brings the window, the tab and the pane of a process forward, and reads back whether the user sees them.
///
/// Nothing else comes forward instead. Modes, popups and zoom of tmux stay as they are.
struct TerminalFocus {
    /// How long it may take until a terminal that was opened shows its session, in milliseconds.
    private static let openLimit = 10_000
    /// And from then on until its window is listed.
    private static let windowLimit = 2000
    /// Between two looks at what has no events, in milliseconds.
    private static let pause = 30
    /// Within this time a key was pressed in a client, in seconds: tmux has no finer times.
    private static let typingPause = 1
    /// How long a terminal may take to tell tmux that it has the keyboard, in milliseconds.
    private static let focusLimit = 300
    /// After which everything is read once more where a title has shown the tab, in milliseconds.
    private static let secondLook = 60

    /// One comes forward after the other, and each is read back before the next one.
    static let turn = Mutex(())

    let desktop: (any WindowSystem)?
    let tmux: TmuxClient
    let settings: TerminalSettings
    /// How far the window comes forward, if less is done while the user types.
    let policy: FocusPolicy
    let token: String?
    /// nil where there is no session bus.
    let tabs: (any TerminalTabs)?
    /// nil where no terminal is to be opened.
    let open: TerminalOpening?

    private var evidence = SeenEvidence()
    private var hasOpened = false
    /// What was read after the last change of tmux already, where that came with the first look.
    private var settled: TerminalPlace?
    /// The client that shows the innermost pane, as it was read back.
    private var shown: TmuxSnapshot.Client?

    init(
        desktop: (any WindowSystem)?, tmux: TmuxClient, settings: TerminalSettings,
        policy: FocusPolicy = FocusPolicy(), token: String?, tabs: (any TerminalTabs)?,
        open: TerminalOpening?
    ) {
        (self.desktop, self.tmux, self.settings) = (desktop, tmux, settings)
        (self.policy, self.token, self.tabs, self.open) = (policy, token, tabs, open)
    }

    /// A look at the windows and terminals as they are now.
    private func walk(known: TmuxSnapshot? = nil) -> TerminalWalk {
        TerminalWalk(desktop: (try? desktop?.windows())?.windows ?? [], tmux: tmux, known: known)
    }

    /// - Parameter known: what the tmux server has said just now.
    mutating func run(_ subject: TerminalSubject, known: TmuxSnapshot? = nil) -> ActivationReport {
        var look = walk(known: known)
        var place = look.place(of: subject)
        guard let process = place.process else { return ActivationReport(place.failure ?? .terminalGone("it")) }
        evidence.process = .init(pid: process.pid, start: process.start, name: process.name)
        // From here on the process is meant, whatever takes its pane.
        let itself = if case .part = subject { subject } else { TerminalSubject.process(process.pid) }
        var hasSwitched = false
        do throws(ActivationFailure) {
            if let step = place.path.steps.last, step.tmux?.candidates.first.map({ $0.rank == 2 }) ?? true,
                let mux = step.tmux, !mux.panes.isEmpty
            {
                guard try showSession(of: mux) else {
                    evidence.tmux = place.path.tmux.map { $0.evidence }
                    return report(.noClient(of: mux), isDone: desktop == nil)
                }
                hasSwitched = true
                let deadline = Deadline(inMilliseconds: hasOpened ? Self.windowLimit : 0)
                repeat {
                    look = walk()
                    place = look.place(of: itself)
                } while hasOpened && !place.path.isHere && !Self.wait(until: deadline)
            }
            // Without tmux in between, nothing is reached that has no window.
            if let failure = place.failure, place.path.tmux.isEmpty { throw failure }
            var isChanged = hasSwitched || known == nil
            for mux in place.path.tmux where try mux.show() { isChanged = true }
            // That the terminal comes forward changes nothing there, but what it tells of the keyboard.
            let mayChange = place.path.tmux.contains { $0.hasPopup || desktop != nil && $0.isUnfocused }
            if !isChanged, !mayChange { settled = place }
        } catch {
            return report(error)
        }
        if let step = place.path.steps.last, let mux = step.tmux, mux.panes.isEmpty {
            evidence.tmux = place.path.tmux.map { $0.evidence }
            return report(ActivationFailure(.seenPopup, "it runs in a popup of tmux"), isDone: false)
        }
        return bringForward(place, itself, &look)
    }

    // MARK: - tmux

    /// Has some client show the session of a pane that none shows. False where that is not to be.
    private mutating func showSession(of mux: TmuxPlace) throws(ActivationFailure) -> Bool {
        guard let pane = mux.panes.first(where: \.isCurrentWindow) ?? mux.panes.first else { return false }
        if settings.detached == .switch, let free = try freeClient(of: mux) {
            let target = "\(pane.session):\(pane.window)"
            let switching = ["switch-client", "-c", free, "-t", target]
            if case .lines = try mux.client.run([switching]) { return true }
        }
        guard settings.detached != .none, desktop != nil, let open else { return false }
        let program = "/proc/\(mux.server.pid)/exe"
        let file = FileSystem.link(program).flatMap { FileSystem.isExecutable($0) ? $0 : nil } ?? program
        let known = Set(mux.candidates.map(\.client.name))
        try open(TerminalTicket(program: file, socket: mux.socket, session: pane.session))
        hasOpened = true
        let deadline = Deadline(inMilliseconds: Self.openLimit)
        repeat {
            if case .lines(let lines) = try mux.client.run([TmuxSnapshot.askClients]),
                TmuxSnapshot(lines: lines).clients.contains(where: {
                    $0.session == pane.session && !known.contains($0.name)
                })
            {
                return true
            }
        } while !Self.wait(until: deadline)
        return false
    }

    /// A client of another session in which no key was pressed for a second: of one in which one was, that time is waited for,
    /// once. nil where the user goes on, or there is none.
    private func freeClient(of mux: TmuxPlace) throws(ActivationFailure) -> String? {
        let usable = mux.candidates.filter { ($0.isHere || desktop == nil) && $0.client.isView }.map(\.client)
        func isFree(_ client: TmuxSnapshot.Client) -> Bool { Int(time(nil)) - client.activity > Self.typingPause }
        if let free = usable.first(where: isFree) { return free.name }
        guard let first = usable.first else { return nil }
        let deadline = Deadline(inMilliseconds: (Self.typingPause + 1) * 1000)
        while !isFree(first), !Self.wait(until: deadline) {}
        guard case .lines(let lines) = try mux.client.run([TmuxSnapshot.askClients]) else { return nil }
        return TmuxSnapshot(lines: lines).clients.first { $0.name.hasSameBytes(as: first.name) && isFree($0) }?.name
    }

    // MARK: - Look

    /// What the user sees of it now. Nothing comes forward; a title is written where only that tells the tab.
    mutating func look(at subject: TerminalSubject) -> SeenEvidence? {
        var look = walk()
        let place = look.place(of: subject)
        guard let process = place.process else {
            return report(place.failure ?? .terminalGone("it")).evidence
        }
        evidence.process = .init(pid: process.pid, start: process.start, name: process.name)
        if let failure = place.failure, place.path.tmux.isEmpty { return report(failure).evidence }
        guard let desktop, !place.path.windows.isEmpty,
            !place.path.windows.contains(where: { $0.activation == .foregroundActive })
        else {
            let itself = if case .part = subject { subject } else { TerminalSubject.process(process.pid) }
            return bringForward(place, itself, &look, isLook: true).evidence
        }
        evidence.hasKeyboard = false
        evidence.terminal = place.path.terminal?.name
        return report(
            ActivationFailure(.seenNotFront, "\(desktop.name) has another window in front"), isDone: false
        ).evidence
    }

    /// Waits for a moment; true where the deadline has passed.
    private static func wait(until deadline: Deadline) -> Bool {
        if deadline.isOver { return true }
        _ = Poll.wait(for: -1, until: Deadline(inMilliseconds: pause))
        return false
    }

    // MARK: - Window

    private mutating func bringForward(
        _ place: TerminalPlace, _ itself: TerminalSubject, _ look: inout TerminalWalk, isLook: Bool = false
    ) -> ActivationReport {
        guard let terminal = place.path.terminal, let last = place.path.steps.last, let desktop else {
            return verify(itself, window: nil, seen: nil, place.path)
        }
        evidence.terminal = terminal.name
        let windows = place.path.windows
        let kind = KnownTerminal.title(of: last.holder.name)
        let terminals = look.terminalCount(of: last.holder.pid)
        var search = TabSearch(
            step: last, windows: windows, canHide: !(kind == .only || 0 < terminals && terminals <= windows.count),
            probe: settings.usesTitles ? TitleProbe(desktop: desktop, tty: last.tty) : nil,
            ways: isLook ? [] : settings.tabs,
            tabs: tabs)
        var target = windows.count == 1 ? windows.first : nil
        if windows.count == 1, terminals == 1, kind != nil {
            evidence.tab = .only
        } else {
            if let found = search.run() { target = found }
            evidence.tab = search.tab
        }
        guard let target else { return verify(itself, window: nil, seen: nil, place.path) }
        if isLook {
            let isFront = target.activation == .foregroundActive
            var seen = WindowSighting(
                handle: target.handle, server: target.server ?? "",
                view: isFront ? .shown : .hidden(seen: "another window has the keyboard"))
            if isFront { seen.front = .init(handle: target.handle, server: seen.server) }
            seen.exposure = try? desktop.exposure(of: target.handle)
            return verify(itself, window: seen, seen: target, place.path)
        }
        let seen: WindowSighting
        do throws(ActivationFailure) {
            seen = try desktop.focus(
                FocusRequest(.handle(target.handle, server: target.server), policy: policy, token: token))
        } catch {
            return report(error)
        }
        // It was left where it is.
        if seen.sparedTyping { return ActivationReport(seen, policy: policy) }
        // Another tab may have come forward with the window.
        if evidence.tab != .only { evidence.tab = search.look(in: target) }
        return verify(itself, window: seen, seen: target, place.path)
    }

    // MARK: - Verification

    private mutating func verify(
        _ itself: TerminalSubject, window: WindowSighting?, seen target: WindowList.Window?, _ path: TerminalPath
    ) -> ActivationReport {
        if let window { evidence.take(window) }
        evidence.tmux = path.tmux.map { $0.evidence }
        var problem = condition(itself, window, path)
        if problem == nil, evidence.tab == .title || evidence.tab == .interface {
            _ = Poll.wait(for: -1, until: Deadline(inMilliseconds: Self.secondLook))
            settled = nil
            var later = window
            if let handle = window?.handle, let exposure = try? desktop?.exposure(of: handle) {
                later?.exposure = exposure
                evidence.take(exposure)
            }
            if let now = condition(itself, later, path) {
                problem = ActivationFailure(.seenLostFront, now.message, help: now.help)
            }
        }
        var report = report(problem, isDone: false)
        if let window {
            (report.handle, report.handleServer, report.title) = (window.handle, window.server, window.title)
            if problem == nil { (report.view, report.front) = (.inFront, window.front) }
        }
        if problem == nil, let mux = path.tmux.first, let pane = mux.pane, let shown {
            var front = WindowSighting.Front(handle: pane, server: mux.life)
            front.client = .init(name: shown.name, activity: shown.activity, window: report.front?.handle)
            report.front = front
        }
        return report
    }

    /// The first condition that does not hold.
    private mutating func condition(
        _ itself: TerminalSubject, _ window: WindowSighting?, _ before: TerminalPath
    ) -> ActivationFailure? {
        if let problem = windowCondition(window, before) { return problem }
        var now: TerminalPlace
        if let settled {
            now = settled
        } else {
            var look = walk()
            now = look.place(of: itself)
        }
        if window != nil, now.path.tmux.contains(where: { $0.isUnfocused }) { now = awaitFocus(itself, now) }
        evidence.tmux = now.path.tmux.map { $0.evidence }
        shown = now.path.tmux.first?.shown
        evidence.keyTime = now.path.tmux.compactMap(\.shown?.activity).max().map(Int64.init)
        if now.process?.start != evidence.process?.start {
            return ActivationFailure(.seenOtherProgram, "the process has ended")
        }
        if let problem = stopCondition(now.path) ?? window?.coverProblem { return problem }
        if let window {
            switch evidence.tab {
            case .hidden:
                return ActivationFailure(
                    .seenTabHidden, "another tab of \(Printable.text(evidence.terminal ?? "")) is in front")
            case .unknown, nil:
                return ActivationFailure(
                    .seenTabUnknown, "which tab of \(Printable.text(evidence.terminal ?? "")) is in front is not known")
            case .only, .interface, .accessibility, .title: break
            }
            // It was read when it came forward, and may have gone since.
            if settled == nil, let list = try? desktop?.windows(),
                let listed = list.windows.first(where: { $0.handle == window.handle }),
                let activation = listed.activation, activation != .foregroundActive
            {
                evidence.hasKeyboard = false
                return ActivationFailure(.seenNotFront, "\(window.handle ?? "") lost the keyboard")
            }
        }
        for mux in now.path.tmux {
            if let problem = mux.condition(hasWindow: window != nil) { return problem }
        }
        if let step = now.path.steps.first(where: { $0.kind == .screen || $0.kind == .editor }) {
            return ActivationFailure(
                .seenPaneUnknown, "\(Printable.text(step.holder.name)) is in between, and what it shows is not known")
        }
        return nil
    }

    private func windowCondition(_ window: WindowSighting?, _ path: TerminalPath) -> ActivationFailure? {
        guard let window else {
            // A tmux without any window system is seen as far as tmux says.
            if desktop == nil, !path.tmux.isEmpty { return nil }
            if !path.tmux.isEmpty, path.terminal == nil {
                return ActivationFailure(
                    .seenNoWindow, "the terminal of the client has no window here",
                    help: path.failure?.message)
            }
            let isHidden = evidence.tab == .hidden
            return ActivationFailure(
                isHidden ? .seenTabHidden : .seenTabUnknown,
                "\(Printable.text(evidence.terminal ?? "the terminal")) has \(path.windows.count) windows, and which one shows it "
                    + "is not known")
        }
        switch window.view {
        case .shown: return nil
        case .untouched, .nobodyLooks:
            return ActivationFailure(.seenNotFront, "\(window.handle ?? "it") was left where it is")
        case .hidden(let seen): return ActivationFailure(.seenNotFront, seen)
        }
    }

    private func stopCondition(_ path: TerminalPath) -> ActivationFailure? {
        if let terminal = path.terminal, ProcessStatus(pid: terminal.pid)?.isStopped ?? false {
            return ActivationFailure(
                .seenClientStopped, "\(Printable.text(terminal.name)) (process \(terminal.pid)) is stopped")
        }
        if let client = path.tmux.lazy.compactMap(\.shown).first(where: { $0.flags.contains("suspended") }) {
            return ActivationFailure(.seenClientStopped, "the client \(client.name) of tmux is suspended")
        }
        return nil
    }

    /// Terminals tell tmux that they have the keyboard, which tmux makes no event of.
    private func awaitFocus(_ itself: TerminalSubject, _ place: TerminalPlace) -> TerminalPlace {
        let deadline = Deadline(inMilliseconds: Self.focusLimit)
        var place = place
        while place.path.tmux.contains(where: { $0.isUnfocused }), !Self.wait(until: deadline) {
            var look = walk()
            place = look.place(of: itself)
        }
        return place
    }

    /// - Parameter isDone: a problem leaves it done.
    private func report(_ problem: ActivationFailure?, isDone: Bool) -> ActivationReport {
        var report = ActivationReport(outcome: problem == nil ? .verified : isDone ? .done : .unverified)
        if let problem {
            report.warnings = [problem]
            report.seen = problem.message
        }
        complete(&report, problem)
        return report
    }

    private func report(_ failure: ActivationFailure) -> ActivationReport {
        var report = ActivationReport(failure)
        complete(&report, failure)
        return report
    }

    private func complete(_ report: inout ActivationReport, _ problem: ActivationFailure?) {
        var evidence = evidence
        evidence.reason = problem?.code.name
        if evidence.window == nil { evidence.unknown = desktop == nil ? [.window] : [.screen, .cover] }
        report.evidence = evidence
        report.hasOpened = hasOpened
    }
}

extension ActivationFailure {
    fileprivate static func noClient(of mux: TmuxPlace) -> ActivationFailure {
        ActivationFailure(
            .seenNoClient, "no client of tmux shows the session \(mux.sessions.first ?? "")",
            help: "attach one; `[terminal] detached` of usher.toml says what may be done")
    }
}

// MARK: - tmux

extension TmuxPlace {
    /// Turns the client that is used, and its session, to the pane. Other clients keep what they show, and a zoomed window
    /// stays zoomed.
    ///
    /// - Returns: whether that was needed.
    fileprivate func show() throws(ActivationFailure) -> Bool {
        guard let best = candidates.first, best.rank < 2, let pane = panes.first else { return false }
        var commands: [[String]] = []
        if best.rank == 1 { commands.append(["select-window", "-t", "\(best.client.session):\(pane.window)"]) }
        let isSeen = best.rank == 0 && best.client.pane == pane.id
        if !isSeen { commands.append(["select-pane", "-Z", "-t", pane.id]) }
        if commands.isEmpty { return false }
        if case .error(let problem, _) = try client.run(commands) {
            throw .terminalGone("\(pane.id) of \(socket): \(problem)")
        }
        return true
    }

    /// The client that is to show the pane.
    fileprivate var shown: TmuxSnapshot.Client? { candidates.first { $0.rank < 2 }?.client }

    fileprivate var isUnfocused: Bool { shown.map { !$0.flags.contains("focused") } ?? false }

    fileprivate var evidence: SeenEvidence.Tmux {
        var evidence = SeenEvidence.Tmux(socket: socket, server: server.pid)
        (evidence.client, evidence.session, evidence.window) = (shown?.name, shown?.session, panes.first?.window)
        evidence.pane = pane
        evidence.isZoomed = isZoomedOver
        (evidence.mode, evidence.hasPopup) = (panes.first?.mode, hasPopup)
        evidence.isFocused = shown?.flags.contains("focused") ?? false
        return evidence
    }

    private var isZoomedOver: Bool {
        guard let pane = panes.first else { return false }
        return pane.isWindowZoomed && !pane.isActive
    }

    /// The first condition of the pane that does not hold.
    fileprivate func condition(hasWindow: Bool) -> ActivationFailure? {
        guard let pane = panes.first else { return ActivationFailure(.seenPopup, "it runs in a popup of tmux") }
        guard let shown else { return .noClient(of: self) }
        if shown.window != pane.window || shown.pane != pane.id || isZoomedOver {
            return ActivationFailure(.seenOtherPane, shown.words)
        }
        if let mode = pane.mode {
            return ActivationFailure(.seenPaneMode, "\(pane.id) is in \(Printable.text(mode))", help: "q leaves it")
        }
        if hasPopup {
            return ActivationFailure(.seenPopup, "a popup is open on the tmux server \(Printable.text(socket))")
        }
        if hasWindow, isUnfocused {
            return ActivationFailure(
                .seenUnfocused, "the terminal \(Printable.text(shown.name)) says that it has no keyboard")
        }
        return nil
    }
}
