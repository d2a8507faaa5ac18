internal import UsherText

/// The tables, and how a file comes to have them.
///
/// `user_version` counts the changes of the tables: an empty file has 0. Released versions are 1 to 5.
struct Schema: Sendable {
    /// Leads from one version to a later one, in one transaction.
    struct Step: Sendable {
        let from: Int
        let to: Int
        let sql: String
    }

    /// `Ushr`, in the header of every store.
    static let applicationID: Int64 = 0x5573_6872

    /// The version of `tables`.
    private static let current = 17

    /// A file takes the last one from its version that does not lead beyond the wanted version.
    var steps =
        released + [
            Step(from: 5, to: current, sql: migrationFromVersion5), Step(from: 0, to: current, sql: tables),
        ]

    /// The newest version.
    var version: Int { steps.reduce(0) { max($0, $1.to) } }

    // MARK: - The tables

    /// Makes the newest tables: in an empty file, and in one of version 5 whose tables were moved aside.
    static let tables = """
        -- MARK: Store

        CREATE TABLE store (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            generation INTEGER NOT NULL,  -- of all sessions: bumped by every change of any
            used INTEGER NOT NULL,        -- the greatest that any session was ever given
            created INTEGER NOT NULL,     -- likewise
            aged INTEGER,                 -- what age is measured by: see `Store.prune`. NULL until something is
            looked INTEGER,               -- when `aged` last followed a clock that was far ahead
            -- Bumped by every change of a redirect or tombstone: caches of resolved identifiers compare it. 0: there never was one.
            redirects INTEGER NOT NULL DEFAULT 0,
            addresses TEXT                -- by which settings the keys of links were made; NULL: there may be links without keys
        ) STRICT;
        INSERT INTO store VALUES (1, 0, 0, 0, NULL, NULL, 0, '1 ');

        -- MARK: Sessions

        CREATE TABLE condition (
            id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given twice: readers keep what they parsed by it
            text TEXT NOT NULL UNIQUE,
            -- Evaluated for every request. Those of older rows are marked when they are next given to a session.
            is_unindexed INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX condition_unindexed ON condition (id) WHERE is_unindexed = 1;

        CREATE TABLE session (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            app TEXT NOT NULL,
            scene TEXT NOT NULL,
            role TEXT NOT NULL,
            target TEXT,
            can INTEGER NOT NULL REFERENCES condition (id),
            can_origin INTEGER NOT NULL,
            prefers INTEGER NOT NULL REFERENCES condition (id),
            prefers_origin INTEGER NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('connecting', 'connected', 'disconnected', 'closing')),
            used INTEGER,
            created INTEGER NOT NULL,
            generation INTEGER NOT NULL,
            handle TEXT,
            handle_server TEXT,
            title TEXT,
            changed INTEGER NOT NULL,
            process INTEGER,  -- whose window it is, where that is known, as the next two
            process_start INTEGER,
            process_boot TEXT,
            target_read INTEGER NOT NULL DEFAULT 0  -- 1: the target was read from the window, and changes with it
        ) STRICT;
        CREATE INDEX session_app ON session (app);
        CREATE INDEX session_can ON session (can);
        CREATE INDEX session_prefers ON session (prefers);
        CREATE INDEX session_process ON session (process) WHERE process IS NOT NULL;
        -- A window belongs to one session.
        CREATE UNIQUE INDEX session_window ON session (coalesce(handle_server, ''), handle) WHERE handle IS NOT NULL;
        -- The documents that windows show: see `StoreState.documentUsedLast`.
        CREATE INDEX session_document ON session (used) WHERE target_read = 1;

        CREATE TABLE session_number (
            app TEXT NOT NULL,
            scene TEXT NOT NULL,
            last INTEGER NOT NULL,
            PRIMARY KEY (app, scene)
        ) STRICT, WITHOUT ROWID;

        -- What evidence says of sessions, apart from their state and use. A row is written when a session that evidence
        -- refers to differs from its last row; it goes once no delivery is left that could refer to it.
        CREATE TABLE session_version (
            id INTEGER PRIMARY KEY,
            session TEXT NOT NULL,
            scene TEXT NOT NULL,
            role TEXT NOT NULL,
            target TEXT,
            can INTEGER NOT NULL,       -- a condition, like `prefers`
            can_origin INTEGER NOT NULL,
            prefers INTEGER NOT NULL,
            prefers_origin INTEGER NOT NULL,
            created INTEGER NOT NULL,
            handle TEXT,
            title TEXT,
            replaced INTEGER            -- the newest delivery when it was replaced; NULL: it is the session's last
        ) STRICT;
        CREATE UNIQUE INDEX session_version_last ON session_version (session) WHERE replaced IS NULL;

        -- MARK: Deliveries

        -- The manifests that decisions were made by, each version once.
        CREATE TABLE configuration (
            id INTEGER PRIMARY KEY,
            digest TEXT NOT NULL UNIQUE,
            manifests BLOB  -- see `Configuration.manifests`; NULL where only the digest is known
        ) STRICT;

        -- Written so that a row costs little: a list of more than two words in a condition makes SQLite build a tree for
        -- every row, and what is looked at often stands before what is long.
        CREATE TABLE delivery (
            -- The order of arrival. That of a newest row that was dropped may be given again: nothing refers to it.
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            state TEXT NOT NULL CHECK (
                state = 'done' OR state = 'accepted' OR state = 'resolved' OR state = 'acting' OR state = 'failed'
                OR state = 'expired' OR state = 'collapsed' OR state = 'duplicate'),
            finished INTEGER,  -- NULL as long as it is open
            bytes INTEGER NOT NULL,  -- about what it takes in the file, its input included: see `StoreState.room`
            accepted INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            due INTEGER,       -- tried again then, after it failed
            expires INTEGER,   -- not to begin after that; 0: at once or never
            redriven INTEGER,  -- its attempts when it was asked for again
            original INTEGER,  -- of a duplicate: the number of the delivery whose input it shares
            source TEXT NOT NULL,
            format TEXT,
            sender_id TEXT,
            app TEXT,
            target TEXT,
            collapse TEXT,     -- of those with the same one, the newest counts
            parent TEXT,       -- of a press on a notification: the delivery that it was shown for
            response TEXT,     -- which button; `default` is the click
            action TEXT,
            reason TEXT,
            scene TEXT,
            resolved TEXT,     -- empty: the same as the target
            session TEXT,
            configuration INTEGER,
            nonce TEXT,        -- this and its owner: only as long as it is open
            owner TEXT,        -- the file that its process holds locked, in `owners`
            owner_boot TEXT,
            owner_pid INTEGER,
            owner_start INTEGER,
            evidence BLOB,     -- what `explain --delivery` makes its answer from
            record TEXT,       -- the line that was published
            legacy_explanation TEXT,  -- JSON that older versions stored instead of evidence
            code BLOB          -- what a hook's signature was made of: the same signed request again is a duplicate
        ) STRICT;
        CREATE INDEX delivery_open ON delivery (number) WHERE finished IS NULL;
        CREATE INDEX delivery_sender ON delivery (sender_id, accepted) WHERE sender_id IS NOT NULL;
        CREATE INDEX delivery_collapse ON delivery (collapse, app)
            WHERE collapse IS NOT NULL AND state IN ('accepted', 'resolved');
        CREATE INDEX delivery_duplicate ON delivery (number) WHERE state = 'duplicate';
        CREATE INDEX delivery_code ON delivery (code) WHERE code IS NOT NULL;

        -- A change of state does not write the input again.
        CREATE TABLE delivery_input (
            number INTEGER PRIMARY KEY REFERENCES delivery (number) ON DELETE CASCADE,
            body BLOB NOT NULL
        ) STRICT;

        -- The terminal records that a delivery had before it was asked for again.
        CREATE TABLE delivery_history (
            number INTEGER PRIMARY KEY,
            delivery TEXT NOT NULL REFERENCES delivery (id) ON DELETE CASCADE,
            state TEXT NOT NULL,
            finished INTEGER,
            record TEXT
        ) STRICT;
        CREATE INDEX delivery_history_delivery ON delivery_history (delivery);

        -- Sums over all deliveries, kept by the triggers below in the transaction that changes them.
        CREATE TABLE totals (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            open_count INTEGER NOT NULL,
            open_bytes INTEGER NOT NULL,
            kept_bytes INTEGER NOT NULL,  -- of finished ones, as the next two
            kept_count INTEGER NOT NULL DEFAULT 0,
            duplicate_count INTEGER NOT NULL DEFAULT 0  -- these go first
        ) STRICT;
        INSERT INTO totals VALUES (1, 0, 0, 0, 0, 0);
        CREATE TRIGGER delivery_inserted AFTER INSERT ON delivery
        BEGIN
            UPDATE totals SET open_count = open_count + (NEW.finished IS NULL),
                open_bytes = open_bytes + iif(NEW.finished IS NULL, NEW.bytes, 0),
                kept_bytes = kept_bytes + iif(NEW.finished IS NULL, 0, NEW.bytes),
                kept_count = kept_count + (NEW.finished IS NOT NULL),
                duplicate_count = duplicate_count + (NEW.state = 'duplicate');
        END;
        CREATE TRIGGER delivery_updated AFTER UPDATE OF finished, bytes ON delivery
        WHEN OLD.bytes <> NEW.bytes OR (OLD.finished IS NULL) <> (NEW.finished IS NULL)
        BEGIN
            UPDATE totals SET open_count = open_count + (NEW.finished IS NULL) - (OLD.finished IS NULL),
                open_bytes = open_bytes + iif(NEW.finished IS NULL, NEW.bytes, 0) - iif(OLD.finished IS NULL, OLD.bytes, 0),
                kept_bytes = kept_bytes + iif(NEW.finished IS NULL, 0, NEW.bytes) - iif(OLD.finished IS NULL, 0, OLD.bytes),
                kept_count = kept_count + (NEW.finished IS NOT NULL) - (OLD.finished IS NOT NULL),
                duplicate_count = duplicate_count + (NEW.state = 'duplicate') - (OLD.state = 'duplicate');
        END;
        CREATE TRIGGER delivery_deleted AFTER DELETE ON delivery
        BEGIN
            UPDATE totals SET open_count = open_count - (OLD.finished IS NULL),
                open_bytes = open_bytes - iif(OLD.finished IS NULL, OLD.bytes, 0),
                kept_bytes = kept_bytes - iif(OLD.finished IS NULL, 0, OLD.bytes),
                kept_count = kept_count - (OLD.finished IS NOT NULL),
                duplicate_count = duplicate_count - (OLD.state = 'duplicate');
        END;

        -- MARK: Notifications

        -- What was shown on the desktop, and what became of it.
        CREATE TABLE notification (
            number INTEGER PRIMARY KEY,
            delivery TEXT NOT NULL UNIQUE REFERENCES delivery (id) ON DELETE CASCADE,
            app TEXT NOT NULL,
            collapse TEXT,
            server TEXT NOT NULL,    -- one life of the notification server
            shown_as INTEGER NOT NULL,  -- its number there
            state TEXT NOT NULL CHECK (state IN
                ('shown', 'pressed', 'expired', 'dismissed', 'closed', 'undefined', 'replaced', 'lost')),
            shown INTEGER NOT NULL,
            ended INTEGER,           -- NULL as long as it is shown, as far as is known
            response TEXT            -- the button that was pressed
        ) STRICT;
        CREATE INDEX notification_shown_as ON notification (shown_as, server);
        CREATE INDEX notification_open ON notification (collapse, app) WHERE ended IS NULL;

        -- Pushes that interrupted the user lately, of apps that limit how often. They outlive their deliveries.
        CREATE TABLE interruption (
            delivery TEXT PRIMARY KEY,
            app TEXT NOT NULL,
            at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX interruption_app ON interruption (app, at);

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

        -- MARK: Activities

        -- What users did and do. `document` is the whole activity as a JSON object; the rest is what is looked up by.
        CREATE TABLE activity (
            number INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),  -- UUIDv7
            app TEXT NOT NULL,
            session TEXT REFERENCES session (id) ON DELETE SET NULL,
            type TEXT NOT NULL,
            title TEXT,
            target TEXT,
            persistent TEXT,
            webpage TEXT,
            state TEXT NOT NULL CHECK (state = 'resigned' OR state = 'current' OR state = 'kept'),
            needs_save INTEGER NOT NULL,
            is_searchable INTEGER NOT NULL,
            expires INTEGER,
            became INTEGER NOT NULL,
            changed INTEGER NOT NULL,
            resigned INTEGER,
            document BLOB NOT NULL
        ) STRICT;
        -- One a session: current, or kept for it until it is launched again.
        CREATE UNIQUE INDEX activity_of_session ON activity (session) WHERE state <> 'resigned';
        CREATE INDEX activity_session ON activity (session);
        CREATE INDEX activity_target ON activity (target) WHERE target IS NOT NULL;
        CREATE INDEX activity_resigned ON activity (resigned) WHERE state = 'resigned' AND is_searchable = 0;
        -- Those found by a search: of one content in one app, one.
        CREATE INDEX activity_found ON activity (coalesce(target, persistent, webpage), app) WHERE is_searchable = 1;
        CREATE INDEX activity_expires ON activity (expires) WHERE is_searchable = 1 AND expires IS NOT NULL;
        -- Those that may have attributes, a few of all: see `Store.suggestionEvents`. The bytes are "contentAttributeSet",
        -- "mapItem", and what an escaped character of a name begins with.
        CREATE INDEX activity_with_attributes ON activity (number)
            WHERE instr(document, x'22636f6e74656e7441747472696275746553657422') > 0 OR instr(document, x'226d61704974656d22') > 0
                OR instr(document, x'5c75') > 0;
        -- Those that may be ineligible for predictions: see `Store.appUses`. The bytes are "isEligibleForPrediction" and
        -- false.
        CREATE INDEX activity_with_eligibility ON activity (number)
            WHERE instr(document, x'226973456c696769626c65466f7250726564696374696f6e22') > 0
                AND instr(document, x'66616c7365') > 0 OR instr(document, x'5c75') > 0;
        -- Their texts; rowid is activity.number.
        CREATE VIRTUAL TABLE activity_text USING fts5 (
            title, keywords, attributes, tokenize = 'unicode61 remove_diacritics 2');

        -- Each time that an activity becomes current: what suggestions are ranked by. Kept for a while: see Store+Prune.swift.
        CREATE TABLE activity_use (
            number INTEGER PRIMARY KEY,
            activity INTEGER NOT NULL REFERENCES activity (number) ON DELETE CASCADE,
            app TEXT NOT NULL,
            time INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX activity_use_time ON activity_use (time);
        CREATE INDEX activity_use_activity ON activity_use (activity, time);

        -- The end of a session, or the loss of its window, resigns its activity; the process was that window's.
        CREATE TRIGGER session_lost AFTER UPDATE OF state ON session
        WHEN NEW.state = 'disconnected' AND OLD.state <> 'disconnected'
        BEGIN
            UPDATE activity SET state = 'kept', resigned = NEW.changed WHERE session = NEW.id AND state = 'current';
            UPDATE session SET process = NULL, process_start = NULL, process_boot = NULL
            WHERE number = NEW.number AND process IS NOT NULL;
        END;
        CREATE TRIGGER session_ended BEFORE DELETE ON session
        BEGIN
            UPDATE activity SET state = 'resigned',
                resigned = coalesce(resigned, CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER))
            WHERE session = OLD.id AND state <> 'resigned';
        END;

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

        -- MARK: Suggestions

        -- What users did with apps, as these donate it.
        CREATE TABLE interaction (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL,            -- the donor's, or a UUIDv7
            app TEXT NOT NULL,
            intent TEXT NOT NULL,
            participants TEXT NOT NULL,  -- a JSON array of texts
            target TEXT,
            direction TEXT NOT NULL,
            outcome TEXT NOT NULL,
            activity BLOB,               -- its id
            time INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX interaction_id ON interaction (id, app);
        CREATE INDEX interaction_time ON interaction (time);
        CREATE INDEX interaction_app ON interaction (app);

        CREATE TABLE signal_event (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            time INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX signal_event_time ON signal_event (time);

        -- `document` is the whole contact as a JSON object; the rest is what is looked up by.
        CREATE TABLE contact (
            number INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),  -- UUIDv7
            uid TEXT,
            name TEXT NOT NULL,
            document BLOB NOT NULL,
            imported INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX contact_uid ON contact (uid) WHERE uid IS NOT NULL;
        CREATE INDEX contact_name ON contact (name);

        CREATE TABLE reminder (
            number INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),  -- UUIDv7
            text TEXT NOT NULL,
            at INTEGER,
            when_opens TEXT,
            opens_key TEXT,  -- what `when_opens` is compared by
            on_signal TEXT,
            app TEXT,        -- of what it is linked to, as the next three
            target TEXT,
            webpage TEXT,
            activity TEXT,   -- its id
            state TEXT NOT NULL CHECK (state = 'waiting' OR state = 'fired'),
            due INTEGER,     -- NULL until what it waits for has happened
            created INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX reminder_due ON reminder (due) WHERE state = 'waiting' AND due IS NOT NULL;
        CREATE INDEX reminder_opens ON reminder (opens_key) WHERE state = 'waiting' AND opens_key IS NOT NULL;
        CREATE INDEX reminder_signal ON reminder (on_signal) WHERE state = 'waiting' AND on_signal IS NOT NULL;
        """

