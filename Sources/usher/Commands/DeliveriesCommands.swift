internal import UsherDispatch
internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherText

/// `usher deliveries list`: what came in last, and what became of it.
enum DeliveriesListCommand {
    private static let limit = Option("limit", "N", "how many at most (100)")
    private static let before = Option("before", "ID", "those that arrived before this one: the next page")
    private static let only = Option(
        "only", oneOf: DeliveryState.allCases.map(\.rawValue), "those in this state of their life")

    static let description = CommandDescription(
        "deliveries list", "what came in, the newest first",
        options: [limit, before, only],
        examples: [
            .init("usher deliveries list", "the last hundred"),
            .init("usher deliveries list --only failed --limit 10", "the last ten that failed"),
        ],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        var count = 100
        if let text = arguments.value(limit) {
            guard let number = Int(text), number > 0 else {
                throw .usage("--limit cannot be \(QuotedText.text(text))", help: "it is a number from 1 on")
            }
            count = number
        }
        let most = count
        let states = Set(arguments.value(only).flatMap { DeliveryState(rawValue: $0) }.map { [$0] } ?? [])
        let store = try context.openStore(.readOnly)
        let deliveries = try context.storing { () throws(StoreError) in
            try store.deliveries(limit: most, states: states, before: arguments.value(before))
        }
        if context.writesJSON {
            context.printArray(deliveries) { delivery, json in DeliveryAnswer.writeSummary(of: delivery, to: &json) }
        } else if deliveries.isEmpty {
            context.errors.note("no deliveries")
        } else {
            context.output.write(DeliveryText.table(deliveries))
        }
        return .handled
    }
}

/// `usher deliveries show`: everything that is known about one delivery.
enum DeliveriesShowCommand {
    static let description = CommandDescription(
        "deliveries show", "everything about one delivery: input, record, what decided it",
        operands: [.init("ID")],
        discussion: ["ID is Usher's own (the record's id) or the sender's (apns-id and the like)."],
        examples: [
            .init(
                "usher deliveries show 0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20", "one delivery, by its id or its sender's")
        ],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let store = try context.openStore(.readOnly)
        let delivery = try context.delivery(arguments.operands[0], in: store)
        let explanation = try context.storing { () throws(StoreError) in
            try StoredExplanation(of: delivery, in: store).json
        }
        guard context.writesJSON else {
            context.output.write(DeliveryText.text(delivery, explanation: explanation, style: context.style))
            return .handled
        }
        var json = JSONWriter()
        DeliveryAnswer.write(delivery, explanation: explanation, to: &json)
        json.newline()
        context.output.write(json.bytes)
        return .handled
    }
}

/// `usher deliveries retry`: what failed is tried again.
enum DeliveriesRetryCommand {
    private static let failed = Option(flag: "failed", "all that failed, instead of naming them")

    static let description = CommandDescription(
        "deliveries retry", "try deliveries again that failed",
        operands: [.init("ID", .any)], options: [failed],
        discussion: [
            "Takes up again what failed, expired, collapsed or was a duplicate, under its id; prints the ids. Without a",
            "daemon it is carried out before the command ends: usher deliveries show says how it went.",
        ],
        examples: [
            .init("usher deliveries retry --failed", "everything that failed"),
            .init("usher deliveries retry 0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20", "one, by its id or its sender's"),
        ],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let selection = try DeliveriesDropCommand.selection(arguments, allFailed: arguments.has(failed))
        let engine = try context.engine()
        context.print(deliveries: try engine.call(DeliveriesRetry(selection)))
        try engine.waitForOthers(context)
        return .handled
    }
}

/// `usher deliveries drop`: what waits or has failed is given up.
enum DeliveriesDropCommand {
    private static let failed = Option(flag: "failed", "all that failed, instead of naming them")

    static let description = CommandDescription(
        "deliveries drop", "give deliveries up: forget finished ones, end those that have not begun",
        operands: [.init("ID", .any)], options: [failed],
        discussion: ["Prints the ids. A delivery whose effect has begun cannot be dropped."],
        examples: [
            .init("usher deliveries drop --failed", "forget everything that failed"),
            .init("usher deliveries drop 0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20", "one, by its id or its sender's"),
        ],
        run: run)

    @Sendable
    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let selection = try selection(arguments, allFailed: arguments.has(failed))
        context.print(deliveries: try context.service().call(DeliveriesDrop(selection)))
        return .handled
    }

    static func selection(_ arguments: Arguments, allFailed: Bool) throws(CommandFailure) -> DeliverySelection {
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
    fileprivate func print(deliveries answer: JSONValue) {
        let ids = answer["deliveries"]?.elements?.compactMap(\.string) ?? []
        if writesJSON { return printArray(ids) { id, json in json.value(id) } }
        for id in ids { output.write(id + "\n") }
        if ids.isEmpty { errors.note("no deliveries") }
    }
}
