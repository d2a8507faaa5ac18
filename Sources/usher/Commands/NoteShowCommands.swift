internal import UsherJSON
internal import UsherOperation
internal import UsherText

/// `usher note show`: one note with its links and attachments.
enum NoteShowCommand {
    static let description = CommandDescription(
        "note show", "one note, with its links and attachments",
        operands: [.init("NOTE|current")],
        discussion: ["NOTE is its id, or usher-note: and its id; current is the note in progress."],
        examples: [.init("usher note show current", "the note in progress")],
        run: { (arguments, context) throws(CommandFailure) in
            let note = try ContentDoor(context).answer(
                NoteShow(note: arguments.operands[0]))
            context.print(note: note)
            return .handled
        })
}

/// `usher note list`: the notes, page by page.
enum NoteListCommand {
    private static let only = Option("only", oneOf: ["current", "aside", "done"], "only notes of this state")
    private static let limit = Option("limit", "N", "at most so many, up to 1000; 50 unless said otherwise")
    private static let before = Option("before", "NOTE", "the page after this note")

    static let description = CommandDescription(
        "note list", "the notes, first the one that was changed last",
        options: [only, limit, before],
        examples: [
            .init("usher note list", "the last 50"),
            .init("usher note list --only aside --json", "those that were put aside, as a JSON array"),
        ],
        run: { (arguments, context) throws(CommandFailure) in
            let notes = try ContentDoor(context).answer(
                NoteList(
                    state: arguments.value(only), limit: try NoteLimit.value(arguments, limit),
                    before: arguments.value(before)))
            context.print(notes: notes, last: ("title", "first line"))
            return .handled
        })
}

/// `usher note search`: notes by their words.
enum NoteSearchCommand {
    private static let limit = Option("limit", "N", "at most so many, up to 1000; 50 unless said otherwise")

    static let description = CommandDescription(
        "note search", "the notes that have these words, in their text or in the title of a link",
        operands: [.init("TEXT")], options: [limit],
        discussion: ["Words are beginnings of words; case and accents do not matter. Nothing in TEXT is syntax."],
        examples: [.init("usher note search \"crus ballo\"", "every note with Crusty and balloons in it")],
        run: { (arguments, context) throws(CommandFailure) in
            let notes = try ContentDoor(context).answer(
                NoteSearch(query: arguments.operands[0], limit: try NoteLimit.value(arguments, limit)))
            context.print(notes: notes, last: ("snippet", "found"))
            return .handled
        })
}

/// A number of notes.
private enum NoteLimit {
    static func value(_ arguments: Arguments, _ option: Option) throws(CommandFailure) -> Int? {
        guard let text = arguments.value(option) else { return nil }
        guard let number = Int(text), (1...1000).contains(number) else {
            throw .usage(
                "--\(option.name) is \(QuotedText.text(text)), not a number from 1 to 1000",
                help: "--before NOTE shows the page after a note")
        }
        return number
    }
}
