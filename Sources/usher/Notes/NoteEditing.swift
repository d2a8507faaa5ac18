internal import UsherNotes
internal import UsherOperation
internal import UsherScene
internal import UsherText

/// Lets the user write a note's text in an editor. What was written is never lost: where it cannot be saved, its file stays.
struct NoteEditing {
    private let context: Context

    init(_ context: Context) { self.context = context }

    /// Edits a note and saves it; the answer, or nil where nothing was changed.
    ///
    /// - Parameters:
    ///   - note: as `note.show` answers it.
    ///   - line: where to begin; nil: where one was.
    func edit(_ note: NoteAnswer, line: Int?) throws(CommandFailure) -> NoteChangeAnswer? {
        let (id, old) = (note.id, note.text)
        let links = NoteEditing.links(of: note)
        let content = LinksBlock.file(text: old, links: links)
        let editor = try TextEditor(environment: context.environment)
        let file = try NoteFile(id, state: try context.stateFolder())
        try prepare(file, content: content)
        do {
            try editor.edit(file.path, line: line ?? note.line)
        } catch {
            throw notSaved(error, file) { NoteEditing.isChanged(LinksBlock.read($0, links: links), from: old) }
        }
        do {
            let reading = LinksBlock.read(try file.read(), links: links)
            warn(of: reading)
            guard NoteEditing.isChanged(reading, from: old) else {
                file.remove()
                return nil
            }
            let isSameText = reading.text.utf8.elementsEqual(LinksBlock.text(readBack: old).utf8)
            let text = isSameText ? old : reading.text
            try CommandFailure.attempt { () throws(ControlError) in try NoteText.check(text) }
            // The daemon may have come or gone meanwhile.
            let answer = try context.service().call(
                NoteEdit(
                    note: id, text: text, was: NoteDigest.text(of: old), links: NoteEditing.edits(reading.links)))
            file.remove()
            return answer
        } catch {
            throw notSaved(error, file) { NoteEditing.isChanged(LinksBlock.read($0, links: links), from: old) }
        }
    }

    private static func links(of note: NoteAnswer) -> [LinksBlock.Link] {
        (note.links ?? []).compactMap { link in
            link.target.map { LinksBlock.Link(id: link.id, title: link.title, identifier: $0) }
        }
    }

    /// Whether there is anything to save, besides an emptied file.
    private static func isChanged(_ reading: LinksBlock.Reading, from old: String) -> Bool {
        !reading.links.isEmpty || !reading.text.utf8.elementsEqual(LinksBlock.text(readBack: old).utf8)
    }

    private static func edits(_ links: LinkEdits) -> [NoteLinkEdit] {
        links.removed.map { .removal(of: $0) } + links.renamed.map { .renaming(of: $0.id, to: $0.title) }
            + links.added.map { .addition(of: $0.identifier, title: $0.title) }
    }

    private func warn(of reading: LinksBlock.Reading) {
        if !reading.hasMarker {
            context.errors.warning(
                "the line \(LinksBlock.marker) is missing: all is text, and the links stay [\(DiagnosticCode.noteLinksUnread)]",
                help: "put it on a line of its own before the links")
        }
        for line in reading.unreadable {
            context.errors.warning(
                "\(QuotedText.text(line)) is not a link: it is added to the text, and no link is removed"
                    + " [\(DiagnosticCode.noteLinkLine)]", help: "write - [TITLE](IDENTIFIER)")
        }
    }

    /// Lets the user write the text of a new note; nil where nothing was written.
    ///
    /// - Parameter save: makes the note of it.
    func write(
        saving save: (String) throws(CommandFailure) -> NoteChangeAnswer
    ) throws(CommandFailure) -> NoteChangeAnswer? {
        let editor = try TextEditor(environment: context.environment)
        let file = try NoteFile("new", state: try context.stateFolder())
        if file.isThere { context.errors.note("an unsaved text of before is kept in \(file.keep())") }
        try file.write("")
        do {
            try editor.edit(file.path, line: 1)
            // Editors end a file with a line break.
            let text = NoteInput.withoutLineEnd(try file.read())
            guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
                file.remove()
                return nil
            }
            let answer = try save(text)
            file.remove()
            return answer
        } catch {
            throw notSaved(error, file) { !$0.isEmpty }
        }
    }

    /// An editing that was cut short left its file behind: it goes on from there, unless the note has another text or other
    /// links by now.
    private func prepare(_ file: borrowing NoteFile, content: String) throws(CommandFailure) {
        let base = NoteDigest.text(of: content)
        if file.isThere {
            if let left = try? file.read(), left.hasSameBytes(as: content) {
                file.remove()
            } else if let known = file.base, known.hasSameBytes(as: base) {
                context.errors.note("the text goes on from an editing that was cut short")
                return
            } else {
                context.errors.note("an unsaved text of before is kept in \(file.keep())")
            }
        }
        try file.write(content, base: base)
    }

    /// The failure with where the text is now; a file with nothing new in it goes.
    ///
    /// - Parameter isChanged: whether a file that can be read has something new in it.
    private func notSaved(
        _ failure: CommandFailure, _ file: borrowing NoteFile, isChanged: (String) -> Bool
    ) -> CommandFailure {
        var failure = failure
        let isNew = (try? file.read()).map { isChanged($0) && $0.utf8.contains { $0 > 0x20 } }
        guard isNew ?? file.isThere else {
            file.remove()
            failure.help = failure.help ?? "nothing was changed"
            return failure
        }
        let kept = "what was written is kept in \(file.keep())"
        failure.help = failure.help.map { "\(kept); \($0)" } ?? kept
        return failure
    }

}
