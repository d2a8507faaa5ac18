internal import UsherDispatch
internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherStore

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
        try context.edit { (store) throws(CommandFailure) in
            do throws(ControlError) {
                context.print(deliveries: try DeliveryCommands(store, store).drop(selection))
            } catch {
                throw CommandFailure(error)
            }
        } orAsk: { (engine) throws(CommandFailure) in
            context.print(deliveries: try engine.call(DeliveriesDrop(selection)))
        }
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
    /// The daemon's answer.
    fileprivate func print(deliveries answer: JSONValue) {
        print(deliveries: answer["deliveries"]?.elements?.compactMap(\.string) ?? [])
    }

    /// The ids of what was changed: one array, or one a line for people.
    fileprivate func print(deliveries ids: [String]) {
        if writesJSON { return printArray(ids) { id, json in json.value(id) } }
        for id in ids { output.write(id + "\n") }
        if ids.isEmpty { errors.note("no deliveries") }
    }
}
