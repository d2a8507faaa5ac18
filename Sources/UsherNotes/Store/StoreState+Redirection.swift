internal import UsherScene
internal import UsherStore

extension StoreState {
    /// Where an identifier leads, and what else leads there. Writes nothing.
    ///
    /// - Complexity: a few index seeks a hop and a older identifier, however many redirects and ties there are.
    static func redirection(
        of id: TargetContentIdentifier, ties: Ties, withOlder: Bool, in state: inout StoreState
    ) throws(StoreError) -> Redirection {
        var redirection = try state.redirects(from: id, ties).redirection
        if withOlder, redirection.end != .loop {
            redirection.olderIdentifiers = try state.olderIdentifiers(
                of: redirection.newest(of: id), ties, besides: [id] + redirection.hops.flatMap { [$0.from, $0.to] })
        }
        return redirection
    }

    /// The redirects that an identifier is led through, one after the other, a tombstone included; and the ties between
    /// them, which have no row.
    mutating func redirects(
        from id: TargetContentIdentifier, _ ties: Ties = .none
    ) throws(StoreError) -> (redirection: Redirection, rows: [Store.Redirect]) {
        var redirection = Redirection.none
        var rows: [Store.Redirect] = []
        var current = id
        while true {
            var row = try redirect(ofSource: current, isPrefix: false)
            let hop: Redirection.Hop
            // A content is tied to no other one.
            let tie = row == nil && redirection.hops.last?.isTie != true ? try tie(from: current, ties) : nil
            if row == nil, tie == nil { row = try prefixMove(from: current) }
            if let tie {
                hop = tie
            } else if let row {
                rows.append(row)
                guard let next = row.destination(of: current) else {
                    redirection.end = .deleted(note: row.note)
                    redirection.tombstone = .init(identifier: current, made: row.made, reason: row.reason)
                    break
                }
                hop = .init(from: current, to: next, kind: row.isPrefix ? .prefix : .move, note: row.note)
            } else {
                break
            }
            let isKnown = hop.to == id || redirection.hops.contains { $0.to == hop.to }
            redirection.hops.append(hop)
            if isKnown, redirection.leaveLoop() { break }
            // Both are refused when a redirect is made. So another program has written into the file, or the tree is
            // too deep.
            if isKnown || rows.count > Redirection.maximumHops {
                redirection.end = .loop
                break
            }
            current = hop.to
        }
        return (redirection, rows)
    }

    // MARK: Forward

    /// The redirect that applies to an identifier: its own, else the prefix move with the longest source.
    mutating func redirect(from id: TargetContentIdentifier) throws(StoreError) -> Store.Redirect? {
        if let own = try redirect(ofSource: id, isPrefix: false) { return own }
        return try prefixMove(from: id)
    }

    mutating func redirect(
        ofSource source: TargetContentIdentifier, isPrefix: Bool
    ) throws(StoreError) -> Store.Redirect? {
        let row = try prepare(
            "SELECT \(Store.Redirect.columns) FROM redirect WHERE is_prefix = ? AND source = ?",
            [.integer(isPrefix ? 1 : 0), .text(source.text)])
        return try row.step() ? Store.Redirect(row) : nil
    }

    /// The prefix move with the longest source that an identifier begins with, and that does move it.
    mutating func prefixMove(from id: TargetContentIdentifier) throws(StoreError) -> Store.Redirect? {
        var search = PrefixSearch(id)
        while let bound = search.bound {
            let row = try prepare(
                """
                SELECT \(Store.Redirect.columns) FROM redirect
                WHERE is_prefix = 1 AND source \(search.comparison) ? ORDER BY source DESC LIMIT 1
                """, [.text(bound)])
            guard try row.step() else { return nil }
            guard search.visit(row.text(1)) else { continue }
            let found = Store.Redirect(row)
            if found.destination(of: id) != nil { return found }
        }
        return nil
    }

    // MARK: Backward

    /// How many older identifiers are looked for.
    private static let olderLimit = 64

