internal import UsherJSON
internal import UsherLog
internal import UsherOperation
internal import UsherText

/// `usher status`: whether a daemon runs for this state folder, and how it is.
enum StatusCommand {
    static let description = CommandDescription(
        "status", "whether usherd runs, and how it is",
        discussion: ["Exit status 1: none runs for this state folder."],
        examples: [.init("usher status", "the daemon of the usual state folder")],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        guard let daemon = try context.daemon() else {
            if context.writesJSON { context.output.write("{\"running\":false}\n") }
            context.errors.note("usherd does not run: a command that acts starts it for as long as it needs it")
            return .finding
        }
        context.print(report: try daemon.call(Status()))
        return .handled
    }
}

/// `usher reload`: the daemon reads its configuration again.
enum ReloadCommand {
    static let description = CommandDescription(
        "reload", "have usherd read its configuration again",
        discussion: ["With a mistake in it the old one stays in use, and the command ends with status 2."],
        examples: [.init("usher reload", "as SIGHUP does, with an answer")],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        // The one on disk is what it is about: it need not be the daemon's.
        guard let daemon = try context.daemon(ofAnyConfiguration: true) else {
            throw .usage("usherd does not run for this state folder", help: "usher serve starts it")
        }
        context.print(report: try daemon.call(Reload()))
        return .handled
    }
}

extension Context {
    /// An object of facts: JSON, or a fact a line for people.
    fileprivate func print(report: JSONValue) {
        if writesJSON { return output.write(report.text() + "\n") }
        let rows = (report.members ?? []).map { member in
            [member.name, TerminalText.escape(Self.text(member.value))]
        }
        output.write(TextTable.text(rows))
    }

    /// An object's facts are told in a row: `0 in hand, 2 waiting`.
    private static func text(_ value: JSONValue) -> String {
        guard let members = value.members else { return value.string ?? value.text() }
        return members.map { member in
            let name = String(member.name.map { $0 == "_" ? " " : $0 })
            return "\(member.value.string ?? member.value.text()) \(name)"
        }.joined(separator: ", ")
    }
}
