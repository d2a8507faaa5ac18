public import UsherScene
public import UsherStore
public import UsherSystem
internal import UsherTarget
internal import UsherText

extension Store {
    /// What connects a note with content: the identifiers of the content, exactly as they were given.
    public struct Link: Sendable, Hashable {
        public var id: String
        /// The note's id.
        public var note: String
        public var app: String?
        public var title: String?
        /// At least one, in the order of their kinds.
        public var identifiers: [LinkIdentifier]
        public var created: Int64
        /// The activity that it was made from, a JSON object: what is continued when the link is opened.
        public var document: [UInt8]?
        /// Of a link to a file of this machine: the file when the link was made.
        public var file: FileIdentity?
        /// Where the preferred identifier leads by now.
        public var redirection: Redirection
        /// Its row.
        package var number: Int64

        /// The identifier that stands for the link: a targetContentIdentifier or a persistentIdentifier, which are one thing
        /// under two names, before a web page.
        public var target: TargetContentIdentifier? { LinkIdentifier.preferred(of: identifiers) }

        public var webpage: TargetContentIdentifier? {
            identifiers.first { $0.kind == .webpageURL }?.identifier
        }

        /// The target, or where it has moved to.
        public var resolved: TargetContentIdentifier? { redirection.hops.last?.to ?? target }
    }

    /// One identifier of a link.
    public struct LinkIdentifier: Sendable, Hashable {
        /// The property of the activity that it was; the raw value is the store's.
        public enum Kind: Int64, Sendable, Hashable, CaseIterable {
            case targetContentIdentifier = 1
            case persistentIdentifier = 2
            case webpageURL = 3

            /// The property's name.
            public var name: String {
                switch self {
                case .targetContentIdentifier: "targetContentIdentifier"
                case .persistentIdentifier: "persistentIdentifier"
                case .webpageURL: "webpageURL"
                }
            }
        }

        public var kind: Kind
        public var identifier: TargetContentIdentifier

        public init(_ kind: Kind, _ identifier: TargetContentIdentifier) {
            self.kind = kind
            self.identifier = identifier
        }

        /// The file of this machine that the preferred one names, as it is now; nil where it names none. Looks at the file
        /// system.
        public static func file(of identifiers: [LinkIdentifier]) -> FileIdentity? {
            preferred(of: identifiers)?.filePath.flatMap { FileIdentity(path: $0) }
        }

        /// The one that stands for all: the first of the least kind.
        public static func preferred(of identifiers: [LinkIdentifier]) -> TargetContentIdentifier? {
            identifiers.min { $0.kind.rawValue < $1.kind.rawValue }?.identifier
        }
    }

    /// The link of that id; nil when there is none.
    public func link(id: String) throws(StoreError) -> Link? {
        try read { (state) throws(StoreError) in try state.link(id: id) }
    }

    /// Links, the newest first.
    ///
    /// - Parameters:
    ///   - note: only those of this note, by its id.
    ///   - target: only those that have this identifier, or one that leads to the same content or is compared as the same.
    ///   - app: the app whose identifier it is; nil: of any app. Has no effect on identifiers that are global.
    ///   - before: only those made before this link, by its id: the next page. A link that is not there any more has none.
    public func links(
        note: String? = nil, target: TargetContentIdentifier? = nil, app: String? = nil, limit: Int,
        before: String? = nil
    ) throws(StoreError) -> [Link] {
        try read { (state) throws(StoreError) in
            try state.links(note: note, target: target, app: app, limit: limit, before: before)
        }
    }
}

extension StoreState {
    package mutating func link(id: String) throws(StoreError) -> Store.Link? {
        guard let key = SQLiteValue(identifier: id) else { return nil }
        return try links("WHERE link.id = ?", [key]).first
    }

    /// See `Store.links(note:target:app:limit:before:)`.
    package mutating func links(
        note: String?, target: TargetContentIdentifier?, app: String? = nil, limit: Int, before: String?
    ) throws(StoreError) -> [Store.Link] {
        var end = Int64.max
        if let before {
            guard let key = SQLiteValue(identifier: before),
                let number = try integer("SELECT number FROM link WHERE id = ?", key)
            else { return [] }
            end = number
        }
        var noteNumber: Int64?
        if let note {
            guard let key = SQLiteValue(identifier: note),
                let number = try integer("SELECT number FROM note WHERE id = ?", key)
            else { return [] }
            noteNumber = number
        }
        let most = SQLiteValue.integer(Int64(limit))
        if let target {
            let numbers = try numbers(ofLinksTo: target, app: app, note: noteNumber, before: end, limit: limit)
            var found: [Store.Link] = []
            for number in numbers { found += try links("WHERE link.number = ?", [.integer(number)]) }
            return found
        }
        if let noteNumber {
            return try links(
                "WHERE link.note = ? AND link.number < ? ORDER BY link.number DESC LIMIT ?",
                [.integer(noteNumber), .integer(end), most])
        }
        return try links("WHERE link.number < ? ORDER BY link.number DESC LIMIT ?", [.integer(end), most])
    }

