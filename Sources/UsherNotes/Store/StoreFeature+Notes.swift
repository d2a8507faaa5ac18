internal import Glibc
internal import UsherScene
public import UsherStore
internal import UsherSystem
internal import UsherText

extension StoreFeature {
    /// Notes, links, redirects, and what was removed of them.
    public static let notes = {
        var feature = StoreFeature(mark: "note", tables: noteTables)
        feature.upgrade.textTables = ["note_text", "link_text"]
        feature.upgrade.indexes = [
            "redirect_source", "redirect_destination", "note_current", "note_changed", "attachment_note", "link_note",
            "link_identifier_text",
        ]
        feature.upgrade.unchanged = ["redirect", "note", "attachment", "link_identifier"]
        feature.upgrade.tables = feature.upgrade.unchanged + ["link"]
        feature.upgrade.copying = copyingFromVersion5
        feature.redirecting = StoreState.redirection(of:ties:withOlder:in:)
        feature.prune = Store.pruneUndoable
        feature.textIndexes = [
            TextIndex(name: "note_text", content: "notes"), TextIndex(name: "link_text", content: "links"),
        ]
        feature.questions = [.init(StoreState.bareLinks), .init(StoreState.endlessRedirects)]
        feature.adopt = adopt
        feature.salvaged = [
            SalvagedTable(name: "redirect", key: "number", givesNumbersOnce: true),
            SalvagedTable(
                name: "note", key: "number",
                // The text is what counts.
                substitutes: [
                    ("state", .value(.text("aside"))), ("line", .value(.integer(1))), ("created", .value(.integer(0))),
                    ("changed", .value(.integer(0))), ("id", .newID),
                ]),
            SalvagedTable(name: "attachment", key: "number"),
            SalvagedTable(
                name: "link", key: "number",
                substitutes: [("created", .value(.integer(0))), ("document", .value(.null)), ("id", .newID)]),
            SalvagedTable(name: "link_identifier", key: "link", coveringIndex: "link_identifier_text"),
        ]
        feature.recounting = """
            UPDATE store SET redirects = 1 + max(redirects, (SELECT coalesce(max(number), 0) FROM redirect)),
                addresses = NULL
            """
        return feature
    }()

