public import UsherScene
public import UsherText

/// Something that a person did with an app, as the app donates it.
public struct Interaction: Sendable {
    public enum Direction: String, Sendable, CaseIterable { case outgoing, incoming }
    public enum Outcome: String, Sendable, CaseIterable { case success, failure }

    /// The donor's, or made by the store.
    public var id: String?
    public var app: String
    public var intent: Intent
    /// Names, `tel:` and `mailto:` addresses, as donated.
    public var participants: [String] = []
    /// The newest identifier of moved content.
    public var target: TargetContentIdentifier?
    public var isContentDeleted = false
    public var direction: Direction
    public var outcome: Outcome
    /// The id of the activity in which it was done.
    public var activity: String?
    public var time: Instant

    public init(app: String, intent: Intent, direction: Direction, outcome: Outcome, time: Instant) {
        self.app = app
        self.intent = intent
        self.direction = direction
        self.outcome = outcome
        self.time = time
    }
}
