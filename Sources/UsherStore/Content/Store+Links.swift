public import UsherScene

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
    ///   - target: only those that have this identifier, or one that leads to the same content.
    ///   - before: only those made before this link, by its id: the next page. A link that is not there any more has none.
    public func links(
        note: String? = nil, target: TargetContentIdentifier? = nil, limit: Int, before: String? = nil
    ) throws(StoreError) -> [Link] {
        try read { (state) throws(StoreError) in
            try state.links(note: note, target: target, limit: limit, before: before)
        }
    }
}

extension StoreState {
    private static let linkColumns = "link.number, link.id, note.id, link.app, link.title, link.created, link.document"
    private static let linkTables = "link JOIN note ON note.number = link.note"

    package mutating func link(id: String) throws(StoreError) -> Store.Link? {
        guard let key = SQLiteValue(identifier: id) else { return nil }
        return try links("WHERE link.id = ?", [key]).first
    }

    /// See `Store.links(note:target:limit:before:)`.
    package mutating func links(
        note: String?, target: TargetContentIdentifier?, limit: Int, before: String?
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
            let numbers = try numbers(ofLinksTo: target, note: noteNumber, before: end, limit: limit)
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

    /// The newest links that have an identifier or one of its other names.
    private mutating func numbers(
        ofLinksTo target: TargetContentIdentifier, note: Int64?, before end: Int64, limit: Int
    ) throws(StoreError) -> [Int64] {
        var numbers: Set<Int64> = []
        for name in try redirection(of: target).aliases(of: target) {
            let statement = try prepare(
                """
                SELECT DISTINCT link FROM link_identifier WHERE identifier = ?1 AND link < ?2
                    AND (?3 IS NULL OR EXISTS (SELECT 1 FROM link WHERE number = link_identifier.link AND note = ?3))
                ORDER BY link DESC LIMIT ?4
                """, [.text(name.text), .integer(end), SQLiteValue(note), .integer(Int64(limit))])
            while try statement.step() { numbers.insert(statement.integer(0)) }
        }
        return Array(numbers.sorted(by: >).prefix(limit))
    }

    private mutating func links(_ condition: String, _ values: [SQLiteValue]) throws(StoreError) -> [Store.Link] {
        var links: [Store.Link] = []
        do {
            let row = try prepare(
                "SELECT \(StoreState.linkColumns) FROM \(StoreState.linkTables) \(condition)", values)
            while try row.step() {
                links.append(
                    Store.Link(
                        id: try row.identifier(1), note: try row.identifier(2), app: row.optionalText(3),
                        title: row.optionalText(4), identifiers: [], created: row.integer(5),
                        document: row.optionalBlob(6), redirection: .none, number: row.integer(0)))
            }
        }
        for place in links.indices {
            links[place].identifiers = try identifiers(ofLink: links[place].number)
            if let target = links[place].target { links[place].redirection = try redirection(of: target) }
        }
        return links
    }

    private mutating func identifiers(ofLink number: Int64) throws(StoreError) -> [Store.LinkIdentifier] {
        let row = try prepare(
            "SELECT kind, identifier FROM link_identifier WHERE link = ? ORDER BY kind, identifier", [.integer(number)])
        var identifiers: [Store.LinkIdentifier] = []
        while try row.step() {
            // A kind that a newer version has made is not ours to judge.
            guard let kind = Store.LinkIdentifier.Kind(rawValue: row.integer(0)) else { continue }
            identifiers.append(.init(kind, TargetContentIdentifier(row.text(1))))
        }
        return identifiers
    }
}
