internal import UsherActivities
internal import UsherConfiguration
internal import UsherEngine
internal import UsherJSON
internal import UsherNotes
internal import UsherOperation
internal import UsherScene
internal import UsherSystem

/// `usher note new`: a note, which is then the one in progress.
enum NoteNewCommand {
    private static let link = Option("link", "ID", "a link to this content", isRepeatable: true)
    private static let noLink = Option(flag: "no-link", "no link to what the user looks at")
    private static let attach = Option(
        "attach", "PATH|sha256:…", "attach this file, or one by its digest", isRepeatable: true)

    static let description = CommandDescription(
        "note new", "a new note, which is then the one in progress",
        operands: [.init("TEXT", .optional)], options: [link, noLink, attach],
        discussion: [
            "\"new\" may be left out: usher note TEXT. The note before is put aside. The new one is linked to what the user",
            "looks at, the activity or the document of the window in front, where neither --link nor --no-link is given, and",
            "on a terminal standard error says to what. Where it is not known what that window shows, the note has no link.",
            "TEXT - reads standard input; without TEXT, on a terminal, the editor opens. Prints the note's id; with --json",
            "all of it.",
        ],
        examples: [
            .init("usher note \"Ask Crusty about the balloons\"", "a note about what is on the screen"),
            .init("usher note new \"Buy a horn\" --no-link", "a note by itself"),
            .init(
                "usher note new \"Look here again\" --link https://clowntown.example/clowns/crusty",
                "a note with a link to content"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        let links = arguments.values(link)
        let files = arguments.values(attach).map(NoteAttachCommand.absolute)
        let isLinked = links.isEmpty && !arguments.has(noLink)
        var wasRefused = false
        let activity = isLinked ? try current(context, hasText: !arguments.operands.isEmpty, &wasRefused) : nil
        func save(_ text: String) throws(CommandFailure) -> NoteChangeAnswer {
            try context.service().call(NoteNew(text: text, links: links, attachments: files, activity: activity))
        }
        let answer: NoteChangeAnswer
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
        if isLinked {
            let link = answer.links?.first
            context.tell(
                linkedTo: link.map { $0.target ?? $0.identifiers.first?.identifier ?? "" }, title: link?.title,
                hasReason: !answer.warnings.isEmpty || wasRefused)
        }
        context.print(id: answer.note.id, of: answer)
    }
}

extension NoteNewCommand {
    /// What the note is linked to: the id of the activity that the user looks at, as an editor is not in front yet. An engine
    /// that gets the text at once finds it itself, with the document in front. nil where there is none: then no engine is
    /// started for it.
    private static func current(
        _ context: Context, hasText: Bool, _ wasRefused: inout Bool
    ) throws(CommandFailure) -> String? {
        let service = try context.service()
        if hasText, service is RunningDaemon { return "current" }
        var show = ActivityShow()
        show.activity = "current"
        switch try service.answer(show) {
        case .success(let found): return hasText ? "current" : found.id
        case .failure(let error):
            if error.code == .activityNotInFront {
                context.errors.warning("the note has no link: \(error.message) [\(error.code)]", help: error.help)
                wasRefused = true
            }
            return nil
        }
    }
}

/// Text that is given on the line, or on standard input.
enum NoteInput {
    static func text(_ given: String) throws(CommandFailure) -> String {
        guard given == "-" else { return given }
        let bytes = try InputFile("-").readAll(limit: 4 << 20)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .usage(
                "standard input is not UTF-8 text", help: "attach bytes as a file: usher note attach NOTE PATH",
                code: .usageFile)
        }
        // As `$(…)` of a shell reads what a program wrote.
        return withoutLineEnd(text)
    }

    static func withoutLineEnd(_ text: String) -> String {
        text.utf8.last == 0x0A ? String(decoding: text.utf8.dropLast(), as: UTF8.self) : text
    }
}

extension Context {
    /// What a note or reminder was linked to, as the user did not name it: on standard error, for a user at a terminal.
    ///
    /// - Parameters:
    ///   - target: nil where it has no link.
    ///   - hasReason: whether it was said why it has none.
    func tell(linkedTo target: String?, title: String? = nil, hasReason: Bool = false) {
        guard !asksForJSON, [1, 2].contains(where: ProcessEnvironment.isTerminal) else { return }
        if let target {
            errors.note("linked to " + (title.map { "\"\($0)\": " } ?? "") + target)
        } else if !hasReason {
            errors.note("linked to nothing: no window has said what it shows")
        }
    }
}

extension ErrorOutput {
    /// What an answer says beside its result.
    func warnings(of answer: some FieldValue) {
        for warning in (answer as? any AnswerRecord)?.warnings ?? [] { self.warning(warning) }
    }
}

/// `usher note show`: one note with its links and attachments.
enum NoteShowCommand {
    static let description = CommandDescription(
        NoteShow.self, operands: [("note", .init("NOTE|current"))],
        discussion: [
            "NOTE is its id or the beginning of it, four characters at least, or usher-note: and its id; current is the note",
            "in progress. A number from 1 to 999 is the row of the last list of notes that a terminal showed.",
        ],
        examples: [.init("usher note show current", "the note in progress")]
    ) { answer, _, context in context.print(note: answer, isNumbered: true) }
}

/// `usher note list`: the notes, page by page.
enum NoteListCommand {
    static let description = CommandDescription(
        NoteList.self, renamed: ["state": "only"],
        examples: [
            .init("usher note list", "the last 50"),
            .init("usher note list --only aside --json", "those that were put aside, as a JSON array"),
            .init("usher note list --tag shopping", "those with #shopping in their text"),
        ]
    ) { answer, _, context in context.print(notes: answer, last: (\.title, "first line")) }
}

/// `usher note search`: notes by their words.
enum NoteSearchCommand {
    static let description = CommandDescription(
        NoteSearch.self, operands: [("query", .init("TEXT"))],
        discussion: [
            "Words are beginnings of words; case and accents do not matter. They are looked for in texts, and in titles and",
            "addresses of links. #WORD is a tag as a whole. An identifier with a URI scheme finds the notes that link to that",
            "content. Nothing else in TEXT is syntax.",
        ],
        examples: [
            .init("usher note search \"crus ballo\"", "every note with Crusty and balloons in it"),
            .init("usher note search https://clowntown.example/clowns/crusty", "every note that links to this page"),
        ]
    ) { answer, _, context in context.print(notes: answer, last: (\.snippet, "found")) }
}

/// `usher note edit`: another text for a note, in the user's editor or from the line.
enum NoteEditCommand {
    private static let text = Option("text", "TEXT|-", "this text, or standard input, without an editor")
    private static let line = Option("line", "N", "where one is in it: the editor begins there")

