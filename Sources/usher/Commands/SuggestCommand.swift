internal import UsherJSON
internal import UsherPayload
internal import UsherScene
internal import UsherSuggestions

/// `usher suggest`: what the user looked at or did lately, offered where it is of use.
enum SuggestCommand {
    private static let menu = Option(flag: "menu", "a line each, for rofi and dmenu")
    private static let cases = Option("cases", "FILE|-", "answer worked cases, JSON Lines, without store or clock")

    static let description: CommandDescription = {
        var description = CommandDescription(
            Suggest.self, called: "suggest",
            operands: [("kind", .init("KIND", .optional, of: .suggestionKinds)), ("name", .init("NAME", .optional))],
            adding: [menu, cases],
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
            ]
        ) { answer, arguments, context in
            if arguments.has(menu) {
                context.printMenu(of: answer)
            } else {
                context.print(suggestions: answer)
            }
        }
        let (suggest, details) = (description.run, description.details)
        description.run = { (arguments, context) throws(CommandFailure) in
            guard let path = arguments.value(cases) else {
                let kinds = SuggestionKind.allCases.map(\.rawValue).joined(separator: "|")
                guard !arguments.operands.isEmpty else {
                    throw .usage("what is to be suggested?", help: "usher suggest \(kinds)")
                }
                return try suggest(arguments, context)
            }
            let isAlone = details().options.allSatisfy { $0 == cases || !arguments.has($0) }
            guard arguments.operands.isEmpty, isAlone else {
                throw .usage("--cases takes everything from its lines")
            }
            return try context.answerLines(of: try InputFile(path)) { (line, number, json) throws(CommandFailure) in
                let answer =
                    switch line {
                    case .success(let bytes): SuggestionCase.answer(to: bytes)
                    case .failure(let error): SuggestionCase.answer(refusing: error.code.name, error.message)
                    }
                if let problem = answer.problem {
                    context.errors.report(CommandFailure(.finding, "line \(number): \(problem)"))
                }
                json.value(answer.json)
                return answer.problem == nil
            }
        }
        return description
    }()
}
