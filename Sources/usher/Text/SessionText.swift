internal import UsherJSON
internal import UsherLog
internal import UsherPredicate
internal import UsherScene

/// A session as commands print it.
enum SessionText {
    /// - Parameter state: instead of the session's own: that of a window that was closed has none any more.
    static func write(_ session: SceneSession, state: String? = nil, to json: inout JSONWriter) {
        json.beginObject()
        json.member("session", session.id)
        json.member("id", session.id)
        json.member("app", session.app)
        json.member("scene", session.scene)
        json.member("role", session.role.rawValue)
        json.member("target", session.target?.text)
        json.member("state", state ?? session.state.rawValue)
        json.member("can", session.conditions.canActivate.predicate.canonicalText)
        json.member("prefers", session.conditions.prefersToActivate.predicate.canonicalText)
        json.member("used", session.used.map { Timestamp(microseconds: $0).text })
        json.member("created", Timestamp(microseconds: session.created).text)
        json.member("generation", session.generation)
        json.member("handle", session.handle)
        json.member("title", session.title)
        json.endObject()
    }

    /// One session for people.
    static func text(_ session: SceneSession, state: String? = nil, style: TerminalStyle) -> String {
        let head = [session.id, state ?? session.state.rawValue, session.app, session.scene]
        var rows = [["can", session.conditions.canActivate.predicate.canonicalText]]
        rows.append(["prefers", session.conditions.prefersToActivate.predicate.canonicalText])
        if let target = session.target { rows.insert(["shows", target.text], at: 0) }
        if let handle = session.handle { rows.append(["handle", handle]) }
        let escaped = rows.map { $0.map { TerminalText.escape($0) } }
        return style.emphasise(TerminalText.escape(head[0])) + "  "
            + TerminalText.escape(head.dropFirst().joined(separator: "  ")) + "\n"
            + TextTable.text(escaped, indent: 3)
    }

    /// Many sessions as one aligned table.
    static func table(_ sessions: [SceneSession], now: Timestamp) -> String {
        var rows = [["session", "app", "scene", "state", "last used", "shows"]]
        for session in sessions {
            let used = session.used.map { Timestamp.age(microseconds: now.microseconds - $0) } ?? "never"
            let cells = [
                session.id, session.app, session.scene, session.state.rawValue, used,
                session.title ?? session.target?.text ?? "-",
            ]
            rows.append(cells.map { TerminalText.escape($0) })
        }
        return TextTable.text(rows, indent: 3)
    }
}

extension Context {
    /// Prints one session as the command's result.
    func print(_ session: SceneSession, state: String? = nil) {
        guard writesJSON else {
            output.write(SessionText.text(session, state: state, style: style))
            return
        }
        var json = JSONWriter()
        SessionText.write(session, state: state, to: &json)
        json.newline()
        output.write(json.bytes)
    }

    /// Prints sessions as one array or table.
    func print(_ sessions: [SceneSession]) {
        guard writesJSON else {
            output.write(SessionText.table(sessions, now: .now()))
            return
        }
        printArray(sessions) { session, json in SessionText.write(session, to: &json) }
    }

    /// Prints values as one JSON array, an element a line.
    func printArray<Element>(_ elements: [Element], _ write: (Element, inout JSONWriter) -> Void) {
        var json = JSONWriter()
        output.write("[")
        for (index, element) in elements.enumerated() {
            output.write(index == 0 ? "\n" : ",\n")
            json.reset()
            write(element, &json)
            output.write(json.bytes)
        }
        output.write(elements.isEmpty ? "]\n" : "\n]\n")
    }
}
