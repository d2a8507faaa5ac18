internal import UsherControl
internal import UsherJSON

/// `usher link suggest`: the notes that speak of what the user looks at.
enum LinkSuggestCommand {
    private static let target = Option(
        "target", "ID", "this content, instead of the current activity's; may be repeated", isRepeatable: true)
    private static let watch = Option(flag: "watch", "stay, and print a line whenever it is something else")

    static let description = CommandDescription(
        "link suggest", "the notes that speak of what the user looks at",
        options: [target, watch],
        discussion: [
            "By the identifiers of the system's current activity, exactly as links have them, and by every name that the",
            "content had. --watch is for status bars: a line of text at once and for each change, empty where no note speaks",
            "of it; JSON Lines with --json. It sleeps in between, and ends with its reader or a signal.",
        ],
        examples: [
            .init("usher link suggest", "the notes about what is on the screen"),
            .init("usher link suggest --target https://clowntown.example/clowns/crusty", "about this content"),
        ],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let targets = arguments.values(target)
        if arguments.has(watch) { return try SuggestionWatch(context, targets: targets).run() }
        let answer = try ContentDoor(context).answer(
            ContentRequest(
                .suggestLinks,
                given: ["targets": targets.isEmpty ? Optional.none : .array(targets.map { .string($0) })]))
        let suggestions = answer["suggestions"]?.elements ?? []
        if context.writesJSON {
            context.printArray(suggestions) { suggestion, json in json.value(suggestion) }
        } else if suggestions.isEmpty {
            context.errors.note("no note speaks of this")
        } else {
            context.output.write(LinkText.table(ofSuggestions: suggestions))
        }
        return .handled
    }
}
