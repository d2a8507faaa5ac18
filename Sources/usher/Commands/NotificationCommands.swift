internal import UsherConfiguration
internal import UsherEngine
internal import UsherLog
internal import UsherOperation
internal import UsherPayload
internal import UsherScene
internal import UsherSchedule
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// `usher notification schedule`: a payload that is dispatched at a time.
enum NotificationScheduleCommand {
    private static let id = Option("id", "ID", "what it is known by; one that waits with the same id is replaced")
    private static let app = Option("app", "ID", "the app, whatever the payload says")

    static let description = CommandDescription(
        "notification schedule", "have a notification come at a time, once or again and again",
        operands: [.init("PAYLOAD", of: .files)], options: NotificationTime.options + [id, app],
        discussion: [
            "PAYLOAD is a file, - for standard input, or JSON that begins with {: what usher dispatch takes. usherd",
            "dispatches it at its time, once, also after a crash; what it missed comes late. Prints the id.",
        ] + NotificationTime.discussion,
        examples: [
            .init(
                "usher notification schedule --in 2h '{\"aps\":{\"alert\":\"Feed the clowns\"}}' --app example.clowntown",
                "once"),
            .init(
                "usher notification schedule --every 'mon,thu 15:00' --id break '{\"aps\":{\"alert\":\"A break\"}}'",
                "again and again, in the place of the one called break"),
        ],
        run: { (arguments, context) throws(CommandFailure) -> Void in
            var call = NotificationSchedule(
                try payload(arguments.operands[0]), at: arguments.value(NotificationTime.at),
                in: arguments.value(NotificationTime.delay), every: arguments.value(NotificationTime.rule))
            (call.id, call.app) = (arguments.value(id), arguments.value(app))
            let answer = try context.service().call(call)
            context.print(id: answer.id, of: answer)
            context.output.flush()
            context.errors.note("it comes \(LocalClock.system.text(answer.next))")
            context.noteUnlessServed()
            noteFailure(of: call, context)
        })

    /// What would be wrong with it now: its app may be configured by then; or a name is misspelt.
    private static func noteFailure(of call: NotificationSchedule, _ context: Context) {
        let running = try? context.daemon(ofAnyConfiguration: true)
        guard let path = running?.hello.configuration ?? (try? context.configurationPath()) else { return }
        let loaded = ConfigurationLoader.load(path: path)
        guard !loaded.hasErrors, let store = try? context.openStore(.readOnly) else { return }
        defer { store.close() }
        var options = DryRun.Options(source: DeliverySource.schedule)
        options.app = call.app
        guard var run = try? context.dryRun(context.withNotes(loaded), store, options) else { return }
        var reader = PayloadReader()
        let payload = Array(call.payload.utf8)
        let reading = Result { () throws(PayloadError) in try reader.read(payload) }
        guard let error = run.record(of: reading, startedAt: MonotonicClock.now).error else { return }
        context.errors.note(
            "\(error.message): it fails at its time, unless that has changed by then"
                + (error.help.map { "; \($0)" } ?? ""))
    }

    private static func payload(_ operand: String) throws(CommandFailure) -> String {
        if operand.utf8.first == UInt8(ascii: "{") { return operand }
        if operand.utf8.contains(UInt8(ascii: " ")), !FileSystem.exists(operand) {
            throw .usage(
                "there is no file \(QuotedText.text(operand))",
                help: "a text is written so: '{\"aps\":{\"alert\":\"A break\"}}'", code: .usageFile)
        }
        let bytes = try InputFile(operand).readAll(
            limit: PayloadError.longestLine,
            refusal: (PayloadError.tooLongLine.code, "a payload has at most \(PayloadError.longestLine) bytes"))
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        try CommandFailure.attempt { () throws(ControlError) in try NotificationSchedule.check(payload: bytes) }
        throw .usage("the payload is not UTF-8", code: .usageFile)
    }
}

/// `usher notification pending|delivered|remove`.
enum NotificationListCommands {
    static let pending = CommandDescription(
        NotificationPending.self, examples: [.init("usher notification pending", "the next first")]
    ) { answer, _, context in
        context.print(answer, none: "no notification waits", ["id", "next", "every", "app"]) {
            [$0.id, LocalClock.system.text($0.next), $0.every, $0.app]
        }
    }

