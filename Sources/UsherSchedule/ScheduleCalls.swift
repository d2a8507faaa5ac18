public import UsherEngine
internal import UsherJSON
public import UsherOperation
internal import UsherPayload
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

public struct NotificationSchedule: PerformedCall {
    public var payload = ""
    public var at: String?
    public var delay: String?
    public var every: String?
    public var id: String?
    public var app: String?

    public init() {}
    public init(_ payload: String, at: String? = nil, in delay: String? = nil, every: String? = nil) {
        (self.payload, self.at, self.delay, self.every) = (payload, at, delay, every)
    }

    public typealias Answer = ScheduledAnswer
    public static let name = "notification.schedule"
    public static let operation = Operation<Self>(
        "has a notification come at a time, once or again and again", .edit,
        [
            Field("payload", \.payload, "what is dispatched then, JSON as text"),
            Field("at", \.at, "once: RFC 3339, 09:00, tomorrow 09:00, friday 09:00"),
            Field("in", \.delay, "once, so long from now: 90s, 15m, 2h, 7d"),
            Field("every", \.every, "again and again: 15m, day 09:00, mon,thu 09:00"),
            Field("id", \.id, "what it is known by; one that waits with the same id is replaced"),
            Field("app", \.app, "the app, whatever the payload says"),
        ],
        http: [
            HTTPForm(
                .post, "/v1/notifications/pending", verbatim: "payload",
                made: .init(["id"], "/v1/notifications/pending/"),
                examples: [
                    (
                        "break",
                        #"{"payload":{"aps":{"alert":"Have a break","target-content-id":"https://clowntown.example/clowns/crusty"}},"every":"mon,thu 15:00","id":"break"}"#
                    )
                ])
        ])

    public func perform(in context: OperationContext) throws(ControlError) -> ScheduledAnswer {
        let now = Instant.now
        let timing = try Timing(at: at, in: delay, every: every, now: now)
        let bytes = Array(self.payload.utf8)
        let payload = try Self.read(bytes)
        if let id { try Self.check(id: id) }
        let notification = Store.ScheduledNotification(
            id: id ?? UUIDv7.next(), app: app ?? payload.app, next: timing.first.microseconds, rule: every,
            created: now.microseconds, payload: bytes)
        guard try context.storing(try context.store.schedule(notification)) else {
            throw ControlError(
                .scheduleTooMany, "too many notifications wait already: 1000, or payloads of 64 MiB",
                help: "usher notification pending shows them")
        }
        context.contentsChanged()
        return ScheduledAnswer(notification)
    }

    /// The payload; throws what a dispatch of it would say.
    public static func check(payload bytes: [UInt8]) throws(ControlError) { _ = try read(bytes) }

    private static func read(_ bytes: [UInt8]) throws(ControlError) -> Payload {
        do throws(PayloadError) {
            guard bytes.count <= PayloadError.longestLine else { throw .tooLongLine }
            var reader = PayloadReader()
            return try reader.read(bytes)
        } catch {
            throw ControlError(Diagnostic(error))
        }
    }

    private static func check(id: String) throws(ControlError) {
        let hasControls = id.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard (1...128).contains(id.utf8.count), !hasControls else {
            throw ControlError(
                .scheduleID, "the id has \(id.utf8.count) bytes" + (hasControls ? ", and control characters" : ""),
                at: "/id", help: "it has 1 to 128 bytes, and no control characters")
        }
    }
}

public struct NotificationPending: PerformedCall {
    public var app: String?

    public init() {}
    public init(app: String?) { self.app = app }

    public typealias Answer = [ScheduledAnswer]
    public static let name = "notification.pending"
    public static let operation = Operation<Self>(
        "the notifications that wait for their time, the next first", .read,
        [Field("app", \.app, "of this app only")], http: [HTTPForm(.get, "/v1/notifications/pending")])

    public func perform(in context: OperationContext) throws(ControlError) -> [ScheduledAnswer] {
        try context.storing(try context.store.scheduledNotifications(app: app)).map(ScheduledAnswer.init)
    }
}

