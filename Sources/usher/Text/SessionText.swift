internal import UsherEngine
internal import UsherJSON
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
        let escaped = rows.map { $0.map { Printable.escaped($0) } }
        return style.emphasise(Printable.escaped(session.id)) + "  "
            + Printable.escaped([session.state.rawValue, session.app, session.scene].joined(separator: "  ")) + "\n"
            + TextTable.text(escaped, indent: 3)
    }

    /// Many sessions as one aligned table.
    static func table(_ sessions: [SessionAnswer], now: Instant) -> String {
        var rows = [["session", "app", "scene", "state", "last used", "shows"]]
        for session in sessions {
            let cells = [
                session.id, session.app, session.scene, session.state.rawValue,
                session.used.map { Instant.age(now - $0) } ?? "never", session.title ?? session.target ?? "-",
            ]
            rows.append(cells.map { Printable.escaped($0) })
        }
        return TextTable.text(rows, indent: 3)
    }
}

extension Context {
    /// Prints one session as the command's result.
    func print(session: SessionAnswer) {
        if writesJSON { print(json: session) } else { output.write(SessionText.text(session, style: style)) }
    }

    /// Prints sessions as one array or table.
    func print(sessions: [SessionAnswer]) {
        if writesJSON { return printArray(sessions) }
        guard !sessions.isEmpty else {
            return errors.note("no windows: usher scene connect makes one known, usher dispatch opens them")
        }
        output.write(SessionText.table(sessions, now: .now))
    }

    /// Prints an answer as one line of JSON.
    func print(json answer: some FieldValue) { printJSON { answer.write(to: &$0) } }

    /// Prints a value as one line of JSON.
    func printJSON(_ write: (inout JSONWriter) -> Void) {
        var json = JSONWriter()
        write(&json)
        json.newline()
        output.write(json.bytes)
    }

    /// Prints answers as one JSON array, an element a line.
    func printArray(_ elements: [some FieldValue]) {
        printArray(elements) { element, json in element.write(to: &json) }
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
