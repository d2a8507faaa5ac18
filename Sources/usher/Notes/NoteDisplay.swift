internal import UsherNotes
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// Notes as commands print them.
private enum NoteDisplay {
    /// One note for people.
    ///
    /// - Parameter isNumbered: with a number for each link, which is its row.
    static func text(_ note: NoteAnswer, style: TerminalStyle, now: Instant, isNumbered: Bool) -> String {
        var text = style.emphasise(Printable.escaped(note.id))
        text += "  \(note.state.rawValue)  changed \(Instant.age(now - note.changed)) ago\n"
        for line in note.text.split(separator: "\n", omittingEmptySubsequences: false) {
            text += line.isEmpty ? "\n" : "   \(Printable.escaped(String(line)))\n"
        }
        var rows: [[String]] = []
        for (index, link) in (note.links ?? []).enumerated() {
            let number = isNumbered ? " " + ListedRows.text(index + 1) : ""
            rows.append(["link\(number)", link.title ?? "-", link.target ?? link.webpage ?? "-"])
        }
        for file in note.attachments ?? [] {
            rows.append([
                "file", file.path ?? "-",
                [file.digest, file.size.map { "\($0) bytes" }].compactMap { $0 }.joined(separator: "  "),
            ])
        }
        return text + TextTable.text(rows.map { $0.map { Printable.escaped($0) } }, indent: 3)
    }

    /// The rows of a table of many, with the heads of its columns.
    ///
    /// - Parameter last: what is shown of each at the end, and the head of its column.
    static func rows(
        _ notes: [NoteAnswer], last: (text: (NoteAnswer) -> String?, head: String), now: Instant
    ) -> [[String]] {
        var rows = [["note", "state", "changed", "links", last.head]]
        for note in notes {
            let cells = [
                note.id, note.state.rawValue, Instant.age(now - note.changed), note.linkCount.map { "\($0)" },
                last.text(note),
            ]
            rows.append(cells.map { Printable.escaped($0 ?? "-") })
        }
        return rows
    }
}

extension Context {
    /// Prints one note as the command's result.
    ///
    /// - Parameter isNumbered: its links are the rows of a list, by their numbers.
    func print(note: NoteAnswer, isNumbered: Bool = false) {
        if writesJSON { return print(json: note) }
        let links = (note.links ?? []).map(\.id)
        let hasNumbers = isNumbered && !links.isEmpty && rows.keep(links, .link)
        output.write(NoteDisplay.text(note, style: style, now: .now, isNumbered: hasNumbers))
    }

    /// Prints notes as one array or table.
    func print(notes: [NoteAnswer], last: (text: (NoteAnswer) -> String?, head: String)) {
        if writesJSON { return printArray(notes) }
        if notes.isEmpty { return errors.note("no notes: usher note new makes one") }
        print(table: NoteDisplay.rows(notes, last: last, now: .now), of: .note, ids: notes.map(\.id))
    }
}
