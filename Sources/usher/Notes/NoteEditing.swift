internal import UsherDispatch
internal import UsherJSON
internal import UsherLog
internal import UsherOperation

/// Lets the user write a note's text in an editor. What was written is never lost: where it cannot be saved, its file stays.
struct NoteEditing {
    private let context: Context

    init(_ context: Context) { self.context = context }

    /// Edits a note and saves it; the answer, or nil where nothing was changed.
    ///
    /// - Parameters:
    ///   - note: as `note.show` answers it.
    ///   - line: where to begin; nil: where one was.
    func edit(_ note: JSONValue, line: Int?) throws(CommandFailure) -> JSONValue? {
        guard let id = note["id"]?.string, let old = note["text"]?.string else {
            throw .usage("the note has neither id nor text")
        }
        let editor = try TextEditor(environment: context.environment)
        let file = try NoteFile(id, state: try context.stateFolder())
        try prepare(file, text: old)
        do {
            try editor.edit(file.path, line: line ?? note["line"]?.int64.map { Int(clamping: $0) } ?? 1)
        } catch {
            throw notSaved(error, file, old: old)
        }
        do {
            let text = NoteEditing.text(try file.read(), like: old)
            if text.utf8.elementsEqual(old.utf8) {
                file.remove()
                return nil
            }
            try NoteEditing.check(text)
            // The daemon may have come or gone meanwhile.
            let answer = try context.service().call(NoteEdit(note: id, text: text, was: NoteDigest.text(of: old)))
            file.remove()
            return answer
        } catch {
            throw notSaved(error, file, old: old)
        }
    }

    /// Lets the user write the text of a new note; nil where nothing was written.
    ///
    /// - Parameter save: makes the note of it.
    func write(saving save: (String) throws(CommandFailure) -> JSONValue) throws(CommandFailure) -> JSONValue? {
        let editor = try TextEditor(environment: context.environment)
        let file = try NoteFile("new", state: try context.stateFolder())
        if file.isThere { context.errors.note("an unsaved text of before is kept in \(file.keep())") }
        try file.write("")
        do {
            try editor.edit(file.path, line: 1)
            let text = NoteEditing.text(try file.read(), like: "")
            guard text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
                file.remove()
                return nil
            }
            let answer = try save(text)
            file.remove()
            return answer
        } catch {
            throw notSaved(error, file, old: "")
        }
    }

    /// An editing that was cut short left its file behind: it goes on from there, unless the note has another text by now.
    private func prepare(_ file: borrowing NoteFile, text: String) throws(CommandFailure) {
        let base = NoteDigest.text(of: text)
        if file.isThere {
            if let left = try? file.read(), NoteEditing.text(left, like: text).utf8.elementsEqual(text.utf8) {
                file.remove()
            } else if let known = file.base, known.utf8.elementsEqual(base.utf8) {
                context.errors.note("the text goes on from an editing that was cut short")
                return
            } else {
                context.errors.note("an unsaved text of before is kept in \(file.keep())")
            }
        }
        try file.write(text.utf8.last == 0x0A ? text : text + "\n", base: base)
    }

    /// The failure with where the text is now; a file with nothing new in it goes.
    private func notSaved(_ failure: CommandFailure, _ file: borrowing NoteFile, old: String) -> CommandFailure {
        var failure = failure
        let text = (try? file.read()).map { NoteEditing.text($0, like: old) }
        let isNew = text.map { !$0.utf8.elementsEqual(old.utf8) && $0.utf8.contains { $0 > 0x20 } }
        guard isNew ?? file.isThere else {
            file.remove()
            failure.help = failure.help ?? "nothing was changed"
            return failure
        }
        let kept = "what was written is kept in \(file.keep())"
        failure.help = failure.help.map { "\(kept); \($0)" } ?? kept
        return failure
    }

    /// Editors end a file with a line break, whether the text has one or not.
    private static func text(_ written: String, like old: String) -> String {
        guard old.utf8.last != 0x0A, written.utf8.last == 0x0A else { return written }
        return String(decoding: written.utf8.dropLast(), as: UTF8.self)
    }

    private static func check(_ text: String) throws(CommandFailure) {
        do throws(ControlError) {
            try NoteText.check(text)
        } catch {
            throw CommandFailure(error)
        }
    }
}
