internal import UsherScene

public struct ContactImport: ContentCall {
    public var file = ""

    public init() {}
    public init(file: String) { self.file = file }

    public static let name = "contact.import"
    public static let operation = Operation<Self>(
        "takes in the contacts of a file of vCards: 2.1, 3.0 and 4.0", .edit,
        [Field("file", \.file, "an absolute path")])
}

public struct ContactList: ContentCall {
    public init() {}

    public static let name = "contact.list"
    public static let operation = Operation<Self>(
        "the contacts, by name", .read, [], http: [HTTPForm(.get, "/v1/contacts", answer: .list("Contact"))])
}

/// Something that a person did with an app, as the app donates it.
public struct Donation: RecordValue {
    public var app = ""
    public var intent = ""
    public var participants: [String] = []
    public var target: String?
    public var direction: String?
    public var outcome: String?
    public var activity: String?
    public var id: String?
    public var time: String?

    public init() {}

    public static let fields: [Field<Donation>] = [
        Field("app", \.app, "the app that it was done with"),
        Field("intent", \.intent, "what was done: sendMessage, startAudioCall and so on"),
        Field("participants", \.participants, "with whom: names, or `tel:` and `mailto:` addresses"),
        Field("target", \.target, "the identifier of the content"),
        Field("direction", \.direction, oneOf: ["outgoing", "incoming"], "who began it; outgoing if it is not given"),
        Field("outcome", \.outcome, oneOf: ["success", "failure"], "what came of it; success if it is not given"),
        Field("activity", \.activity, "the activity in which it was done, by its id, or `current`: the system's"),
        Field("id", \.id, "the donor's own: the same again is the same interaction"),
        Field("time", \.time, "when, by RFC 3339; now if it is not given"),
    ]
}

public struct InteractionDonate: ContentCall {
    public var interactions: [Donation] = []

    public init() {}
    public init(_ interactions: [Donation]) { self.interactions = interactions }

    public static let name = "interaction.donate"
    public static let operation = Operation<Self>(
        "takes in what people did with apps, all of it or nothing", .edit,
        [Field("interactions", \.interactions, "one or more")],
        http: [
            HTTPForm(
                .post, "/v1/interactions", answer: .list("Interaction"), refusals: [404],
                examples: [
                    (
                        "message",
                        #"{"interactions":[{"app":"example.chat","intent":"sendMessage","participants":["Crusty"]}]}"#
                    )
                ])
        ])
}

public struct InteractionList: ContentCall {
    public static let limits = 1...100_000
    public var app: String?
    public var limit: Int?

    public init() {}

    public static let name = "interaction.list"
    public static let operation = Operation<Self>(
        "what people did with apps, the newest first", .read,
        [
            Field("app", \.app, "with this app only"), Field("limit", \.limit, in: limits, "at most so many (100000)"),
        ],
        http: [HTTPForm(.get, "/v1/interactions", answer: .list("Interaction"))])
}

public struct InteractionForget: ContentCall {
    public var interactions: [String] = []

    public init() {}
    public init(_ interactions: [String]) { self.interactions = interactions }

    public static let name = "interaction.forget"
    public static let operation = Operation<Self>(
        "forgets interactions, all of these or none", .edit,
        [Field("interactions", \.interactions, "their ids")],
        http: [HTTPForm(.delete, "/v1/interactions/{interactions}", answer: .one("ForgottenInteractions"))])
}

public struct NoteSignal: ContentCall {
    public var signal = ""
    public var at: String?

    public init() {}
    public init(_ signal: String, at: String? = nil) { (self.signal, self.at) = (signal, at) }

