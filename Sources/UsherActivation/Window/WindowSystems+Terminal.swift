import UsherScene

// Windows of tmux are seen in a terminal, which is a window of the desktop itself, or of another machine.

extension WindowSystems {
    /// Brings the terminal forward whose client shows a window of tmux: behind other windows nobody sees it.
    ///
    /// It is the desktop's window of the client's nearest ancestor that has any. Where there is none (a console, ssh), the
    /// client is all that can be known. Where nobody can tell which of several it is, none is taken by chance.
    func withTerminal(
        _ sighting: WindowSighting, _ policy: FocusPolicy, token: String?
    ) -> WindowSighting {
        guard policy.prominence == .focus, !sighting.sparedTyping, case .shown = sighting.view,
            let client = sighting.client, let desktop
        else { return sighting }
        // A desktop that does not answer shows no terminal: the client is all that can be known.
        guard let list = try? desktop.windows() else { return sighting }
        var result = sighting
        do throws(ActivationFailure) {
            let windows = terminals(of: client, among: list.windows)
            guard let window = windows.first else { return sighting }
            guard windows.count == 1 else {
                result.view = .hidden(
                    seen: "a terminal with \(windows.count) windows, and nobody can tell which one shows it")
                return result
            }
            let seen = try desktop.focus(
                FocusRequest(.handle(window.handle, server: window.server), policy: policy, token: token))
            result.view = seen.view
            result.sparedTyping = seen.sparedTyping
        } catch {
            result.view = .hidden(seen: error.message)
        }
        return result
    }

    private func terminals(of client: Int32, among windows: [WindowList.Window]) -> [WindowList.Window] {
        for process in ProcessTable.lineage(of: client) {
            let own = windows.filter { $0.process == process }
            guard own.count > 1 else {
                if own.isEmpty { continue }
                return own
            }
            // Terminals that have several tell what they run in which one (xterm(1), WINDOWID).
            guard let number = ProcessTable.value(of: "WINDOWID", in: client).flatMap({ UInt32($0) }) else {
                return own
            }
            let handle = "x11:0x\(String(number, radix: 16))"
            let named = own.filter { $0.handle == handle }
            return named.isEmpty ? own : named
        }
        return []
    }
}
