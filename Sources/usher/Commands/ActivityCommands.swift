internal import UsherActivities
internal import UsherEngine
internal import UsherJSON
internal import UsherOperation
internal import UsherPayload
internal import UsherScene
internal import UsherText

/// `usher activity list|show|search`: what users do, and did.
enum ActivityLookCommands {
    static let list = CommandDescription(
        ActivityList.self, hidden: ["limit"],
        examples: [
            .init("usher activity list", "what is current, and what is kept for windows that are gone"),
            .init("usher activity list --all --json", "everything, as a JSON array"),
        ]
    ) { answer, _, context in
        context.print(activities: answer, none: "no activities: usher activity become-current makes one known")
    }

    static let show = CommandDescription(
        ActivityShow.self, operands: [("activity", .init("ID", .optional, of: .activities))],
        discussion: [
            "`current` is the one of the window in front; where no desktop reports that, of the window that was used last."
        ],
        examples: [.init("usher activity show current", "what the user does now")]
    ) { answer, _, context in context.print(activity: answer) }

    static let search = CommandDescription(
        ActivitySearch.self, operands: [("query", .init("TEXT", .atLeastOne))],
        discussion: [
            "Each word must begin a word of the title, the keywords or the attributes."
        ],
        examples: [.init("usher activity search crus", "what begins so")]
    ) { answer, _, context in context.print(activities: answer, none: "nothing is found") }
}

/// `usher activity become-current|update|resign`: what the user does in a window now.
enum ActivityChangeCommands {
    private static let session = Option("session", "ID", "the window's session")
    private static let type = Option("type", "TYPE", "one of the app's activity-types")
    private static let title = Option("title", "TEXT", "what the user does, for people")
    private static let target = Option("target", "ID", "the content it is about")
    private static let persistent = Option("persistent", "ID", "the same, as a search and a note keep it")
    private static let webpage = Option("webpage", "URL", "its web page, where the app is not installed")
    private static let userInfo = Option("user-info", "JSON", "an object: what leads back to the place in the content")
    private static let attributes = Option(
        "attributes", "JSON", "an object: the place, person or media that it is about (contentAttributeSet)")
    private static let mapItem = Option(
        "map-item", "JSON", "an object: a place, which fills the attributes (MKMapItem)")
    private static let keyword = Option("keyword", "WORD", "a search finds it by", isRepeatable: true)
    private static let activity = Option("activity", "JSON|-", "a whole user activity; the other options go over it")
    private static let version = Option("version", "V", "the app's version")
    private static let schemaVersion = Option("schema-version", "N", "the version of the user info")
    private static let needsSave = Option(flag: "needs-save", "the user info is old: ask the app when it is needed")
    private static let eligibleFor = Option(
        "eligible-for", "LIST", "of search, prediction, public-indexing, handoff, no-handoff; commas between")
    private static let expires = Option("expires", "TIME", "when it means nothing any more, as in 2027-01-31T12:00:00Z")
    private static let process = Option("process", "PID", "whose window it is: when it ends, the window is gone")

    private static let members =
        [
            type, title, target, persistent, webpage, userInfo, attributes, mapItem, keyword, activity, version,
            schemaVersion, needsSave, eligibleFor, expires,
        ] + ActivityPage.options

    static let becomeCurrent = CommandDescription(
        "activity become-current", "say what the user does in a window now",
        options: [session] + members + [process],
        discussion: [
            "Prints the activity. The one that the session had before is resigned. At least one of --target, --persistent",
            "and --webpage is needed to take part in anything: links, suggestions, search. The type is one of the app's",
            "activity-types. Notes that speak of the same content are named on standard error.",
        ],
        examples: [
            .init(
                "usher activity become-current --session clown-1 --type example.clowntown.view-clown --title Crusty"
                    + " --target https://clowntown.example/clowns/crusty",
                "the user looks at Crusty")
        ],
        run: { (arguments, context) throws(CommandFailure) -> Void in
            guard arguments.has(type) || arguments.has(activity) else {
                throw .usage("--type is missing", help: "it is one of the app's activity-types")
            }
            let page = try ActivityPage(arguments)
            let call = ActivityBecomeCurrent(
                session: try required(session, arguments), activity: try text(arguments, page),
                process: try arguments.value(process).map { (value) throws(CommandFailure) in
                    try number(value, "--process")
                })
            try change(call, context, warning: page.warning)
        })