    // MARK: - Migration

    /// Versions that kept deliveries in another shape: the file is copied before its rows are.
    private static let copiedVersions = 1...5

    /// Brings a file to the newest version or to `target`, each step and its number in one transaction.
    ///
    /// The step of a new file runs before its write-ahead log is switched on. So the file itself identifies its
    /// application from its first byte on, without a log.
    ///
    /// - Parameter copying: makes a checked copy beside the file before its deliveries are rewritten; nil for no copy.
    func migrate(
        _ connection: inout SQLiteConnection, to target: Int = .max, copying: MigrationCopy? = nil
    ) throws(StoreError) {
        // A table that takes the place of another one must not take the rows along that refer to it.
        let enforces = try connection.integer("PRAGMA foreign_keys") == 1
        if enforces { try connection.execute("PRAGMA foreign_keys = OFF") }
        var pending = copying
        while true {
            // Several questions, one moment: another process may be making the file.
            try connection.run("BEGIN")
            let found = Result { () throws(StoreError) in try version(of: &connection) }
            try connection.run("COMMIT")
            let before = try found.get()
            guard let step = steps.last(where: { $0.from == before && $0.to <= target }) else { break }
            var copied: Int64?
            if let pending, Schema.copiedVersions.contains(before) {
                do throws(StoreError) {
                    copied = try pending.make(&connection, version: before)
                } catch {
                    // The process that took the step meanwhile has swept the drafts of all others away.
                    if let now = try? version(of: &connection), now > before { continue }
                    throw error
                }
            }
            try connection.run("BEGIN IMMEDIATE")
            do throws(StoreError) {
                // Another process may have taken the step, or written, while this one waited for the lock.
                let moment = copied == nil ? nil : try connection.integer("PRAGMA data_version")
                if try version(of: &connection) == before, moment == copied {
                    pending = nil
                    let dangling = "SELECT count(*) FROM pragma_foreign_key_check"
                    // A file that is made anew has none; a damaged one may have had some before.
                    let known = before == 0 ? nil : try connection.integer(dangling)
                    try connection.execute(step.sql)
                    if let known, let left = try connection.integer(dangling), left > known {
                        throw .misuse(
                            "\(left - known) references would lead to no row in version \(step.to)",
                            path: connection.path)
                    }
                    try connection.execute(
                        "PRAGMA application_id = \(Schema.applicationID); PRAGMA user_version = \(step.to)")
                }
                try connection.run("COMMIT")
            } catch {
                // SQLite may have rolled back by itself; the first error is the one to report.
                _ = try? connection.run("ROLLBACK")
                throw error
            }
        }
        if enforces { try connection.execute("PRAGMA foreign_keys = ON") }
        if copying != nil, pending == nil { MigrationCopy.sweepDrafts(of: connection.path) }
    }

    /// The version of the file; refuses a file that is newer, was written by an unreleased build, or is not a store.
    func version(of connection: inout SQLiteConnection) throws(StoreError) -> Int {
        let application = try connection.integer("PRAGMA application_id") ?? 0
        let found = try connection.integer("PRAGMA user_version") ?? 0
        if application != Schema.applicationID {
            let tables = try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
            guard application == 0, found == 0, tables == 0 else { throw .foreign(path: connection.path) }
            return 0
        }
        guard found >= 0, found <= Int64(version) else {
            throw .newer(version: found, known: version, path: connection.path)
        }
        guard found == version || steps.contains(where: { $0.from == found }) else {
            throw .unreleased(version: found, path: connection.path)
        }
        return Int(found)
    }

    func isNewest(_ connection: inout SQLiteConnection) throws(StoreError) -> Bool {
        try version(of: &connection) == version
    }
}