public struct NotificationDelivered: PerformedCall {
    public var app: String?

    public init() {}
    public init(app: String?) { self.app = app }

    public typealias Answer = [FiredAnswer]
    public static let name = "notification.delivered"
    public static let operation = Operation<Self>(
        "the scheduled notifications that came, the newest first; one for each id, for 30 days", .read,
        [Field("app", \.app, "of this app only")], http: [HTTPForm(.get, "/v1/notifications/delivered")])

    public func perform(in context: OperationContext) throws(ControlError) -> [FiredAnswer] {
        try context.answers(of: try context.storing(try context.store.firedNotifications(app: app)))
    }
}

extension OperationContext {
    /// With what became of their deliveries.
    fileprivate func answers(of fired: [Store.FiredNotification]) throws(ControlError) -> [FiredAnswer] {
        let found = try storing(try store.deliveries(ids: fired.map(\.delivery)))
        let deliveries = Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return fired.map { stored in
            var answer = FiredAnswer(stored)
            (answer.outcome, answer.state) = (deliveries[stored.delivery]?.outcome, deliveries[stored.delivery]?.state)
            return answer
        }
    }
}

public struct NotificationRemove: PerformedCall {
    /// One of the two lists.
    public enum State: String, FieldChoice { case pending, delivered }

    public var state = State.pending
    public var ids: [String] = []
    public var all = false
    public var app: String?

    public init() {}
    public init(_ state: State, _ ids: [String] = [], all: Bool = false, app: String? = nil) {
        (self.state, self.ids, self.all, self.app) = (state, ids, all, app)
    }

    public typealias Answer = [RemovedAnswer]
    public static let name = "notification.remove"
    public static let operation = Operation<Self>(
        "removes notifications from those that wait, or from those that came", .edit,
        [
            Field("state", \.state, "of which list"), Field("ids", \.ids, "these, or none if one is missing"),
            Field("all", \.all, "all of them"), Field("app", \.app, "of this app only"),
        ],
        http: [
            HTTPForm(
                .delete, "/v1/notifications/pending/{ids}", hidden: ["all"], fixed: [.init("state", "pending")]),
            HTTPForm(
                .delete, "/v1/notifications/delivered/{ids}", hidden: ["all"], fixed: [.init("state", "delivered")]),
            HTTPForm(
                .delete, "/v1/notifications/pending", hidden: ["ids"],
                fixed: [.init("state", "pending"), .init("all", true)]),
            HTTPForm(
                .delete, "/v1/notifications/delivered", hidden: ["ids"],
                fixed: [.init("state", "delivered"), .init("all", true)]),
        ])

    public func checkCombination(at place: String) throws(ControlError) {
        guard all != ids.isEmpty else { return }
        throw .argument(
            all ? "all and ids exclude each other" : "nothing says which notifications are meant", at: place + "/ids",
            help: "give ids, or all")
    }

    public func perform(in context: OperationContext) throws(ControlError) -> [RemovedAnswer] {
        let ids = all ? nil : self.ids
        switch state {
        case .pending:
            let removed = try Self.known(try context.storing(try context.store.removeScheduled(ids, app: app)), state)
            context.contentsChanged()
            return removed.map { .pending(ScheduledAnswer($0)) }
        case .delivered:
            let removed = try Self.known(try context.storing(try context.store.removeFired(ids, app: app)), state)
            return try context.answers(of: removed).map { .delivered($0) }
        }
    }

    private static func known<Row>(
        _ result: Result<[Row], Store.UnknownNotification>, _ state: State
    ) throws(ControlError) -> [Row] {
        switch result {
        case .success(let rows): return rows
        case .failure(let unknown):
            throw ControlError(
                .scheduleUnknown,
                "there is no notification \(QuotedText.text(unknown.id)) among the \(state.rawValue) ones: nothing was removed",
                at: "/ids", help: "usher notification \(state.rawValue) shows them")
        }
    }
}
