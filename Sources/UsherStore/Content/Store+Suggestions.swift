public import UsherScene
internal import UsherText

extension Store {
    /// A note that speaks of content which is looked at.
    public struct Suggestion: Sendable, Hashable {
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
    }

    /// The notes that have a link with one of these identifiers or another name of it, each once; newest links first
    /// within an identifier. Writes nothing. Takes a few microseconds if no note has such a link.
    ///
    /// - Parameter identifiers: in the order of preference; of those that a note has, the first is the one returned.
    public func suggestions(
        for identifiers: [TargetContentIdentifier], limit: Int = Suggestion.limit
    ) throws(StoreError) -> [Suggestion] {
        try read { (state) throws(StoreError) in try state.suggestions(for: identifiers, limit: limit) }
    }
}

extension Store.Suggestion {
    /// The largest number of suggestions in one answer. It is small because the caller shows them to a person.
    public static let limit = 32
    /// How much of a note's text is read, in characters.
    static let textLength: Int64 = 400
    /// How many links are read for each identifier, since one note may have very many links with the same web page.
    static let mostLinks: Int64 = 1024
}

extension Store.Link {
    /// What a suggestion says of its link.
    public struct Summary: Sendable, Hashable {
        public var id: String
        public var app: String?
        public var title: String?
        public var created: Int64
    }
}

extension StoreState {
    /// See `Store.suggestions(for:limit:)`.
    package mutating func suggestions(
        for identifiers: [TargetContentIdentifier], limit: Int = Store.Suggestion.limit
    ) throws(StoreError) -> [Store.Suggestion] {
        var found: [Store.Suggestion] = []
        var notes: Set<Int64> = []
        var asked: Set<TargetContentIdentifier> = []
        // Most stores have no redirect at all: then an identifier costs one seek.
        let redirects = try redirectVersion() > 0
        for identifier in identifiers {
            let redirection = redirects ? try redirection(of: identifier) : .none
            for name in redirection.aliases(of: identifier) {
                if identifiers.count > 1, !asked.insert(name).inserted { continue }
                guard found.count < limit else { return found }
                let first = found.count
                try lookUp(name, asked: identifier, notes: &notes, into: &found, limit: limit)
                guard found.count > first, name != identifier else { continue }
                let way = try way(between: name, and: identifier, redirection)
                for place in first..<found.count { found[place].via = way }
            }
        }
        return found
    }

    private mutating func lookUp(
        _ name: TargetContentIdentifier, asked: TargetContentIdentifier, notes: inout Set<Int64>,
        into found: inout [Store.Suggestion], limit: Int
    ) throws(StoreError) {
        let row = try prepare(
            """
            SELECT note.number, note.id, substr(note.text, 1, ?2), link.id, link.app, link.title, link.created
            FROM link_identifier CROSS JOIN link ON link.number = link_identifier.link
                CROSS JOIN note ON note.number = link.note
            WHERE identifier = ?1 ORDER BY link_identifier.link DESC LIMIT ?3
            """,
            [.text(name.text), .integer(Store.Suggestion.textLength), .integer(Store.Suggestion.mostLinks)])
        while found.count < limit, try row.step() {
            guard notes.insert(row.integer(0)).inserted else { continue }
            found.append(
                Store.Suggestion(
                    note: try row.identifier(1), text: row.text(2),
                    link: .init(
                        id: try row.identifier(3), app: row.optionalText(4), title: row.optionalText(5),
                        created: row.integer(6)),
                    identifier: name, matched: asked, via: []))
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
