internal import UsherJSON
internal import UsherPredicate
internal import UsherText

/// `usher predicate eval`: the truth of conditions, for one subject or a line of JSON each.
enum PredicateEvalCommand {
    private static let subject = Option("self", "VALUE", "the target content identifier that SELF stands for")
    private static let null = Option(flag: "null", "SELF is nil: a request without a target")
    private static let from = Option("from", "FILE|-", "JSON Lines to evaluate; standard input is the default")

    static let description = CommandDescription(
        "predicate eval", "whether a target satisfies a condition",
        operands: [.init("TEXT|FILE", .optional)],
        options: [subject, null, from],
        discussion: [
            "With --self or --null the operand is a predicate. Without, lines {\"format\", \"self\"} are read from a file or",
            "standard input, and each is written with \"result\": true, false, \"parse-error\" or \"unsupported\",",
            "\"canonical\" and \"error\"; its other members stay.",
        ],
        examples: [
            .init(
                "usher predicate eval 'SELF LIKE \"https://*/crusty\"' --self https://clowntown.example/clowns/crusty",
                "one condition, one target"),
            .init(
                "echo '{\"format\":\"SELF ENDSWITH \\\"y\\\"\",\"self\":\"crusty\"}' | usher predicate eval",
                "many, a line each"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let operand = arguments.operands.first
        if arguments.has(subject) || arguments.has(null) {
            guard let operand else {
                throw .usage("which predicate?", help: "usage: usher predicate eval TEXT --self VALUE")
            }
            if let other = [from, null].first(where: { arguments.has($0) && ($0 == from || arguments.has(subject)) }) {
                throw .usage("--\(other.name) does not go with a predicate and --self")
            }
            return evaluate(operand, arguments.value(subject), context)
        }
        guard operand == nil || !arguments.has(from) else {
            throw .usage("there are two inputs: \(operand ?? "") and --from")
        }
        return try evaluateLines(of: arguments.value(from) ?? operand ?? "-", context)
    }

    private static func evaluate(_ text: String, _ subject: String?, _ context: Context) -> ExitStatus {
        let judgement = PredicateJudgement(text, subject: subject)
        if context.writesJSON {
            context.printJSON { json in
                json.beginObject()
                json.member("format", text)
                json.member("self", subject)
                judgement.write(to: &json)
                json.endObject()
            }
            return judgement.error == nil ? .handled : .finding
        }
        if let error = judgement.error {
            var failure = CommandFailure.predicate(error, in: text, name: "")
            failure.status = .finding
            context.errors.report(failure)
            return .finding
        }
        context.output.write("\(judgement.resultText)  \(judgement.escapedCanonicalText)\n")
        return .handled
    }

    private static func evaluateLines(of path: String, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let input: InputFile
        do throws(CommandFailure) {
            input = try InputFile(path)
        } catch {
            var failure = error
            failure.help = "for a predicate on the command line give --self VALUE or --null as well"
            throw failure
        }
        if input.isTerminal { context.errors.note("reading JSON lines from the terminal; Control-D ends them") }
        var document = JSONDocument()
        var isEmpty = true
        let status = try context.answerLines(of: input) { (line, _, json) throws(CommandFailure) in
            isEmpty = false
            return PredicateLine.evaluate(line, &document, &json)
        }
        if isEmpty { context.errors.note("\(input.name) is empty: there was nothing to evaluate") }
        return status
    }
}

/// `usher predicate print`: the canonical text of conditions.
enum PredicatePrintCommand {
    static let description = CommandDescription(
        "predicate print", "a condition as Usher understands it, in its canonical form",
        operands: [.init("TEXT", .atLeastOne)],
        discussion: ["Conditions with variables such as $TARGET are read as manifests may write them."],
        examples: [
            .init("usher predicate print \"self beginswith[cd] 'https:' && not self == nil\"", "SELF BEGINSWITH[cd] …"),
            .init("usher predicate print 'SELF == $TARGET'", "a condition of a manifest"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let answers = arguments.operands.map { (text: $0, answer: canonicalText(of: $0)) }
        let failed = answers.contains { if case .failure = $0.answer { true } else { false } }
        if context.writesJSON {
            if answers.count == 1 {
                context.printJSON { write(answers[0], to: &$0) }
            } else {
                context.printArray(answers, write)
            }
            return failed ? .finding : .handled
        }
        for (text, answer) in answers {
            switch answer {
            case .success(let canonical): context.output.write(Printable.escaped(canonical) + "\n")
            case .failure(let error):
                context.output.flush()
                context.errors.report(.predicate(error, in: text, name: ""))
            }
        }
        return failed ? .finding : .handled
    }

    private static func canonicalText(of text: String) -> Result<String, PredicateError> {
        do throws(PredicateError) {
            let variables = ScenePredicateTemplate.variableNames(in: text)
            guard variables.isEmpty else {
                return .success(try ScenePredicateTemplate(parsing: text, variables: variables).canonicalText)
            }
            return .success(try ScenePredicate(parsing: text).canonicalText)
        } catch {
            return .failure(error)
        }
    }

    private static func write(
        _ answer: (text: String, answer: Result<String, PredicateError>), to json: inout JSONWriter
    ) {
        json.beginObject()
        json.member("format", answer.text)
        switch answer.answer {
        case .success(let canonical):
            json.member("canonical", canonical)
            json.nullMember("error")
        case .failure(let error):
            json.nullMember("canonical")
            json.key("error")
            PredicateJudgement.write(error, to: &json)
        }
        json.endObject()
    }
}
