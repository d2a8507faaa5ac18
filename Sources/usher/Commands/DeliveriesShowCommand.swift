internal import UsherDispatch
internal import UsherJSON
internal import UsherStore

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
