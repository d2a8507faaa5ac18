internal import UsherDispatch
internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherText

/// `usher content moved|deleted|restore|list`: where content moved, and what was deleted.
enum ContentCommands {
    static let moved = CommandDescription(
        RedirectMove.self, called: "content moved", operands: [("from", .init("OLD")), ("to", .init("NEW"))],
        discussion: [
            "The longest prefix wins, and a move of the very identifier wins over any. Identifiers are compared by bytes.",
            "Refused: what would lead in a circle, need more than 32 hops, or lead to deleted content.",
        ],
        examples: [
            .init(
                "usher content moved https://clowntown.example/clowns/crusty https://clowntown.example/clowns/krusty",
                "a page was renamed"),
            .init("usher content moved --prefix https://a.example/ https://b.example/", "a site has another host"),
        ]
    ) { answer, _, context in
        for finding in answer["findings"]?.elements ?? [] {
            context.errors.warning(
                "\(finding["message"]?.string ?? "") [\(finding["code"]?.string ?? "")]",
                help: finding["suggestion"]?.string)
        }
        show(answer, context) { RedirectText.moved(answer) }
    }

    static let deleted = CommandDescription(
        RedirectDelete.self, called: "content deleted", operands: [("target", .init("ID"))],
        discussion: [
            "An identifier that moved stands for the newest one. The app's handlers.content-deleted is run then."
        ],
        examples: [
            .init(
                "usher content deleted https://clowntown.example/clowns/bozo --reason 'he retired'", "a page is no more"
            )
        ]
    ) { answer, _, context in show(answer, context) { RedirectText.deleted(answer) } }

    static let restore = CommandDescription(
        RedirectRestore.self, called: "content restore", operands: [("target", .init("ID"))],
        examples: [.init("usher content restore https://clowntown.example/clowns/bozo", "the page is there again")]
    ) { answer, _, context in show(answer, context) { RedirectText.restored(answer) } }

    static let list = CommandDescription(
        RedirectList.self, called: "content list", operands: [("target", .init("ID", .optional))],
        examples: [
            .init("usher content list", "the last hundred"),
            .init(
                "usher content list https://clowntown.example/clowns/crusty",
                "every hop from it, and everything that leads to it"),
        ]
    ) { answer, arguments, context in
        if !context.writesJSON, answer["redirects"]?.elements?.isEmpty != false {
            context.errors.note("no redirects")
        } else {
            show(answer, context) { RedirectText.list(answer) }
        }
    }

    private static func show(_ answer: JSONValue, _ context: Context, text: () -> String) {
        context.output.write(context.writesJSON ? answer.text() + "\n" : text())
    }
}

/// `usher link move|delete|restore|redirects`: the earlier spelling of `usher content`.
enum EarlierContentCommands {
    static let move = alias("link move", of: ContentCommands.moved)
    static let restore = alias("link restore", of: ContentCommands.restore)
    static let list = alias("link redirects", of: ContentCommands.list)

    /// What is given the id of a link removes that link: its user takes the one for the other.
    static let delete = alias("link delete", of: ContentCommands.deleted) {
        (arguments, context) throws(CommandFailure) in
        guard let link = try link(called: arguments.operands[0], context) else { return nil }
        context.errors.note("usher link remove is the new spelling of usher link delete with the id of a link")
        var call = LinkRemove()
        call.link = link
        let answer = try context.service().call(call)
        context.print(link: answer["link"] ?? .null)
        return .handled
    }

    /// - Parameter run: does something else with some arguments; nil for all others.
    private static func alias(
        _ name: String, of command: CommandDescription,
        insteadOf run: @escaping @Sendable (Arguments, Context) throws(CommandFailure) -> ExitStatus? = { _, _ in nil }
    ) -> CommandDescription {
        CommandDescription(
            name, operands: command.operands,
            run: { (arguments, context) throws(CommandFailure) in
                if let status = try run(arguments, context) { return status }
                context.errors.note("usher \(command.name) is the new spelling of usher \(name)")
                return try command.run(arguments, context)
            },
            details: {
                var details = command.details()
                details.summary = "the earlier spelling of usher \(command.name)"
                details.examples = details.examples.map { example in
                    CommandDescription.Example(
                        "usher \(name)" + example.line.dropFirst("usher \(command.name)".count), example.purpose)
                }
                return details
            })
    }

    /// The id of the link that a text names: by its id, the beginning of it, or the number of a row; nil where it names none.
    private static func link(called text: String, _ context: Context) throws(CommandFailure) -> String? {
        let isRow = try context.rows.isRow(text, .link)
        guard isRow || UUIDv7.beginning(text) != nil else { return nil }
        switch try context.service().answer(LinkShow(link: try context.rows.identifier(text, .link))) {
        case .success(let link): return link["id"]?.string
        case .failure(let error) where error.code == .linkUnknown: return nil
        case .failure(let error): throw CommandFailure(error)
        }
    }
}
