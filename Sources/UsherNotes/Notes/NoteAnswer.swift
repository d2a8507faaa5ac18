internal import UsherEngine
internal import UsherJSON
public import UsherOperation
internal import UsherStore
public import UsherText

/// A note.
public struct NoteAnswer: AnswerRecord {
    public enum State: String, FieldChoice {
        case current, aside, done
        /// Of one that was deleted just now.
        case deleted
    }

    /// Where a search found it.
    public enum MatchedPart: String, FieldChoice { case text, link }

    public struct Attachment: AnswerRecord {
        public var path: String?
        public var digest: String?
        /// In bytes.
        public var size: Int?
        public var added = Instant(microseconds: 0)

        public init() {}
        init(_ stored: Store.Attachment) {
            (path, digest, size) = (stored.path, stored.digest, stored.size.map { Int($0) })
            added = Instant(microseconds: stored.added)
        }

        public static let schema: String? = "Attachment"
        public static let fields: [Field<Self>] = [
            Field(always: "path", \.path), Field(always: "digest", \.digest), Field(always: "size", \.size),
            Field(always: "added", \.added),
        ]
    }

    public var id = ""
    public var short = ""
    public var target = ""
    public var title = ""
    public var text = ""
    public var tags: [String] = []
    public var state = State.current
    public var line = 0
    public var created = Instant(microseconds: 0)
    public var changed = Instant(microseconds: 0)
    /// In lists.
    public var linkCount: Int?
    /// Of a search.
    public var snippet: String?
    public var foundIn: MatchedPart?
    /// Of one that is shown by itself.
    public var links: [LinkAnswer]?
    public var attachments: [Attachment]?

    public init() {}

    init(_ note: Store.Note, isDeleted: Bool = false) {
        (id, target, title, text) = (note.id, note.target, note.title, note.text)
        tags = note.tags.map(\.text)
        state = isDeleted ? .deleted : State(rawValue: note.state.rawValue) ?? .aside
        line = note.line
        created = Instant(microseconds: note.created)
        changed = Instant(microseconds: note.changed)
    }

    public static let schema: String? = "Note"
    public static let fields: [Field<Self>] = [
        Field(always: "id", \.id, "UUIDv7"), Field(always: "short", \.short, shortHelp),
        Field(always: "target", \.target, "", ["pattern": "^usher-note:"]),
        Field(always: "title", \.title, "The first line"), Field(always: "text", \.text),
        Field(always: "tags", \.tags, "Of the text, sorted, without their #"),
        Field(always: "state", \.state, "current: in progress"),
        Field(always: "line", \.line, "Where one was in it"), Field(always: "created", \.created),
        Field(always: "changed", \.changed), Field(ifAny: "link_count", \.linkCount, "In lists"),
        Field(ifAny: "snippet", \.snippet, "Of a search: the words and what is around them"),
        Field(ifAny: "found_in", \.foundIn, "Of a search"), Field(ifAny: "links", \.links),
        Field(ifAny: "attachments", \.attachments),
    ]
}

/// A note that was made or changed.
public struct NoteChangeAnswer: AnswerRecord {
    public var note = NoteAnswer()
    /// Of a new one.
    public var links: [LinkAnswer]?
    public var warnings: [String] = []

    public init() {}
    init(_ note: NoteAnswer) { self.note = note }

    public static let schema: String? = "NoteAnswer"
    public static let fields: [Field<Self>] = [
        Field(always: "note", \.note), Field(ifAny: "links", \.links), Field(ifAny: "warnings", \.warnings),
    ]
}

/// A tag of notes.
public struct NoteTagAnswer: AnswerRecord {
    public var tag = ""
    public var notes = 0

    public init() {}
    init(_ tag: String, notes: Int) { (self.tag, self.notes) = (tag, notes) }

    public static let schema: String? = "NoteTag"
    public static let fields: [Field<Self>] = [
        Field(always: "tag", \.tag, "In lower case, without its #"),
        Field(always: "notes", \.notes, "How many notes have it"),
    ]
}

/// What came of an import of notes.
public struct NoteImportAnswer: AnswerRecord {
    /// Of one sort.
    public struct Count: AnswerRecord {
        public var added = 0
        public var same = 0
        public var kept = 0
        public var replaced = 0

        public init() {}
        init(_ count: Store.Imported.Count) {
            (added, same, kept, replaced) = (count.added, count.same, count.kept, count.replaced)
        }

        public static let fields: [Field<Self>] = [
            Field(always: "added", \.added), Field(always: "same", \.same), Field(always: "kept", \.kept),
            Field(always: "replaced", \.replaced),
        ]
    }

    public var hasChanged = false
    public var notes = Count()
    public var links = Count()
    public var redirects = Count()
    public var hasPutAside = false

    public init() {}
    init(_ imported: Store.Imported) {
        (hasChanged, hasPutAside) = (imported.changes > 0, imported.hasPutAside)
        (notes, links) = (Count(imported.notes), Count(imported.links))
        redirects = Count(imported.redirects)
    }

    public static let fields: [Field<Self>] = [
        Field(always: "changed", \.hasChanged), Field(always: "notes", \.notes), Field(always: "links", \.links),
        Field(always: "redirects", \.redirects), Field(always: "put_aside", \.hasPutAside),
    ]
}
