internal import UsherDispatch
internal import UsherJSON
internal import UsherLog
internal import UsherTarget
internal import UsherText

/// `usher target lint`: whether identifiers are unique, global and stable.
enum TargetLintCommand {
    private static let cases = Option("cases", "FILE|-", "JSON Lines {\"id\"}, or strings")

    static let description = CommandDescription(
        "target lint", "judge target content identifiers: unique, global, stable?",
        operands: [.init("ID", .any)], options: [cases],
        discussion: [
            "An identifier has to lead back to its content from every device and after years. Reported are local paths and",
            "hosts, device names, session ids, tokens, timestamps, view state, tracking, titles and more, each with a better",
            "idea. Exit status 1: there is a finding. `-` is --cases -.",
        ],
        examples: [
            .init("usher target lint https://clowntown.example/clowns/crusty", "an identifier that lasts"),
            .init(
                "echo '{\"id\":\"https://clowntown.example/clowns/crusty\"}' | usher target lint -", "many, a line each"
            ),
        ],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let requests = TargetRequests()
        let identifiers = arguments.operands
        guard identifiers.isEmpty == arguments.has(cases) else {
            throw .usage("target lint takes IDs or --cases", help: "usage: usher target lint ID...")
        }
        if let path = arguments.value(cases) ?? (identifiers == ["-"] ? "-" : nil) {
            return try context.answerLines(of: path, requests.lint, otherwise: requests.refusedLint)
        }
        if context.writesJSON {
            let answers = identifiers.map(requests.lint(identifier:))
            context.printArray(answers) { answer, json in json.raw(answer.bytes) }
            return answers.contains(where: \.hasFinding) ? .finding : .handled
        }
        var hasFindings = false
        for identifier in identifiers {
            let findings = TargetLint.findings(in: identifier)
            if !findings.isEmpty { hasFindings = true }
            show(identifier, findings, context)
        }
        return hasFindings ? .finding : .handled
    }

    private static func show(_ identifier: String, _ findings: [LintFinding], _ context: Context) {
        let verdict = findings.isEmpty ? "fine" : findings.count == 1 ? "one finding" : "\(findings.count) findings"
        var text = "\(TerminalText.escape(identifier))  \(verdict)\n"
        for finding in findings {
            text += "  \(finding.code.number) \(finding.code.rawValue): \(TerminalText.escape(finding.message))\n"
            text += "    \(TerminalText.escape(finding.suggestion))\n"
        }
        context.output.write(text)
    }
}
