internal import UsherActivation
internal import UsherEngine
internal import UsherScene
internal import UsherStore
internal import UsherText

/// What the user looks at, as the desktop reports it: the window in front and, where that is a terminal, the window of tmux
/// that it shows.
///
/// A user who runs `usher` in a terminal looks at what was in front before: that terminal is passed over.
struct FrontContent {
    /// nil where no desktop reports it: then each session may be in front.
    let window: WindowList.Window?
    /// The window in front with what it shows, and what was in front before a terminal that runs `usher`.
    private let seen: [WindowList.Window]
    private let list: [WindowList.Window]
    private let store: Store

    init(_ service: OperationContext) {
        store = service.store
        guard let system = service.activator?.windowSystem, let desktop = system.desktopAlone,
            let all = try? system.windows().windows,
            let front = all.first(where: {
                $0.activation == .foregroundActive && desktop.recognizes(handle: $0.handle)
            })
        else {
            (window, seen, list) = (nil, [], [])
            return
        }
        list = all
        let shown = Self.layers(of: front, all)
        guard shown.contains(where: { Self.names(in: $0).contains("usher") }) else {
            (window, seen) = (front, shown)
            return
        }
        let earlier = service.frontHistory().lazy.compactMap { past in
            all.first { $0.handle == past.handle && $0.isOf(server: past.server) }
        }.first { past in !shown.contains { $0.handle == past.handle } }
        window = earlier
        seen = shown + (earlier.map { Self.layers(of: $0, all) } ?? [])
    }

    /// Whether the window of a session is in front.
    func shows(_ session: SceneSession) -> Bool {
        guard window != nil else { return true }
        guard let handle = session.handle else {
            let process = (try? store.process(ofSession: session.id))?.pid
            return seen.contains { Activator.runs($0, for: session.id, process, in: store.stateFolder) }
        }
        guard let own = list.first(where: { $0.holds(handle, of: session.handleServer) }) else { return false }
        return seen.contains { front in
            if front.handle == own.handle { return true }
            // A browser's window is one of the desktop, too. After it has lost the keyboard, its title is all that names it.
            return own.browser != nil && own.process == front.process
                && (own.activation == .foregroundActive || front.title.utf8.starts(with: own.title.utf8))
        }
    }

    // MARK: Terminals

    /// A window, and the window of tmux that it shows.
    private static func layers(of front: WindowList.Window, _ list: [WindowList.Window]) -> [WindowList.Window] {
        guard !front.isOfTmux, names(in: front).contains("tmux: client"),
            let inner = list.first(where: { $0.isOfTmux && $0.activation == .foregroundActive })
        else { return [front] }
        return [front, inner]
    }

    /// The programs in the foreground of a terminal, by their names for the kernel; none of another window.
    private static func names(in window: WindowList.Window) -> [String] {
        let processes =
            if window.isOfTmux {
                window.processes.flatMap { ProcessTable.foreground(of: $0) }
            } else { window.process.map { ProcessTable.foregrounds(ofTerminalsOf: $0) } ?? [] }
        return processes.compactMap { ProcessTable.name(of: $0) }
    }
}