    public static let name = "signal.send"
    public static let operation = Operation<Self>(
        "records a signal: an event outside the apps, such as headphones that were plugged in", .edit,
        [
            Field("signal", \.signal, "its name: letters from a to z, digits and hyphens"),
            Field("at", \.at, "when, by RFC 3339; now if it is not given"),
        ],
        http: [HTTPForm(.post, "/v1/signals", answer: .one("Signal"), examples: [("car", #"{"signal":"car"}"#)])])
}

public struct Remind: ContentCall {
    public var text = ""
    public var at: String?
    public var delay: String?
    public var whenOpens: String?
    public var when: String?

    public init() {}

    public static let name = "reminder.new"
    public static let operation = Operation<Self>(
        "makes a reminder of what the user looks at", .edit,
        [
            Field("text", \.text, "what the notification says"),
            Field("at", \.at, "then, by RFC 3339"), Field("in", \.delay, "so long from now: 90s, 15m, 2h, 7d"),
            Field("when_opens", \.whenOpens, "when this content is opened next"),
            Field("when", \.when, "on the next signal of this name"),
        ],
        http: [
            HTTPForm(
                .post, "/v1/reminders", answer: .one("Reminder"), made: .init(["id"], "/v1/reminders/"),
                examples: [("later", #"{"text":"Call Crusty","in":"2h"}"#)])
        ])
}

public struct ReminderList: ContentCall {
    public init() {}

    public static let name = "reminder.list"
    public static let operation = Operation<Self>(
        "the reminders, the oldest first", .read, [],
        http: [HTTPForm(.get, "/v1/reminders", answer: .list("Reminder"))])
}

public struct ReminderDelete: ContentCall {
    public var reminder = ""

    public init() {}
    public init(_ reminder: String) { self.reminder = reminder }

    public static let name = "reminder.delete"
    public static let operation = Operation<Self>(
        "removes a reminder", .edit,
        [Field("reminder", \.reminder, "its id, or the beginning of it", identifies: .reminder)],
        http: [HTTPForm(.delete, "/v1/reminders/{reminder}", answer: .one("Reminder"))])
}

public struct Suggest: ContentCall {
    public static let limits = 1...100_000
    public var kind = ""
    public var person: String?
    public var contentType: String?
    public var prefix: String?
    public var context: String?
    public var forApp: String?
    public var perform: String?
    public var signal: String?
    public var at: String?
    public var limit: Int?
    public var why = false

    public init() {}
    public init(_ kind: String) { self.kind = kind }

    public static let name = "suggestion.list"
    public static let operation = Operation<Self>(
        "suggests places, texts, contacts, media and apps from recent use", .read,
        [
            Field("kind", \.kind, "`place`, `text`, `contact`, `media` or `app`"),
            Field("name", \.person, "of a person, or a number or address: the apps that were used with that person"),
            Field("content_type", \.contentType, "what the text field is for (UITextContentType)"),
            Field("prefix", \.prefix, "what it begins with, case and accents apart"),
            Field("context", \.context, "the text before the cursor: it may end in a phrase"),
            Field("for", \.forApp, "the app that it is offered to, which declares the kind"),
            Field("perform", \.perform, "apps that can do this: `call`, `directions` and so on"),
            Field("signal", \.signal, "only what followed this signal within ten minutes"),
            Field("at", \.at, "as at this time, as in 2027-01-31T12:00:00Z; now if it is not given"),
            Field("limit", \.limit, in: limits, "at most so many (5)"),
            Field("why", \.why, "the events behind each, and what was left out"),
        ],
        http: [HTTPForm(.get, "/v1/suggestions/{kind}", answer: .list("SuggestedItem"))])
}

public struct Forget: ContentCall {
    public var app: String?
    public var source: String?
    public var since: String?
    public var all = false
    public var dryRun = false
    public var onlyReads: Bool { dryRun }

    public init() {}

    public static let name = "suggestion.forget"
    public static let operation = Operation<Self>(
        "forgets what suggestions are made of; several options all have to hold", .edit,
        [
            Field("app", \.app, "what is of this app"), Field("source", \.source, "what is of this app, or this host"),
            Field("since", \.since, "what is from then on, by RFC 3339, or from so long ago on: 90s, 15m, 2h, 7d"),
            Field("all", \.all, "everything"), Field("dry_run", \.dryRun, "only say how much it is"),
        ],
        http: [
            HTTPForm(
                .post, "/v1/forget", answer: .one("Forgotten"),
                examples: [("hour", #"{"since":"1h"}"#), ("app", #"{"app":"example.chat","dry_run":true}"#)])
        ])
}