    /// The newest links to some content, by any of its names.
    private mutating func numbers(
        ofLinksTo target: TargetContentIdentifier, app: String?, note: Int64?, before end: Int64, limit: Int
    ) throws(StoreError) -> [Int64] {
        var numbers: Set<Int64> = []
        for name in try names(of: target) {
            for lookUp in try lookUps(for: name.identifier, app: app) {
                let (table, column) = lookUp.place
                numbers.formUnion(
                    try rows(
                        """
                        SELECT DISTINCT \(table).link FROM \(table) CROSS JOIN link ON link.number = \(table).link
                        WHERE \(column) = ?1 AND \(table).link < ?2 AND (?3 IS NULL OR link.note = ?3)
                            AND (?4 IS NULL OR link.app IS NULL OR link.app = ?4)
                        ORDER BY \(table).link DESC LIMIT ?5
                        """,
                        [
                            .text(lookUp.value), .integer(end), SQLiteValue(note),
                            SQLiteValue(name.identifier.isGlobal ? nil : app), .integer(Int64(limit)),
                        ]
                    ) { $0.integer(0) })
            }
        }
        return Array(numbers.sorted(by: >).prefix(limit))
    }

    /// A name of some content, and how it was found.
    private struct ContentName {
        var identifier: TargetContentIdentifier
        /// What its redirections start from: the identifier that was asked for, or its canonical form.
        var start: TargetContentIdentifier
        var redirection: Redirection
        /// The rules that led from the identifier that was asked for to the start.
        var rules: [String] = []
    }

    /// The identifier itself, then what leads to the same content: from it, and from its canonical form.
    private mutating func names(of identifier: TargetContentIdentifier) throws(StoreError) -> [ContentName] {
        // Most stores have no redirect at all: then an identifier costs one seek.
        guard try integer("SELECT 1 FROM redirect LIMIT 1") != nil else {
            return [ContentName(identifier: identifier, start: identifier, redirection: .none)]
        }
        let redirection = try redirection(of: identifier)
        var names = redirection.aliases(of: identifier).map {
            ContentName(identifier: $0, start: identifier, redirection: redirection)
        }
        guard let address = CanonicalAddress(identifier.text, settings: addresses), !address.rules.isEmpty else {
            return names
        }
        let canonical = TargetContentIdentifier(address.text)
        let ofCanonical = try self.redirection(of: canonical)
        // The canonical form itself is looked up with the identifier.
        for alias in ofCanonical.aliases(of: canonical)
        where alias != canonical && !names.contains(where: { $0.identifier == alias }) {
            names.append(
                ContentName(identifier: alias, start: canonical, redirection: ofCanonical, rules: address.rules))
        }
        return names
    }

    private mutating func links(_ condition: String, _ values: [SQLiteValue]) throws(StoreError) -> [Store.Link] {
        var links = try rows(
            """
            SELECT link.number, link.id, note.id, link.app, link.title, link.created, link.document, link.file
            FROM link JOIN note ON note.number = link.note \(condition)
            """, values
        ) { (row) throws(StoreError) in
            Store.Link(
                id: try row.identifier(1), note: try row.identifier(2), app: row.optionalText(3),
                title: row.optionalText(4), identifiers: [], created: row.integer(5),
                document: row.optionalBlob(6), file: row.optionalText(7).flatMap { FileIdentity(stored: $0) },
                redirection: .none, number: row.integer(0))
        }
        for place in links.indices {
            links[place].identifiers = try identifiers(ofLink: links[place].number)
            if let target = links[place].target { links[place].redirection = try redirection(of: target) }
        }
        return links
    }

    private mutating func identifiers(ofLink number: Int64) throws(StoreError) -> [Store.LinkIdentifier] {
        try identifiers("link_identifier WHERE link = ?", [.integer(number)]).compactMap { stored in
            // A kind of a newer version is accepted.
            Store.LinkIdentifier.Kind(rawValue: stored.kind).map {
                Store.LinkIdentifier($0, TargetContentIdentifier(stored.identifier))
            }
        }
    }
}

extension FileIdentity {
    /// As the column `file` has it.
    fileprivate var stored: String { "\(device) \(inode) \(birth) \(size)" }

    /// Nil for a text that another version wrote.
    fileprivate init?(stored text: String) {
        let parts = text.split(separator: " ")
        guard parts.count == 4, let device = UInt64(parts[0]), let inode = UInt64(parts[1]),
            let birth = Int64(parts[2]), let size = Int64(parts[3])
        else { return nil }
        self.init(device: device, inode: inode, birth: birth, size: size)
    }
}

