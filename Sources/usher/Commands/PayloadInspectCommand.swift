internal import UsherJSON
internal import UsherPayload

/// `usher payload inspect`: what Usher reads in a payload, without doing anything about it.
enum PayloadInspectCommand {
    private static let format = Option.payloadFormat("what the payload is; auto recognises it")
    private static let pushType = Option(
        "push-type", "TYPE", "the apns-push-type: sets the size limit (else 4096 bytes)")

    /// The largest input that is inspected at once.
    private static let limit = 16 << 20

    static let description = CommandDescription(
        "payload inspect", "what a payload says, and what is wrong with it",
        operands: [.init("FILE|-")],
        options: [format, pushType],
        discussion: [
            "JSON is one object; of *.jsonl, *.ndjson and several payloads {\"kind\":\"jsonl\",\"valid\",\"lines\":[…]}.",
            "Ends with status 1 when anything is invalid.",
        ],
        examples: [
            .init(
                "echo '{\"aps\":{\"alert\":\"hi\",\"target-content-id\":\"https://clowntown.example/clowns/crusty\"}}'"
                    + " | usher payload inspect -", "a payload from standard input"),
            .init(
                "echo '{\"aps\":{\"content-available\":1}}' | usher payload inspect --push-type background -",
                "the size limit of a push type"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let path = arguments.operands[0]
        let input = try InputFile(path)
        if input.isTerminal { context.errors.note("reading from the terminal; Control-D ends the input") }
        let bytes = try input.readAll(limit: limit)
        let inspection = PayloadInspection.inspect(
            bytes, fileName: path == "-" ? nil : path,
            format: arguments.value(format).flatMap { PayloadFormat(rawValue: $0) } ?? .auto,
            pushType: arguments.value(pushType))
        if !context.writesJSON, let value = try? JSONValue(parsing: inspection.json) {
            context.output.write(InspectionText(value, style: context.style).text)
        } else {
            context.output.write(inspection.json)
            context.output.write("\n")
        }
        return inspection.isValid ? .handled : .finding
    }
}
