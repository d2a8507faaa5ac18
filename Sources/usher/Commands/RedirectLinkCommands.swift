internal import UsherDispatch
internal import UsherJSON
internal import UsherOperation
internal import UsherText

/// `usher link move|delete|restore|redirects`: where content moved, and what was deleted.
enum RedirectLinkCommands {
    private static let prefix = Option(flag: "prefix", "everything that begins with it")
    private static let reason = Option("reason", "TEXT", "why, for people")
    private static let limit = Option("limit", "N", "how many at most (100)")

    static let move = CommandDescription(
        "link move", "content has another identifier now: who asks for the old one gets the new one",
        operands: [.init("OLD"), .init("NEW")], options: [prefix, reason],
        discussion: [
            "The longest prefix wins, and a move of the very identifier wins over any. Identifiers are compared by bytes.",
            "Refused: what would lead in a circle, need more than 32 hops, or lead to deleted content.",
        ],
        examples: [
            .init(
                "usher link move https://clowntown.example/clowns/crusty https://clowntown.example/clowns/krusty",
                "a page was renamed"),
            .init("usher link move --prefix https://a.example/ https://b.example/", "a site has another host"),
        ],
        run: { (arguments, context) throws(CommandFailure) in
            let answer = try ContentDoor(context).answer(
                RedirectMove(
                    from: arguments.operands[0], to: arguments.operands[1], prefix: arguments.has(prefix),
                    reason: arguments.value(reason)))
            for finding in answer["findings"]?.elements ?? [] {
                context.errors.warning(
                    "\(finding["message"]?.string ?? "") [\(finding["code"]?.string ?? "")]",
                    help: finding["suggestion"]?.string)
            }
            for warning in answer["warnings"]?.elements ?? [] { context.errors.warning(warning.string ?? "") }
            return show(answer, context) { RedirectText.moved(answer) }
        })

    static let delete = CommandDescription(
        "link delete", "content is gone: who asks for it is told so, and gets no wrong window",
        operands: [.init("ID")], options: [reason],
        discussion: [
            "An identifier that moved stands for the newest one. The app's handlers.content-deleted is run then."
        ],
        examples: [
            .init(
                "usher link delete https://clowntown.example/clowns/bozo --reason 'he retired'", "a page is no more")
        ],
        run: { (arguments, context) throws(CommandFailure) in
            let answer = try ContentDoor(context).answer(
                RedirectDelete(target: arguments.operands[0], reason: arguments.value(reason)))
            return show(answer, context) { RedirectText.deleted(answer) }
        })

    static let restore = CommandDescription(
        "link restore", "takes back that content was deleted, else that it moved",
        operands: [.init("ID")], options: [Option(flag: "prefix", "the prefix move that was made with this very text")],
        examples: [.init("usher link restore https://clowntown.example/clowns/bozo", "the page is there again")],
        run: { (arguments, context) throws(CommandFailure) in
            let answer = try ContentDoor(context).answer(
                RedirectRestore(target: arguments.operands[0], prefix: arguments.has(prefix)))
            return show(answer, context) { RedirectText.restored(answer) }
        })

    static let list = CommandDescription(
        "link redirects", "what moved and what was deleted, the last first; with ID where that leads",
        operands: [.init("ID", .optional)], options: [limit],
        examples: [
            .init("usher link redirects", "the last hundred"),
            .init(
                "usher link redirects https://clowntown.example/clowns/crusty",
                "every hop from it, and everything that leads to it"),
        ],
        run: { (arguments, context) throws(CommandFailure) in
            var number: Int?
            if let text = arguments.value(limit) {
                guard let count = Int(text), count > 0 else {
                    throw .usage("--limit cannot be \(QuotedText.text(text))", help: "it is a number from 1 on")
                }
                number = count
            }
            let answer = try ContentDoor(context).answer(
                RedirectList(target: arguments.operands.first, limit: number))
            if !context.writesJSON, answer["redirects"]?.elements?.isEmpty != false {
                context.errors.note("no redirects")
                return .handled
            }
            return show(answer, context) { RedirectText.list(answer) }
        })

    private static func show(_ answer: JSONValue, _ context: Context, text: () -> String) -> ExitStatus {
        context.output.write(context.writesJSON ? answer.text() + "\n" : text())
        return .handled
    }
}
