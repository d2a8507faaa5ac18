import UsherScene

/// Which window is that of a program just started. In the order of trust: its startup id, its process, its launch nonce,
/// its looks; and where it handed over to a program that ran already, the window of that which came forward.
struct WindowArrival {
    /// The windows that there were before.
    var before: WindowList
    /// nil where nobody can tell.
    var process: Int32?
    var token: String?
    var nonce: String
    var rule: WindowRule?
    /// It was handed to another program: its process has ended without a fault, or was there before.
    var isHandedOver = false

    /// - Parameter isLast: nothing else will come: then a window that is surely the program's is taken though the rule means
    ///   another one. Before that it may be the picture or the question that a program shows while it starts.
    func window(in list: WindowList, isLast: Bool = false) -> WindowList.Window? {
        let known = Dictionary(before.windows.map { ($0.handle, $0) }, uniquingKeysWith: { first, _ in first })
        let new = list.windows.filter { known[$0.handle] == nil }
        // Windows of one application may share the newest id, so only a new window's counts.
        if let token, let found = choice(of: new.filter { $0.startupID == token }, isLast) { return found }
        if let process {
            let own = new.filter { window in
                window.process.map { $0 == process || ProcessTable.isDescendant($0, of: process) } ?? false
            }
            if let found = choice(of: own, isLast) { return found }
        }
        let variable = EnvironmentVariable(UsherVariables.launch, nonce)
        let carriers = new.filter { $0.process.map { ProcessTable.process($0, holds: variable) } ?? false }
        if let found = choice(of: carriers, isLast) { return found }
        if let rule {
            // What another launch started at the same time opens windows that look the same, and those are its own. A
            // program that had a window before may be handed anybody's launch.
            let older = Set(before.windows.compactMap(\.process))
            let alike = new.filter { window in
                guard rule.matches(window) else { return false }
                guard let process = window.process, !older.contains(process) else { return true }
                return !ProcessTable.process(process, has: UsherVariables.launch)
            }
            if alike.count == 1 { return alike[0] }
        }
        guard isHandedOver else { return nil }
        // A tab or a document in a window that was there: it has come forward.
        return list.windows.first { window in
            guard window.activation == .foregroundActive, let earlier = known[window.handle],
                earlier.activation != .foregroundActive || earlier.title != window.title
            else { return false }
            return rule?.matches(window) ?? (process != nil && window.process == process)
        }
    }

    /// A program may open several, at once or one after the other: the one that its rule means, where it has one.
    private func choice(of windows: [WindowList.Window], _ isLast: Bool) -> WindowList.Window? {
        guard let rule else { return windows.first }
        return windows.first(where: rule.matches) ?? (isLast ? windows.first : nil)
    }
}

extension Activator {
    /// Whether a window's program was started for a session. Programs that were started from that window later inherit the
    /// sign: so it counts only while the session has no window.
    public static func belongs(_ window: WindowList.Window, to session: String) -> Bool {
        guard let process = window.process else { return false }
        return ProcessTable.process(process, holds: EnvironmentVariable(UsherVariables.session, session))
    }
}
