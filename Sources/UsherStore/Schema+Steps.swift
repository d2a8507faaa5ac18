/// How the files of released versions come to have the newest tables.
extension Schema {
    /// The steps as they were released: none is edited again.
    static let released = [
        Step(
            from: 0, to: 1,
            sql: """
                CREATE TABLE store (
                    id INTEGER PRIMARY KEY CHECK (id = 1),
                    generation INTEGER NOT NULL,  -- of all sessions: bumped by every change of any
                    used INTEGER NOT NULL,        -- the greatest that any session was ever given
                    created INTEGER NOT NULL      -- likewise
                ) STRICT;
                INSERT INTO store VALUES (1, 0, 0, 0);

                CREATE TABLE condition (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given twice: readers keep what they parsed by it
                    text TEXT NOT NULL UNIQUE
                ) STRICT;

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
                    changed INTEGER NOT NULL
                ) STRICT;
                CREATE INDEX session_app ON session (app);
                CREATE INDEX session_can ON session (can);
                CREATE INDEX session_prefers ON session (prefers);

                CREATE TABLE session_number (
                    app TEXT NOT NULL,
                    scene TEXT NOT NULL,
                    last INTEGER NOT NULL,
                    PRIMARY KEY (app, scene)
                ) STRICT, WITHOUT ROWID;

                CREATE TABLE delivery (
                    number INTEGER PRIMARY KEY AUTOINCREMENT,  -- the order of arrival
                    id TEXT NOT NULL UNIQUE,
                    sender_id TEXT,
                    source TEXT NOT NULL,
                    format TEXT,
                    accepted INTEGER NOT NULL,
                    app TEXT,
                    target TEXT,
                    state TEXT NOT NULL CHECK (state IN
                        ('accepted', 'resolved', 'acting', 'done', 'failed', 'expired', 'collapsed', 'duplicate')),
                    attempts INTEGER NOT NULL,
                    nonce TEXT,
                    owner_boot TEXT,
                    owner_pid INTEGER,
                    owner_start INTEGER,
                    action TEXT,
                    reason TEXT,
                    scene TEXT,
                    resolved TEXT,
                    configuration TEXT,
                    session TEXT,
                    finished INTEGER,
                    record TEXT,
                    explanation TEXT,
                    input BLOB NOT NULL
                ) STRICT;
                CREATE INDEX delivery_open ON delivery (number) WHERE state IN ('accepted', 'resolved', 'acting');
                CREATE INDEX delivery_sender ON delivery (sender_id, accepted) WHERE sender_id IS NOT NULL;
                CREATE INDEX delivery_accepted ON delivery (accepted);
                """),
        Step(
            from: 1, to: 2,
            sql: """
                -- The deliveries, made anew. Written so that a row costs little: a list of more than two words in a condition
                -- makes SQLite build a tree for every row, and what is looked at often stands before what is long.
                CREATE TABLE delivery_new (
                    -- The order of arrival. That of a newest row that was dropped may be given again: nothing refers to it.
                    number INTEGER PRIMARY KEY,
                    id TEXT NOT NULL UNIQUE,
                    sender_id TEXT,
                    source TEXT NOT NULL,
                    format TEXT,
                    accepted INTEGER NOT NULL,
                    app TEXT,
                    target TEXT,
                    state TEXT NOT NULL CHECK (
                        state = 'done' OR state = 'accepted' OR state = 'resolved' OR state = 'acting' OR state = 'failed'
                        OR state = 'expired' OR state = 'collapsed' OR state = 'duplicate'),
                    attempts INTEGER NOT NULL,
                    nonce TEXT,
                    owner TEXT,        -- the file that its process holds locked, in `owners`
                    owner_boot TEXT,
                    owner_pid INTEGER,
                    owner_start INTEGER,
                    action TEXT,
                    reason TEXT,
                    scene TEXT,
                    resolved TEXT,
                    configuration TEXT,
                    session TEXT,
                    finished INTEGER,  -- NULL as long as it is open
                    due INTEGER,       -- tried again then, after it failed
                    expires INTEGER,   -- not to begin after that; 0: at once or never
                    collapse TEXT,     -- of those with the same one, the newest counts
                    redriven INTEGER,  -- its attempts when a retry was requested
                    record TEXT,
                    explanation TEXT,
                    input BLOB NOT NULL
                ) STRICT;
                INSERT INTO delivery_new (
                    number, id, sender_id, source, format, accepted, app, target, state, attempts, nonce, owner_boot, owner_pid,
                    owner_start, action, reason, scene, resolved, configuration, session, finished, record, explanation, input)
                SELECT number, id, sender_id, source, format, accepted, app, target, state, attempts, nonce, owner_boot, owner_pid,
                    owner_start, action, reason, scene, resolved, configuration, session,
                    CASE WHEN state IN ('accepted', 'resolved', 'acting') THEN NULL ELSE coalesce(finished, accepted) END,
                    record, explanation, input
                FROM delivery ORDER BY number;
                DROP TABLE delivery;
                ALTER TABLE delivery_new RENAME TO delivery;
                CREATE INDEX delivery_open ON delivery (number) WHERE finished IS NULL;
                CREATE INDEX delivery_sender ON delivery (sender_id, accepted) WHERE sender_id IS NOT NULL;
                CREATE INDEX delivery_collapse ON delivery (collapse, app)
                    WHERE collapse IS NOT NULL AND state IN ('accepted', 'resolved');

                -- The terminal records that a delivery had before it was asked for again.
                CREATE TABLE delivery_history (
                    number INTEGER PRIMARY KEY,
                    delivery TEXT NOT NULL REFERENCES delivery (id) ON DELETE CASCADE,
                    state TEXT NOT NULL,
                    finished INTEGER,
                    record TEXT
                ) STRICT;
                CREATE INDEX delivery_history_delivery ON delivery_history (delivery);
                """),
        Step(
            from: 2, to: 3,
            sql: """
                -- What age is measured by: see `Store.prune`. NULL until something is.
                ALTER TABLE store ADD COLUMN aged INTEGER;
                ALTER TABLE store ADD COLUMN looked INTEGER;  -- when `aged` last followed a clock that was far ahead
                """),
        Step(
            from: 3, to: 4,
            sql: """
                -- Bumped by every change of a redirect or tombstone: caches of resolved identifiers compare it. 0: there never was one.
                ALTER TABLE store ADD COLUMN redirects INTEGER NOT NULL DEFAULT 0;

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

                -- The process whose window a session is, where it is known.
                ALTER TABLE session ADD COLUMN process INTEGER;
                ALTER TABLE session ADD COLUMN process_start INTEGER;
                ALTER TABLE session ADD COLUMN process_boot TEXT;
                CREATE INDEX session_process ON session (process) WHERE process IS NOT NULL;

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
                -- Their texts; rowid is activity.number.
                CREATE VIRTUAL TABLE activity_text USING fts5 (
                    title, keywords, attributes, tokenize = 'unicode61 remove_diacritics 2');

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
                    document BLOB           -- the activity that it was made from, a JSON object; NULL where it was made by an id
                ) STRICT;
                CREATE INDEX link_note ON link (note);
                CREATE VIRTUAL TABLE link_text USING fts5 (
                    title, content = 'link', content_rowid = 'number', tokenize = 'unicode61 remove_diacritics 2');

                -- The identifiers of a link, exactly as they were given. Kinds: 1 targetContentIdentifier, 2 persistentIdentifier,
                -- 3 webpageURL.
                CREATE TABLE link_identifier (
                    link INTEGER NOT NULL REFERENCES link (number) ON DELETE CASCADE,
                    kind INTEGER NOT NULL,
                    identifier TEXT NOT NULL,
                    PRIMARY KEY (link, kind, identifier)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX link_identifier_text ON link_identifier (identifier, link, kind);
                """),
        Step(
            from: 4, to: 5,
            sql: """
                -- Of a press on a notification: the delivery that it was shown for, and which button; `default` is the click.
                ALTER TABLE delivery ADD COLUMN parent TEXT;
                ALTER TABLE delivery ADD COLUMN response TEXT;

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
                """),
        Step(
            from: 17, to: 18,
            sql: """
                ALTER TABLE store ADD COLUMN shortcuts INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE store ADD COLUMN conditions TEXT;
                -- The dynamic shortcut items of apps.
                CREATE TABLE shortcut (
                    app TEXT NOT NULL,
                    place INTEGER NOT NULL,  -- among the items of the app, from 0
                    type TEXT NOT NULL,
                    title TEXT NOT NULL,
                    subtitle TEXT,
                    icon_kind TEXT,          -- `symbolName`, `templateImageName` or `type`
                    icon TEXT,
                    target TEXT,
                    user_info TEXT,          -- a JSON object
                    PRIMARY KEY (app, place)
                ) STRICT, WITHOUT ROWID;
                -- Of a scheduled notification: its id, and when it was to come.
                ALTER TABLE delivery ADD COLUMN schedule TEXT;
                ALTER TABLE delivery ADD COLUMN scheduled INTEGER;

                -- The totals with what is counted from this version on.
                DROP TRIGGER delivery_inserted;
                DROP TRIGGER delivery_updated;
                DROP TRIGGER delivery_deleted;
                DROP TABLE totals;

                -- Sums over all deliveries, kept by the triggers below in the transaction that changes them.
                CREATE TABLE totals (
                    id INTEGER PRIMARY KEY CHECK (id = 1),
                    open_count INTEGER NOT NULL,
                    open_bytes INTEGER NOT NULL,
                    kept_bytes INTEGER NOT NULL,  -- of finished ones, as the next two
                    kept_count INTEGER NOT NULL,
                    duplicate_count INTEGER NOT NULL,  -- these go first
                    invalid_count INTEGER NOT NULL,  -- of those that could not be read: these go next
                    invalid_bytes INTEGER NOT NULL
                ) STRICT;
                CREATE TRIGGER delivery_inserted AFTER INSERT ON delivery
                BEGIN
                    UPDATE totals SET open_count = open_count + (NEW.finished IS NULL),
                        open_bytes = open_bytes + iif(NEW.finished IS NULL, NEW.bytes, 0),
                        kept_bytes = kept_bytes + iif(NEW.finished IS NULL, 0, NEW.bytes),
                        kept_count = kept_count + (NEW.finished IS NOT NULL),
                        duplicate_count = duplicate_count + (NEW.state = 'duplicate'),
                        invalid_count = invalid_count + (NEW.finished IS NOT NULL AND NEW.reason IS 'invalid'),
                        invalid_bytes = invalid_bytes + iif(NEW.finished IS NOT NULL AND NEW.reason IS 'invalid', NEW.bytes, 0);
                END;
                CREATE TRIGGER delivery_updated AFTER UPDATE OF finished, bytes ON delivery
                WHEN OLD.bytes <> NEW.bytes OR (OLD.finished IS NULL) <> (NEW.finished IS NULL)
                BEGIN
                    UPDATE totals SET open_count = open_count + (NEW.finished IS NULL) - (OLD.finished IS NULL),
                        open_bytes = open_bytes + iif(NEW.finished IS NULL, NEW.bytes, 0) - iif(OLD.finished IS NULL, OLD.bytes, 0),
                        kept_bytes = kept_bytes + iif(NEW.finished IS NULL, 0, NEW.bytes) - iif(OLD.finished IS NULL, 0, OLD.bytes),
                        kept_count = kept_count + (NEW.finished IS NOT NULL) - (OLD.finished IS NOT NULL),
                        duplicate_count = duplicate_count + (NEW.state = 'duplicate') - (OLD.state = 'duplicate'),
                        invalid_count = invalid_count + (NEW.finished IS NOT NULL AND NEW.reason IS 'invalid')
                            - (OLD.finished IS NOT NULL AND OLD.reason IS 'invalid'),
                        invalid_bytes = invalid_bytes + iif(NEW.finished IS NOT NULL AND NEW.reason IS 'invalid', NEW.bytes, 0)
                            - iif(OLD.finished IS NOT NULL AND OLD.reason IS 'invalid', OLD.bytes, 0);
                END;
                CREATE TRIGGER delivery_deleted AFTER DELETE ON delivery
                BEGIN
                    UPDATE totals SET open_count = open_count - (OLD.finished IS NULL),
                        open_bytes = open_bytes - iif(OLD.finished IS NULL, OLD.bytes, 0),
                        kept_bytes = kept_bytes - iif(OLD.finished IS NULL, 0, OLD.bytes),
                        kept_count = kept_count - (OLD.finished IS NOT NULL),
                        duplicate_count = duplicate_count - (OLD.state = 'duplicate'),
                        invalid_count = invalid_count - (OLD.finished IS NOT NULL AND OLD.reason IS 'invalid'),
                        invalid_bytes = invalid_bytes - iif(OLD.finished IS NOT NULL AND OLD.reason IS 'invalid', OLD.bytes, 0);
                END;

                INSERT INTO totals
                SELECT 1, count(*) FILTER (WHERE finished IS NULL), coalesce(sum(bytes) FILTER (WHERE finished IS NULL), 0),
                    coalesce(sum(bytes) FILTER (WHERE finished IS NOT NULL), 0), count(finished),
                    count(*) FILTER (WHERE state = 'duplicate'), count(finished) FILTER (WHERE reason = 'invalid'),
                    coalesce(sum(bytes) FILTER (WHERE finished IS NOT NULL AND reason = 'invalid'), 0)
                FROM delivery;
                """),
        Step(
            from: 18, to: 19,
            sql: """
                -- Of a delivery that ended when it arrived; NULL: its input is in `delivery_input`, or it has none.
                ALTER TABLE delivery ADD COLUMN input BLOB;
                -- Rows that a transaction inserts are counted at its end.
                DROP TRIGGER delivery_inserted;
                """),
        Step(
            from: 19, to: 20,
            sql: """
                ALTER TABLE notification RENAME TO old_notification;
                DROP INDEX notification_shown_as;
                DROP INDEX notification_open;
                -- What was shown on the desktop, and what became of it.
                CREATE TABLE notification (
                    number INTEGER PRIMARY KEY,
                    delivery TEXT NOT NULL UNIQUE REFERENCES delivery (id) ON DELETE CASCADE,
                    app TEXT NOT NULL,
                    collapse TEXT,
                    server TEXT NOT NULL,    -- one life of the notification server
                    shown_as INTEGER NOT NULL,  -- its number there
                    state TEXT NOT NULL CHECK (state IN
                        ('shown', 'pressed', 'expired', 'dismissed', 'closed', 'undefined', 'replaced', 'lost', 'visited')),
                    shown INTEGER NOT NULL,
                    ended INTEGER,           -- NULL as long as it is shown, as far as is known
                    response TEXT,           -- the button that was pressed
                    target TEXT,             -- the newest identifier of its content
                    session TEXT,            -- the session that its delivery chose
                    answer TEXT              -- the action that was the answer for the sender that waited for one
                ) STRICT;
                CREATE INDEX notification_shown_as ON notification (shown_as, server);
                CREATE INDEX notification_open ON notification (collapse, app) WHERE ended IS NULL;
                CREATE INDEX notification_target ON notification (app, target) WHERE ended IS NULL;
                INSERT INTO notification SELECT *, NULL, NULL, NULL FROM old_notification;
                DROP TABLE old_notification;
                """),
        Step(
            from: 20, to: 21,
            sql: """
                -- Whether it has buttons that answer a sender.
                ALTER TABLE notification ADD COLUMN awaits INTEGER NOT NULL DEFAULT 0;
                """),
    ]