    private static let noteTables = """
        -- MARK: Redirects

        -- Content that moved, and content that was deleted.
        CREATE TABLE redirect (
            number INTEGER PRIMARY KEY AUTOINCREMENT,  -- shown to users: never given twice
            source TEXT NOT NULL,
            destination TEXT,                          -- NULL: the content was deleted
            is_prefix INTEGER NOT NULL CHECK (is_prefix = 0 OR (is_prefix = 1 AND destination IS NOT NULL)),
            made INTEGER NOT NULL,
            reason TEXT
        ) STRICT;
        CREATE UNIQUE INDEX redirect_source ON redirect (is_prefix, source);
        CREATE INDEX redirect_destination ON redirect (is_prefix, destination) WHERE destination IS NOT NULL;

        -- MARK: Notes and links

        CREATE TABLE note (
            number INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),  -- UUIDv7
            text TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state = 'current' OR state = 'aside' OR state = 'done'),
            line INTEGER NOT NULL,  -- where one was, from 1
            created INTEGER NOT NULL,
            changed INTEGER NOT NULL
        ) STRICT;
        -- One note is in progress.
        CREATE UNIQUE INDEX note_current ON note (state) WHERE state = 'current';
        CREATE INDEX note_changed ON note (changed);
        CREATE VIRTUAL TABLE note_text USING fts5 (
            text, content = 'note', content_rowid = 'number', tokenize = 'unicode61 remove_diacritics 2');

        CREATE TABLE attachment (
            number INTEGER PRIMARY KEY,
            note INTEGER NOT NULL REFERENCES note (number) ON DELETE CASCADE,
            path TEXT,
            digest TEXT,  -- `sha256:` and 64 digits
            size INTEGER,
            added INTEGER NOT NULL,
            CHECK (path IS NOT NULL OR digest IS NOT NULL)
        ) STRICT;
        CREATE INDEX attachment_note ON attachment (note);

        CREATE TABLE link (
            number INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),  -- UUIDv7
            note INTEGER NOT NULL REFERENCES note (number) ON DELETE CASCADE,
            app TEXT,
            title TEXT,
            created INTEGER NOT NULL,
            document BLOB,          -- the activity that it was made from, a JSON object; NULL where it was made by an id
            file TEXT,  -- to a file, what that is recognized by: device, inode, time of birth and size, with blanks between
            words TEXT  -- of its addresses: see `StoreState.words(of:)`
        ) STRICT;
        CREATE INDEX link_note ON link (note);
        CREATE VIRTUAL TABLE link_text USING fts5 (
            title, words, content = 'link', content_rowid = 'number', tokenize = 'unicode61 remove_diacritics 2');

        -- The identifiers of a link, exactly as they were given. Kinds: 1 targetContentIdentifier, 2 persistentIdentifier,
        -- 3 webpageURL.
        CREATE TABLE link_identifier (
            link INTEGER NOT NULL REFERENCES link (number) ON DELETE CASCADE,
            kind INTEGER NOT NULL,
            identifier TEXT NOT NULL,
            PRIMARY KEY (link, kind, identifier)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX link_identifier_text ON link_identifier (identifier, link, kind);

        -- What identifiers of links are compared by, where that is not the identifier itself: see Store+LinkKeys.swift.
        CREATE TABLE link_key (
            key TEXT NOT NULL,
            link INTEGER NOT NULL REFERENCES link (number) ON DELETE CASCADE,
            identifier TEXT NOT NULL,  -- as in link_identifier
            PRIMARY KEY (key, link, identifier)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX link_key_link ON link_key (link);

        -- MARK: Undo

        -- Changes that can be taken back, for a while: see Store+Undo.swift.
        CREATE TABLE undo (
            number INTEGER PRIMARY KEY,
            operation TEXT NOT NULL,
            id TEXT NOT NULL,  -- of the note or the link, or the identifier of the content
            made INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX undo_made ON undo (made);

        -- What was removed then, with the columns that it had. No new row gets the number of one of these.
        CREATE TABLE removed_note (
            entry INTEGER PRIMARY KEY REFERENCES undo (number) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            id BLOB NOT NULL,
            text TEXT NOT NULL,
            state TEXT NOT NULL,
            line INTEGER NOT NULL,
            created INTEGER NOT NULL,
            changed INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX removed_note_number ON removed_note (number);
        CREATE INDEX removed_note_id ON removed_note (id);
        CREATE TABLE removed_attachment (
            number INTEGER PRIMARY KEY,
            entry INTEGER NOT NULL REFERENCES undo (number) ON DELETE CASCADE,
            path TEXT,
            digest TEXT,
            size INTEGER,
            added INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX removed_attachment_entry ON removed_attachment (entry);
        CREATE TABLE removed_link (
            entry INTEGER NOT NULL REFERENCES undo (number) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            id BLOB NOT NULL,
            note BLOB NOT NULL,  -- its id
            app TEXT,
            title TEXT,
            created INTEGER NOT NULL,
            document BLOB,
            file TEXT,
            PRIMARY KEY (entry, number)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX removed_link_number ON removed_link (number);
        CREATE INDEX removed_link_id ON removed_link (id);
        CREATE TABLE removed_link_identifier (
            entry INTEGER NOT NULL REFERENCES undo (number) ON DELETE CASCADE,
            link INTEGER NOT NULL,  -- its number
            kind INTEGER NOT NULL,
            identifier TEXT NOT NULL,
            PRIMARY KEY (entry, link, kind, identifier)
        ) STRICT, WITHOUT ROWID;
        -- The redirect that was made, or was taken back.
        CREATE TABLE changed_redirect (
            entry INTEGER PRIMARY KEY REFERENCES undo (number) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            source TEXT NOT NULL,
            destination TEXT,
            is_prefix INTEGER NOT NULL,
            made INTEGER NOT NULL,
            reason TEXT
        ) STRICT;
        """

    private static let copyingFromVersion5 = """
        INSERT INTO note_text (note_text) VALUES ('rebuild');
        -- Without links, no link is without keys.
        UPDATE store SET addresses = NULL WHERE EXISTS (SELECT 1 FROM link_identifier);

        -- Words are made as well as SQL can do it, and anew with the keys of the links.
        INSERT INTO link SELECT *, NULL, (
            SELECT group_concat(
                replace(replace(replace(replace(replace(replace(identifier, 'https://', ''), 'http://', ''),
                    '%20', ' '), '%2F', '/'), '%2f', '/'), '%3A', ':'), char(10))
            FROM link_identifier WHERE link = old_link.number) FROM old_link;
        INSERT INTO link_text (link_text) VALUES ('rebuild');
        """
}

// MARK: - Findings

