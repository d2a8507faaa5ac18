internal import UsherConfiguration
internal import UsherDispatch
internal import UsherJSON
internal import UsherLog
internal import UsherOperation
internal import UsherScene
internal import UsherSystem
internal import UsherText

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
        let service = try context.service()
        var chosen = arguments.value(activity)
        if ways == 0 { chosen = try AddLinkMenu(context).choose(from: service) }
        let answer = try service.call(
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
        let answer = try context.service().call(
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
            let link = try context.service().call(LinkShow(link: arguments.operands[0]))
            context.print(link: link)
            return .handled
        })

    static let remove = CommandDescription(
        "link remove", "remove a link from its note; the content stays as it is",
        operands: [.init("LINK")],
        discussion: ["Prints the link as it was. usher link delete is another thing: it says that content is gone."],
        examples: [.init("usher link remove 0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20", "one link, by its id")],
        run: { (arguments, context) throws(CommandFailure) in
            let answer = try context.service().call(LinkRemove(link: arguments.operands[0]))
            context.print(link: answer["link"] ?? .null)
            return .handled
        })
}

extension Context {
    fileprivate func print(link: JSONValue) {
        output.write(writesJSON ? link.text() + "\n" : LinkText.text(link, style: style))
    }
}

/// `usher link open`: the content of a link in its window.
enum LinkOpenCommand {
    static let description = CommandDescription(
        "link open", "open a link: continue its activity, or show its content",
        operands: [.init("LINK")],
        discussion: [
            "The app is handed the activity that the link was made from. Moved content is found; deleted content is an",
            "error; where the app is gone, the link's web page is opened.",
        ],
        examples: [.init("usher link open 0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20", "launches or focuses the window")],
        run: { (arguments, context) throws(CommandFailure) in
            let engine = try context.engine()
            let link = try engine.call(LinkShow(link: arguments.operands[0]))
            let configured = try context.loadConfiguration(of: engine)
            let isGone = link["app"]?.string.map { configured.configuration.app(id: $0) == nil } ?? false
            let line = Array(envelope(of: link, isAppGone: isGone).text(escaping: .minimal).utf8)
            return try DaemonDispatching(context, engine, source: "link").run(line)
        })

    /// What is dispatched: the activity as it was kept, with the web page that the link knows. A link without one is its
    /// target; while its app is gone, that is its web page.
    private static func envelope(of link: JSONValue, isAppGone: Bool) -> JSONValue {
        var members: [JSONValue.Member] = []
        if case .object(var activity)? = link["activity"] {
            let webpage = link["webpage"]?.string
            if let webpage, link["activity"]?["webpageURL"]?.string?.utf8.elementsEqual(webpage.utf8) != true {
                activity.removeAll { $0.name == "webpageURL" }
                activity.append(.init("webpageURL", .string(webpage)))
            }
            members.append(.init("userActivity", .object(activity)))
        } else {
            members.append(
                .init("url", .string((isAppGone ? link["webpage"]?.string : nil) ?? link["target"]?.string ?? "")))
        }
        if let app = link["app"]?.string { members.append(.init("app", .string(app))) }
        return .object(members)
    }
}

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
        let answer = try context.service().call(LinkSuggest(targets: targets))
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
            let answer = try context.service().call(
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
            let answer = try context.service().call(
                RedirectDelete(target: arguments.operands[0], reason: arguments.value(reason)))
            return show(answer, context) { RedirectText.deleted(answer) }
        })

    static let restore = CommandDescription(
        "link restore", "takes back that content was deleted, else that it moved",
        operands: [.init("ID")], options: [Option(flag: "prefix", "the prefix move that was made with this very text")],
        examples: [.init("usher link restore https://clowntown.example/clowns/bozo", "the page is there again")],
        run: { (arguments, context) throws(CommandFailure) in
            let answer = try context.service().call(
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
            let answer = try context.service().call(RedirectList(target: arguments.operands.first, limit: number))
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

/// The add-link menu: what the user does now, to choose from by number on a terminal; the system's current activity first.
struct AddLinkMenu {
    private let context: Context

    init(_ context: Context) { self.context = context }

    /// The id of the activity that was chosen.
    func choose(from service: any Service) throws(CommandFailure) -> String {
        guard ProcessEnvironment.isTerminal(0), ProcessEnvironment.isTerminal(2) else {
            throw .refusal(
                .linkSource, "it is not said what the link leads to",
                help: "--target ID, --from-current or --activity ID; on a terminal the current activities are offered")
        }
        let answer = try service.call(ActivityList())
        let now = Instant.now
        let activities = (answer.elements ?? answer["activities"]?.elements ?? []).filter { activity in
            activity["state"]?.string == "current"
                && (activity["expires"]?.string.flatMap { Instant(text: $0) }).map { $0 > now } ?? true
                && ["target", "persistent", "webpage"].contains { activity[$0]?.string != nil }
        }
        guard !activities.isEmpty else {
            throw .refusal(
                .activityNone, "there is no current activity to link to",
                help: "an app makes one current with usher activity become-current; --target names content by its id")
        }
        context.errors.write(text(activities))
        // The line, without its end; nil at the end of input.
        let word = readLine().map { line in line.filter { !$0.isWhitespace } } ?? ""
        guard let number = Int(word), activities.indices.contains(number - 1),
            let id = activities[number - 1]["id"]?.string
        else {
            throw .refusal(
                .linkSource,
                word.isEmpty
                    ? "nothing was chosen: no link was made" : "there is no \(QuotedText.text(word)) in the list",
                help: "a number from 1 to \(activities.count)")
        }
        return id
    }

    private func text(_ activities: [JSONValue]) -> String {
        var rows: [[String]] = []
        for (index, activity) in activities.enumerated() {
            let isSystems = activity["is_current"]?.boolean == true
            rows.append([
                "\(index + 1)", TerminalText.escape(activity["title"]?.string ?? "untitled"),
                TerminalText.escape(activity["app"]?.string ?? ""),
                isSystems ? "looked at now" : TerminalText.escape(activity["session"]?.string ?? ""),
            ])
        }
        return TextTable.text(rows, indent: 1) + "link to which? "
    }
}
