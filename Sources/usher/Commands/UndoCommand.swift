internal import UsherNotes
internal import UsherText

/// `usher undo`: takes back what was removed.
enum UndoCommand {
    private static let list = Option(flag: "list", "show what can be taken back, the newest first; changes nothing")

    static let description = CommandDescription(
        "undo",
        "take back the newest removal of a note or links, or the newest `content moved`, `deleted` or `restore`",
        options: [list],
        discussion: [
            "That is usher note delete, usher link remove, links that were removed in the editor of a note, and usher content",
            "moved, deleted and restore, whether a command, the daemon or a program did it: each once, for 30 days. Notes and",
            "links have the ids and the order that they had. Exit status 1: there is nothing to take back.",
        ],
        examples: [
            .init("usher undo --list", "what can be taken back"),
            .init("usher undo", "the newest of it is as it was before"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        guard !arguments.has(list) else {
            let changes = try context.service().call(UndoList())
            let none = "there is nothing to take back"
            return context.print(changes, none: none, ["time", "operation", "id"]) { change in
                [change.time.text, change.operation.rawValue, change.id]
            }
        }
        let change = try context.service().call(Undo())
        context.errors.warnings(of: change)
        context.print(change, text: "\(change.operation.rawValue) \(Printable.escaped(change.id)) is taken back\n")
    }
}
