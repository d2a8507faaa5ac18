internal import UsherJSON
internal import UsherOperation

/// `usher link suggest`: the notes that speak of what the user looks at.
enum LinkSuggestCommand {
    private static let target = Option(
        "target", "ID", "this content, instead of the current activity's; may be repeated", isRepeatable: true)
    private static let watch = Option(flag: "watch", "stay, and print a line whenever it is something else")
    private static let text = Option(flag: "text", "with --watch: lines of text, also where no terminal reads them")

    static let description = CommandDescription(
        "link suggest", "the notes that speak of what the user looks at",
        options: [target, watch, text],
        discussion: [
            "By the identifiers of the system's current activity, exactly as links have them, and by every name that the",
            "content had. --watch prints a line at once and for each change, JSON Lines where no terminal reads it. Status",
            "bars read text: --text gives the first line of a note, or an empty one where no note speaks of it. It sleeps in",
            "between, and ends with its reader or a signal.",
        ],
        examples: [
            .init("usher link suggest", "the notes about what is on the screen"),
            .init("usher link suggest --target https://clowntown.example/clowns/crusty", "about this content"),
        ],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let targets = arguments.values(target)
        guard !(arguments.has(text) && context.asksForJSON) else {
            throw .usage("--text and --json exclude each other")
        }
        guard arguments.has(watch) || !arguments.has(text) else {
            throw .usage("--text goes with --watch", help: "usher link suggest --watch --text")
        }
        if arguments.has(watch) {
            return try SuggestionWatch(
                context, targets: targets, writesJSON: context.writesJSON && !arguments.has(text)
            ).run()
        }
        let answer = try ContentDoor(context).answer(
            LinkSuggest(targets: targets))
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