    static let description = CommandDescription(
        "note edit", "write on a note in the editor, at the place where one was",
        operands: [.init("NOTE")], options: [text, line],
        discussion: [
            "The editor is $VISUAL, else $EDITOR, split at blanks: no shell reads it.",
            "It gets the file notes/ID.md of the state folder: the text, the line <!-- links -->, and a line for each link,",
            "- [TITLE](IDENTIFIER). Lines can be removed, added and changed. All is saved when it ends with status 0.",
            "Text that cannot be saved is kept in a file, and its path is printed.",
        ],
        examples: [
            .init("usher note edit current --text \"Ask Crusty about two balloons\"", "another text"),
            .init("usher note edit current", "in the editor"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        let name = arguments.operands[0]
        let place = try arguments.number(line, in: 1...Int(Int32.max))
        if let given = arguments.value(text) {
            let answer = try context.service().call(NoteEdit(note: name, text: try NoteInput.text(given), line: place))
            context.errors.warnings(of: answer)
            return context.print(note: answer.note)
        }
        let window = NoteWindow(context, note: name)
        do {
            let note = try context.service().call(NoteShow(note: name))
            window?.show(title: note.title)
            let answer = try NoteEditing(context).edit(note, line: place)
            if let answer { window?.show(title: answer.note.title) }
            if context.asksForJSON { context.print(note: answer?.note ?? note) }
        } catch {
            throw window?.show(error) ?? error
        }
    }
}

/// `usher note open`: the window of a note.
enum NoteOpenCommand {
    static let description = CommandDescription(
        "note open", "show a note in its window: in the editor, in tmux",
        operands: [.init("NOTE|current")],
        discussion: [
            "A dispatch to usher-note:ID: a window that shows the note comes to the front, else one is made.",
            "A manifest with schemes = [\"usher-note\"] opens notes in an app of its own.",
        ],
        examples: [.init("usher note open current", "the note in progress")],
        run: { (arguments, context) throws(CommandFailure) -> ExitStatus in try open(arguments.operands[0], context) })

    static func open(_ name: String, _ context: Context) throws(CommandFailure) -> ExitStatus {
        // Notes need no configuration.
        let engine = try context.engine(needsConfiguration: false)
        let note = try engine.call(NoteShow(note: name))
        return try DaemonDispatching(context, engine, source: "open").run(["url": .string(note.target)])
    }
}

extension Context {
    /// Refuses the target of a note that is not there, where Usher's own notes are what it would be opened in.
    func checkNote(_ target: String, in loaded: LoadedConfiguration, by engine: RunningDaemon) throws(CommandFailure) {
        guard target.utf8.starts(with: (App.notesScheme + ":").utf8),
            loaded.configuration.app(id: App.notesID)?.isBuiltIn == true
        else { return }
        _ = try engine.call(NoteShow(note: target))
    }
}

/// `usher note aside|resume|done|delete`: what becomes of a note.
enum NoteStateCommand {
    static let aside = change(
        NoteAside.self, .optional, examples: [.init("usher note aside", "no note is in progress then")])

    static let resume = change(
        NoteResume.self, .optional, discussion: ["Without NOTE it is the one that was put aside last."],
        examples: [.init("usher note resume", "the note before")])

    static let done = change(
        NoteDone.self, .optional,
        examples: [.init("usher note done", "it stays, with its links, and is suggested as before")])

    static let delete = change(
        NoteDelete.self, .one, discussion: ["Attached files stay where they are."],
        examples: [.init("usher note delete current", "usher undo takes that back")])

    private static func change<C: PerformedCall>(
        _ type: C.Type, _ count: CommandDescription.Operand.Count, discussion: [String] = [],
        examples: [CommandDescription.Example]
    ) -> CommandDescription where C.Answer == NoteChangeAnswer {
        CommandDescription(
            type, operands: [("note", .init("NOTE", count))], discussion: discussion, examples: examples
        ) { answer, _, context in context.print(note: answer.note) }
    }
}

/// `usher note attach`: a file that belongs to a note.
enum NoteAttachCommand {
    static let description = CommandDescription(
        "note attach", "attach a file to a note: by its path, or by its digest",
        operands: [.init("NOTE"), .init("PATH|sha256:…")],
        discussion: ["The file stays where it is; its size and digest are taken now."],
        examples: [.init("usher note attach current Config/usher.toml", "the note in progress gets it")],
        run: { (arguments, context) throws(CommandFailure) -> Void in
            let file = absolute(arguments.operands[1])
            let isDigest = file.utf8.starts(with: "sha256:".utf8)
            let answer = try context.service().call(
                NoteAttach(note: arguments.operands[0], path: isDigest ? nil : file, digest: isDigest ? file : nil))
            context.errors.warnings(of: answer)
            context.print(note: answer.note)
        })

    /// A path from the root on; a digest as it is.
    static func absolute(_ text: String) -> String {
        text.utf8.starts(with: "sha256:".utf8) || text.isEmpty ? text : FilePath.absolute(text)
    }
}
