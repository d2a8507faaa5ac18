internal import UsherActivities
internal import UsherConfiguration
internal import UsherEngine
internal import UsherJSON
internal import UsherNotes
internal import UsherOperation
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// `usher link add`: a note leads to some content from now on.
enum LinkAddCommand {
    private static let note = Option("note", "NOTE", "the note that links: its id, or current")
    private static let target = Option("target", "ID", "the content's identifier")
    private static let activity = Option("activity", "ID", "an activity, by its id: what it is about")
    private static let fromCurrent = Option(
        flag: "from-current", "what the user looks at: the current activity, or the document in front")
    private static let title = Option("title", "TEXT", "what the link is called (else as its activity)")
    private static let webpage = Option("webpage", "URL", "a web page with the same content")
    private static let app = Option("app", "ID", "the app that opens it, where no app owns the target")

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

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
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
        let service = try context.service()
        var chosen = arguments.value(activity)
        if ways == 0 { chosen = try AddLinkMenu(context).choose(from: service) }
        let answer = try service.call(
            LinkAdd(
                note: name, target: arguments.value(target), activity: chosen, fromCurrent: arguments.has(fromCurrent),
                title: arguments.value(title), webpage: arguments.value(webpage), app: arguments.value(app)))
        context.errors.warnings(of: answer)
        for finding in answer.findings ?? [] {
            context.errors.warning("\(finding.code) \(finding.name): \(finding.message)", help: finding.suggestion)
        }
        context.print(id: answer.link.id, of: answer)
    }
}

/// `usher link list`: links, the newest first.
enum LinkListCommand {
    static let description = CommandDescription(
        LinkList.self,
        examples: [
            .init("usher link list --note current", "what the note in progress leads to"),
            .init("usher link list --target https://clowntown.example/clowns/crusty", "what links to this content"),
        ]
    ) { answer, _, context in
        context.print(answer, none: "no links", listed: (.link, \.id), ["link", "title", "leads to"]) { link in
            [link.id, link.title, link.deleted ?? link.resolved]
        }
    }
}

/// `usher link show|remove`: one link.
enum LinkShowCommand {
    static let description = CommandDescription(
        LinkShow.self, operands: [("link", .init("LINK"))],
        examples: [.init("usher link show 0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20", "one link, by its id")]
    ) { answer, _, context in context.print(link: answer) }

    static let remove = CommandDescription(
        LinkRemove.self, operands: [("link", .init("LINK"))],
        discussion: ["Prints the link as it was."],
        examples: [.init("usher link remove 0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20", "one link, by its id")]
    ) { answer, _, context in context.print(link: answer.link) }
}

extension Context {
    func print(link: LinkAnswer) { print(link, text: LinkText.text(link, style: style)) }
}

/// `usher link open`: the content of a link in its window.
enum LinkOpenCommand {
    private static let follow = Option(flag: "follow", "of a file that was moved to one place: note that, and open it")

    static let description = CommandDescription(
        "link open", "open a link: continue its activity, or show its content",
        operands: [.init("LINK")], options: [follow],
        discussion: [
            "The app is handed the activity that the link was made from. Moved content is found; deleted content is an",
            "error; where the app is gone, the link's web page is opened. A file that is not at its path any more is looked",
            "for below the nearest folder that exists, for two seconds: file.moved has the places, else it is file.gone.",
        ],
        examples: [.init("usher link open 0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20", "launches or focuses the window")],
        run: { (arguments, context) throws(CommandFailure) in
            try open(arguments.operands[0], follows: arguments.has(follow), context)
        })

    /// - Parameter follows: where its file was moved to one place, that is noted, and the file is opened there.
    static func open(_ id: String, follows: Bool = false, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let engine = try context.engine()
        let link = try engine.call(LinkShow(link: id))
        let configured = try context.loadConfiguration(of: engine)
        let isGone = link.app.map { configured.configuration.app(id: $0) == nil } ?? false
        let payload = envelope(of: link, isAppGone: isGone)
        if let loss = FileLoss(of: link) {
            guard follows, loss.places.count == 1 else {
                return try loss.report(payload, of: link.id, configured, context)
            }
            let move = RedirectMove(from: loss.target, to: loss.places[0], reason: "the file was moved")
            _ = try engine.call(move)
            context.errors.note("the file was moved to \(loss.places[0])")
        }
        return try DaemonDispatching(context, engine, source: "link").run(payload)
    }

