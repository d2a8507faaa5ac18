internal import UsherJSON
internal import UsherOperation
internal import UsherPayload
internal import UsherScene
internal import UsherSuggestions
internal import UsherText

/// `usher interaction donate`: stores an interaction of the user with an app.
enum InteractionDonateCommand {
    private static let app = Option("app", "ID", "the app that it was done with")
    private static let intent = Option("intent", "INTENT", "what was done: one of those above")
    private static let participant = Option(
        "participant", "NAME|HANDLE", "with whom: a name, or a tel: or mailto: address", isRepeatable: true)
    private static let target = Option("target", "ID", "the identifier of the content")
    private static let direction = Option("direction", oneOf: ["outgoing", "incoming"], "who began it (outgoing)")
    private static let outcome = Option("outcome", oneOf: ["success", "failure"], "what came of it (success)")
    private static let activity = Option("activity", "ID|current", "the activity in which it was done")
    private static let id = Option("id", "ID", "the donor's own: the same again is the same interaction")
    private static let time = Option("at", "TIME", "when, by RFC 3339 (now)")
    private static let from = Option("from", "FILE|-", "JSON Lines with these members: all of them, or none")

    static let description = CommandDescription(
        "interaction donate", "record what the user did with an app, and with which person",
        options: [app, intent, participant, target, direction, outcome, activity, id, time, from],
        discussion: [
            "INTENT is sendMessage, startAudioCall, startVideoCall, sendEmail, playMedia, requestRide or getDirections.",
            "For apps, and for hooks of mail and chat programs. It is printed with its id. With --from, each line is an",
            "object with app, intent, participants, target, direction, outcome, activity, id and time; each is printed with",
            "\"error\", and where one has an error none is taken in.",
        ],
        examples: [
            .init(
                "usher interaction donate --app example.clowntown --intent sendMessage --participant Crusty",
                "a message was sent"),
            .init(
                "echo '{\"app\":\"example.clowntown\",\"intent\":\"getDirections\"}'"
                    + " | usher interaction donate --from -", "many, a line each"),
        ],
        run: run)

    private static func run(_ arguments: Arguments, _ context: Context) throws(CommandFailure) {
        if let path = arguments.value(from) {
            let others = [app, intent, participant, target, direction, outcome, activity, id, time]
            if let other = others.first(where: { arguments.has($0) }) {
                throw .usage("--\(other.name) does not go with --from", help: "it is a member of each line")
            }
            return try donateLines(of: path, context)
        }
        var donation = Donation()
        guard let app = arguments.value(app), let intent = arguments.value(intent) else {
            throw .usage(
                "--\(arguments.has(self.app) ? "intent" : "app") is missing",
                help: "usage: usher interaction donate --app ID --intent INTENT")
        }
        (donation.app, donation.intent) = (app, intent)
        donation.participants = arguments.values(participant)
        (donation.target, donation.activity) = (arguments.value(target), arguments.value(activity))
        (donation.direction, donation.outcome) = (arguments.value(direction), arguments.value(outcome))
        (donation.id, donation.time) = (arguments.value(id), arguments.value(time))
        for donated in try context.service().call(InteractionDonate([donation])) {
            context.print(donated, text: donated.id + "\n")
        }
    }

    // MARK: Lines

    private static func donateLines(of path: String, _ context: Context) throws(CommandFailure) {
        let input = try InputFile(path)
        if input.isTerminal { context.errors.note("reading JSON lines from the terminal; Control-D ends them") }
        var donations: [(number: Int, donation: Donation)] = []
        var errors: [Int: ControlError] = [:]
        try input.forEachLine { (line, number) throws(CommandFailure) in
            do throws(ControlError) {
                donations.append((number, try donation(line)))
            } catch {
                errors[donations.count] = error
                donations.append((number, Donation()))
            }
        }
        guard !donations.isEmpty else {
            return context.errors.note("\(input.name) is empty: there was nothing to take in")
        }
        if errors.isEmpty {
            switch try context.service().answer(InteractionDonate(donations.map(\.donation))) {
            case .success(let answer):
                for donated in answer { context.print(json: donated) }
                return
            case .failure(let error):
                guard !error.problems.isEmpty || donations.count == 1 else { throw CommandFailure(error) }
                for problem in error.problems { errors[problem.index] = problem.error }
                if errors.isEmpty { errors[0] = error }
            }
        }
        for (index, entry) in donations.enumerated() {
            context.print(json: answer(to: entry.donation, errors[index]))
        }
        context.output.flush()
        guard let first = errors.keys.min(), let error = errors[first] else { return }
        var failure = CommandFailure(error)
        failure.message = "line \(donations[first].number): \(failure.message)"
        failure.help = (failure.help.map { $0 + "; " } ?? "") + "nothing was taken in"
        failure.status = .usage
        throw failure
    }

    private static func donation(_ line: Result<[UInt8], PayloadError>) throws(ControlError) -> Donation {
        guard case .success(let bytes) = line else { throw .argument("the line is too long", at: "") }
        let value = try Result { () throws(JSONError) in try JSONValue(parsing: bytes, maximumDepth: 16) }
            .mapError { ControlError.argument("the line is no JSON: \($0.message) at byte \($0.offset)", at: "") }.get()
        guard value.kind == .object else { throw .argument("the line is \(value.kind.phrase), not an object", at: "") }
        return try Donation(reading: value)
    }

    /// A line of which nothing is kept, in the form of one that is.
    private static func answer(to donation: Donation, _ error: ControlError?) -> JSONValue {
        func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
        func required(_ text: String) -> JSONValue { text.isEmpty ? .null : .string(text) }
        return [
            "id": text(donation.id), "app": required(donation.app), "intent": required(donation.intent),
            "participants": .array(donation.participants.map { .string($0) }), "target": text(donation.target),
            "direction": .string(donation.direction ?? "outgoing"), "outcome": .string(donation.outcome ?? "success"),
            "activity": text(donation.activity), "time": text(donation.time),
            "error": error.map { error in
                [
                    "code": .string(error.code.code), "name": .string(error.code.name),
                    "message": .string(error.message),
                ]
            } ?? .null,
        ]
    }
}

/// `usher interaction list|forget`: what apps have donated.
enum InteractionCommands {
    static let list = CommandDescription(
        InteractionList.self, examples: [.init("usher interaction list", "the newest first")]
    ) { answer, _, context in
        context.print(
            answer, none: "no interactions: apps record them with usher interaction donate", indent: 0,
            ["id", "time", "app", "intent", "with"]
        ) { interaction in
            let participants = interaction.participants.joined(separator: ", ")
            return [
                interaction.id, interaction.time.text, interaction.app, interaction.intent,
                participants.isEmpty ? interaction.target ?? "" : participants,
            ]
        }
    }

    static let forget = CommandDescription(
        "interaction forget", "forget interactions: all of these, or none where one of them is unknown",
        operands: [.init("ID", .atLeastOne)],
        examples: [.init("usher interaction forget 0199d0f2-7a3b-7c11-8f00-3a5d7e9b1c20", "one")],
        run: { (arguments, context) throws(CommandFailure) -> Void in
            let answer = try context.service().call(InteractionForget(arguments.operands))
            context.print(answer, text: "\(answer.interactions) forgotten\n")
        })
}
