internal import UsherJSON
internal import UsherOperation
internal import UsherText

/// `usher activity list|show|search`: what users do, and did.
enum ActivityLookCommands {
    private static let app = Option("app", "ID", "only those of this app")
    private static let session = Option("session", "ID", "only those of this window")
    private static let all = Option(flag: "all", "also those that were resigned")
    private static let limit = Option("limit", "N", "at most so many (20)")

    static let list = CommandDescription(
        "activity list", "the activities of windows, the current one of the system first",
        options: [app, session, all],
        examples: [
            .init("usher activity list", "what is current, and what is kept for windows that are gone"),
            .init("usher activity list --all --json", "everything, as a JSON array"),
        ],
        run: { (arguments, context) throws(CommandFailure) in
            let answer = try ContentDoor(context).answer(
                ActivityList(app: arguments.value(app), session: arguments.value(session), all: arguments.has(all)))
            context.print(activities: answer, none: "no activities: usher activity become-current makes one known")
            return .handled
        })

    static let show = CommandDescription(
        "activity show", "one activity, whole",
        operands: [.init("ID", .optional)], options: [session],
        discussion: ["`current` is the one of the window that was used last."],
        examples: [.init("usher activity show current", "what the user does now")],
        run: { (arguments, context) throws(CommandFailure) in
            guard arguments.operands.isEmpty == arguments.has(session) else {
                throw .usage("activity show takes an ID or --session", help: "usher activity list shows them")
            }
            let answer = try ContentDoor(context).answer(
                ActivityShow(activity: arguments.operands.first, session: arguments.value(session)))
            context.print(activity: answer)
            return .handled
        })

    static let search = CommandDescription(
        "activity search", "find activities that are eligible for search",
        operands: [.init("TEXT", .atLeastOne)], options: [limit],
        discussion: [
            "Each word must begin a word of the title, the keywords or the attributes."
        ],
        examples: [.init("usher activity search crus", "what begins so")],
        run: { (arguments, context) throws(CommandFailure) in
            var count: Int?
            if let text = arguments.value(limit) {
                guard let number = Int32(text), number > 0 else {
                    throw .usage("--limit takes a number from 1, not \(QuotedText.text(text))")
                }
                count = Int(number)
            }
            let answer = try ContentDoor(context).answer(
                ActivitySearch(query: arguments.operands.joined(separator: " "), limit: count))
            context.print(activities: answer, none: "nothing is found")
            return .handled
        })
}
