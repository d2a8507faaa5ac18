internal import UsherJSON
internal import UsherPayload
internal import UsherScene
internal import UsherSuggestion
internal import UsherSystem
internal import UsherText

/// `usher suggest`: what the user looked at or did lately, offered where it is of use.
enum SuggestCommand {
    private static let contentType = Option("content-type", "TYPE", "what the text field is for (UITextContentType)")
    private static let prefix = Option("prefix", "TEXT", "what it begins with, case and accents apart")
    private static let textBefore = Option("context", "TEXT", "the text before the cursor: it may end in a phrase")
    private static let forApp = Option("for", "APP", "the app that it is offered to, which declares the kind")
    private static let verb = Option("perform", "VERB", "apps that can do this")
    private static let signal = Option("signal", "NAME", "only what followed this signal within ten minutes")
    private static let time = Option("at", "TIME", "as at this time, as in 2027-01-31T12:00:00Z")
    private static let limit = Option("limit", "N", "at most so many, else 5")
    private static let why = Option(flag: "why", "the events behind each, and what was left out")
    private static let menu = Option(flag: "menu", "a line each, for rofi and dmenu")
    private static let cases = Option("cases", "FILE|-", "answer worked cases, JSON Lines, without store or clock")

    private static let ofText = [contentType, textBefore]
    private static let ofQuery = ofText + [prefix, forApp, verb, signal, time, limit, why, menu]

    static let description = CommandDescription(
        "suggest", "what was looked at or done lately, offered where it is of use",
        operands: [.init("KIND", .optional), .init("NAME", .optional)], options: ofQuery + [cases],
        discussion: [
            "KIND is place, text, contact, media or app. NAME, for contact, is a name, or the beginning of its words, or a",
            "number or address: then it is the apps that were used with that person. text needs --content-type or --context.",
            "--cases needs neither configuration nor store: a line has id, now, apps, settings, contacts, events and query,",
            "and is answered with id, results and error. Exit status 1: a line has an error.",
        ],
        examples: [
            .init("usher suggest place --why", "places that were looked at, and why they are offered"),
            .init("usher suggest text --context 'meet me at ' --menu | head -n 1", "what could be typed next"),
            .init(
                "echo '{\"id\":1,\"now\":\"2026-11-21T09:00:00Z\",\"query\":{\"kind\":\"place\"}}' | usher suggest --cases -",
                "a case without events: nothing is suggested"),
        ],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        if let path = arguments.value(cases) {
            guard arguments.operands.isEmpty, !ofQuery.contains(where: { arguments.has($0) }) else {
                throw .usage("--cases takes everything from its lines")
            }
            return try answerCases(path, context)
        }
        let query = try query(arguments)
        let input = try context.suggestionInput()
        let items: [SuggestedItem]
        do throws(SuggestionRefusal) {
            items = try Suggestions.answer(to: query, from: input)
        } catch {
            throw .refusal(error.code, error.message, help: error.help)
        }
        if arguments.has(menu) {
            context.printMenu(of: items)
        } else {
            context.print(suggestions: items, now: query.now)
        }
        return .handled
    }

    private static func query(_ arguments: Arguments) throws(CommandFailure) -> SuggestionQuery {
        let kinds = SuggestionKind.allCases.map(\.rawValue)
        guard let word = arguments.operands.first else {
            throw .usage("what is to be suggested?", help: "usher suggest \(kinds.joined(separator: "|"))")
        }
        guard let kind = SuggestionKind(rawValue: word) else { throw .unknown("kind", word, among: kinds) }
        var query = SuggestionQuery(kind, now: try now(arguments))
        query.name = arguments.operands.dropFirst().first
        guard query.name == nil || kind == .contact else {
            throw .usage("NAME goes with contact, and not with \(word)")
        }
        if let other = ofText.first(where: { arguments.has($0) }), kind != .text {
            throw .usage("--\(other.name) goes with text, and not with \(word)")
        }
        if let type = arguments.value(contentType) {
            query.contentType = TextContentType(rawValue: type)
            guard query.contentType != nil else {
                throw .refusal(
                    .suggestContentType, "there is no content type \(QuotedText.text(type))",
                    help: "one of \(TextContentType.allCases.map(\.rawValue).joined(separator: ", "))")
            }
        }
        query.context = arguments.value(textBefore)
        query.prefix = arguments.value(prefix)
        query.forApp = arguments.value(forApp)
        if let word = arguments.value(verb) {
            guard kind == .app else { throw .usage("--perform goes with app, and not with \(kind.rawValue)") }
            query.verb = PerformVerb(rawValue: word)
            guard query.verb != nil else {
                throw .unknown("verb", word, among: PerformVerb.allCases.map(\.rawValue))
            }
        }
        query.signal = arguments.value(signal)
        if let name = query.signal, !SuggestionInput.Signal.isName(name) {
            throw .refusal(
                .signalName, "a signal has a name of a-z, 0-9 and -, and not \(QuotedText.text(name))",
                help: "such as headphones, bluetooth, car, home or work")
        }
        if let text = arguments.value(limit) {
            guard let number = Int32(text), number >= 0 else {
                throw .usage("--limit takes a number, not \(QuotedText.text(text))")
            }
            query.limit = Int(number)
        }
        query.showsWhy = arguments.has(why)
        return query
    }

    private static func now(_ arguments: Arguments) throws(CommandFailure) -> Instant {
        guard let text = arguments.value(time) else { return .now }
        guard let seconds = InternetDate.secondsSince1970(text) else {
            throw .usage(
                "--at takes a date and time, not \(QuotedText.text(text))", help: "such as 2027-01-31T12:00:00Z")
        }
        return Instant(microseconds: Int64((seconds * 1_000_000).rounded()))
    }

    private static func answerCases(_ path: String, _ context: Context) throws(CommandFailure) -> ExitStatus {
        var status = ExitStatus.handled
        var json = JSONWriter()
        try InputFile(path).forEachLine { (line, number) throws(CommandFailure) in
            let answer =
                switch line {
                case .success(let bytes): SuggestionCase.answer(to: bytes)
                case .failure(let error): SuggestionCase.answer(refusing: error.name.rawValue, error.message)
                }
            if let problem = answer.problem {
                status = .finding
                context.errors.report(CommandFailure(.finding, "line \(number): \(problem)"))
            }
            json.reset()
            json.value(answer.json)
            json.newline()
            context.output.write(json.bytes)
        }
        return status
    }
}
