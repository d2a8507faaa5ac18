internal import UsherDispatch
internal import UsherJSON
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