    /// From version 5, the tables of 0.4.0, to the newest: moves the tables aside, makes the newest ones and copies the rows.
    static func migrationFromVersion5(_ features: [StoreFeature]) -> String {
        let upgrades = features.map(\.upgrade)
        let tables = tablesOfVersion5 + upgrades.flatMap(\.tables)
        return """
            -- A window belongs to one session: of those that claim the same one, the one that was used last keeps it.
            UPDATE session SET handle = NULL, handle_server = NULL,
                state = CASE WHEN state IN ('connecting', 'connected') THEN 'disconnected' ELSE state END
            WHERE number IN (
                SELECT number FROM (
                    SELECT number, row_number() OVER (
                        PARTITION BY coalesce(handle_server, ''), handle
                        ORDER BY state IN ('connecting', 'connected') DESC, used DESC NULLS LAST, created DESC) AS place
                    FROM session WHERE handle IS NOT NULL)
                WHERE place > 1);

            DROP TRIGGER session_lost;
            DROP TRIGGER session_ended;
            \(upgrades.flatMap(\.textTables).map { "DROP TABLE \($0);" }.joined(separator: "\n"))
            \((indexesOfVersion5 + upgrades.flatMap(\.indexes)).map { "DROP INDEX IF EXISTS \($0);" }
                .joined(separator: "\n"))
            \(tables.map { "ALTER TABLE \($0) RENAME TO old_\($0);" }.joined(separator: "\n"))

            \(Schema.tables(features))

            \((unchangedSinceVersion5 + upgrades.flatMap(\.unchanged))
                .map { "INSERT INTO \($0) SELECT * FROM old_\($0);" }.joined(separator: "\n"))
            INSERT INTO condition (id, text) SELECT id, text FROM old_condition;
            INSERT INTO session SELECT *, 0 FROM old_session;
            DELETE FROM store;
            INSERT INTO store SELECT *, '1 ', 0, NULL FROM old_store;

            -- Inputs and configurations stand apart, and `bytes` is about what `StoreState.room` says.
            INSERT INTO configuration (digest)
            SELECT DISTINCT configuration FROM old_delivery WHERE configuration IS NOT NULL;
            INSERT INTO delivery (
                number, id, state, finished, bytes, accepted, attempts, due, expires, redriven, source, format, sender_id, app,
                target, collapse, parent, response, action, reason, scene, resolved, session, configuration, nonce, owner,
                owner_boot, owner_pid, owner_start, record, legacy_explanation)
            SELECT number, id, state, finished,
                room_of_row + room_of_row / 8 + CASE
                    WHEN length(input) <= 2700 THEN length(input) + length(input) / 8
                    WHEN length(input) <= 4070 THEN 4096
                    ELSE (length(input) + 8191) / 8192 * 8192 END,
                accepted, attempts, due, expires, redriven, source, format, sender_id, app, target, collapse, parent, response,
                action, reason, scene, CASE WHEN resolved = target THEN '' ELSE resolved END, session,
                (SELECT id FROM configuration AS c WHERE c.digest = d.configuration),
                iif(finished IS NULL, nonce, NULL), iif(finished IS NULL, owner, NULL),
                iif(finished IS NULL, owner_boot, NULL), iif(finished IS NULL, owner_pid, NULL),
                iif(finished IS NULL, owner_start, NULL), record, explanation
            FROM (SELECT *, 320 + coalesce(length(CAST(record AS BLOB)), 0) + coalesce(length(CAST(explanation AS BLOB)), 0)
                AS room_of_row FROM old_delivery) AS d ORDER BY number;
            \(recounting)
            INSERT INTO delivery_input SELECT number, input FROM old_delivery WHERE length(input) > 0 ORDER BY number;
            INSERT INTO notification SELECT *, NULL, NULL, NULL, 0 FROM old_notification;

            \(upgrades.map(\.copying).joined(separator: "\n"))

            -- Numbers that were given once are not given again.
            DELETE FROM sqlite_sequence WHERE 'old_' || name IN (SELECT name FROM sqlite_sequence);
            UPDATE sqlite_sequence SET name = substr(name, 5) WHERE name LIKE 'old!_%' ESCAPE '!';
            \(tables.map { "DROP TABLE old_\($0);" }.joined(separator: "\n"))
            """
    }

    /// Files of that version have these tables beside those of sessions and deliveries. None of them can be left behind.
    private static let featuresOfVersion5 = ["note", "activity"]

    /// Refuses to bring a file up to date without the features whose tables it has.
    func refuseOlderTables(of connection: inout SQLiteConnection, version: Int) throws(StoreError) {
        let known = features.flatMap(\.upgrade.tables)
        for table in Schema.featuresOfVersion5 where !known.contains(table) && !connection.lacksTable(table) {
            throw .ofMoreFeatures(version: version, path: connection.path)
        }
    }

    private static let unchangedSinceVersion5 = ["session_number", "delivery_history"]

    private static let tablesOfVersion5 =
        unchangedSinceVersion5 + ["store", "condition", "session", "delivery", "notification"]

    private static let indexesOfVersion5 = [
        "session_app", "session_can", "session_prefers", "session_process", "delivery_open", "delivery_sender",
        "delivery_collapse", "delivery_history_delivery", "notification_shown_as", "notification_open",
    ]
}
