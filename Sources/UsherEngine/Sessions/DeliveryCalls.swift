internal import UsherJSON
public import UsherLog
public import UsherOperation
public import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// Deliveries that are retried or dropped: by their ids (ours or their senders'), or all that failed.
public struct DeliverySelection: RecordValue, Hashable {
    public var ids: [String] = []
    public var allFailed = false

    public init() {}
    public init(ids: [String] = [], allFailed: Bool = false) { (self.ids, self.allFailed) = (ids, allFailed) }

    public static let fields = [
        Field<Self>("deliveries", \.ids, "their ids, or their senders' ids", identifies: .delivery),
        Field<Self>("failed", \.allFailed, "all that failed, instead of ids"),
    ]

    public func checkCombination(at place: String) throws(ControlError) {
        guard ids.isEmpty == allFailed else {
            throw .argument(
                ids.isEmpty ? "which deliveries?" : "deliveries and failed exclude each other",
                at: "\(place)/deliveries", help: "give their ids, or \"failed\":true for all that failed")
        }
    }
}

public struct DeliveriesRetry: PerformedCall {
    public var selection = DeliverySelection()
    /// Also those that were done with the outcome `unverified`.
    public var again = false
    /// All with this outcome, instead of ids: `failed` or `unverified`.
    public var outcome: String?
    /// Of these, what was accepted since then.
    public var since: String?

    public init() {}
    public init(_ selection: DeliverySelection, again: Bool = false) {
        (self.selection, self.again) = (selection, again)
    }
    public init(outcome: String, since: String? = nil) { (self.outcome, self.since) = (outcome, since) }

    /// The outcomes of deliveries that are tried again. What was verified or done has nothing to be tried again.
    public static let outcomes = [Outcome.failed, .unverified].map(\.rawValue)

    public typealias Answer = DeliveryListAnswer
    public static let name = "deliveries.retry"
    public static let operation = Operation<Self>(
        "tries deliveries again", .act,
        DeliverySelection.fields.map { $0.within(\.selection) } + [
            Field("again", \.again, "also those that were done, if nothing confirmed it"),
            Field("outcome", \.outcome, oneOf: outcomes, "all with this outcome, instead of ids"),
            Field(
                "since", \.since,
                "of these, those accepted since then: RFC 3339, 09:00, friday 09:00, or so long ago: 90s, 2h"),
        ],
        http: [
            HTTPForm(
                .post, "/v1/deliveries/{deliveries}/retry", refusals: [409],
                hidden: ["failed", "outcome", "since"])
        ])

    public func checkCombination(at place: String) throws(ControlError) {
        guard outcome != nil else {
            guard since == nil else {
                throw .argument("since goes with outcome", at: "\(place)/since", help: "say which outcome")
            }
            return try selection.checkCombination(at: place)
        }
        guard selection == DeliverySelection() else {
            throw .argument(
                "outcome names deliveries, and so do ids and failed", at: "\(place)/outcome", help: "give one of them")
        }
    }

    private func deliveries(in context: OperationContext) throws(ControlError) -> [Store.StoredDelivery] {
        guard let outcome = outcome.flatMap({ Outcome(rawValue: $0) }) else {
            return try selection.deliveries(in: context)
        }
        let start = try since.map { text throws(ControlError) in
            try TimeArgument.instant(orBefore: Instant.now, text, at: "/since")
        }
        let found = try context.storing(
            try context.store.deliveries(
                limit: DeliverySelection.limit, states: [.failed, .done], outcome: outcome,
                since: start?.microseconds))
        return found.reversed()
    }

    /// Takes them up again. All are looked at before the first is touched.
    public func perform(in context: OperationContext) throws(ControlError) -> DeliveryListAnswer {
        context.givenEngine?.prepareToAct()
        let deliveries = try deliveries(in: context)
        let again = again || outcome != nil
        for delivery in deliveries {
            switch delivery.state {
            case .failed, .expired, .collapsed, .duplicate: break
            case .done where delivery.outcome == .unverified: if !again { throw .unverified(delivery.id) }
            case .accepted, .resolved, .acting, .done: throw .delivery(delivery.id, delivery.state, "be retried")
            }
        }
        return try context.change(deliveries, "be retried") { (id) throws(StoreError) in
            try context.sessions.redrive(delivery: id, again: again)
        }
    }
}

