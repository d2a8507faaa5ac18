import Glibc
internal import UsherSystem

extension TmuxWindowSystem {
    /// Programs for which a typed line is a command.
    static let shells: Set<String> = [
        "sh", "bash", "rbash", "dash", "ash", "zsh", "fish", "ksh", "ksh93", "mksh", "lksh", "pdksh", "yash", "tcsh",
        "csh", "bsd-csh", "busybox", "elvish", "nu", "xonsh", "pwsh", "rc", "es", "tmux", "screen",
    ]

    /// How long a program may take to stand in its new window, in milliseconds.
    private static let startPatience = 500

    public func type(_ keys: WindowKeys, into window: WindowReference) throws(ActivationFailure) {
        guard case .handle(let text, let server) = window, let handle = TmuxHandle(text) else {
            throw .noWindowToType
        }
        let patience = Deadline(inMilliseconds: Self.startPatience)
        var pane: TmuxWorld.Pane
        while true {
            let world = try ask([TmuxWorld.askServer, TmuxWorld.askPanes(handle.filter)])
            guard isPresent(server, in: world), let found = self.pane(for: keys.session, in: world) else {
                throw .windowGone(text)
            }
            pane = found
            guard keys.holdsPayloadText else { break }
            if pane.isSynchronized { throw .synchronizedPanes }
            // In a pane that Usher made the program is the pane: when it ends, no shell is left behind it to type into.
            guard let shell = Self.shell(in: pane) else { break }
            // A window just made is a shell, or tmux itself, until its program is there.
            if patience.isOver { throw .shellPane(shell) }
            usleep(20_000)
        }
        var commands: [[String]] = []
        // Keys in copy mode are commands of tmux itself.
        if pane.isInMode { commands.append(["copy-mode", "-q", "-t", pane.id]) }
        for stroke in keys.strokes {
            switch stroke {
            case .text(let text): commands.append(["send-keys", "-t", pane.id, "-l", "--", text])
            case .key(let name): commands.append(["send-keys", "-t", pane.id, "--", name])
            }
        }
        guard !commands.isEmpty else { return }
        switch try client.run(commands) {
        case .lines: return
        case .noServer: throw .windowGone(text)
        case .error(let problem, _):
            if try presence(of: window) == .gone { throw .windowGone(text) }
            throw .windowSystem(name, problem)
        }
    }

    /// In a window that the user has split: the pane in which the session's program was started, else the active one.
    private func pane(for session: String?, in world: TmuxWorld) -> TmuxWorld.Pane? {
        let panes = world.panes.filter { !$0.isDead }
        guard let first = panes.first, panes.contains(where: { $0.id != first.id }) else { return panes.first }
        if let session {
            let variable = EnvironmentVariable(UsherVariables.session, session)
            let own = panes.first { pane in
                pane.process.map { ProcessTable.process($0, holds: variable) } ?? false
            }
            if let own { return own }
        }
        return panes.first { $0.isActive } ?? first
    }

    private static func shell(in pane: TmuxWorld.Pane) -> String? {
        var names = [pane.command]
        // A program may call itself anything; the file that it runs tells more.
        if let process = pane.process, let program = ProcessTable.foregroundProgram(of: process) {
            names.append(program)
        }
        for name in names {
            let bare = name.utf8.first == UInt8(ascii: "-") ? String(name.unicodeScalars.dropFirst()) : name
            if shells.contains(bare) { return bare }
        }
        return nil
    }
}
