internal import UsherControl
internal import UsherEngine
internal import UsherFeatures
internal import UsherScene
internal import UsherStore
internal import UsherText

/// `usher deliveries list`: what came in last, and what became of it.
enum DeliveriesListCommand {
    static let description = CommandDescription(
        DeliveriesList.self, renamed: ["states": "only"],
        examples: [
            .init("usher deliveries list", "the last hundred"),
            .init("usher deliveries list --only failed --limit 10", "the last ten that failed"),
            .init("usher deliveries list --outcome unverified --since 2h", "of two hours, what nothing confirmed"),
        ]
    ) { answer, _, context in
        context.print(
            answer, none: "no deliveries", listed: (.delivery, \.id), indent: 0,
            ["accepted", "state", "outcome", "action", "window", "reason", "target", "id"]
        ) { delivery in
            [
                delivery.accepted.text, delivery.state.rawValue,
                delivery.isInterrupted ? "interrupted" : delivery.outcome?.rawValue, delivery.action?.rawValue,
                delivery.session ?? delivery.scene, delivery.reason?.rawValue, delivery.target, delivery.id,
            ]
        }
    }
}

/// `usher deliveries show`: everything that is known about one delivery.
enum DeliveriesShowCommand {
    static let description = CommandDescription(
        "deliveries show", "everything about one delivery: input, record, what decided it",
        operands: [.init("ID", of: .deliveries)],
        discussion: [
            "ID is Usher's own (the record's id) or the beginning of it, or the sender's (apns-id and the like), or the",
            "number of a row of the last list that a terminal showed.",
        ],
        examples: [
            .init(
                "usher deliveries show 0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20", "one delivery, by its id or its sender's")
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        let store = try context.openStore(.readOnly)
        let delivery = try context.delivery(arguments.operands[0], in: store)
        let explanation = try context.storing { () throws(StoreError) in
            try StoredExplanation(of: delivery, in: store, openings: .all).json
        }
        guard context.writesJSON else {
            let engine = DaemonLock.holder(state: try context.stateFolder())?.pid
            return context.output.write(
                DeliveryText.text(delivery, explanation: explanation, engine: engine, style: context.style))
        }
        let short = try context.storing { () throws(StoreError) in
            try store.shortIdentifiers(of: [delivery.id], .delivery)
        }
        context.print(
            json: DeliveryAnswer(delivery, short: short.first ?? delivery.id, explanation: explanation))
    }
}

/// `usher deliveries answer`: a notification is answered without its buttons.
enum DeliveriesAnswerCommand {
    static let description = CommandDescription(
        DeliveriesAnswer.self,
        operands: [("delivery", .init("ID", of: .deliveries)), ("action", .init("ACTION"))],
        discussion: [
            "ACTION is the id of an action of the notification's category with `answer = true`; where it has none, of any",
            "action, or `default`. The first answer counts.",
        ],
        examples: [
            .init(
                "usher deliveries answer 0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20 yes --message 'not before noon'",
                "what --wait-action of usher dispatch waits for")
        ]
    ) { answer, _, context in
        if context.writesJSON { return context.print(json: answer) }
        context.output.write(answer.delivery + "\n")
    }
}

/// `usher deliveries retry`: what failed is tried again.
enum DeliveriesRetryCommand {
    static let description = CommandDescription(
        "deliveries retry", "try deliveries again that failed",
        operands: [.init("ID", .any, of: .deliveries)], options: [DeliveriesDropCommand.failed, again, outcome, since],
        discussion: [
            "Takes up again what failed, expired, collapsed or was a duplicate, under its id; prints the ids. With --again",
            "also what was done, if nothing confirmed it (unverified), as after a kill. Without a daemon it is carried out",
            "before the command ends: usher deliveries show says how it went.",
        ],
        examples: [
            .init("usher deliveries retry --failed", "everything that failed"),
            .init("usher deliveries retry --outcome unverified --since 1h", "what nothing confirmed in the last hour"),
            .init("usher deliveries retry 0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20", "one, by its id or its sender's"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        let call: DeliveriesRetry
        if let outcome = arguments.value(outcome) {
            guard arguments.operands.isEmpty, !arguments.has(DeliveriesDropCommand.failed) else {
                throw .usage("--outcome names deliveries, and so do IDs and --failed", help: "give one of them")
            }
            call = DeliveriesRetry(outcome: outcome, since: arguments.value(since))
        } else {
            guard !arguments.has(since) else { throw .usage("--since goes with --outcome", help: "say which outcome") }
            call = DeliveriesRetry(try DeliveriesDropCommand.selection(arguments), again: arguments.has(again))
        }
        let engine = try context.engine()
        context.print(deliveries: try engine.call(call))
        try engine.waitForOthers(context)
    }

    private static let again = Option(flag: "again", "also those that were done, if nothing confirmed it")
    private static let outcome = Option(
        "outcome", oneOf: DeliveriesRetry.outcomes, "all with this outcome, instead of naming them")
    private static let since = Option(
        "since", "TIME|DURATION",
        "with --outcome: those accepted since then: RFC 3339, 'friday 09:00'; 2h: so long ago")
}

/// `usher deliveries drop`: what waits or has failed is given up.
enum DeliveriesDropCommand {
    fileprivate static let failed = Option(flag: "failed", "all that failed, instead of naming them")

    static let description = CommandDescription(
        "deliveries drop", "give deliveries up: forget finished ones, end those that have not begun",
        operands: [.init("ID", .any, of: .deliveries)], options: [failed],
        discussion: ["Prints the ids. A delivery whose effect has begun cannot be dropped."],
        examples: [
            .init("usher deliveries drop --failed", "forget everything that failed"),
            .init("usher deliveries drop 0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20", "one, by its id or its sender's"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        let selection = try selection(arguments)
        context.print(deliveries: try context.service().call(DeliveriesDrop(selection)))
    }

    fileprivate static func selection(_ arguments: Arguments) throws(CommandFailure) -> DeliverySelection {
        let allFailed = arguments.has(failed)
        guard arguments.operands.isEmpty == allFailed else {
            throw .usage(
                allFailed ? "--failed means all of them: it goes with no ID" : "which deliveries?",
                help: "name their ids, or say --failed; usher deliveries list --only failed shows them")
        }
        return DeliverySelection(ids: arguments.operands, allFailed: allFailed)
    }
}

extension Context {
    /// The ids of what was changed: one array, or one a line for people.
    fileprivate func print(deliveries answer: DeliveryListAnswer) {
        if writesJSON { return printArray(answer.deliveries) }
        for id in answer.deliveries { output.write(id + "\n") }
        if answer.deliveries.isEmpty { errors.note("no deliveries") }
    }
}