    static let update = CommandDescription(
        "activity update", "change what is said of a window's activity",
        options: [session] + members,
        discussion: [
            "What is not given stays, byte for byte. --activity is partial here, and null takes a member away. Other content",
            "is another activity: usher activity become-current.",
        ],
        examples: [
            .init("usher activity update --session clown-1 --title 'Crusty, juggling'", "another title"),
            .init(
                "usher activity update --session clown-1 --needs-save",
                "the app has newer user info, and gives it when asked"),
        ],
        run: { (arguments, context) throws(CommandFailure) -> Void in
            guard members.contains(where: { arguments.has($0) }) else {
                throw .usage("there is nothing to change", help: "give --title, --user-info, --needs-save or others")
            }
            let page = try ActivityPage(arguments)
            let call = ActivityUpdate(session: try required(session, arguments), activity: try text(arguments, page))
            try change(call, context, warning: page.warning)
        })

    static let resign = CommandDescription(
        "activity resign", "say that the user does it no longer",
        options: [session],
        examples: [.init("usher activity resign --session clown-1", "nothing is current in this window")],
        run: { (arguments, context) throws(CommandFailure) -> Void in
            let answer = try context.service().call(ActivityResign(session: try required(session, arguments)))
            if context.writesJSON { context.print(json: answer) } else { context.print(activity: answer.activity) }
        })

    /// - Parameter warning: to be said besides those of the answer.
    private static func change<C: PerformedCall>(
        _ call: C, _ context: Context, warning: String?
    ) throws(CommandFailure) where C.Answer == ActivityChangeAnswer {
        var answer = try context.service().call(call)
        if let warning { answer.warnings.append(warning) }
        context.print(activityChange: answer)
    }

    // MARK: The activity that options describe

