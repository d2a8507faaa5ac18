internal import Glibc
internal import UsherActivation
internal import UsherEngine
internal import UsherLog
internal import UsherOperation
internal import UsherScene
internal import UsherSystem
internal import UsherText

/// `usher terminal where`: the terminal, the pane and the windows of a process.
enum TerminalCommands {
    private static let process = Option("pid", "N", "the process; else this place")
    private static let tty = Option("tty", "TTY", "the terminal: /dev/pts/3")
    private static let pane = Option("pane", "%N", "the pane of tmux")
    private static let socket = Option(
        "socket", "PATH", "with --pane: where its tmux server listens; else $TMUX, else the default one")
    private static let subject = [process, tty, pane, socket]

    static let place = CommandDescription(
        "terminal where", "the terminal, the tmux pane and the windows of a process",
        options: subject,
        discussion: [
            "Goes from the process to what holds its terminal, and on through tmux, screen, editors and the like to a",
            "window. Variables such as WINDOWID and TMUX_PANE are not believed. Changes nothing. Status 1: there is none.",
        ],
        examples: [
            .init("usher terminal where", "this place"),
            .init("usher terminal where --pid 4711 --json", "as JSON, also on a terminal"),
        ],
        run: { (arguments, context) throws(CommandFailure) -> ExitStatus in
            let argument = try argument(arguments, context)
            let answer = try answer(argument, context)
            context.print(answer, text: text(answer))
            guard let error = answer.error else { return .handled }
            if !context.writesJSON {
                context.errors.note(answer.failure?.message ?? "\(error): usher help \(error) says what it is")
            }
            return .finding
        })

    private static let detached = Option(
        "detached", oneOf: TerminalSettings.Detached.allCases.map(\.rawValue),
        "for a tmux session that no client shows; else as usher.toml says")

    static let focus = CommandDescription(
        "terminal focus", "bring the window, the tab and the tmux pane of a process forward",
        options: subject + [detached],
        discussion: [
            "Prints the record; its `evidence` says what was read back. No other window comes forward instead. Popups, modes",
            "and zoom of tmux stay. Where nothing else tells which window or tab it is, the title of the terminal is set for",
            "some milliseconds ([terminal] probe). --detached switch: a client of another session is switched, or else a",
            "terminal is opened; open: a terminal is opened; none: the session stays detached.",
        ],
        examples: [
            .init("usher terminal focus --pid 4711", "its window is in front, and that is verified"),
            .init("usher terminal focus --pane %5 --detached none", "the pane, if its session is shown anywhere"),
        ],
        run: { (arguments, context) throws(CommandFailure) -> ExitStatus in
            let call = TerminalFocus(
                try argument(arguments, context),
                detached: arguments.value(detached).flatMap(TerminalSettings.Detached.init), token: context.token,
                parent: context.environment["USHER_DELIVERY"])
            let record = try context.engine(needsConfiguration: false).call(call)
            context.print(record: record)
            return record.error == nil ? .handled : .finding
        })

    static let attach = CommandDescription(
        "terminal attach", "become the tmux client that this terminal was opened for", operands: [.init("NONCE")],
        discussion: [
            "usher terminal focus opens a terminal with this command. NONCE is good once."
        ],
        examples: [
            .init("usher terminal attach 4f1c0a52b9d8e7736a5b4c3d2e1f0a9b", "tmux, in a terminal that Usher opened")
        ],
        run: { (arguments, context) throws(CommandFailure) -> ExitStatus in
            guard let ticket = TerminalTicket.take(arguments.operands[0], context.environment) else {
                throw .usage(
                    "there is no terminal to be opened by \(QuotedText.text(arguments.operands[0]))",
                    help: "usher terminal focus opens one", code: .terminalGone)
            }
            for name in ["TMUX", "TMUX_PANE"] { unsafe unsetenv(name) }
            throw CommandFailure.become(ticket.program, ticket.arguments)
        })

    private static func answer(
        _ argument: TerminalPlaceArgument, _ context: Context
    ) throws(CommandFailure) -> TerminalAnswer {
        if let daemon = try context.daemon(ofAnyConfiguration: true) { return try daemon.call(TerminalWhere(argument)) }
        return TerminalAnswer(argument, by: try context.activator(isDryRun: true))
    }

    /// What the line names, else the process of this command.
    private static func argument(
        _ arguments: Arguments, _ context: Context
    ) throws(CommandFailure) -> TerminalPlaceArgument {
        var argument = TerminalPlaceArgument()
        argument.process = try arguments.number(process, in: 1...Int(Int32.max))
        (argument.tty, argument.pane) = (arguments.value(tty), arguments.value(pane))
        argument.socket = arguments.value(socket)
        if argument.isEmpty, argument.socket == nil { argument.process = Int(getpid()) }
        try CommandFailure.attempt { [argument] () throws(ControlError) in try argument.checkCombination(at: "") }
        // The daemon has another environment.
        if argument.pane != nil, argument.socket == nil {
            argument.socket = try context.activator(isDryRun: true).tmuxSocket
        }
        return argument
    }

    private static func text(_ answer: TerminalAnswer) -> String {
        var lines: [String] = []
        if let process = answer.process { lines.append("\(Printable.escaped(process.name)) (process \(process.pid))") }
        for step in answer.chain {
            let server = answer.tmux.first { $0.server == step.holder.pid }
            let pane = server?.pane.map { " pane \($0)" } ?? ""
            let holder = "\(Printable.escaped(step.holder.name)) (process \(step.holder.pid))"
            lines.append("   \(step.tty)  \(step.kind.rawValue)\(pane): \(holder)")
        }
        if !answer.windows.isEmpty { lines.append("   \(answer.windows.joined(separator: ", "))") }
        return lines.map { $0 + "\n" }.joined()
    }
}
