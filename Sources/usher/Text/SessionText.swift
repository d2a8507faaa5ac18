internal import UsherEngine
internal import UsherOperation
internal import UsherSystem
internal import UsherText

/// A session as commands print it.
enum SessionText {
    /// One session for people.
    static func text(_ session: SessionAnswer, style: TerminalStyle) -> String {
        var rows = [["can", session.can], ["prefers", session.prefers]]
        if let target = session.target { rows.insert(["shows", target], at: 0) }
        if let handle = session.handle { rows.append(["handle", handle]) }
        return style.emphasise(Printable.escaped(session.id)) + "  "
            + Printable.escaped([session.state.rawValue, session.app, session.scene].joined(separator: "  ")) + "\n"
            + TextTable.text(escaping: rows, indent: 3)
    }
}

extension Context {
    /// Prints one session as the command's result.
    func print(session: SessionAnswer) { print(session, text: SessionText.text(session, style: style)) }

    /// Prints sessions as one array or table.
    func print(sessions: [SessionAnswer]) {
        let now = Instant.now
        print(
            sessions, none: "no windows: usher scene connect makes one known, usher dispatch opens them",
            ["session", "app", "scene", "state", "last used", "shows"]
        ) { session in
            [
                session.id, session.app, session.scene, session.state.rawValue,
                session.used.map { Instant.age(now - $0) } ?? "never", session.title ?? session.target,
            ]
        }
    }
}