    /// What is dispatched: the activity as it was kept, with the web page of the link. A link without one is its
    /// target; while its app is gone, that is its web page.
    private static func envelope(of link: LinkAnswer, isAppGone: Bool) -> JSONValue {
        var members: [JSONValue.Member] = []
        if case .object(var activity)? = link.activity??.json {
            if let webpage = link.webpage,
                (try? link.activity??.value())?.webpageURL?.utf8.elementsEqual(webpage.utf8) != true
            {
                activity.removeAll { $0.name == "webpageURL" }
                activity.append(.init("webpageURL", .string(webpage)))
            }
            members.append(.init("userActivity", .object(activity)))
        } else {
            members.append(.init("url", .string((isAppGone ? link.webpage : nil) ?? link.target ?? "")))
        }
        if let app = link.app { members.append(.init("app", .string(app))) }
        return .object(members)
    }
}

/// `usher link suggest`: the notes about what the user looks at.
enum LinkSuggestCommand {
    private static let target = Option(
        "target", "ID", "this content, instead of the current activity's; may be repeated", isRepeatable: true)
    private static let app = Option(
        "app", "ID", "the app of the target, where it has no scheme and is no UUID")
    private static let watch = Option(flag: "watch", "stay, and print a line whenever it is something else")
    private static let text = Option(flag: "text", "with --watch: lines of text, also where no terminal reads them")

    static let description = CommandDescription(
        "link suggest", "the notes that speak of what the user looks at",
        options: [target, app, watch, text],
        discussion: [
            "By the identifiers of the activity of the window in front and every name that the content had. Addresses of web pages",
            "are compared in their canonical form (usher target canonical); \"rules\" says how. --watch prints a line at once",
            "and for each change, JSON Lines where no terminal reads it. Status bars read text: --text gives the first line of",
            "a note, or an empty one without a note. It sleeps in between, and ends with its reader or a signal.",
        ],
        examples: [
            .init("usher link suggest", "the notes about what is on the screen"),
            .init("usher link suggest --target https://clowntown.example/clowns/crusty", "about this content"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        let targets = arguments.values(target)
        guard !(arguments.has(text) && context.asksForJSON) else {
            throw .usage("--text and --json exclude each other")
        }
        guard arguments.has(watch) || !arguments.has(text) else {
            throw .usage("--text goes with --watch", help: "usher link suggest --watch --text")
        }
        guard !arguments.has(app) || !targets.isEmpty else { throw .usage("--app goes with --target") }
        if arguments.has(watch) {
            return try SuggestionWatch(
                context: context, targets: targets, app: arguments.value(app),
                writesJSON: context.writesJSON && !arguments.has(text)
            ).run()
        }
        let answer = try context.service().call(LinkSuggest(targets: targets, app: arguments.value(app)))
        context.print(
            answer.suggestions, none: "there is no note about this", listed: (.note, \.note), ["note", "says", "about"]
        ) { suggestion in
            let via = suggestion.via.last.map { "  (\($0.note))" } ?? ""
            return [suggestion.note, suggestion.text, suggestion.identifier + via]
        }
    }
}

/// The add-link menu: what the user does now, to choose from by number on a terminal; the system's current activity first.
private struct AddLinkMenu {
    private let context: Context

    init(_ context: Context) { self.context = context }

    /// The id of the activity that was chosen.
    func choose(from service: any Service) throws(CommandFailure) -> String {
        guard ProcessEnvironment.isTerminal(0), ProcessEnvironment.isTerminal(2) else {
            throw .refusal(
                .linkSource, "it is not said what the link leads to",
                help: "--target ID, --from-current or --activity ID; on a terminal the current activities are offered")
        }
        let now = Instant.now
        let activities = try service.call(ActivityList()).filter { activity in
            activity.state == .current && activity.expires.map { $0 > now } ?? true
                && (activity.target != nil || activity.persistent != nil || activity.webpage != nil)
        }
        guard !activities.isEmpty else {
            throw .refusal(
                .activityNone, "there is no current activity to link to",
                help: "an app makes one current with usher activity become-current; --target names content by its id")
        }
        let rows = activities.map { activity in
            [
                activity.title ?? "untitled", activity.app,
                activity.isCurrent ? "looked at now" : activity.session ?? "",
            ]
        }
        guard let place = Menu(of: "activity", rows).chooseByNumber(context) else {
            throw .refusal(
                .linkSource, "nothing was chosen: no link was made", help: "a number from 1 to \(activities.count)")
        }
        return activities[place].id
    }
}