// MARK: - Link changes

extension Store {
    /// A link to be made.
    public struct NewLink: Sendable {
        /// nil: a new one.
        public var id: String?
        public var note: NoteName
        public var app: String?
        public var title: String?
        public var identifiers: [LinkIdentifier]
        public var document: [UInt8]?
        /// See `Link.file`.
        public var file: FileIdentity?
        /// nil: now.
        public var created: Int64?
    }

    /// What came of a link that was to be made.
    public enum AddedLink: Sendable {
        case added(Link)
        /// The note has a link with the same preferred identifier already: this one. Nothing was changed.
        case known(Link)
        /// There is no such note.
        case noNote
        /// The content was deleted: nothing can lead to it.
        case deleted(Redirection)
    }

    /// Makes a link, unless its note has it already.
    public func add(link new: NewLink) throws(StoreError) -> AddedLink {
        try write { (state) throws(StoreError) in try state.add(link: new) }
    }

    /// Removes a link and returns it as it was; nil when there is none. `undo` takes that back.
    @discardableResult
    public func remove(link id: String) throws(StoreError) -> Link? {
        try write { (state) throws(StoreError) in try state.remove(link: id) }
    }
}

extension StoreState {
    /// See `Store.add(link:)`.
    package mutating func add(link new: Store.NewLink) throws(StoreError) -> Store.AddedLink {
        guard let note = try note(new.note)?.number else { return .noNote }
        if let target = Store.LinkIdentifier.preferred(of: new.identifiers) {
            let redirection = try redirection(of: target)
            if case .deleted = redirection.end { return .deleted(redirection) }
            if let known = try link(ofNote: note, having: target, app: new.app) { return .known(known) }
        }
        let id = new.id ?? UUIDv7.next()
        let number = try integer(
            """
            INSERT INTO link (number, id, note, app, title, created, document, file) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            RETURNING number
            """, .integer(try nextNumber(in: "link")), SQLiteValue(identifier: id) ?? .null, .integer(note),
            SQLiteValue(new.app), SQLiteValue(new.title), .integer(new.created ?? options.now()),
            new.document.map { .blob($0) } ?? .null, SQLiteValue(new.file?.stored))
        guard let number else { throw .unreadable("a link got no number", path: path) }
        for identifier in new.identifiers {
            try run(
                "INSERT OR IGNORE INTO link_identifier (link, kind, identifier) VALUES (?, ?, ?)", .integer(number),
                .integer(identifier.kind.rawValue), .text(identifier.identifier.text))
            try insertKey(of: identifier.identifier, ofLink: number, app: new.app)
        }
        try countTies(ofLinks: "link.number = ?1", 1, .integer(number))
        try indexText(ofLink: number)
        guard let made = try link(id: id) else { throw .unreadable("a new link is missing", path: path) }
        return .added(made)
    }

    private mutating func link(
        ofNote note: Int64, having identifier: TargetContentIdentifier, app: String?
    ) throws(StoreError) -> Store.Link? {
        // By the note: a note has few links, an identifier may be in very many.
        try links(
            """
            CROSS JOIN link_identifier ON link_identifier.link = link.number
            WHERE link.note = ?1 AND identifier = ?2 AND (?3 OR link.app IS ?4) ORDER BY link.number LIMIT 1
            """, [.integer(note), .text(identifier.text), .integer(identifier.isGlobal ? 1 : 0), SQLiteValue(app)]
        ).first
    }

    /// See `Store.remove(link:)`.
    package mutating func remove(link id: String) throws(StoreError) -> Store.Link? {
        guard let link = try link(id: id) else { return nil }
        try keep(removed: link)
        try forgetText(ofLink: link.number)
        try countTies(ofLinks: "link.number = ?1", -1, .integer(link.number))
        try run("DELETE FROM link WHERE number = ?", .integer(link.number))
        return link
    }

    /// Gives a link another title, or none; false when there is no such link.
    package mutating func rename(link id: String, to title: String?) throws(StoreError) -> Bool {
        guard let link = try link(id: id) else { return false }
        try forgetText(ofLink: link.number)
        try run("UPDATE link SET title = ? WHERE number = ?", SQLiteValue(title), .integer(link.number))
        try indexText(ofLink: link.number)
        return true
    }
}

// MARK: - Suggestions

extension Store {
    /// A note about given content.
    public struct NoteMatch: Sendable, Hashable {
        /// The note's id.
        public var note: String
        /// The beginning of the note's text.
        public var text: String
        public var link: Link.Summary
        /// The identifier of the link that led here, exactly as it was stored.
        public var identifier: TargetContentIdentifier
        /// The one it was looked up by.
        public var matched: TargetContentIdentifier
        /// How the one leads to the other; empty where they are the same.
        public var via: [Redirection.Hop]
        /// The rules by which both addresses are the same: see `CanonicalAddress`; empty where no rule was needed.
        public var rules: [String]
    }