extension StoreState {
    fileprivate static func bareLinks(_ state: inout StoreState, limit: Int) throws(StoreError) -> [StoreFinding] {
        let count =
            try state.integer(
                """
                SELECT count(*) FROM link
                WHERE NOT EXISTS (SELECT 1 FROM link_identifier WHERE link_identifier.link = link.number)
                """) ?? 0
        guard count > 0 else { return [] }
        return [
            StoreFinding(
                .bareLink, "\(count) \(count == 1 ? "link has" : "links have") no identifier, and lead nowhere",
                help: "`usher link list` shows them; `usher link remove` removes one.")
        ]
    }

    fileprivate static func endlessRedirects(
        _ state: inout StoreState, limit: Int
    ) throws(StoreError) -> [StoreFinding] {
        var findings: [StoreFinding] = []
        var last: Int64 = 0
        while findings.count < limit {
            let source: String
            let isPrefix: Bool
            do {
                let row = try state.prepare(
                    "SELECT number, source, is_prefix FROM redirect WHERE number > ? ORDER BY number LIMIT 1",
                    [.integer(last)])
                guard try row.step() else { break }
                last = row.integer(0)
                source = row.text(1)
                isPrefix = row.integer(2) == 1
            }
            let redirection = try state.redirects(from: TargetContentIdentifier(source)).redirection
            guard redirection.end == .loop else { continue }
            let chain = [source] + redirection.hops.prefix(4).map(\.to.text)
            findings.append(
                StoreFinding(
                    .endlessRedirect,
                    "redirect \(last) leads nowhere in \(Redirection.maximumHops) hops: \(chain.joined(separator: " → "))",
                    help: "`\(TargetContentIdentifier(source).restoreCommand(isPrefix: isPrefix))` takes it back."))
        }
        return findings
    }
}

// MARK: - Orphans

extension StoreFeature {
    private static func adopt(
        _ connection: inout SQLiteConnection, _ outcome: inout StoreRepair.Outcome
    ) throws(StoreError) {
        try adoptIdentifiers(&connection, &outcome)
        try adoptLinks(&connection, &outcome)
    }

    /// Identifiers of lost links become links again, of a note about the loss.
    private static func adoptIdentifiers(
        _ connection: inout SQLiteConnection, _ outcome: inout StoreRepair.Outcome
    ) throws(StoreError) {
        let missing = "SELECT DISTINCT link FROM link_identifier WHERE link NOT IN (SELECT number FROM link)"
        let count = try connection.integer("SELECT count(*) FROM (\(missing))") ?? 0
        guard count > 0 else { return }
        let note = try lostAndFound("Links that were lost and found again", &connection)
        var last: Int64 = .min
        while let number = try connection.integer(
            "SELECT min(link) FROM (\(missing)) WHERE link > ?", .integer(last))
        {
            last = number
            try connection.run(
                "INSERT INTO link (number, id, note, created) VALUES (?, ?, ?, ?)", .integer(number),
                SQLiteValue(identifier: UUIDv7.next()) ?? .null, .integer(note), .integer(Instant.now.microseconds))
        }
        outcome.actions.append("\(count) links of which only the identifiers were left are in a note of their own")
    }

    /// Links and attachments of notes that are lost are in notes of their own, one for each that is lost.
    private static func adoptLinks(
        _ connection: inout SQLiteConnection, _ outcome: inout StoreRepair.Outcome
    ) throws(StoreError) {
        let missing = """
            SELECT note FROM link WHERE note NOT IN (SELECT number FROM note)
            UNION SELECT note FROM attachment WHERE note NOT IN (SELECT number FROM note)
            """
        var count = 0
        var last: Int64 = .min
        while let number = try connection.integer(
            "SELECT min(note) FROM (\(missing)) WHERE note > ?", .integer(last))
        {
            last = number
            _ = try lostAndFound("A note whose text is lost", number: number, &connection)
            count += 1
        }
        if count > 0 { outcome.actions.append("\(count) notes whose text is lost were made anew for their links") }
    }

    private static func lostAndFound(
        _ text: String, number: Int64? = nil, _ connection: inout SQLiteConnection
    ) throws(StoreError) -> Int64 {
        let now = Instant.now.microseconds
        guard
            let made = try connection.integer(
                """
                INSERT INTO note (number, id, text, state, line, created, changed)
                VALUES (?, ?, ?, 'aside', 1, ?, ?) RETURNING number
                """, SQLiteValue(number), SQLiteValue(identifier: UUIDv7.next()) ?? .null, .text(text), .integer(now),
                .integer(now))
        else { throw .unreadable("a note got no number", path: connection.path) }
        return made
    }
}
