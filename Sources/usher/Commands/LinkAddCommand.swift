internal import UsherDispatch
internal import UsherJSON
internal import UsherOperation
internal import UsherScene

/// `usher link add`: a note leads to some content from now on.
enum LinkAddCommand {
    private static let note = Option("note", "NOTE", "the note that links: its id, or current")
    private static let target = Option("target", "ID", "the content's identifier")
    private static let activity = Option("activity", "ID", "an activity, by its id: what it is about")
    private static let fromCurrent = Option(flag: "from-current", "what the user looks at: the current activity")
    private static let title = Option("title", "TEXT", "what the link is called (else as its activity)")
    private static let webpage = Option("webpage", "URL", "a web page with the same content")
    private static let app = Option("app", "ID", "the app that opens it, where nobody owns the target")

    static let description = CommandDescription(
        "link add", "link a note to content",
        options: [note, target, activity, fromCurrent, title, webpage, app],
        discussion: [
            "Prints the link's id. The link keeps the identifiers exactly as they are, and the whole activity it was made",
            "from. Without --target, --activity and --from-current, a terminal is offered the current activities.",
        ],
        examples: [
            .init("usher link add --note current --target https://clowntown.example/clowns/crusty", "by an identifier"),
            .init("usher link add --note current --from-current", "to what the user looks at"),
        ],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        guard let name = arguments.value(note) else {
            throw .usage(
                "which note? --note is missing",
                help: "usher note list shows the notes; --note current is the one in progress")
        }
        let ways = [arguments.has(target), arguments.has(activity), arguments.has(fromCurrent)].count { $0 }
        guard ways <= 1 else {
            throw .refusal(
                .linkSource, "the link's content is named twice",
                help: "one of --target, --activity and --from-current")
        }
        let door = try ContentDoor(context)
        var chosen = arguments.value(activity)
        if ways == 0 { chosen = try AddLinkMenu(context).choose(from: door) }
        let answer = try door.answer(
            LinkAdd(
                note: name, target: arguments.value(target), activity: chosen, fromCurrent: arguments.has(fromCurrent),
                title: arguments.value(title), webpage: arguments.value(webpage), app: arguments.value(app)))
        context.warn(of: answer)
        if context.asksForJSON {
            context.output.write(answer.text() + "\n")
        } else {
            context.output.write((answer["link"]?["id"]?.string ?? "") + "\n")
        }
        return .handled
    }
}

extension Context {
    /// What is to be said about something that was done: its warnings, and what speaks against its identifiers.
    fileprivate func warn(of answer: JSONValue) {
        for warning in answer["warnings"]?.elements ?? [] { errors.warning(warning.string ?? "") }
        for finding in answer["findings"]?.elements ?? [] {
            errors.warning(
                [finding["code"], finding["name"]].compactMap { $0?.string }.joined(separator: " ") + ": "
                    + (finding["message"]?.string ?? ""), help: finding["suggestion"]?.string)
        }
    }
}