    static let delivered = CommandDescription(
        NotificationDelivered.self, examples: [.init("usher notification delivered --json", "the newest first")]
    ) { answer, _, context in
        context.print(
            answer, none: "no scheduled notification came",
            ["id", "time", "late", "state", "outcome", "app", "delivery"]
        ) {
            [
                $0.id, LocalClock.system.text($0.time), $0.late == 0 ? nil : "\($0.late) s", $0.state?.rawValue,
                $0.outcome?.rawValue,
                $0.app, $0.delivery,
            ]
        }
    }

    private static let isPending = Option(flag: "pending", "those that wait for their time")
    private static let isDelivered = Option(flag: "delivered", "those that came; what is shown stays")
    private static let all = Option(flag: "all", "all of them")
    private static let app = Option("app", "ID", "of this app only")

    static let remove = CommandDescription(
        "notification remove", "remove notifications that wait, or that came",
        operands: [.init("ID", .any, of: .notifications)], options: [isPending, isDelivered, all, app],
        discussion: ["Of several ids all are removed, or none where one is missing. Prints what was removed."],
        examples: [
            .init("usher notification remove --pending break", "it does not come again"),
            .init("usher notification remove --delivered --all", "the list of those that came is empty then"),
        ],
        run: { (arguments, context) throws(CommandFailure) -> Void in
            guard arguments.has(isPending) != arguments.has(isDelivered) else {
                throw .usage("of which list? give --pending or --delivered")
            }
            guard arguments.has(all) == arguments.operands.isEmpty else {
                throw .usage("which ones? give ids, or --all")
            }
            let removed = try context.service().call(
                NotificationRemove(
                    arguments.has(isPending) ? .pending : .delivered, arguments.operands, all: arguments.has(all),
                    app: arguments.value(app)))
            context.print(removed, none: "there was none", ["removed"]) { [$0.id] }
        })
}

/// `usher notification times`: when a notification would come.
enum NotificationTimesCommand {
    private static let from = Option("from", "TIME", "as if it were this time now")
    private static let count = Option("count", "N", "so many times of a rule (5)")

    static let description = CommandDescription(
        "notification times", "the times that notification schedule would take; does nothing",
        options: NotificationTime.options + [from, count],
        discussion: NotificationTime.discussion,
        examples: [
            .init("usher notification times --every 'mon,thu 09:00'", "the next five"),
            .init(
                "TZ=Europe/Berlin usher notification times --every 'day 02:30' --from 2027-03-27T00:00:00Z --count 3",
                "over the change to summer time"),
        ],
        run: { (arguments, context) throws(CommandFailure) -> Void in
            let count = try arguments.number(count, in: 1...10_000) ?? 5
            let times = try CommandFailure.attempt { () throws(ControlError) in
                let now = try arguments.value(from).map { text throws(ControlError) in
                    try TimeArgument.time(text, after: .now, at: "/from")
                }
                return try NotificationTime.timing(arguments, now: now ?? .now).times(count)
            }.map { LocalClock.system.text($0) }
            if context.writesJSON { return context.printArray(times) }
            for time in times { context.output.write(time + "\n") }
        })
}

/// The options that say when a notification comes.
enum NotificationTime {
    static let at = Option(
        "at", "TIME", "once: '2027-03-28 09:00', RFC 3339, 09:00, 'tomorrow 09:00' or 'friday 09:00'")
    static let delay = Option("in", "DURATION", "once, so long from now: 90s, 15m, 1h30m, 7d")
    static let rule = Option("every", "RULE", "again and again: 15m, 'day 09:00' or 'mon,thu 09:00'")
    static let options = [at, delay, rule]

    static let discussion = [
        "Times of day are those of $TZ, else of the machine's zone. One that the change to summer time leaves out is the",
        "first moment after it; of one that comes twice the first counts. Days have full names or three letters.",
    ]

    static func timing(_ arguments: Arguments, now: Instant) throws(ControlError) -> Timing {
        try Timing(
            at: arguments.value(at), in: arguments.value(delay), every: arguments.value(rule), now: now)
    }
}
