internal import UsherConfiguration
internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherSuggestion
internal import UsherSystem
internal import UsherText

/// `interaction` commands, for every interface (socket, HTTP, command line).
struct InteractionOperations {
    private let service: ContentService

    init(_ service: ContentService) { self.service = service }

    // MARK: Looking

    func list(_ call: InteractionList) throws(ControlError) -> JSONValue {
        let limit = call.limit ?? InteractionList.limits.upperBound
        let found = try service.storing { () throws(StoreError) in
            try service.store.interactions(limit: limit, app: call.app)
        }
        return .array(found.map(Self.answer))
    }

    // MARK: Changing

    /// An element for each donation, as `answer` has it.
    func donate(_ call: InteractionDonate) throws(ControlError) -> JSONValue {
        let now = Instant.now
        var interactions: [Store.StoredInteraction] = []
        var problems: [ControlError.Problem] = []
        for (index, donation) in call.interactions.enumerated() {
            do throws(ControlError) {
                interactions.append(try interaction(donation, now: now, at: "/interactions/\(index)"))
            } catch {
                problems.append(.init(index: index, error))
            }
        }
        if let first = problems.first {
            var error = first.error
            if call.interactions.count > 1 {
                error.message = "interaction \(first.index + 1): \(error.message); nothing was taken in"
            }
            (error.problems, error.problemCount) = (Array(problems.prefix(1000)), problems.count)
            throw error
        }
        let donated = interactions
        return .array(
            try service.storing { () throws(StoreError) in try service.store.donate(donated) }.map(Self.answer))
    }

    func forget(_ call: InteractionForget) throws(ControlError) -> JSONValue {
        guard !call.interactions.isEmpty else { throw .argument("interactions is empty", at: "/interactions") }
        let (count, missing) = try service.storing { () throws(StoreError) in
            try service.store.forgetInteractions(call.interactions)
        }
        guard let unknown = missing.first else { return ["interactions": .number(String(count))] }
        throw ControlError(
            .interactionNoSuch, "there is no interaction \(QuotedText.text(unknown)): nothing was forgotten",
            at: "/interactions", help: "usher interaction list shows what there is")
    }

    // MARK: Parts

    /// A clock may be this much behind the donor's, in microseconds.
    private static let tolerance: Int64 = 60_000_000

    /// What is kept of a donation.
    private func interaction(
        _ donation: Donation, now: Instant, at place: String
    ) throws(ControlError) -> Store.StoredInteraction {
        guard let intent = Intent(rawValue: donation.intent) else {
            throw .unknown(
                .interactionIntent, "intent", donation.intent, among: Intent.allCases.map(\.rawValue),
                at: place + "/intent")
        }
        let participants = donation.participants.filter { $0.contains { !$0.isWhitespace } }
        if intent.needsParticipant, participants.isEmpty {
            throw ControlError(
                .interactionNoParticipant, "\(intent.rawValue) needs a participant", at: place + "/participants",
                help: "--participant NAME|HANDLE says with whom it was")
        }
        let target = donation.target.flatMap { $0.isEmpty ? nil : $0 }
        if intent == .playMedia, target == nil {
            throw ControlError(
                .interactionNoTarget, "\(intent.rawValue) needs a target", at: place + "/target",
                help: "--target ID says what was played")
        }
        if let target { _ = try LinkSource.identifier(.targetContentIdentifier, target, at: place + "/target") }
        guard service.configuration.app(id: donation.app) != nil else {
            throw .unknown(
                .interactionNoSuchApp, "app", donation.app, among: service.configuration.manifestApps.map(\.id),
                at: place + "/app", otherwise: "install its manifest: only apps with a manifest donate")
        }
        let time = try donation.time.map { text throws(ControlError) in
            try TimeArgument.instant(text, at: place + "/time")
        }
        if let time, time.microseconds > now.microseconds + Self.tolerance {
            throw ControlError(
                .interactionFuture, "\(time.text) is more than a minute ahead", at: place + "/time",
                help: "now is \(now.text)")
        }
        let activity = try donation.activity.map { id throws(ControlError) in
            try self.activity(id, at: place + "/activity")
        }
        return Store.StoredInteraction(
            id: donation.id.flatMap { $0.isEmpty ? nil : $0 }, app: donation.app, intent: intent.rawValue,
            participants: JSONValue.array(participants.map { .string($0) }).text(escaping: .minimal), target: target,
            direction: donation.direction ?? Interaction.Direction.outgoing.rawValue,
            outcome: donation.outcome ?? Interaction.Outcome.success.rawValue, activity: activity,
            // In whole milliseconds, as it is shown.
            time: time?.microseconds ?? now.microseconds / 1000 * 1000)
    }

    /// The whole id of an activity: by the beginning of it, or `current`.
    private func activity(_ name: String, at place: String) throws(ControlError) -> String {
        if name == "current" {
            guard let current = try CurrentActivities(service).system() else { throw .noCurrentActivity() }
            return current.id
        }
        let id = try service.store.identifier(name, .activity, at: place)
        guard try service.storing({ () throws(StoreError) in try service.store.activity(id: id) }) != nil else {
            throw .noActivity(name)
        }
        return id
    }

    private static func answer(_ interaction: Store.StoredInteraction) -> JSONValue {
        func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
        return [
            "id": .string(interaction.id), "app": .string(interaction.app), "intent": .string(interaction.intent),
            "participants": (try? JSONValue(parsing: Array(interaction.participants.utf8))) ?? .array([]),
            "target": text(interaction.target), "direction": .string(interaction.direction),
            "outcome": .string(interaction.outcome), "activity": text(interaction.activity),
            "time": .string(Instant(microseconds: interaction.time).text), "error": .null,
        ]
    }
}
