internal import UsherJSON
internal import UsherOperation
internal import UsherText

/// `usher link list`: links, the newest first.
enum LinkListCommand {
    private static let note = Option("note", "NOTE", "only those of this note")
    private static let target = Option("target", "ID", "only those to this content, whatever it was called")
    private static let limit = Option("limit", "N", "how many at most (100)")
    private static let before = Option("before", "LINK", "those made before this one: the next page")

    static let description = CommandDescription(
        "link list", "links of notes to content, the newest first",
        options: [note, target, limit, before],
        examples: [
            .init("usher link list --note current", "what the note in progress leads to"),
            .init("usher link list --target https://clowntown.example/clowns/crusty", "who speaks of this content"),
        ],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        var count: Int?
        if let text = arguments.value(limit) {
            guard let number = Int(text), (1...1000).contains(number) else {
                throw .usage("--limit cannot be \(QuotedText.text(text))", help: "it is a number from 1 to 1000")
            }
            count = number
        }
        let answer = try ContentDoor(context).answer(
            LinkList(
                note: arguments.value(note), target: arguments.value(target), limit: count,
                before: arguments.value(before)))
        let links = answer.elements ?? []
        if context.writesJSON {
            context.printArray(links) { link, json in json.value(link) }
        } else if links.isEmpty {
            context.errors.note("no links")
        } else {
            context.output.write(LinkText.table(links))
        }
        return .handled
    }
}

/// `usher link show|remove`: one link.
enum LinkShowCommand {
    static let description = CommandDescription(
        "link show", "everything about one link: its identifiers, its activity, where it leads by now",
        operands: [.init("LINK")],
        examples: [.init("usher link show 0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20", "one link, by its id")],
        run: { (arguments, context) throws(CommandFailure) in
            let link = try ContentDoor(context).answer(
                LinkShow(link: arguments.operands[0]))
            context.print(link: link)
            return .handled
        })

    static let remove = CommandDescription(
        "link remove", "remove a link from its note; the content stays as it is",
        operands: [.init("LINK")],
        discussion: ["Prints the link as it was. usher link delete is another thing: it says that content is gone."],
        examples: [.init("usher link remove 0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20", "one link, by its id")],
        run: { (arguments, context) throws(CommandFailure) in
            let answer = try ContentDoor(context).answer(
                LinkRemove(link: arguments.operands[0]))
            context.print(link: answer["link"] ?? .null)
            return .handled
        })
}

extension Context {
    fileprivate func print(link: JSONValue) {
        output.write(writesJSON ? link.text() + "\n" : LinkText.text(link, style: style))
    }
}
