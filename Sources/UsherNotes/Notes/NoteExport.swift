internal import UsherEngine
internal import UsherJSON
internal import UsherOperation
internal import UsherScene
public import UsherStore
internal import UsherText

/// Writes notes, links and redirects as JSON Lines: `usher note export`. Only reads the store.
public struct NoteExport: Sendable {
    private let store: Store

    public init(_ store: Store) { self.store = store }

    /// What was written.
    public struct Counts: Sendable, Hashable {
        public var notes = 0
        public var links = 0
        public var redirects = 0
    }

    fileprivate struct Work: Sendable {
        var digest = MessageDigest()
        var json = JSONWriter(escaping: .minimal)
        var counts = Counts()
    }

    /// Writes everything, or some notes with their links, to an empty file that is open for writing.
    ///
    /// - Parameter restart: empties the file again: the store was replaced while it was read.
    public func write(
        notes: [String]? = nil, restart: @Sendable () throws(StoreError) -> Void,
        to write: @Sendable ([UInt8]) throws(StoreError) -> Void
    ) throws(StoreError) -> Counts {
        var work = Work()
        try store.exportContent(into: &work, notes: notes) { (work) throws(StoreError) in
            try restart()
            work = Work()
            work.json.exportHeader()
        } take: { (work, row) throws(StoreError) in
            switch row {
            case .note: work.counts.notes += 1
            case .link: work.counts.links += 1
            case .redirect: work.counts.redirects += 1
            }
            work.json.exportLine(row)
            if work.json.bytes.count >= 1 << 18 { try work.flush(write) }
        }
        try work.flush(write)
        work.json.exportEnd(
            notes: work.counts.notes, links: work.counts.links, redirects: work.counts.redirects,
            digest: work.digest.hexadecimal())
        try write(work.json.bytes)
        return work.counts
    }
}

extension NoteExport.Work {
    fileprivate mutating func flush(_ write: ([UInt8]) throws(StoreError) -> Void) throws(StoreError) {
        digest.update(json.bytes)
        try write(json.bytes)
        json.reset()
    }
}

/// The lines of an export of notes: JSON Lines with a header first, then notes, links and redirects, then an end line
/// with which all lines before it are checked.
///
/// Times are microseconds since 1970. Members are never added within a version: a reader of a
/// version reads all its members.
enum ExportFormat {
    static let kind = "usher-notes"
    static let version = 1
    /// The longest line that is read.
    static let longestLine = 256 << 20
    /// Numbers that every JSON reader keeps exact.
    static let numbers = 1...(1 << 53)

    enum LineKind: String, CaseIterable {
        case note, link, redirect, end
    }
}

extension JSONWriter {
    mutating func exportHeader() {
        beginObject()
        member("kind", ExportFormat.kind)
        member("version", ExportFormat.version)
        member("usher", UsherVersion.text)
        endObject()
        newline()
    }

    mutating func exportEnd(notes: Int, links: Int, redirects: Int, digest: String) {
        beginObject()
        member("kind", ExportFormat.LineKind.end.rawValue)
        member("notes", notes)
        member("links", links)
        member("redirects", redirects)
        member("sha256", digest)
        endObject()
        newline()
    }
}

// MARK: - Reading

extension ContentRow {
    /// A line of an export; members that this version does not know are refused.
    init(_ kind: ExportFormat.LineKind, _ line: JSONValue) throws(ControlError) {
        switch kind {
        case .note: self = .note(try Note(exported: line))
        case .link: self = .link(try Link(exported: line))
        case .redirect: self = .redirect(try Redirect(exported: line))
        case .end: throw .argument("an end where a note, a link or a redirect was expected", at: "/kind")
        }
    }
}

extension ContentRow.Note {
    fileprivate init(exported line: JSONValue) throws(ControlError) {
        let reader = try MemberReader(
            line, at: "", allowed: ["kind", "id", "text", "state", "line", "created", "changed", "attachments"])
        let state = try reader.requiredText("state")
        guard ContentRow.Note.states.contains(where: { $0.hasSameBytes(as: state) }) else {
            throw .unknown(.controlArgument, "state", state, among: ContentRow.Note.states, at: "/state")
        }
        var attachments: [Store.Attachment] = []
        for (index, element) in (try reader.elements("attachments") ?? []).enumerated() {
            attachments.append(try Store.Attachment(exported: element, at: "/attachments/\(index)"))
        }
        let text = try reader.requiredText("text")
        try NoteText.check(text)
        self.init(
            id: try reader.requiredText("id"), text: text, state: state,
            line: try reader.number("line", in: ExportFormat.numbers), created: try reader.time("created"),
            changed: try reader.time("changed"), attachments: attachments)
    }
}

extension Store.Attachment {
    fileprivate init(exported value: JSONValue, at place: String) throws(ControlError) {
        let reader = try MemberReader(value, at: place, allowed: ["path", "digest", "size", "added"])
        let (path, digest) = (try reader.text("path"), try reader.text("digest"))
        guard path != nil || digest != nil else { throw reader.missing("path") }
        self.init(
            path: path, digest: digest, size: try reader.integer("size", in: 0...Int.max).map { Int64($0) },
            added: try reader.time("added"))
    }
}