    /// Every other identifier that leads to this one, those with the fewest hops first.
    ///
    /// A prefix move is gone through once on each way back: one that shortens identifiers leads to a page from any depth.
    private mutating func olderIdentifiers(
        of newest: TargetContentIdentifier, _ ties: Ties, besides known: [TargetContentIdentifier]
    ) throws(StoreError) -> [TargetContentIdentifier] {
        struct Visit {
            var id: TargetContentIdentifier
            var prefixMoves: [Int64]
            var hops: Int
        }
        let known = Set(known)
        var found: [TargetContentIdentifier] = []
        var seen: Set<TargetContentIdentifier> = [newest]
        var places = [Visit(id: newest, prefixMoves: [], hops: 0)]
        var index = 0
        while index < places.count, found.count < StoreState.olderLimit {
            let place = places[index]
            index += 1
            guard place.hops < Redirection.maximumHops else { break }
            let limit = StoreState.olderLimit + known.count
            var sources = try identifiers(leadingTo: place.id, limit: limit).map { (id: $0.id, row: Optional($0.row)) }
            if ties != .none {
                // A tie goes before a prefix move.
                var moved: [(id: TargetContentIdentifier, row: Store.Redirect?)] = []
                for source in sources {
                    if source.row?.isPrefix == true, try tie(from: source.id, ties) != nil { continue }
                    moved.append(source)
                }
                sources = moved + (try identifiers(tiedTo: place.id, ties, limit: limit)).map { ($0, nil) }
            }
            for (id, row) in sources {
                if let row, place.prefixMoves.contains(row.number) { continue }
                guard seen.insert(id).inserted else { continue }
                let prefixMoves = row.map { $0.isPrefix ? [$0.number] : [] } ?? []
                places.append(
                    Visit(id: id, prefixMoves: place.prefixMoves + prefixMoves, hops: place.hops + 1))
                guard !known.contains(id) else { continue }
                found.append(id)
                if found.count == StoreState.olderLimit { break }
            }
        }
        return found
    }

    /// The identifiers that one hop leads to an identifier, in the order in which their redirects were made, moves first.
    mutating func identifiers(
        leadingTo id: TargetContentIdentifier, limit: Int
    ) throws(StoreError) -> [(id: TargetContentIdentifier, row: Store.Redirect)] {
        var found: [(id: TargetContentIdentifier, row: Store.Redirect)] = []
        for row in try redirects(to: id, isPrefix: false, limit: limit) { found.append((row.source, row)) }
        for destination in try prefixDestinations(of: id) {
            guard found.count < limit else { break }
            for row in try redirects(to: destination, isPrefix: true, limit: limit - found.count) {
                guard let source = id.replacing(destination, by: row.source),
                    try redirect(from: source)?.number == row.number
                else { continue }
                found.append((source, row))
            }
        }
        return found
    }

    mutating func redirects(
        to destination: TargetContentIdentifier, isPrefix: Bool, limit: Int
    ) throws(StoreError) -> [Store.Redirect] {
        try rows(
            """
            SELECT \(Store.Redirect.columns) FROM redirect WHERE is_prefix = ? AND destination = ?
            ORDER BY number LIMIT ?
            """, [.integer(isPrefix ? 1 : 0), .text(destination.text), .integer(Int64(limit))]
        ) { Store.Redirect($0) }
    }

    /// The destinations of prefix moves that an identifier begins with, the longest first.
    mutating func prefixDestinations(
        of id: TargetContentIdentifier
    ) throws(StoreError) -> [TargetContentIdentifier] {
        var found: [TargetContentIdentifier] = []
        var search = PrefixSearch(id)
        while let bound = search.bound {
            let row = try prepare(
                """
                SELECT destination FROM redirect
                WHERE is_prefix = 1 AND destination \(search.comparison) ? ORDER BY destination DESC LIMIT 1
                """, [.text(bound)])
            guard try row.step() else { break }
            let text = row.text(0)
            if search.visit(text) { found.append(TargetContentIdentifier(text)) }
        }
        return found
    }
}

/// Looks for the texts in an index that an identifier begins with, the longest first, by seeks alone.
///
/// The greatest text up to a bound is either such a beginning, or everything longer than what both have in common is none:
/// then that is the next bound. So there are at most as many seeks as the identifier has characters, and usually two.
private struct PrefixSearch {
    private let bytes: [UInt8]
    /// Up to where to look next; nil once there can be nothing more.
    private(set) var bound: String?
    /// Whether the bound itself is in question.
    private var isInclusive = true
    /// With the bound, in SQL.
    var comparison: String { isInclusive ? "<=" : "<" }

    init(_ id: TargetContentIdentifier) {
        bytes = Array(id.text.utf8)
        bound = id.text
    }

    /// Takes the greatest text up to the bound; whether the identifier begins with it.
    mutating func visit(_ text: String) -> Bool {
        var common = 0
        for (one, other) in zip(text.utf8, bytes) {
            guard one == other else { break }
            common += 1
        }
        if common == text.utf8.count {
            isInclusive = false
            bound = text.isEmpty ? nil : text
            return true
        }
        // No beginning that is text ends within a character.
        while common > 0, common < bytes.count, bytes[common] & 0xC0 == 0x80 { common -= 1 }
        isInclusive = true
        bound = common == 0 ? nil : String(decoding: bytes[..<common], as: UTF8.self)
        return false
    }
}