public struct DeliveriesDrop: PerformedCall {
    public var selection = DeliverySelection()

    public init() {}
    public init(_ selection: DeliverySelection) { self.selection = selection }

    public typealias Answer = DeliveryListAnswer
    public static let name = "deliveries.drop"
    public static let operation = Operation<Self>(
        "forgets finished deliveries, and ends those that have not begun", .edit,
        DeliverySelection.fields.map { $0.within(\.selection) },
        http: [
            HTTPForm(
                .delete, "/v1/deliveries/{deliveries}", refusals: [409],
                hidden: ["failed"])
        ])

    public func checkCombination(at place: String) throws(ControlError) { try selection.checkCombination(at: place) }

    public func perform(in context: OperationContext) throws(ControlError) -> DeliveryListAnswer {
        let deliveries = try selection.deliveries(in: context)
        for delivery in deliveries where delivery.state == .acting {
            throw .delivery(delivery.id, delivery.state, "be dropped")
        }
        return try context.change(deliveries, "be dropped") { (id) throws(StoreError) in
            try context.sessions.discard(delivery: id)
        }
    }
}

/// Answers a notification in the place of its buttons.
public struct DeliveriesAnswer: PerformedCall {
    public var delivery = ""
    public var action = ""
    /// For the sender.
    public var message: String?

    public init() {}
    public init(_ delivery: String, action: String, message: String? = nil) {
        (self.delivery, self.action, self.message) = (delivery, action, message)
    }

    public typealias Answer = GivenAnswer
    public static let name = "deliveries.answer"
    public static let operation = Operation<Self>(
        "answers the notification that a sender waits for, and closes it", .edit,
        [
            Field("delivery", \.delivery, "its id, or its sender's id", identifies: .delivery),
            Field("action", \.action, "the id of the action"),
            Field("message", \.message, "what the sender is told with it"),
        ],
        http: [HTTPForm(.post, "/v1/deliveries/{delivery}/answer", refusals: [409])])

    public func perform(in context: OperationContext) throws(ControlError) -> GivenAnswer {
        guard let found = try context.storing(try context.store.delivery(delivery)) else {
            throw .noDelivery(delivery)
        }
        let reply = try context.storing(
            try context.sessions.answer(delivery: found.id, action, message: message))
        switch reply {
        case .answered: return GivenAnswer(found.id, .given(action, message))
        case .given:
            throw ControlError(
                .answerGiven, "the notification of \(found.id) has been answered already",
                help: "usher deliveries show \(found.id) says with what")
        case .notWaiting:
            throw ControlError(
                .answerNotWaiting, "no sender waits for an answer to \(found.id)",
                help: "it waits with --wait-action, until it has ended or its time is over")
        case .noAction(let known):
            throw .unknown(.answerAction, "action", action, among: known, at: "/action")
        }
    }
}

/// An answer that was given to a sender.
public struct GivenAnswer: AnswerRecord {
    public var delivery = ""
    public var answer = DecisionRecord.Answer()

    public init() {}
    init(_ delivery: String, _ answer: DecisionRecord.Answer) { (self.delivery, self.answer) = (delivery, answer) }

    public static let fields: [Field<Self>] = [
        Field(always: "delivery", \.delivery, "Our id"),
        Field(always: "answer", \.answer, "As the sender has it"),
    ]
}

public struct DeliveriesList: PerformedCall, Hashable {
    /// All where empty.
    public var states: Set<DeliveryState> = []
    public var limit = 100
    public var outcome: String?
    /// Accepted since then.
    public var since: String?
    /// Those that arrived before this one: the next page.
    public var before: String?

