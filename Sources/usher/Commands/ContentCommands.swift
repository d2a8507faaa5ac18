internal import UsherEngine
internal import UsherNotes
internal import UsherOperation

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
        for finding in answer.findings ?? [] {
            context.errors.warning("\(finding.message) [\(finding.code)]", help: finding.suggestion)
        }
        context.print(answer, text: RedirectText.moved(answer))
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
    ) { answer, _, context in context.print(answer, text: RedirectText.deleted(answer)) }

    static let restore = CommandDescription(
        RedirectRestore.self, called: "content restore", operands: [("target", .init("ID"))],
        examples: [.init("usher content restore https://clowntown.example/clowns/bozo", "the page is there again")]
    ) { answer, _, context in context.print(answer, text: RedirectText.restored(answer)) }

    static let list = CommandDescription(
        RedirectList.self, called: "content list", operands: [("target", .init("ID", .optional))],
        examples: [
            .init("usher content list", "the last hundred"),
            .init(
                "usher content list https://clowntown.example/clowns/crusty",
                "every hop from it, and everything that leads to it"),
        ]
    ) { answer, _, context in
        if !context.writesJSON, answer.redirects.isEmpty { return context.errors.note("no redirects") }
        context.print(answer, text: RedirectText.list(answer))
    }
}
