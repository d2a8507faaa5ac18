internal import UsherJSON
public import UsherLog
public import UsherOperation
public import UsherScene
public import UsherStore
public import UsherText

/// A delivery.
public struct DeliveryAnswer: AnswerRecord {
    /// What became of what was shown.
    public struct Notification: AnswerRecord {
        public var number = 0
        public var server = ""
        public var state = Store.NotificationState.shown
        public var shown = Instant(microseconds: 0)
        public var ended: Instant?
        public var action: String?
        public var answer: String?

        public init() {}
        fileprivate init(_ stored: Store.StoredNotification) {
            number = Int(stored.number)
            server = stored.server
            state = stored.state
            shown = Instant(microseconds: stored.shown)
            ended = stored.ended.map { Instant(microseconds: $0) }
            (action, answer) = (stored.response, stored.answer)
        }

        public static let fields: [Field<Self>] = [
            Field(always: "number", \.number, "What its server calls it"),
            Field(always: "server", \.server, "One life of the notification server"),
            Field(always: "state", \.state), Field(always: "shown", \.shown), Field(always: "ended", \.ended),
            Field(always: "action", \.action, "The button that was pressed"),
            Field(ifAny: "answer", \.answer, "The action that was the answer for the sender that waited for one"),
        ]
    }

    public var id = ""
    public var short = ""
    public var senderID: String?
    public var state = DeliveryState.accepted
    public var accepted = Instant(microseconds: 0)
    public var finished: Instant?
    public var source = ""
    public var format: String?
    public var app: String?
    public var target: String?
    public var resolved: String?
    public var scene: String?
    public var session: String?
    public var action: Action?
    public var reason: Reason?
    public var outcome: Outcome?
    public var isInterrupted = false
    public var attempts = 0
    public var configuration: String?
    public var parent: String?
    public var response: String?
    public var original: String?
    public var notification: Notification?
    public var record: Kept<DecisionRecord>??
    public var input: String?
    public var explanation: Kept<ExplanationRecord>??

    public init() {}

    /// As in a list.
    ///
    /// - Parameter short: the shortest beginning of its id that no other delivery's has.
    init(summary delivery: Store.StoredDelivery, short: String) {
        id = delivery.id
        self.short = short
        senderID = delivery.senderID
        state = delivery.state
        accepted = Instant(microseconds: delivery.accepted)
        finished = delivery.finished.map { Instant(microseconds: $0) }
        source = delivery.source
        format = delivery.format
        (app, target, resolved) = (delivery.app, delivery.target, delivery.resolved)
        (scene, session) = (delivery.scene, delivery.session)
        (action, reason) = (delivery.action, delivery.reason)
        (outcome, isInterrupted) = (delivery.outcome, delivery.isInterrupted)
        attempts = delivery.attempts
        configuration = delivery.configuration
        (parent, response) = (delivery.parent, delivery.button)
    }

    /// Everything about one.
    ///
    /// - Parameter explanation: what decided it, JSON.
    public init(_ delivery: Store.StoredDelivery, short: String, explanation: String?) {
        self.init(summary: delivery, short: short)
        original = delivery.original
        notification = delivery.notification.map(Notification.init)
        // What is stored as JSON text stays JSON.
        record = .some(delivery.record.flatMap { Kept(parsing: $0.utf8) })
        input = String(decoding: delivery.input, as: UTF8.self)
        self.explanation = .some(explanation.flatMap { Kept(parsing: $0.utf8) })
    }

    public static let schema: String? = "Delivery"
    public static let fields: [Field<Self>] = [
        Field(always: "id", \.id), Field(always: "short", \.short, shortHelp),
        Field(always: "sender_id", \.senderID), Field(always: "state", \.state), Field(always: "accepted", \.accepted),
        Field(always: "finished", \.finished), Field(always: "source", \.source), Field(always: "format", \.format),
        Field(always: "app", \.app), Field(always: "target", \.target), Field(always: "resolved", \.resolved),
        Field(always: "scene", \.scene), Field(always: "session", \.session), Field(always: "action", \.action),
        Field(always: "reason", \.reason), Field(always: "outcome", \.outcome),
        Field(
            always: "interrupted", \.isInterrupted,
            "The run that had begun it was killed, and how far it came is not known"),
        Field(always: "attempts", \.attempts, "", ["minimum": 0]),
        Field(always: "config", \.configuration),
        Field(ifAny: "parent", \.parent, DecisionRecord.parentHelp),
        Field(ifAny: "notification_action", \.response, DecisionRecord.notificationActionHelp),
        Field(ifAny: "duplicate_of", \.original, "Of a duplicate: the delivery that came first"),
        Field(ifAny: "notification", \.notification, "What became of what was shown"),
        Field(ifAny: "record", \.record), Field(ifAny: "input", \.input, "The payload as it came"),
        Field(ifAny: "explanation", \.explanation),
    ]
}

/// What the shortest beginning of an id is, in answers.
package let shortHelp = "The shortest beginning of the id that is unique, four characters at least"

extension DeliveryState: FieldChoice { public static var choicesName: String? { "DeliveryState" } }
extension Action: FieldChoice { public static var choicesName: String? { "Action" } }
extension Reason: FieldChoice { public static var choicesName: String? { "Reason" } }
extension Policy: FieldChoice { public static var choicesName: String? { "Policy" } }
extension Outcome: FieldChoice { public static var choicesName: String? { "Outcome" } }
extension Store.NotificationState: FieldChoice {}

/// Our ids of deliveries that were changed.
public struct DeliveryListAnswer: AnswerRecord {
    public var deliveries: [String] = []

    public init() {}
    init(_ ids: [String]) { deliveries = ids }

    public static let schema: String? = "DeliveryList"
    public static let fields: [Field<Self>] = [Field(always: "deliveries", \.deliveries, "Our ids")]
}