extension ContentRow.Link {
    fileprivate init(exported line: JSONValue) throws(ControlError) {
        let reader = try MemberReader(
            line, at: "",
            allowed: ["kind", "id", "note", "app", "title", "created", "identifiers", "activity", "activity_base64"])
        var identifiers: [ContentRow.Identifier] = []
        for (index, element) in (try reader.elements("identifiers") ?? []).enumerated() {
            let one = try MemberReader(element, at: "/identifiers/\(index)", allowed: ["kind", "identifier"])
            let kind = try one.requiredText("kind")
            guard let place = ContentRow.Identifier.kinds.firstIndex(where: { $0.hasSameBytes(as: kind) }) else {
                throw .unknown(
                    .controlArgument, "kind of identifier", kind, among: ContentRow.Identifier.kinds,
                    at: one.pointer("kind"))
            }
            let identifier = ContentRow.Identifier(kind: Int64(place + 1), identifier: try one.contentID("identifier"))
            guard !identifiers.contains(identifier) else {
                throw .argument("the same identifier stands there twice", at: one.pointer("identifier"))
            }
            identifiers.append(identifier)
        }
        var document = try reader.text("activity").map { Array($0.utf8) }
        if let encoded = try reader.text("activity_base64") {
            guard document == nil, let bytes = Base64.decode(encoded) else {
                throw .argument("activity_base64 is not Base64 (RFC 4648) in place of activity", at: "/activity_base64")
            }
            document = bytes
        }
        self.init(
            id: try reader.requiredText("id"), note: try reader.requiredText("note"), app: try reader.text("app"),
            title: try reader.text("title"), created: try reader.time("created"), identifiers: identifiers,
            document: document)
    }
}

extension ContentRow.Redirect {
    fileprivate init(exported line: JSONValue) throws(ControlError) {
        let reader = try MemberReader(
            line, at: "", allowed: ["kind", "number", "source", "destination", "is_prefix", "made", "reason"])
        let destination = reader.value("destination") == nil ? nil : try reader.contentID("destination")
        let isPrefix = try reader.flag("is_prefix")
        guard !isPrefix || destination != nil else {
            throw .argument("a prefix can be moved, and not deleted: destination is missing", at: "/destination")
        }
        let source = try reader.contentID("source")
        guard destination?.utf8.elementsEqual(source.utf8) != true else {
            throw .argument("an identifier cannot move onto itself", at: "/destination")
        }
        let reason = try reader.text("reason")
        if let reason { try RedirectReason.check(reason, at: "/reason") }
        self.init(
            number: try reader.number("number", in: ExportFormat.numbers), source: source, destination: destination,
            isPrefix: isPrefix, made: try reader.time("made"), reason: reason)
    }
}

extension MemberReader {
    func number(_ name: String, in range: ClosedRange<Int>) throws(ControlError) -> Int64 {
        guard let number = try integer(name, in: range) else { throw missing(name) }
        return Int64(number)
    }

    fileprivate func time(_ name: String) throws(ControlError) -> Int64 { try number(name, in: Int.min...Int.max) }

    /// An identifier of content: as long and as clean as the store takes one.
    fileprivate func contentID(_ name: String) throws(ControlError) -> String {
        let text = try requiredText(name)
        guard !text.isEmpty, text.utf8.count <= 16 << 10, !text.utf8.contains(0) else {
            throw .argument(
                "\(name) is empty, holds a NUL or is longer than 16 KiB, and no identifier", at: pointer(name))
        }
        return text
    }
}

// MARK: - Writing

extension JSONWriter {
    mutating func exportLine(_ row: ContentRow) {
        beginObject()
        switch row {
        case .note(let note): exportMembers(note)
        case .link(let link): exportMembers(link)
        case .redirect(let redirect):
            member("kind", ExportFormat.LineKind.redirect.rawValue)
            member("number", redirect.number)
            member("source", redirect.source)
            member("destination", redirect.destination)
            member("is_prefix", redirect.isPrefix)
            member("made", redirect.made)
            member("reason", redirect.reason)
        }
        endObject()
        newline()
    }

    private mutating func exportMembers(_ note: ContentRow.Note) {
        member("kind", ExportFormat.LineKind.note.rawValue)
        member("id", note.id)
        member("text", note.text)
        member("state", note.state)
        member("line", note.line)
        member("created", note.created)
        member("changed", note.changed)
        key("attachments")
        exportArray(note.attachments)
    }

    mutating func exportArray(_ attachments: [Store.Attachment]) {
        objects(attachments) { json, attachment in
            json.member("path", attachment.path)
            json.member("digest", attachment.digest)
            json.member("size", attachment.size)
            json.member("added", attachment.added)
        }
    }

    private mutating func exportMembers(_ link: ContentRow.Link) {
        member("kind", ExportFormat.LineKind.link.rawValue)
        member("id", link.id)
        member("note", link.note)
        member("app", link.app)
        member("title", link.title)
        member("created", link.created)
        exportMember(link.identifiers)
        guard let document = link.document else { return nullMember("activity") }
        exportActivity(document)
    }

    mutating func exportMember(_ identifiers: [ContentRow.Identifier]) {
        member("identifiers", objects: identifiers) { json, identifier in
            let place = Int(clamping: identifier.kind) - 1
            let kinds = ContentRow.Identifier.kinds
            json.member("kind", kinds.indices.contains(place) ? kinds[place] : String(identifier.kind))
            json.member("identifier", identifier.identifier)
        }
    }

    mutating func exportActivity(_ document: [UInt8]) {
        // As a text, so that not a byte of it changes.
        if let text = String(validating: document, as: UTF8.self) {
            member("activity", text)
        } else {
            member("activity_base64", Base64.encode(document))
        }
    }
}