    /// The notes that have a link to one of these identifiers, each once; newest links first within a name of the content.
    ///
    /// Addresses of web pages are compared in their canonical form, and moved content is found by every name it had. Writes
    /// nothing. Takes a few microseconds if no note has such a link.
    ///
    /// - Parameters:
    ///   - identifiers: in the order of preference; of those that a note has, the first is the one returned.
    ///   - app: the app whose identifiers they are; nil: of any app. Has no effect on identifiers that are global.
    public func suggestions(
        for identifiers: [TargetContentIdentifier], app: String? = nil, limit: Int = NoteMatch.limit
    ) throws(StoreError) -> [NoteMatch] {
        try read { (state) throws(StoreError) in try state.suggestions(for: identifiers, app: app, limit: limit) }
    }
}

extension Store.NoteMatch {
    /// The largest number of suggestions in one answer. It is small because the caller shows them to a person.
    public static let limit = 32
    /// How much of a note's text is read, in characters.
    static let textLength: Int64 = 400
    /// How many links are read for each identifier, since one note may have very many links with the same web page.
    static let mostLinks: Int64 = 1024
}

extension Store.Link {
    /// The data of a link in a suggestion.
    public struct Summary: Sendable, Hashable {
        public var id: String
        public var app: String?
        public var title: String?
        public var created: Int64
    }
}

extension StoreState {
    /// See `Store.suggestions(for:app:limit:)`.
    package mutating func suggestions(
        for identifiers: [TargetContentIdentifier], app: String? = nil, limit: Int = Store.NoteMatch.limit
    ) throws(StoreError) -> [Store.NoteMatch] {
        var found: [Store.NoteMatch] = []
        var notes: Set<Int64> = []
        var asked: Set<TargetContentIdentifier> = []
        for identifier in identifiers {
            for name in try names(of: identifier) {
                if identifiers.count > 1, !asked.insert(name.identifier).inserted { continue }
                for lookUp in try lookUps(for: name.identifier, app: app) {
                    guard found.count < limit else { return found }
                    let first = found.count
                    try append(lookUp, name, asked: identifier, app: app, notes: &notes, to: &found, limit: limit)
                    guard found.count > first, name.identifier != name.start else { continue }
                    let way = try way(between: name.identifier, and: name.start, name.redirection)
                    for place in first..<found.count { found[place].via = way }
                }
            }
        }
        return found
    }

    private mutating func append(
        _ lookUp: LinkLookUp, _ name: ContentName, asked: TargetContentIdentifier, app: String?,
        notes: inout Set<Int64>, to found: inout [Store.NoteMatch], limit: Int
    ) throws(StoreError) {
        let (table, column) = lookUp.place
        let row = try prepare(
            """
            SELECT note.number, note.id, substr(note.text, 1, ?2), link.id, link.app, link.title, link.created,
                \(table).identifier
            FROM \(table) CROSS JOIN link ON link.number = \(table).link CROSS JOIN note ON note.number = link.note
            WHERE \(column) = ?1 AND (?4 IS NULL OR link.app IS NULL OR link.app = ?4)
            ORDER BY \(table).link DESC LIMIT ?3
            """,
            [
                .text(lookUp.value), .integer(Store.NoteMatch.textLength), .integer(Store.NoteMatch.mostLinks),
                SQLiteValue(name.identifier.isGlobal ? nil : app),
            ])
        let rules = CanonicalAddress.merged(name.rules, lookUp.rules)
        while found.count < limit, try row.step() {
            guard notes.insert(row.integer(0)).inserted else { continue }
            let identifier = TargetContentIdentifier(row.text(7))
            // Of an identifier that was found by itself, the form is the one that was looked up.
            let stored =
                identifier == name.identifier
                ? [] : CanonicalAddress(identifier.text, settings: addresses)?.rules ?? []
            found.append(
                Store.NoteMatch(
                    note: try row.identifier(1), text: row.text(2),
                    link: .init(
                        id: try row.identifier(3), app: row.optionalText(4), title: row.optionalText(5),
                        created: row.integer(6)),
                    identifier: identifier, matched: asked, via: [],
                    rules: CanonicalAddress.merged(rules, stored)))
        }
    }

    /// The hops from one name of some content to another: from the older to the newer, or of both to where they meet.
    private mutating func way(
        between stored: TargetContentIdentifier, and asked: TargetContentIdentifier, _ ofAsked: Redirection
    ) throws(StoreError) -> [Redirection.Hop] {
        if let end = ofAsked.hops.firstIndex(where: { $0.to == stored }) { return Array(ofAsked.hops[...end]) }
        let hops = try redirection(of: stored).hops
        guard let end = hops.firstIndex(where: { $0.to == asked }) else { return hops }
        return Array(hops[...end])
    }
}
