internal import UsherScene

/// How many notes a list has.
private let limits = 1...1000
private let lines = 1...Int(Int32.max)
let noteHelp = "its id or the beginning of it, `usher-note:` and it, or `current`"

public struct NoteNew: ContentCall {
    public var text = ""
    public var links: [String] = []
    public var attachments: [String] = []
    public var activity: String?

    public init() {}
    public init(text: String, links: [String] = [], attachments: [String] = [], activity: String? = nil) {
        (self.text, self.links, self.attachments, self.activity) = (text, links, attachments, activity)
    }

    public var waits: Bool { activity != nil }

    public static let name = "note.new"
    public static let operation = Operation<Self>(
        "makes a note, which is then the one in progress", .edit,
        [
            Field("text", \.text, "its text"), Field("links", \.links, "identifiers of content"),
            Field("attachments", \.attachments, "files of this machine, by their paths or digests"),
            Field(
                "activity", \.activity, "an activity, by its id, or `current`: a link to it, if it can be linked to",
                identifies: .activity),
        ],
        http: [
            HTTPForm(
                .post, "/v1/notes", answer: .one("NoteAnswer"), made: .init(["note", "id"], "/v1/notes/"),
                examples: [
                    (
                        "clown",
                        #"{"text":"Book Crusty for Saturday","links":["https://clowntown.example/clowns/crusty"]}"#
                    )
                ])
        ])
}

public struct NoteShow: ContentCall {
    public var note = ""

    public init() {}
    public init(note: String) { self.note = note }

    public static let name = "note.show"
    public static let operation = Operation<Self>(
        "one note, with its links and attachments", .read, [Field("note", \.note, noteHelp, identifies: .note)],
        http: [HTTPForm(.get, "/v1/notes/{note}", answer: .one("Note"))])
}

public struct NoteList: ContentCall {
    public var state: String?
    public var tag: String?
    public var limit: Int?
    public var before: String?

    public init() {}
    public init(state: String? = nil, tag: String? = nil, limit: Int? = nil, before: String? = nil) {
        (self.state, self.tag, self.limit, self.before) = (state, tag, limit, before)
    }

    public static let name = "note.list"
    public static let operation = Operation<Self>(
        "the notes, first the one that was changed last", .read,
        [
            Field("state", \.state, oneOf: ["current", "aside", "done"], "in this state only"),
            Field("tag", \.tag, "with this tag only, with or without its `#`"),
            Field("limit", \.limit, in: limits, "at most so many (50)"),
            Field("before", \.before, "older than this note: the next page", identifies: .note),
        ],
        http: [HTTPForm(.get, "/v1/notes", answer: .list("Note"))])
}

public struct NoteEdit: ContentCall {
    public var note = ""
    public var text = ""
    public var line: Int?
    public var was: String?
    public var links: [NoteLinkEdit] = []

    public init() {}
    public init(note: String, text: String, line: Int? = nil, was: String? = nil, links: [NoteLinkEdit] = []) {
        (self.note, self.text, self.line, self.was, self.links) = (note, text, line, was, links)
    }

    public static let name = "note.edit"
    public static let operation = Operation<Self>(
        "gives a note another text", .edit,
        [
            Field("note", \.note, noteHelp, identifies: .note), Field("text", \.text, "the new text"),
            Field("line", \.line, in: lines, "where one is in it"),
            Field("was", \.was, "the digest of the text that is edited: another one is an error"),
            Field("links", \.links, "changes of its links", isRequired: false),
        ],
        http: [
            HTTPForm(
                .patch, "/v1/notes/{note}", answer: .one("NoteAnswer"), refusals: [409],
                examples: [("text", #"{"text":"Book Crusty for Sunday","line":1}"#)])
        ])
}

public struct NoteAttach: ContentCall {
    public var note = ""
    public var path: String?
    public var digest: String?

    public init() {}
    public init(note: String, path: String? = nil, digest: String? = nil) {
        (self.note, self.path, self.digest) = (note, path, digest)
    }

    public static let name = "note.attach"
    public static let operation = Operation<Self>(
        "attaches a file of this machine", .edit,
        [
            Field("note", \.note, noteHelp, identifies: .note), Field("path", \.path, "where it is"),
            Field("digest", \.digest, "instead of the path: `sha256:` and its digest"),
        ],
        http: [
            HTTPForm(
                .post, "/v1/notes/{note}/attachments", answer: .one("NoteAnswer"),
                made: .init(["note", "id"], "/v1/notes/"), examples: [("path", #"{"path":"/home/me/contract.pdf"}"#)])
        ])
}

public struct NoteAside: ContentCall {
    public var note: String?

    public init() {}

    public static let name = "note.aside"
    public static let operation = Operation<Self>(
        "puts the note in progress aside, or another one back there", .edit,
        [Field("note", \.note, "which; else the one in progress", identifies: .note)],
        http: [HTTPForm(.post, "/v1/notes/{note}/aside", answer: .one("NoteAnswer"))])
}

public struct NoteResume: ContentCall {
    public var note: String?

    public init() {}

    public static let name = "note.resume"
    public static let operation = Operation<Self>(
        "takes up a note again: it is then the one in progress", .edit,
        [Field("note", \.note, "which; else the one that was put aside last", identifies: .note)],
        http: [HTTPForm(.post, "/v1/notes/{note}/resume", answer: .one("NoteAnswer"))])
}

public struct NoteDone: ContentCall {
    public var note: String?

    public init() {}

    public static let name = "note.done"
    public static let operation = Operation<Self>(
        "finishes the note in progress, or another one", .edit,
        [Field("note", \.note, "which; else the one in progress", identifies: .note)],
        http: [HTTPForm(.post, "/v1/notes/{note}/done", answer: .one("NoteAnswer"))])
}

public struct NoteDelete: ContentCall {
    public var note = ""

    public init() {}

    public static let name = "note.delete"
    public static let operation = Operation<Self>(
        "removes a note with its links and attachments", .edit, [Field("note", \.note, noteHelp, identifies: .note)],
        http: [HTTPForm(.delete, "/v1/notes/{note}", answer: .one("NoteAnswer"))])
}

public struct NoteSearch: ContentCall {
    public var query = ""
    public var limit: Int?

    public init() {}

    public static let name = "note.search"
    public static let operation = Operation<Self>(
        "the notes with all of these words: in their text, or in titles and addresses of links", .read,
        [
            Field("query", \.query, "beginnings of words, tags with their `#`, or an identifier that notes link to"),
            Field("limit", \.limit, in: limits, "at most so many (50)"),
        ],
        http: [HTTPForm(.get, "/v1/notes", answer: .list("Note"), renamed: ["q": "query"], selector: "q")])
}

public struct NoteImportation: ContentCall {
    public var file = ""
    public var choice: String?

    public init() {}
    public init(file: String, choice: String? = nil) { (self.file, self.choice) = (file, choice) }

    public static let name = "note.import"
    public static let operation = Operation<Self>(
        "takes in what `usher note export` wrote", .edit,
        [
            Field("file", \.file, "an absolute path"),
            Field("choice", \.choice, oneOf: ["refuse", "keep", "replace"], "what becomes of notes that differ"),
        ])
}
