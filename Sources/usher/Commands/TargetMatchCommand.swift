internal import UsherConfiguration
internal import UsherDispatch
internal import UsherJSON
internal import UsherLog
internal import UsherPayload
internal import UsherScene
internal import UsherTarget
internal import UsherText

/// `usher target match`: the template and the values that an identifier was built from.
enum TargetMatchCommand {
    private static let cases = Option("cases", "FILE|-", "JSON Lines {\"id\"}, or strings")

    static let description = CommandDescription(
        "target match", "take a target content identifier apart: app, template and values",
        operands: [.init("ID", .optional)], options: [cases],
        discussion: [
            "The templates are those of [targets] in the manifests of all apps; the one with the most literal text wins.",
            "Other readings are listed as ambiguous. Exit status 1: no template fits.",
        ],
        examples: [
            .init("usher target match https://clowntown.example/clowns/crusty", "one identifier"),
            .init(
                "echo '\"https://clowntown.example/clowns/crusty\"' | usher target match --cases -", "many, a line each"
            ),
        ],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        guard (arguments.operands.first != nil) != arguments.has(cases) else {
            throw .usage("target match takes an ID or --cases", help: "usage: usher target match ID")
        }
        let requests = TargetRequests(apps: try context.loadConfiguration().configuration.manifestApps)
        if let path = arguments.value(cases) {
            return try context.answerLines(of: path, requests.match, otherwise: requests.refusedMatch)
        }
        let identifier = arguments.operands.first ?? ""
        if context.writesJSON {
            var line = JSONWriter(escaping: .minimal)
            line.value(identifier)
            let answer = requests.match(line.bytes)
            context.output.write(answer.bytes)
            context.output.write("\n")
            return answer.hasFinding ? .finding : .handled
        }
        let readings = requests.readings(of: identifier)
        guard let best = readings.first else {
            context.errors.report(
                CommandFailure(
                    .finding, "no template fits \(QuotedText.text(identifier))",
                    help: "the templates are those of [targets] in the manifests"))
            return .finding
        }
        show(best, context)
        for reading in readings.dropFirst() {
            context.output.write("also fits:\n")
            show(reading, context)
        }
        return .handled
    }

    private static func show(_ reading: TargetRequests.Reading, _ context: Context) {
        var text = "\(reading.name)  \(reading.app)  \(reading.template.text)\n"
        for name in reading.template.variableNames {
            guard let value = reading.match.values[name] else { continue }
            let isOpen = reading.match.ambiguousVariables.contains(name)
            text += "  \(name) = \(value.text)\(isOpen ? "  (could be another)" : "")\n"
        }
        context.output.write(TerminalText.escapeLines(text))
    }
}

extension TemplateValue {
    /// For people.
    fileprivate var text: String {
        switch self {
        case .undefined: ""
        case .string(let text): text
        case .list(let members): members.joined(separator: ", ")
        case .associative(let members): members.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        }
    }
}

extension TerminalText {
    /// Text of several lines, each escaped by itself.
    fileprivate static func escapeLines(_ text: String) -> String {
        text.split(separator: "\n").map { escape(String($0)) + "\n" }.joined()
    }
}

extension Context {
    /// Answers a file of JSON Lines, one line for each.
    func answerLines(
        of path: String, _ answer: ([UInt8]) -> TargetRequests.Answer,
        otherwise refuse: (PayloadError) -> TargetRequests.Answer
    ) throws(CommandFailure) -> ExitStatus {
        var status = ExitStatus.handled
        try InputFile(path).forEachLine { (line, _) throws(CommandFailure) in
            let answered =
                switch line {
                case .success(let bytes): answer(bytes)
                case .failure(let error): refuse(error)
                }
            if answered.hasFinding { status = .finding }
            output.write(answered.bytes)
            output.write("\n")
        }
        return status
    }
}
