internal import UsherText

/// The tables, as the steps that lead from an empty file to the newest version.
///
/// `user_version` counts the steps that a file has taken. A step is never edited once it was released: the next change is
/// a step of its own.
package enum Schema {
    /// `Ushr`, in the header of every store.
    package static let applicationID: Int64 = 0x5573_6872

    package static let migrations = [
        """
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
        """,
        """
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
        """,
        """
        -- What age is measured by: see `Store.prune`. NULL until something is.
        ALTER TABLE store ADD COLUMN aged INTEGER;
        ALTER TABLE store ADD COLUMN looked INTEGER;  -- when `aged` last followed a clock that was far ahead
        """,
        """
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
        """,
        """
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
        """,
        """
        -- Pushes that interrupted the user lately, of apps that limit how often. They outlive their deliveries.
        CREATE TABLE interruption (
            delivery TEXT PRIMARY KEY,
            app TEXT NOT NULL,
            at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX interruption_app ON interruption (app, at);
        """,
        """
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

        CREATE UNIQUE INDEX session_window ON session (coalesce(handle_server, ''), handle) WHERE handle IS NOT NULL;
        """,
        """
        -- A lean journal: inputs and configurations stand apart, evidence takes the place of rendered explanations, and
        -- what all rows take is known without reading them.

        -- The manifests that decisions were made by, each version once.
        CREATE TABLE configuration (
            id INTEGER PRIMARY KEY,
            digest TEXT NOT NULL UNIQUE,
            manifests BLOB  -- see `Configuration.manifests`; NULL where only the digest is known
        ) STRICT;
        INSERT INTO configuration (digest)
        SELECT DISTINCT configuration FROM delivery WHERE configuration IS NOT NULL;

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

        CREATE TABLE delivery_new (
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
            legacy_explanation TEXT  -- JSON that older versions stored instead of evidence
        ) STRICT;
        INSERT INTO delivery_new (
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
            AS room_of_row FROM delivery) AS d ORDER BY number;

        -- A change of state does not write the input again.
        CREATE TABLE delivery_input (
            number INTEGER PRIMARY KEY REFERENCES delivery (number) ON DELETE CASCADE,
            body BLOB NOT NULL
        ) STRICT;
        INSERT INTO delivery_input SELECT number, input FROM delivery WHERE length(input) > 0 ORDER BY number;

        DROP TABLE delivery;
        ALTER TABLE delivery_new RENAME TO delivery;
        CREATE INDEX delivery_open ON delivery (number) WHERE finished IS NULL;
        CREATE INDEX delivery_sender ON delivery (sender_id, accepted) WHERE sender_id IS NOT NULL;
        CREATE INDEX delivery_collapse ON delivery (collapse, app)
            WHERE collapse IS NOT NULL AND state IN ('accepted', 'resolved');

        -- Sums over all deliveries, kept by the triggers below in the transaction that changes them.
        CREATE TABLE totals (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            open_count INTEGER NOT NULL,
            open_bytes INTEGER NOT NULL,
            kept_bytes INTEGER NOT NULL  -- of finished ones
        ) STRICT;
        INSERT INTO totals SELECT 1, count(*) FILTER (WHERE finished IS NULL),
            coalesce(sum(bytes) FILTER (WHERE finished IS NULL), 0),
            coalesce(sum(bytes) FILTER (WHERE finished IS NOT NULL), 0) FROM delivery;
        CREATE TRIGGER delivery_inserted AFTER INSERT ON delivery
        BEGIN
            UPDATE totals SET open_count = open_count + (NEW.finished IS NULL),
                open_bytes = open_bytes + iif(NEW.finished IS NULL, NEW.bytes, 0),
                kept_bytes = kept_bytes + iif(NEW.finished IS NULL, 0, NEW.bytes);
        END;
        CREATE TRIGGER delivery_updated AFTER UPDATE OF finished, bytes ON delivery
        WHEN OLD.bytes <> NEW.bytes OR (OLD.finished IS NULL) <> (NEW.finished IS NULL)
        BEGIN
            UPDATE totals SET open_count = open_count + (NEW.finished IS NULL) - (OLD.finished IS NULL),
                open_bytes = open_bytes + iif(NEW.finished IS NULL, NEW.bytes, 0) - iif(OLD.finished IS NULL, OLD.bytes, 0),
                kept_bytes = kept_bytes + iif(NEW.finished IS NULL, 0, NEW.bytes) - iif(OLD.finished IS NULL, 0, OLD.bytes);
        END;
        CREATE TRIGGER delivery_deleted AFTER DELETE ON delivery
        BEGIN
            UPDATE totals SET open_count = open_count - (OLD.finished IS NULL),
                open_bytes = open_bytes - iif(OLD.finished IS NULL, OLD.bytes, 0),
                kept_bytes = kept_bytes - iif(OLD.finished IS NULL, 0, OLD.bytes);
        END;
        """,
        """
        -- Rows that are kept are counted, and duplicates among them: these go first.
        ALTER TABLE totals ADD COLUMN kept_count INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE totals ADD COLUMN duplicate_count INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX delivery_duplicate ON delivery (number) WHERE state = 'duplicate';
        UPDATE totals SET kept_count = (SELECT count(finished) FROM delivery),
            duplicate_count = (SELECT count(*) FROM delivery WHERE state = 'duplicate');
        DROP TRIGGER delivery_inserted;
        DROP TRIGGER delivery_updated;
        DROP TRIGGER delivery_deleted;
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
        """,
        """
        -- What a hook's signature was made of: the same signed request again is a duplicate.
        ALTER TABLE delivery ADD COLUMN code BLOB;
        CREATE INDEX delivery_code ON delivery (code) WHERE code IS NOT NULL;
        """,
        """
        -- Conditions that are evaluated for every request. Those of older rows are marked when they are next given to a
        -- session.
        ALTER TABLE condition ADD COLUMN is_unindexed INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX condition_unindexed ON condition (id) WHERE is_unindexed = 1;
        """,
        """
        -- What identifiers of links are compared by, where that is not the identifier itself: see Store+LinkKeys.swift.
        CREATE TABLE link_key (
            key TEXT NOT NULL,
            link INTEGER NOT NULL REFERENCES link (number) ON DELETE CASCADE,
            identifier TEXT NOT NULL,  -- as in link_identifier
            PRIMARY KEY (key, link, identifier)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX link_key_link ON link_key (link);
        -- By which settings the keys were made; NULL: there may be links without keys.
        ALTER TABLE store ADD COLUMN addresses TEXT;
        UPDATE store SET addresses = '1 ' WHERE NOT EXISTS (SELECT 1 FROM link_identifier);
        -- Of a link to a file, what the file is recognized by: device, inode, time of birth and size, with blanks between.
        ALTER TABLE link ADD COLUMN file TEXT;
        """,
        """
        -- 1: the target was read from the window, and changes with it.
        ALTER TABLE session ADD COLUMN target_read INTEGER NOT NULL DEFAULT 0;
        """,
        """
        -- Links are found by the words of their addresses, too: see `StoreState.words(of:)`. Those of older links are made
        -- here as well as SQL can do it, and anew with their keys.
        ALTER TABLE link ADD COLUMN words TEXT;
        UPDATE link SET words = (
            SELECT group_concat(
                replace(replace(replace(replace(replace(replace(identifier, 'https://', ''), 'http://', ''),
                    '%20', ' '), '%2F', '/'), '%2f', '/'), '%3A', ':'), char(10))
            FROM link_identifier WHERE link = number);
        UPDATE store SET addresses = NULL WHERE EXISTS (SELECT 1 FROM link_identifier);
        DROP TABLE link_text;
        CREATE VIRTUAL TABLE link_text USING fts5 (
            title, words, content = 'link', content_rowid = 'number', tokenize = 'unicode61 remove_diacritics 2');
        INSERT INTO link_text (link_text) VALUES ('rebuild');
        """,
        """
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
        """,
        """
        -- The documents that windows show: see `StoreState.documentUsedLast`.
        CREATE INDEX session_document ON session (used) WHERE target_read = 1;
        """,
        """
        -- Each time that an activity becomes current: what suggestions are ranked by. Kept for a while: see Store+Prune.swift.
        CREATE TABLE activity_use (
            number INTEGER PRIMARY KEY,
            activity INTEGER NOT NULL REFERENCES activity (number) ON DELETE CASCADE,
            app TEXT NOT NULL,
            time INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX activity_use_time ON activity_use (time);
        CREATE INDEX activity_use_activity ON activity_use (activity, time);
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
        INSERT INTO activity_use (activity, app, time) SELECT number, app, became FROM activity ORDER BY became, number;

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
        """,
    ]

    /// Versions before this one kept deliveries in another shape: the file is copied before its rows are.
    private static let leanVersion = 8

    /// Brings a file to the newest version, each step and its number in one transaction.
    ///
    /// The first steps of a new file run before its write-ahead log is switched on. So the file itself identifies its
    /// application from its first byte on, without a log.
    ///
    /// - Parameter copying: makes a checked copy beside the file before its deliveries are rewritten; nil for no copy.
    static func migrate(
        _ connection: inout Connection, steps: [String], copying: MigrationCopy? = nil
    ) throws(StoreError) {
        // A table that takes the place of another one must not take the rows along that refer to it.
        let enforces = try connection.integer("PRAGMA foreign_keys") == 1
        if enforces { try connection.execute("PRAGMA foreign_keys = OFF") }
        var copying: MigrationCopy? = copying
        var hasCopied = false
        while true {
            // Several questions, one moment: another process may be making the file.
            try connection.run("BEGIN")
            let found = Result { () throws(StoreError) in try version(&connection, known: steps.count) }
            try connection.run("COMMIT")
            let before = try found.get()
            guard before < steps.count else { break }
            var copied: Int64?
            if let copying, before > 0, before < leanVersion, steps.count >= leanVersion {
                do throws(StoreError) {
                    copied = try copying.make(&connection, version: before)
                } catch {
                    // The process that took the steps meanwhile has swept the drafts of all others away.
                    if let now = try? version(&connection, known: steps.count), now > before { continue }
                    throw error
                }
            }
            try connection.run("BEGIN IMMEDIATE")
            do throws(StoreError) {
                // Another process may have taken the step, or written, while this one waited for the lock.
                let version = try version(&connection, known: steps.count)
                let moment = copied == nil ? nil : try connection.integer("PRAGMA data_version")
                if version < steps.count, moment == copied {
                    hasCopied = hasCopied || copying != nil
                    copying = nil
                    try connection.execute(steps[version])
                    try connection.execute(
                        "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version + 1)")
                }
                try connection.run("COMMIT")
            } catch {
                // SQLite may have rolled back by itself; the first error is the one to report.
                _ = try? connection.run("ROLLBACK")
                throw error
            }
        }
        if enforces { try connection.execute("PRAGMA foreign_keys = ON") }
        if hasCopied { MigrationCopy.sweepDrafts(of: connection.path) }
    }

    /// How many steps the file has taken; refuses a file that is newer or not a store.
    static func version(_ connection: inout Connection, known: Int) throws(StoreError) -> Int {
        let application = try connection.integer("PRAGMA application_id") ?? 0
        let version = try connection.integer("PRAGMA user_version") ?? 0
        if application != applicationID {
            let tables = try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
            guard application == 0, version == 0, tables == 0 else { throw .foreign(path: connection.path) }
            return 0
        }
        guard version >= 0, version <= Int64(known) else {
            throw .newer(version: version, known: known, path: connection.path)
        }
        return Int(version)
    }
}
