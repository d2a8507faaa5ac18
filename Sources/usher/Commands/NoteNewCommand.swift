internal import UsherDispatch
internal import UsherJSON
internal import UsherOperation
internal import UsherScene

/// `usher note new`: a note, which is then the one in progress.
enum NoteNewCommand {
    private static let link = Option("link", "ID", "a link to this content", isRepeatable: true)
    private static let attach = Option(
        "attach", "PATH|sha256:…", "attach this file, or one by its digest", isRepeatable: true)

    static let description = CommandDescription(
        "note new", "a new note, which is then the one in progress",
        operands: [.init("TEXT", .optional)], options: [link, attach],
        discussion: [
            "The note before is put aside. TEXT - reads standard input; without TEXT, on a terminal, the editor opens.",
            "Prints the note's id; with --json all of it.",
        ],
        examples: [
            .init("usher note new \"Ask Crusty about the balloons\"", "a note by itself"),
            .init(
                "usher note new \"Look here again\" --link https://clowntown.example/clowns/crusty",
                "a note with a link to content"),
        ],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let links = arguments.values(link)
        let files = arguments.values(attach).map(NoteAttachCommand.absolute)
        func save(_ text: String) throws(CommandFailure) -> JSONValue {
            try ContentDoor(context).answer(
                NoteNew(text: text, links: links, attachments: files))
        }
        let answer: JSONValue
        if let text = arguments.operands.first {
            answer = try save(try NoteInput.text(text))
        } else {
            guard ProcessEnvironment.isTerminal(0) else {
                throw .refusal(
                    .noteText, "a note needs a text", help: "usher note new TEXT; - reads it from standard input")
            }
            guard let written = try NoteEditing(context).write(saving: save) else {
                throw CommandFailure(.finding, "nothing was written: no note was made")
            }
            answer = written
        }
        context.errors.warnings(of: answer)
        if context.asksForJSON {
            context.output.write(answer.text() + "\n")
        } else {
            context.output.write((answer["note"]?["id"]?.string ?? "") + "\n")
        }
        return .handled
    }
}

/// Text that is given on the line, or on standard input.
enum NoteInput {
    static func text(_ given: String) throws(CommandFailure) -> String {
        guard given == "-" else { return given }
        let bytes = try InputFile("-").readAll(limit: 4 << 20)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .usage(
                "standard input is not UTF-8 text", help: "attach bytes as a file: usher note attach NOTE PATH")
        }
        // As `$(…)` of a shell reads what a program wrote.
        return text.utf8.last == 0x0A ? String(decoding: text.utf8.dropLast(), as: UTF8.self) : text
    }
}

extension ErrorOutput {
    /// What an answer says beside its result.
    func warnings(of answer: JSONValue) {
        for warning in answer["warnings"]?.elements ?? [] { warning.string.map { self.warning($0) } }
    }
}