    /// A user activity as text: that of --activity, the members of the other options over it, and what neither has from
    /// the page.
    private static func text(_ arguments: Arguments, _ page: ActivityPage) throws(CommandFailure) -> String {
        var given: [JSONValue.Member] = []
        func add(_ option: Option, _ name: String) {
            if let value = arguments.value(option) { given.append(.init(name, .string(value))) }
        }
        add(type, "activityType")
        add(title, "title")
        add(target, "targetContentIdentifier")
        add(persistent, "persistentIdentifier")
        add(webpage, "webpageURL")
        add(expires, "expirationDate")
        add(version, "version")
        if let value = arguments.value(schemaVersion) {
            given.append(.init("schemaVersion", .number(String(try number(value, "--schema-version")))))
        }
        if arguments.has(keyword) {
            given.append(.init("keywords", .array(arguments.values(keyword).map { .string($0) })))
        }
        if arguments.has(needsSave) { given.append(.init("needsSave", true)) }
        given += try eligibilities(arguments)
        var texts = given.map { "\(JSONValue.string($0.name).text()):\($0.value.text(escaping: .minimal))" }
        let objects = [
            (userInfo, "userInfo", #"{"page":3}"#),
            (attributes, "contentAttributeSet", #"{"namedLocation":"Circus"}"#),
            (mapItem, "mapItem", #"{"name":"Circus"}"#),
        ]
        for (option, name, example) in objects {
            guard let value = arguments.value(option) else { continue }
            // As it was written: numbers and the order of members are the app's own.
            let object: JSONValue
            do throws(JSONError) {
                object = try JSONValue(parsing: Array(value.utf8))
            } catch {
                throw .usage(
                    "--\(option.name) is no JSON, and \(name) is an object: \(error.message) at byte \(error.offset)",
                    help: "such as '\(example)'",
                    code: option == userInfo ? .controlArgument : PayloadCode.attributesType.code)
            }
            given.append(.init(name, object))
            texts.append("\"\(name)\":\(value)")
        }
        // A map item fills the attributes: those of the page would go before it.
        let rest = page.members.filter { member in
            !given.contains {
                $0.name == member.name || ($0.name == "mapItem" && member.name == "contentAttributeSet")
            }
        }
        guard let whole = arguments.value(activity) else { return try merge(Array("{}".utf8), [], texts, rest) }
        guard whole != "-" || arguments.value(ActivityPage.page) != "-" else {
            throw .usage("--activity and --page cannot both be standard input")
        }
        let refusal = (
            code: DiagnosticCode.activityTooLarge, help: "keep the identifier of the content, and not all of it"
        )
        let base = whole == "-" ? try InputFile("-").readAll(limit: 1 << 20, refusal: refusal) : Array(whole.utf8)
        return try merge(base, given.map(\.name), texts, rest)
    }

    /// The members of an object, byte for byte, but for those that options give; and the rest that it does not have.
    private static func merge(
        _ base: [UInt8], _ names: [String], _ texts: [String], _ rest: [JSONValue.Member]
    ) throws(CommandFailure) -> String {
        var document = JSONDocument()
        do throws(JSONError) {
            try document.parse(base)
        } catch {
            throw .usage("--activity is no JSON: \(error.message)")
        }
        guard let root = document.root, document.kind(root) == .object else {
            throw .usage("--activity is no JSON object", help: #"such as {"activityType":"com.example.reading"}"#)
        }
        var members = document.members(root).compactMap { member -> String? in
            let name = document.stringBytes(member.key)
            guard !names.contains(where: { $0.utf8.elementsEqual(name) }) else { return Optional.none }
            return String(decoding: document.raw(member.key), as: UTF8.self) + ":"
                + String(decoding: document.raw(member.value), as: UTF8.self)
        }
        members += texts
        for member in rest where document.value(member.name, in: root) == nil {
            members.append("\(JSONValue.string(member.name).text()):\(member.value.text(escaping: .minimal))")
        }
        return "{\(members.joined(separator: ","))}"
    }

    private static func eligibilities(_ arguments: Arguments) throws(CommandFailure) -> [JSONValue.Member] {
        let known: [(word: String, member: String, value: Bool)] = [
            ("search", "isEligibleForSearch", true), ("prediction", "isEligibleForPrediction", true),
            ("public-indexing", "isEligibleForPublicIndexing", true), ("handoff", "isEligibleForHandoff", true),
            ("no-handoff", "isEligibleForHandoff", false),
        ]
        var members: [JSONValue.Member] = []
        for word in (arguments.value(eligibleFor) ?? "").split(separator: ",") {
            guard let (_, name, value) = known.first(where: { $0.word == word }) else {
                throw .unknown("eligibility", String(word), among: known.map(\.word))
            }
            // The same word twice would be the same member twice.
            if !members.contains(where: { $0.name == name }) { members.append(.init(name, .boolean(value))) }
        }
        return members
    }

    private static func number(_ text: String, _ name: String) throws(CommandFailure) -> Int {
        guard let number = Int32(text), number >= 0 else {
            throw .usage("\(name) takes a number, not \(QuotedText.text(text))")
        }
        return Int(number)
    }

    private static func required(_ option: Option, _ arguments: Arguments) throws(CommandFailure) -> String {
        if let value = arguments.value(option) { return value }
        throw .usage("--\(option.name) is missing", help: "usher scene list shows the windows")
    }
}

/// `usher activity continue`: an activity, handed to its app.
enum ActivityContinueCommand {
    private static let session = Option("session", "ID", "the activity of this session, current or kept")
    private static let app = Option("app", "ID", "another app than the activity's own")

    static let description = CommandDescription(
        "activity continue", "continue an activity in its app",
        operands: [.init("ACTIVITY", .optional)], options: [session, app],
        discussion: [
            "ACTIVITY is an id, current, or - for an activity on standard input, a JSON object. The app's window is launched",
            "or focused, and the app is handed the activity; where its app has newer user info, that is asked for first.",
        ],
        examples: [
            .init(
                "usher activity continue - --config Config < Payloads/activities/bare.json",
                "as a hand-off would")
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let engine = try context.engine()
        return try DaemonDispatching(context, engine, source: ActivityEnvelope.source).run(
            try line(for: arguments, context, engine))
    }

    /// The envelope to dispatch.
    private static func line(
        for arguments: Arguments, _ context: Context, _ engine: RunningDaemon
    ) throws(CommandFailure) -> [UInt8] {
        let name = arguments.operands.first
        let session = arguments.value(session)
        guard (name == nil) != (session == nil) else {
            throw .usage("which activity? give an id, current, -, or --session ID")
        }
        if name == "-" {
            return ActivityEnvelope.line(
                try InputFile("-").readAll(limit: PayloadError.longestLine), app: arguments.value(app))
        }
        let answer = try engine.call(ActivitySave(activity: name, session: session))
        context.errors.warnings(of: answer)
        return ActivityEnvelope.line(
            answer.activity.activity.jsonText, app: arguments.value(app) ?? answer.activity.app)
    }
}
