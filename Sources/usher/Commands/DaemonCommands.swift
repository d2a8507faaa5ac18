internal import Glibc
internal import UsherEngine
internal import UsherJSON
internal import UsherOperation
internal import UsherSystem
internal import UsherText

/// `usher status`: whether a daemon runs for this state folder, and its state.
enum StatusCommand {
    static let description = CommandDescription(
        "status", "whether usherd runs, and its state",
        discussion: ["Exit status 1: none runs for this state folder."],
        examples: [.init("usher status", "the daemon of the usual state folder")],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        guard let daemon = try context.daemon() else {
            if context.writesJSON { context.output.write("{\"running\":false}\n") }
            context.errors.note("usherd does not run: a command that acts starts it for as long as it needs it")
            return .finding
        }
        let status = try daemon.call(Status())
        context.print(report: status)
        guard !context.writesJSON, let rejected = status.rejected else { return .handled }
        for error in rejected.errors {
            context.output.write("   " + Printable.escaped("\(error.message) [\(error.code) \(error.name)]") + "\n")
        }
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

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        // The one on disk is what it is about: it need not be the daemon's.
        guard let daemon = try context.daemon(ofAnyConfiguration: true) else {
            throw .usage(
                "usherd does not run for this state folder", help: "usher serve starts it", code: .usageMissing)
        }
        context.print(report: try daemon.call(Reload()))
    }
}

extension Context {
    /// An object of facts: JSON, or a fact a line for people.
    fileprivate func print(report: some AnswerRecord) {
        if writesJSON { return print(json: report) }
        let rows = (report.jsonValue.members ?? []).map { member in
            [member.name, Printable.escaped(Self.text(member.value))]
        }
        output.write(TextTable.text(rows))
    }

    /// The members of an object are written in one line: `0 in hand, 2 waiting`.
    private static func text(_ value: JSONValue) -> String {
        guard let members = value.members else { return value.string ?? value.text() }
        // The errors themselves follow, a line each.
        if let rejection = try? StatusAnswer.Rejection(reading: value) {
            return "\(rejection.time.text)  \(rejection.message)"
        }
        return members.map { member in
            let name = String(member.name.map { $0 == "_" ? " " : $0 })
            return "\(member.value.string ?? member.value.text()) \(name)"
        }.joined(separator: ", ")
    }
}

/// `usher serve`: becomes `usherd`, which is another program for the sake of what it links.
enum ServeCommand {
    static let description = CommandDescription(
        "serve", "start usherd here, in the foreground",
        operands: [.init("ARGUMENT", .any)],
        discussion: [
            "Everything beside `serve` goes to usherd as it is, the program beside this one or else in PATH:",
            "usher serve --help says what it takes.",
        ],
        examples: [.init("usher serve --help", "the options of usherd")],
        // A line that begins with `serve` is never read as one of ours.
        run: { (arguments, context) throws(CommandFailure) -> Void in
            throw .usage(
                "serve comes first, and everything behind it is for usherd", help: "usher serve [ARGUMENT]...")
        })

    /// What is for usherd, where the command is `serve`: nothing but options stands before that.
    static func arguments(in words: [String]) -> [String]? {
        var place = 0
        while place < words.count, words[place].hasPrefix("--") {
            let takesNext = ["--config", "--state", "--log-level", "--log-format"].contains(words[place])
            place += takesNext ? 2 : 1
        }
        guard place < words.count, words[place] == "serve" else { return nil }
        return Array(words[..<place] + words[(place + 1)...])
    }

    /// Replaces this process; returns only by an error.
    static func become(_ arguments: [String], path: String?) throws(CommandFailure) -> ExitStatus {
        let candidates =
            ([OwnProgram.path.map(FilePath.parent)].compactMap(\.self)
            + (path ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
            .map(String.init)).map { $0 + "/usherd" }
        guard let program = candidates.first(where: FileSystem.isExecutable) else {
            throw .usage(
                "there is no usherd beside usher, and none in PATH",
                help: "make install puts both programs in one folder", code: .usageMissing)
        }
        throw CommandFailure.become(program, [program] + arguments)
    }
}

extension CommandFailure {
    /// Replaces this process by a program; the reason why that did not go.
    static func become(_ program: String, _ words: [String]) -> CommandFailure {
        var words: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
        unsafe words.append(nil)
        // The program decides by itself what becomes of these signals.
        signal(SIGPIPE, SIG_DFL)
        unsafe execv(program, &words)
        return .cannot("start \(program)", errno: errno)
    }
}
