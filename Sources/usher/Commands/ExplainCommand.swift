internal import UsherConfiguration
internal import UsherEngine
internal import UsherFeatures
internal import UsherJSON
internal import UsherPayload
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// `usher explain`: why a target goes to its window.
enum ExplainCommand {
    private static let payload = Option("payload", "FILE|-", "explain a payload instead of a bare target")
    private static let delivery = Option("delivery", "ID", "explain a past delivery, as it was decided then")
    private static let cases = Option("cases", "FILE|-", "decide worked cases, JSON Lines")
    private static let app = Option("app", "ID", "the app, whatever the request says")
    private static let all = Option(flag: "all", "every window in question, not only the first 50")

    static let description = CommandDescription(
        "explain", "say which window a target goes to, and why; does nothing",
        operands: [.init("TARGET", .optional)], options: [payload, delivery, cases, app, all],
        discussion: [
            "Exit status 0: there is a window or a page. 1: there is none.",
            "--cases needs neither configuration nor store: a line has sessions, an event, and perhaps multi and limit.",
        ],
        examples: [
            .init("usher explain https://clowntown.example/clowns/crusty --config Config", "a target"),
            .init(
                "usher explain --payload Payloads/clown-town.ndjson --config Config --json",
                "the first payload of a file"),
            .init("usher explain --cases Tests/Fixtures/resolution.jsonl", "worked cases"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let asked = [
            arguments.operands.first, arguments.value(payload), arguments.value(delivery), arguments.value(cases),
        ]
        guard asked.count(where: { $0 != nil }) == 1 else {
            throw .usage(
                "explain takes one of TARGET, --payload, --delivery and --cases",
                help: "usher explain https://clowntown.example/clowns/crusty")
        }
        if let path = arguments.value(cases) { return try runCases(path, context) }
        if let id = arguments.value(delivery) { return try explainDelivery(id, context) }
        if let path = arguments.value(payload) {
            let (bytes, format) = try firstPayload(of: path)
            return try explain(bytes, format, arguments, context)
        }
        let target = arguments.operands.first ?? ""
        let isPayload = [".json", ".ndjson", ".jsonl", ".apns"].contains(where: target.hasSuffix)
        if isPayload, FileSystem.exists(target) {
            context.errors.note(
                "this explains the target \(QuotedText.text(target)); for the payload in the file: usher explain --payload"
            )
            return try explain(PayloadExplanation.line(for: target), .auto, arguments, context)
        }
        return try explain(PayloadExplanation.line(for: target), .auto, arguments, context) { configuration in
            noteShortcut(target, configuration, context)
        }
    }

    /// Says which shortcut item has the target as its type: it may have been meant.
    private static func noteShortcut(_ target: String, _ configuration: Configuration, _ context: Context) {
        guard
            let app = configuration.manifestApps.first(where: { app in
                app.shortcuts.contains { $0.type.hasSameBytes(as: target) }
            })
        else { return }
        context.errors.note(
            "this explains the target \(QuotedText.text(target)); the shortcut item of \(app.id) is performed with usher "
                + "shortcut perform \(target)")
    }

    // MARK: A request

    /// - Parameter noting: called once the configuration is read.
    private static func explain(
        _ line: [UInt8], _ format: PayloadFormat, _ arguments: Arguments, _ context: Context,
        noting: (Configuration) -> Void = { _ in }
    ) throws(CommandFailure) -> ExitStatus {
        let answer: PayloadExplanation
        let loaded = try context.loadConfiguration()
        noting(loaded.configuration)
        let store = try context.openStore(.readOnly)
        // It ends with the process.
        _ = unsafe Unmanaged.passRetained(store)
        let activator = try context.activator(isDryRun: true)
        do throws(PayloadExplanation.Failure) {
            answer = try PayloadExplanation(
                explaining: line, format: format, app: arguments.value(app), showsAll: arguments.has(all), in: loaded,
                .stored, following: store, activator: activator, openings: .all)
        } catch {
            switch error {
            case .payload(let error): throw .payload(error)
            case .store(let error): throw .store(error)
            }
        }
        context.warn(of: answer.unreadable)
        for warning in answer.warnings where !context.isQuiet {
            context.errors.warning("\(warning.message) [\(warning.code.name)]", help: warning.help)
        }
        try show(answer.json, context, closing: "Nothing was done.")
        return answer.hasVerdict ? .handled : .finding
    }

    /// The first payload of a file or of standard input. No more is read than that takes.
    private static func firstPayload(
        of path: String
    ) throws(CommandFailure) -> (bytes: [UInt8], format: PayloadFormat) {
        let input = try InputFile(path)
        let form = InputForm(fileName: path == "-" ? nil : path)
        var cutter = PayloadCutter(PayloadReader())
        cutter.begin(form)
        while true {
            let bytes = try input.read()
            if bytes.isEmpty { cutter.finish() } else { cutter.push(Array(bytes)) }
            if let text = cutter.next() {
                if case .failure(let error) = text.reading { throw .payload(error) }
                return (Array(text.bytes[text.range]), form == .simulator ? .simctl : .auto)
            }
            if bytes.isEmpty { return ([], .auto) }
        }
    }

    // MARK: A delivery

    private static func explainDelivery(_ id: String, _ context: Context) throws(CommandFailure) -> ExitStatus {
        let store = try context.openStore(.readOnly)
        let delivery = try context.delivery(id, in: store)
        let explanation = try context.storing { () throws(StoreError) in
            try StoredExplanation(of: delivery, in: store, openings: .all)
        }
        guard case .json(let text) = explanation else {
            throw CommandFailure(
                .finding, explanation.refusal(for: delivery),
                help: "usher deliveries show \(delivery.id) says what became of it")
        }
        try show(text, context, closing: closing(of: delivery))
        return delivery.reason == .noScene || delivery.reason == .noApp ? .finding : .handled
    }

    private static func closing(of delivery: Store.StoredDelivery) -> String {
        let decided = "Decided for delivery \(delivery.original ?? delivery.id)"
        if delivery.original != nil { return decided + ", of which \(delivery.id) is a duplicate." }
        let outcome = delivery.outcome.map { ": \($0.rawValue)" } ?? ", which is \(delivery.state.rawValue)"
        return decided + outcome + (delivery.session.map { ", session \($0)." } ?? ".")
    }

    private static func show(_ json: String, _ context: Context, closing: String) throws(CommandFailure) {
        if context.writesJSON { return context.output.write(json + "\n") }
        do {
            let value = try JSONValue(parsing: Array(json.utf8), maximumDepth: 1024)
            context.output.write(ExplanationText(value, style: context.style, closing: closing).text + "\n")
        } catch {
            throw CommandFailure(.finding, "the stored explanation cannot be read: \(error.message)")
        }
    }

    // MARK: Cases

    private static func runCases(_ path: String, _ context: Context) throws(CommandFailure) -> ExitStatus {
        try context.answerLines(of: try InputFile(path)) { (line, number, json) throws(CommandFailure) in
            let refusal: (name: String, message: String)
            switch line {
            case .success(let bytes):
                do throws(ResolutionCase.Invalid) {
                    json.value(try decide(bytes))
                    return true
                } catch {
                    refusal = ("invalid", error.message)
                }
            case .failure(let error): refusal = (error.code.name, error.message)
            }
            json.value([
                "line": .number(String(number)), "error": .string(refusal.name), "message": .string(refusal.message),
            ])
            return false
        }
    }

    private static func decide(_ line: [UInt8]) throws(ResolutionCase.Invalid) -> JSONValue {
        let value = try Result { () throws(JSONError) in try JSONValue(parsing: line) }
            .mapError { ResolutionCase.Invalid(message: $0.message) }.get()
        return try ResolutionCase(value).decide()
    }
}
