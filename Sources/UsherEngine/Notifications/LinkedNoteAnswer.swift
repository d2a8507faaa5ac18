internal import UsherJSON
public import UsherOperation
internal import UsherPayload
internal import UsherScene
internal import UsherSystem
public import UsherText

/// A note with a link to content.
public struct LinkedNoteAnswer: AnswerRecord, Hashable {
    public var note = ""
    public var target = ""
    public var text = ""
    public var link = ""
    public var title: String?
    public var identifier = ""
    public var matched = ""
    public var via: [HopAnswer] = []
    public var rules: [String] = []
    public var created = Instant(microseconds: 0)
    public var app: String?

    public init() {}

    public static let schema: String? = "Suggestion"
    public static let fields: [Field<Self>] = [
        Field(always: "note", \.note), Field(always: "target", \.target, "", ["pattern": "^usher-note:"]),
        Field(always: "text", \.text, "The note's first line"), Field(always: "link", \.link),
        Field(always: "title", \.title), Field(always: "identifier", \.identifier, "As the link has it"),
        Field(always: "matched", \.matched, "As the activity has it"),
        Field(always: "via", \.via, "The moves between them"),
        Field(always: "rules", \.rules, "The rules by which both addresses are the same"),
        Field(always: "created", \.created), Field(always: "app", \.app),
    ]
}

extension LinkedNoteAnswer {
    /// The suggestion as a notification of Usher's notes: passive, so that it makes no sound and waits while the desktop
    /// shows none. A click opens the note.
    package var notification: Arrival {
        let kind = TargetContentIdentifier(matched).webHost == nil ? "document" : "page"
        let payload: JSONValue = [
            "aps": [
                "alert": ["title": .string(title ?? "Note about this \(kind)"), "body": .string(text)],
                "interruption-level": "passive", "target-content-id": .string(target),
            ]
        ]
        let input = Array(payload.text().utf8)
        var reader = PayloadReader(format: .apns)
        let reading = Result<Payload, PayloadError> { () throws(PayloadError) in try reader.read(input) }
        return Arrival(reading, input: input, source: "suggestion", started: MonotonicClock.now)
    }
}