extension Redirection {
    /// Ends before a tie what has come back to where it was: with the last hop, content that moved to an identifier which is
    /// tied to it. Every identifier of the loop ends at the same one. False where there is no tie in it.
    fileprivate mutating func leaveLoop() -> Bool {
        guard let last = hops.last, let first = hops.firstIndex(where: { $0.from == last.to }) else { return false }
        let ties = hops.indices[first...].filter { hops[$0].isTie }
        let least = ties.min { hops[$0].from.text.utf8.lexicographicallyPrecedes(hops[$1].from.text.utf8) }
        guard let least else { return false }
        hops.removeSubrange(least...)
        return true
    }
}

// MARK: - Content rows

// Rows of notes and links with their rows of full text: FTS5 keeps no content of its own for them, so a deletion has to
// pass the old text to it.

extension StoreState {
    mutating func hasOtherNoteInProgress(than number: Int64?) throws(StoreError) -> Bool {
        try integer("SELECT 1 FROM note WHERE state = 'current' AND number IS NOT ?", SQLiteValue(number)) != nil
    }

    /// - Parameter number: of the new row, which it returns; nil: the next one.
    mutating func insert(
        _ note: ContentRow.Note, _ id: SQLiteValue, number: Int64? = nil
    ) throws(StoreError) -> Int64 {
        let number = if let number { number } else { try nextNumber(in: "note") }
        try run(
            "INSERT INTO note (number, id, text, state, line, created, changed) VALUES (?, ?, ?, ?, ?, ?, ?)",
            .integer(number), id, .text(note.text),
            .text(note.state), .integer(note.line), .integer(note.created), .integer(note.changed))
        try run("INSERT INTO note_text (rowid, text) VALUES (?, ?)", .integer(number), .text(note.text))
        return number
    }

    mutating func replace(_ number: Int64, _ old: ContentRow.Note, by note: ContentRow.Note) throws(StoreError) {
        try run(
            "INSERT INTO note_text (note_text, rowid, text) VALUES ('delete', ?, ?)", .integer(number), .text(old.text))
        try run(
            "UPDATE note SET text = ?, state = ?, line = ?, created = ?, changed = ? WHERE number = ?",
            .text(note.text),
            .text(note.state), .integer(note.line), .integer(note.created), .integer(note.changed), .integer(number))
        try run("INSERT INTO note_text (rowid, text) VALUES (?, ?)", .integer(number), .text(note.text))
        try run("DELETE FROM attachment WHERE note = ?", .integer(number))
        try insert(note.attachments, ofNote: number)
    }

    mutating func insert(_ attachments: [Store.Attachment], ofNote number: Int64) throws(StoreError) {
        for attachment in attachments {
            try run(
                "INSERT INTO attachment (note, path, digest, size, added) VALUES (?, ?, ?, ?, ?)", .integer(number),
                SQLiteValue(attachment.path), SQLiteValue(attachment.digest), SQLiteValue(attachment.size),
                .integer(attachment.added))
        }
    }

    /// - Parameters:
    ///   - number: of the new row; nil: the next one.
    ///   - file: what the file that it leads to is recognized by, as in the table.
    mutating func insert(
        _ link: ContentRow.Link, _ id: SQLiteValue, note: Int64, number: Int64? = nil, file: String? = nil
    ) throws(StoreError) {
        let number = if let number { number } else { try nextNumber(in: "link") }
        try run(
            "INSERT INTO link (number, id, note, app, title, created, document, file) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            .integer(number), id, .integer(note), SQLiteValue(link.app), SQLiteValue(link.title),
            .integer(link.created),
            link.document.map { .blob($0) } ?? .null, SQLiteValue(file))
        try addDetails(of: link, number)
    }

    mutating func replaceLink(
        by link: ContentRow.Link, _ id: SQLiteValue, note: Int64
    ) throws(StoreError) {
        guard let number = try integer("SELECT number FROM link WHERE id = ?", id) else { return }
        try forgetText(ofLink: number)
        try countTies(ofLinks: "link.number = ?1", -1, .integer(number))
        try run("DELETE FROM link_identifier WHERE link = ?", .integer(number))
        try run("DELETE FROM link_key WHERE link = ?", .integer(number))
        try run(
            "UPDATE link SET note = ?, app = ?, title = ?, created = ?, document = ? WHERE number = ?", .integer(note),
            SQLiteValue(link.app), SQLiteValue(link.title), .integer(link.created),
            link.document.map { .blob($0) } ?? .null,
            .integer(number))
        try addDetails(of: link, number)
    }

    private mutating func addDetails(of link: ContentRow.Link, _ number: Int64) throws(StoreError) {
        for identifier in link.identifiers {
            try run(
                "INSERT INTO link_identifier (link, kind, identifier) VALUES (?, ?, ?)", .integer(number),
                .integer(identifier.kind), .text(identifier.identifier))
            try insertKey(of: TargetContentIdentifier(identifier.identifier), ofLink: number, app: link.app)
        }
        try countTies(ofLinks: "link.number = ?1", 1, .integer(number))
        try indexText(ofLink: number)
    }
}
