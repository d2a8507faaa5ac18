internal import UsherJSON
internal import UsherOperation
internal import UsherText

/// `usher note edit`: another text for a note, in the user's editor or from the line.
enum NoteEditCommand {
    private static let text = Option("text", "TEXT|-", "this text, or standard input, without an editor")
    private static let line = Option("line", "N", "where one is in it: the editor begins there")

    static let description = CommandDescription(
        "note edit", "write on a note in the editor, at the place where one was",
        operands: [.init("NOTE")], options: [text, line],
        discussion: [
            "The editor is $VISUAL, else $EDITOR, split at blanks: no shell reads it.",
            "It gets the file notes/ID.md of the state folder. The text is saved when it ends with status 0.",
            "What cannot be saved is kept in a file, whose path is told.",
        ],
        examples: [
            .init("usher note edit current --text \"Ask Crusty about two balloons\"", "another text"),
            .init("usher note edit current", "in the editor"),
        ],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let name = arguments.operands[0]
        let place = try NoteEditCommand.place(arguments)
        if let given = arguments.value(text) {
            let answer = try ContentDoor(context).answer(
                NoteEdit(note: name, text: try NoteInput.text(given), line: place))
            context.errors.warnings(of: answer)
            context.print(note: answer["note"] ?? .null)
            return .handled
        }
        let window = NoteWindow(context, note: arguments.operands[0])
        do {
            let note = try ContentDoor(context).answer(NoteShow(note: name))
            window?.show(title: note["title"]?.string ?? "")
            let answer = try NoteEditing(context).edit(note, line: place)
            if let answer { window?.show(title: answer["note"]?["title"]?.string ?? "") }
            if context.asksForJSON { context.print(note: answer?["note"] ?? note) }
            return .handled
        } catch {
            throw window?.show(error) ?? error
        }
    }

    private static func place(_ arguments: Arguments) throws(CommandFailure) -> Int? {
        guard let text = arguments.value(line) else { return nil }
        guard let number = Int(text), (1...Int(Int32.max)).contains(number) else {
            throw .usage("--line is \(QuotedText.text(text)), not a number from 1 on")
        }
        return number
    }
}
