public import UsherActivities
public import UsherEngine
internal import UsherJSON
public import UsherOperation
internal import UsherScene
public import UsherStore
internal import UsherSystem
public import UsherText

/// A link of a note.
public struct LinkAnswer: AnswerRecord {
    public enum Kind: String, FieldChoice { case targetContentIdentifier, persistentIdentifier, webpageURL }

    public struct Identifier: AnswerRecord {
        public var kind = Kind.targetContentIdentifier
        public var identifier = ""

        public init() {}
        init(_ stored: Store.LinkIdentifier) {
            kind = Kind(rawValue: stored.kind.name) ?? .targetContentIdentifier
            identifier = stored.identifier.text
        }

        public static let fields: [Field<Self>] = [
            Field(always: "kind", \.kind), Field(always: "identifier", \.identifier),
        ]
    }

    /// The file that a link leads to, when the link was made.
    public struct File: AnswerRecord {
        public var device = Decimal("0")
        public var inode = Decimal("0")
        public var birth: Decimal?
        public var size = Decimal("0")

        public init() {}
        fileprivate init(_ file: FileIdentity) {
            (device, inode) = (Decimal("\(file.device)"), Decimal("\(file.inode)"))
            birth = file.birth == 0 ? nil : Decimal("\(file.birth)")
            size = Decimal("\(file.size)")
        }

        public static let fields: [Field<Self>] = [
            Field(always: "device", \.device, "", ["type": "integer"]),
            Field(always: "inode", \.inode, "", ["type": "integer"]),
            Field(always: "birth", \.birth, "In nanoseconds since 1970", ["type": ["integer", "null"]]),
            Field(always: "size", \.size, "", ["type": "integer"]),
        ]
    }

    public var id = ""
    public var short = ""
    public var note = ""
    public var app: String?
    public var title: String?
    public var identifiers: [Identifier] = []
    public var target: String?
    public var resolved: String?
    public var hops: [HopAnswer] = []
    public var deleted: String?
    public var webpage: String?
    public var created = Instant(microseconds: 0)
    /// Of one link.
    public var activity: Kept<UserActivityDocument>??
    public var file: File??

    public init() {}

    /// - Parameter isWhole: with the activity and the file that the link was made from.
    init(_ link: Store.Link, isWhole: Bool = false) {
        (id, note, app, title) = (link.id, link.note, link.app, link.title)
        identifiers = link.identifiers.map(Identifier.init)
        (target, resolved, webpage) = (link.target?.text, link.resolved?.text, link.webpage?.text)
        hops = link.redirection.hops.map(HopAnswer.init)
        if case .deleted(let note) = link.redirection.end { deleted = note }
        created = Instant(microseconds: link.created)
        guard isWhole else { return }
        activity = .some(link.document.flatMap { Kept(parsing: $0) })
        file = .some(link.file.map(File.init))
    }

    public static let schema: String? = "Link"
    public static let fields: [Field<Self>] = [
        Field(always: "id", \.id, "UUIDv7"), Field(always: "short", \.short, shortHelp), Field(always: "note", \.note),
        Field(always: "app", \.app), Field(always: "title", \.title), Field(always: "identifiers", \.identifiers),
        Field(always: "target", \.target, "The preferred identifier"),
        Field(always: "resolved", \.resolved, "What it is called now"), Field(always: "hops", \.hops),
        Field(always: "deleted", \.deleted, "That the content is gone, and why"), Field(always: "webpage", \.webpage),
        Field(always: "created", \.created),
        Field(ifAny: "activity", \.activity, "Of one link: the activity that it was made from"),
        Field(
            ifAny: "file", \.file, "Of one link to a file: the file when the link was made",
            ["type": ["object", "null"]]),
    ]
}

/// A link that was made or removed.
public struct LinkChangeAnswer: AnswerRecord {
    public var link = LinkAnswer()
    /// Of one that was made.
    public var isNew: Bool?
    public var findings: [FindingAnswer]?
    private var givenWarnings: [String]?
    public var warnings: [String] {
        get { givenWarnings ?? [] }
        set { givenWarnings = newValue }
    }

    public init() {}
    init(_ link: LinkAnswer) { self.link = link }

    public static let schema: String? = "LinkAnswer"
    public static let fields: [Field<Self>] = [
        Field(always: "link", \.link),
        Field(ifAny: "is_new", \.isNew, "False where the note had this link already"),
        Field(ifAny: "findings", \.findings), Field(ifAny: "warnings", \.givenWarnings),
    ]
}

/// Notes with links to content.
public struct LinkedNotesAnswer: AnswerRecord {
    public var suggestions: [LinkedNoteAnswer] = []

    public init() {}
    init(_ found: [Store.NoteMatch]) { suggestions = found.map(LinkedNoteAnswer.init) }

    public static let schema: String? = "SuggestionList"
    public static let fields: [Field<Self>] = [Field(always: "suggestions", \.suggestions)]
}

extension LinkedNoteAnswer {
    init(_ found: Store.NoteMatch) {
        self.init()
        (note, target, text) = (found.note, Store.Note.scheme + ":" + found.note, Store.Note.title(of: found.text))
        (link, title, app) = (found.link.id, found.link.title, found.link.app)
        (identifier, matched) = (found.identifier.text, found.matched.text)
        (via, rules) = (found.via.map(HopAnswer.init), found.rules)
        created = Instant(microseconds: found.link.created)
    }
}

/// The notes with links to what the user looks at.
public enum LinkedNotes {
    /// Of identifiers, else of what the user looks at: the system's current activity. Writes nothing, and asks no window
    /// system.
    ///
    /// - Parameter app: the app whose identifiers the targets are; nil: of any app.
    /// - Returns: the current activity's id, where it was asked for it, and the suggestions.
    public static func now(
        in store: Store, targets: [String], app: String? = nil
    ) throws(StoreError) -> (activity: String?, suggestions: [LinkedNoteAnswer]) {
        var identifiers = targets
        var activity: String?
        var app = app
        if targets.isEmpty {
            let current = try CurrentActivities.system(in: store, leavingOut: SessionLoss.ended(in: store))
            activity = current?.id
            identifiers = current?.identifiers ?? []
            app = current?.app
        }
        guard !identifiers.isEmpty else { return (activity, []) }
        let found = try store.suggestions(for: identifiers.map { TargetContentIdentifier($0) }, app: app)
        return (activity, found.map(LinkedNoteAnswer.init))
    }
}
