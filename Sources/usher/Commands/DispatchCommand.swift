internal import UsherEngine
internal import UsherOperation
internal import UsherPayload
internal import UsherText

/// `usher dispatch`: payloads in, windows and decision records out.
enum DispatchCommand {
    private static let dryRun = Option(flag: "dry-run", "decide, but do nothing and write nothing")
    private static let format = Option.payloadFormat("what the payloads are (default: auto)")
    private static let app = Option("app", "ID", "the app of every payload, whatever it says itself")

    static let description = CommandDescription(
        "dispatch", "show each payload in its window, and say why there",
        operands: [.init("FILE|-", .any)], options: [dryRun, format, app, waitAction, timeout],
        discussion: [
            "Reads payloads from standard input or files: JSON objects one after another, on one line or on several.",
            "*.apns files are what `xcrun simctl push` takes.",
            "Writes one decision record a payload, in order. Exit status 1: some record has an error.",
            "With --wait-action a record comes when its notification has its answer, or none can come any more: its member",
            "`answer` says which. An answer is a press on a button, or usher deliveries answer.",
            "The caller's activation token (XDG_ACTIVATION_TOKEN, DESKTOP_STARTUP_ID) is for the first window that is opened.",
        ],
        examples: [
            .init("usher dispatch --config Config --dry-run Payloads/clown-town.ndjson", "what would happen"),
            .init(
                #"echo '{"aps":{"alert":"hi","target-content-id":"https://clowntown.example/clowns/crusty"}}' | usher dispatch --config Config --dry-run"#,
                "one payload"),
        ],
        run: run)

    private static let waitAction = Option(flag: "wait-action", "wait for the answers to the notifications")
    private static let timeout = Option(
        "timeout", "DURATION", "with --wait-action: for so long at most (600s, which is the most)")

    /// For how long answers are waited for; nil where they are not.
    private static func answerTimeout(_ arguments: Arguments) throws(CommandFailure) -> String? {
        let given = arguments.value(timeout)
        guard arguments.has(waitAction) else {
            guard given == nil else {
                throw .usage("--timeout goes with --wait-action", help: "leave it out, or say --wait-action")
            }
            return nil
        }
        guard !arguments.has(dryRun) else {
            throw .usage("--dry-run shows nothing that could be answered", help: "leave out --wait-action")
        }
        let time = try CommandFailure.attempt { () throws(ControlError) in
            try AnswerWait.timeout(given, at: "--timeout")
        }
        return given ?? "\(time.milliseconds / 1000)s"
    }

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let isDryRun = arguments.has(dryRun)
        let answerTimeout = try answerTimeout(arguments)
        let format = arguments.value(format).flatMap { PayloadFormat(rawValue: $0) } ?? .auto
        guard format.isReadable else {
            throw .usage(
                "the format \(format.rawValue) is not read yet",
                help: "read today: \(PayloadFormat.readable.joined(separator: ", "))")
        }
        let inputs = try PayloadInput.inputs(arguments.operands)
        if isDryRun { return try Rehearsal.run(context, inputs, format: format, app: arguments.value(app)) }
        return try DaemonDispatching(
            context, try context.engine(), source: "stdin", app: arguments.value(app), answerTimeout: answerTimeout
        ).run(inputs, format: format)
    }
}

extension Option {
    /// `--format` of what reads payloads.
    static func payloadFormat(_ summary: String) -> Option {
        let unread = PayloadFormat.allCases.filter { !$0.isReadable }.map(\.rawValue)
        return Option("format", oneOf: PayloadFormat.readable, refusing: unread, summary)
    }
}
