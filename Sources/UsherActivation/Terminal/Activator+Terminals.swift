import Glibc
internal import Synchronization
public import UsherScene
internal import UsherSystem
internal import UsherText

extension Activator {
    /// Where a process is, as its terminals and the windows say now. Changes nothing and writes nothing; tmux servers are
    /// asked, for at most two seconds each.
    public func place(of subject: TerminalSubject) -> TerminalPlace {
        var walk = TerminalWalk(desktop: (try? windowSystem.desktopAlone?.windows())?.windows ?? [], tmux: tmux)
        return walk.place(of: subject)
    }

    /// Brings the window, the tab and the pane of a process forward, and reads back whether the user sees them.
    ///
    /// - Parameter token: an activation token of the desktop.
    public func focus(terminalOf subject: TerminalSubject, _ settings: TerminalSettings, token: String?)
        -> ActivationReport
    {
        if isDryRun { return ActivationReport(outcome: .skipped) }
        return focusing(settings, token: token) { $0.run(subject) }
    }

    /// What shows whether the user sees the place of a process or a part of tmux now, by its handle; nil for other windows.
    /// Nothing comes forward.
    public func evidence(ofPlace handle: String, server: String?, _ settings: TerminalSettings) -> SeenEvidence? {
        guard let subject = TerminalSubject(handle: handle, server: server, tmux: tmuxSocket) else { return nil }
        return focusing(settings, token: nil) { $0.look(at: subject) }
    }

    /// What shows whether the user sees another window now, as far as its window system tells.
    public func evidence(ofWindow handle: String?, isInFront: Bool) -> SeenEvidence {
        var sighting = WindowSighting(handle: handle, server: "", view: isInFront ? .shown : .hidden(seen: ""))
        sighting.exposure = handle.flatMap { try? windowSystem.exposure(of: $0) }
        var evidence = SeenEvidence()
        evidence.take(sighting)
        evidence.reason = isInFront ? sighting.coverProblem?.code.name : DiagnosticCode.seenNotFront.name
        return evidence
    }

    private func focusing<Value>(
        _ settings: TerminalSettings, token: String?, _ body: (inout TerminalFocus) -> Value
    ) -> Value {
        TerminalFocus.turn.withLock { _ in
            var focus = TerminalFocus(
                desktop: windowSystem.desktopAlone, tmux: tmux, settings: settings, token: token, tabs: tabs,
                open: opening(settings, token: token))
            return body(&focus)
        }
    }

    /// The window of a session that is the place where a process runs: its tmux pane, else the leader of its terminal's
    /// session. nil where it has no terminal here.
    public func handle(atPlaceOf process: Int32) -> (handle: String, server: String?)? {
        let place = place(of: .process(process))
        // A place without a window may have one later.
        guard let step = place.path.steps.first, place.failure.map({ $0.code == .terminalNoWindow }) ?? true else {
            return nil
        }
        if let mux = step.tmux, let pane = mux.pane, FileSystem.isSame(mux.socket, tmuxSocket) {
            return (pane, try? windowSystem.server(of: pane))
        }
        guard let leader = ProcessStatus(pid: step.user)?.session else { return nil }
        return ProcessHandle("process:\(leader)")?.running.map { ($0.text, nil) }
    }

    /// Where the tmux server listens that is meant if none is named.
    public var tmuxSocket: String { tmux.socket }

    var tmux: TmuxClient {
        TmuxClient(locator: programs, environment: environment.base, options: [], timeLimit: 5000)
    }

    // MARK: Opening

    func opening(_ settings: TerminalSettings, token: String?) -> TerminalOpening {
        { (ticket) throws(ActivationFailure) in try open(ticket, settings, token: token) }
    }

    /// Opens a terminal that becomes a client of a tmux session.
    private func open(
        _ ticket: TerminalTicket, _ settings: TerminalSettings, token: String?
    ) throws(ActivationFailure) {
        guard let opener = terminalProgram(settings) else {
            throw ActivationFailure(
                .terminalNoProgram, "no program is installed that opens a terminal",
                help: "install one, or name it in [terminal] program of usher.toml")
        }
        let nonce = TerminalTicket.nonce()
        let file = try ticket.write(nonce: nonce, environment.variables)
        let usher = OwnProgram.sibling("usher")
        // Some terminals split what they are given at blanks.
        let isPlain = !usher.utf8.contains(UInt8(ascii: " ")) && !usher.utf8.contains(UInt8(ascii: "$"))
        let words = opener + [isPlain ? usher : "usher", "terminal", "attach", nonce]
        let inherited = environment.base.filter { $0.name != "TMUX" && $0.name != "TMUX_PANE" }
        var request = SpawnRequest(
            program: try programs.require(words[0]), arguments: words, environment: inherited, captureLimit: nil)
        request.errors = .discarded
        request.give(token: token ?? windowSystem.startupToken(nonce: nonce))
        do throws(ActivationFailure) {
            _ = try Spawner.start(request)
        } catch {
            _ = unsafe unlink(file)
            throw error
        }
    }

    /// The program that opens a terminal, with what stands before the command that is to run in it.
    func terminalProgram(_ settings: TerminalSettings) -> [String]? {
        if let program = settings.program.first {
            guard programs.isInstalled(program) else { return nil }
            return settings.program + Self.option(of: program)
        }
        let own = environment.variables["TERMINAL"].flatMap { $0.isEmpty ? nil : $0 }
        for program in [own, "xdg-terminal-exec", "x-terminal-emulator"].compactMap(\.self)
        where programs.isInstalled(program) { return [program] + Self.option(of: program) }
        return nil
    }

    /// What makes the words after it a command, in each terminal's way.
    private static func option(of program: String) -> [String] {
        switch FilePath.lastComponent(of: program) {
        case "foot", "footclient", "kitty", "xdg-terminal-exec": []
        case "gnome-terminal": ["--"]
        case "xfce4-terminal", "mate-terminal", "terminator": ["-x"]
        default: ["-e"]
        }
    }
}
