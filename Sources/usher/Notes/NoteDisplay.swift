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
        var rows: [[String?]] = []
        for (index, link) in (note.links ?? []).enumerated() {
            let number = isNumbered ? " " + ListedRows.text(index + 1) : ""
            rows.append(["link\(number)", link.title, link.target ?? link.webpage])
        }
        for file in note.attachments ?? [] {
            rows.append([
                "file", file.path,
                [file.digest, file.size.map { "\($0) bytes" }].compactMap { $0 }.joined(separator: "  "),
            ])
        }
        return text + TextTable.text(escaping: rows, indent: 3)
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
    ///
    /// - Parameter last: what is shown of each at the end, and the head of its column.
    func print(notes: [NoteAnswer], last: (text: (NoteAnswer) -> String?, head: String)) {
        let now = Instant.now
        print(
            notes, none: "no notes: usher note new makes one", listed: (.note, \.id),
            ["note", "state", "changed", "links", last.head]
        ) { note in
            [
                note.id, note.state.rawValue, Instant.age(now - note.changed), note.linkCount.map { "\($0)" },
                last.text(note),
            ]
        }
    }
}