    public init() {}
    public init(states: Set<DeliveryState> = [], limit: Int = 100, before: String? = nil) {
        (self.states, self.limit, self.before) = (states, limit, before)
    }

    public typealias Answer = [DeliveryAnswer]
    public static let name = "deliveries.list"
    public static let operation = Operation<Self>(
        "deliveries, the newest first", .read,
        [
            Field(
                "states", .texts, "in these states only", choices: DeliveryState.allCases.map(\.rawValue),
                read: { (reader, call) throws(ControlError) in
                    for (index, text) in (try reader.texts("states")).enumerated() {
                        guard let state = DeliveryState(rawValue: text) else {
                            throw .unknown(
                                .controlArgument, "state", text, among: DeliveryState.allCases.map(\.rawValue),
                                at: reader.pointer("states/\(index)"))
                        }
                        call.states.insert(state)
                    }
                },
                write: { call, json in
                    guard !call.states.isEmpty else { return }
                    json.member("states", DeliveryState.allCases.filter { call.states.contains($0) }.map(\.rawValue))
                }),
            Field("outcome", \.outcome, oneOf: Outcome.allCases.map(\.rawValue), "with this outcome only"),
            Field("since", \.since, "accepted since then: RFC 3339, 09:00, friday 09:00, or so long ago: 90s, 2h"),
            Field("limit", \.limit, in: 1...1_000_000, "at most so many (100)"),
            Field("before", \.before, "older than this delivery: the next page", identifies: .delivery),
        ],
        http: [
            HTTPForm(
                .get, "/v1/deliveries", renamed: ["state": "states"],
                separators: ["states": ","])
        ])

    public func perform(in context: OperationContext) throws(ControlError) -> [DeliveryAnswer] {
        let store = context.store
        let start = try since.map { text throws(ControlError) in
            try TimeArgument.instant(orBefore: Instant.now, text, at: "/since")
        }
        let found = try context.storing(
            try store.deliveries(
                limit: limit, states: states, outcome: outcome.flatMap { Outcome(rawValue: $0) },
                since: start?.microseconds, before: before))
        let short = try context.storing(try store.shortIdentifiers(of: found.map(\.id), .delivery))
        return zip(found, short).map { DeliveryAnswer(summary: $0, short: $1) }
    }
}

public struct DeliveriesShow: PerformedCall {
    public var delivery = ""

    public init() {}
    public init(_ delivery: String) { self.delivery = delivery }

    public typealias Answer = DeliveryAnswer
    public static let name = "deliveries.show"
    public static let operation = Operation<Self>(
        "one delivery, with its record and explanation", .read,
        [Field("delivery", \.delivery, "its id or the beginning of it, or its sender's id")],
        http: [HTTPForm(.get, "/v1/deliveries/{delivery}")])

    public func perform(in context: OperationContext) throws(ControlError) -> DeliveryAnswer {
        let (delivery, explanation) = try context.explained(delivery)
        let short = try context.storing(try context.store.shortIdentifiers(of: [delivery.id], .delivery))
        return DeliveryAnswer(delivery, short: short.first ?? delivery.id, explanation: explanation.json)
    }
}

/// Answered when no delivery is in a lane, or waits for one.
public struct DeliveriesWait: PerformedCall {
    public init() {}

    public typealias Answer = Nothing
    public static let name = "deliveries.wait"
    public static let operation = Operation<Self>("waits until no delivery is in progress", .read, [])
    public var waits: Bool { true }

    public func perform(in context: OperationContext) throws(ControlError) -> Nothing {
        try context.engine.waitForDeliveries()
        return Nothing()
    }
}

/// Decision records as events from now on.
public struct Records: Call {
    public typealias Answer = Nothing

    /// First those that followed this delivery.
    public var since: String?

    public init() {}
    public init(since: String?) { self.since = since }

    public static let name = "records"
    public static let operation = Operation<Self>(
        "decision records as they are made", .read, [Field("since", \.since, "first those after this delivery")],
        http: [HTTPForm(.get, "/v1/records", isStream: true)])
}
