internal import UsherDispatch
internal import UsherJSON
internal import UsherLog
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// A session as commands print it, from the answer in JSON: that of this process or of the daemon.
enum SessionText {
    /// One session for people.
    static func text(_ session: JSONValue, style: TerminalStyle) -> String {
        func text(_ name: String) -> String { session[name]?.string ?? "-" }
        let head = [text("session"), text("state"), text("app"), text("scene")]
        var rows = [["can", text("can")], ["prefers", text("prefers")]]
        if let target = session["target"]?.string { rows.insert(["shows", target], at: 0) }
        if let handle = session["handle"]?.string { rows.append(["handle", handle]) }
        let escaped = rows.map { $0.map { Printable.escaped($0) } }
        return style.emphasise(Printable.escaped(head[0])) + "  "
            + Printable.escaped(head.dropFirst().joined(separator: "  ")) + "\n"
            + TextTable.text(escaped, indent: 3)
    }

    /// Many sessions as one aligned table.
    static func table(_ sessions: [JSONValue], now: Instant) -> String {
        var rows = [["session", "app", "scene", "state", "last used", "shows"]]
        for session in sessions {
            let used = session["used"]?.string.flatMap { Instant(text: $0) }
            let cells = [
                session["session"]?.string, session["app"]?.string, session["scene"]?.string, session["state"]?.string,
                used.map { Instant.age(now - $0) } ?? "never",
                session["title"]?.string ?? session["target"]?.string,
            ]
            rows.append(cells.map { Printable.escaped($0 ?? "-") })
        }
        return TextTable.text(rows, indent: 3)
    }

    static func answer(_ session: SceneSession) -> JSONValue {
        var json = JSONWriter()
        SessionAnswer.write(session, to: &json)
        return (try? JSONValue(parsing: json.bytes)) ?? .null
    }
}

extension Context {
    /// Prints one session as the command's result.
    func print(session: JSONValue) {
        guard writesJSON else {
            output.write(SessionText.text(session, style: style))
            return
        }
        output.write(session.text() + "\n")
    }

    /// Prints sessions as one array or table.
    func print(sessions: [JSONValue]) {
        guard writesJSON else {
            guard !sessions.isEmpty else {
                return errors.note("no windows: usher scene connect makes one known, usher dispatch opens them")
            }
            output.write(SessionText.table(sessions, now: .now))
            return
        }
        printArray(sessions) { session, json in json.value(session) }
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
