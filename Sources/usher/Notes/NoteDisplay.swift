internal import UsherJSON
internal import UsherLog
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// A note as commands print it, from the answer in JSON: that of this process or of the daemon.
private enum NoteDisplay {
    /// One note for people.
    ///
    /// - Parameter isNumbered: with a number for each link, which is its row.
    static func text(_ note: JSONValue, style: TerminalStyle, now: Instant, isNumbered: Bool) -> String {
        var text = style.emphasise(Printable.escaped(note["id"]?.string ?? "-"))
        text += "  \(note["state"]?.string ?? "-")"
        if let changed = age(note["changed"], now) { text += "  changed \(changed) ago" }
        text += "\n"
        for line in (note["text"]?.string ?? "").split(separator: "\n", omittingEmptySubsequences: false) {
            text += line.isEmpty ? "\n" : "   \(Printable.escaped(String(line)))\n"
        }
        var rows: [[String]] = []
        for (index, link) in (note["links"]?.elements ?? []).enumerated() {
            let target = link["target"]?.string ?? link["webpage"]?.string ?? "-"
            let number = isNumbered ? " " + ListedRows.text(index + 1) : ""
            rows.append(["link\(number)", link["title"]?.string ?? "-", target])
        }
        for file in note["attachments"]?.elements ?? [] {
            rows.append([
                "file", file["path"]?.string ?? "-",
                [file["digest"]?.string, file["size"]?.numberText.map { "\($0) bytes" }].compactMap { $0 }
                    .joined(separator: "  "),
            ])
        }
        return text + TextTable.text(rows.map { $0.map { Printable.escaped($0) } }, indent: 3)
    }

    /// The rows of a table of many, with the heads of its columns.
    ///
    /// - Parameter last: the member that is shown of each, and the head of its column.
    static func rows(_ notes: [JSONValue], last: (member: String, head: String), now: Instant) -> [[String]] {
        var rows = [["note", "state", "changed", "links", last.head]]
        for note in notes {
            let cells = [
                note["id"]?.string, note["state"]?.string, age(note["changed"], now), note["link_count"]?.numberText,
                note[last.member]?.string,
            ]
            rows.append(cells.map { Printable.escaped($0 ?? "-") })
        }
        return rows
    }

    private static func age(_ time: JSONValue?, _ now: Instant) -> String? {
        time?.string.flatMap { Instant(text: $0) }.map {
            Instant.age(now - $0)
        }
    }
}

extension Context {
    /// Prints one note as the command's result.
    ///
    /// - Parameter isNumbered: its links are the rows of a list, by their numbers.
    func print(note: JSONValue, isNumbered: Bool = false) {
        if writesJSON { return output.write(note.text() + "\n") }
        let links = (note["links"]?.elements ?? []).compactMap { $0["id"]?.string }
        let hasNumbers = isNumbered && !links.isEmpty && rows.keep(links, .link)
        output.write(NoteDisplay.text(note, style: style, now: .now, isNumbered: hasNumbers))
    }

    /// Prints notes as one array or table.
    func print(notes: JSONValue, last: (member: String, head: String)) {
        let elements = notes.elements ?? []
        if writesJSON { return printArray(elements) { note, json in json.value(note) } }
        if elements.isEmpty { return errors.note("no notes: usher note new makes one") }
        print(
            table: NoteDisplay.rows(elements, last: last, now: .now), of: .note,
            ids: elements.map { $0["id"]?.string ?? "" })
    }
}
