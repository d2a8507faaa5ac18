internal import UsherJSON
internal import UsherLog
internal import UsherPredicate
internal import UsherText

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

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let answers = arguments.operands.map { (text: $0, answer: canonicalText(of: $0)) }
        let failed = answers.contains { if case .failure = $0.answer { true } else { false } }
        if context.writesJSON {
            if answers.count == 1 {
                var json = JSONWriter()
                write(answers[0], to: &json)
                json.newline()
                context.output.write(json.bytes)
            } else {
                context.printArray(answers, write)
            }
            return failed ? .finding : .handled
        }
        for (text, answer) in answers {
            switch answer {
            case .success(let canonical): context.output.write(TerminalText.escape(canonical) + "\n")
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
