internal import UsherJSON
internal import UsherNotes

/// `usher note pick|link pick`: a note or a link that is chosen in a menu.
enum PickCommand {
    private static let menu = Option("menu", "PROGRAM ARGS", "reads lines and writes the chosen one (else $USHER_MENU)")
    private static let open = Option(flag: "open", "open what was chosen, instead of printing its id")
    private static let note = Option("note", "NOTE", "the links of this note only")

    private static let discussion = [
        "Each line is shown by --menu, else $USHER_MENU, fzf, rofi or dmenu, else in a numbered list on the terminal.",
        "The program and its arguments are split at blanks; no shell reads them. Exit status 1: nothing was chosen.",
    ]

    /// How many are offered, the newest ones.
    private static let limit = 1000

    static let notes = CommandDescription(
        "note pick", "choose a note in a menu: prints its id", options: [menu, open], discussion: discussion,
        examples: [
            .init("usher note pick --menu 'head -n 1'", "the note that was changed last"),
            .init("usher note pick --open", "show the chosen note in its window"),
        ]
    ) { (arguments, context) throws(CommandFailure) in
        var call = NoteList()
        call.limit = limit
        let notes = try context.service().call(call)
        let rows = notes.map { note in
            [note.title, note.state.rawValue, note.short]
        }
        guard let id = try choose("note", rows, ids: notes.map(\.id), arguments, context) else { return .finding }
        return arguments.has(open) ? try NoteOpenCommand.open(id, context) : print(id, context)
    }

    static let links = CommandDescription(
        "link pick", "choose a link in a menu: prints its id", options: [note, menu, open], discussion: discussion,
        examples: [
            .init("usher link pick --menu 'head -n 1'", "the newest link"),
            .init("usher link pick --note current --open", "show the content of a link of the note in progress"),
        ]
    ) { (arguments, context) throws(CommandFailure) in
        var call = LinkList()
        call.note = arguments.value(note)
        call.limit = limit
        let links = try context.service().call(call)
        let rows = links.map { link in
            let place = link.resolved ?? link.target ?? ""
            return [link.title ?? place, link.title == nil ? "" : place, link.short]
        }
        guard let id = try choose("link", rows, ids: links.map(\.id), arguments, context) else { return .finding }
        return arguments.has(open) ? try LinkOpenCommand.open(id, context) : print(id, context)
    }

    private static func choose(
        _ subject: String, _ rows: [[String]], ids: [String], _ arguments: Arguments, _ context: Context
    ) throws(CommandFailure) -> String? {
        guard !rows.isEmpty else {
            context.errors.note("there are no \(subject)s")
            return nil
        }
        return try Menu(of: subject, rows).choose(with: arguments.value(menu), context)
            .map { ids[$0] }
    }

    private static func print(_ id: String, _ context: Context) -> ExitStatus {
        if context.asksForJSON {
            context.print(json: JSONValue.object([.init("id", .string(id))]))
        } else {
            context.output.write(id + "\n")
        }
        return .handled
    }
}
