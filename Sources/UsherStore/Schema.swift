/// The tables, of sessions and deliveries and of the features of a program, and how a file comes to have them.
///
/// `user_version` counts the changes of the tables: an empty file has 0. Released versions are 1 to 5, 17 and 18.
package struct Schema: Sendable {
    /// Leads from one version to a later one, in one transaction.
    package struct Step: Sendable {
        let from: Int
        let to: Int
        /// Made when it is needed.
        let sql: @Sendable () -> String

        package init(from: Int, to: Int, sql: @escaping @autoclosure @Sendable () -> String) {
            self.from = from
            self.to = to
            self.sql = sql
        }
    }

    /// `Ushr`, in the header of every store.
    static let applicationID: Int64 = 0x5573_6872

    /// The version of `tables`.
    private static let current = 21

    package let features: [StoreFeature]
    /// A file takes the last one from its version that does not lead beyond the wanted version.
    package var steps: [Step]

    package init(_ features: [StoreFeature]) {
        self.features = features
        steps =
            Schema.released + [
                Step(from: 5, to: Schema.current, sql: Schema.migrationFromVersion5(features)),
                Step(from: 0, to: Schema.current, sql: Schema.tables(features)),
            ]
    }

    /// The newest version.
    package var version: Int { steps.reduce(0) { max($0, $1.to) } }

    // MARK: - The tables

    /// Makes the newest tables: in an empty file, and in one of version 5 whose tables were moved aside.
    static func tables(_ features: [StoreFeature]) -> String {
        ([ownTables] + features.map(\.tables) + [triggers(features)]).joined(separator: "\n")
    }

    /// The end of a session, or the loss of its window; the process was that window's.
    private static func triggers(_ features: [StoreFeature]) -> String {
        let ends = features.map(\.whenSessionEnds).filter { !$0.isEmpty }
        return """
            CREATE TRIGGER session_lost AFTER UPDATE OF state ON session
            WHEN NEW.state = 'disconnected' AND OLD.state <> 'disconnected'
            BEGIN
                \(features.map(\.whenSessionIsLost).joined())
                UPDATE session SET process = NULL, process_start = NULL, process_boot = NULL
                WHERE number = NEW.number AND process IS NOT NULL;
            END;
            """ + (ends.isEmpty ? "" : trigger("session_ended", on: "BEFORE DELETE ON session", ends.joined()))
    }

    private static func trigger(_ name: String, on event: String, _ statements: String) -> String {
        """

        CREATE TRIGGER \(name) \(event)
        BEGIN
            \(statements)
        END;
        """
    }

    /// Makes the tables of a feature in a file that was written without it, with triggers of its own.
    private static func installing(_ feature: StoreFeature) -> String {
        var script = feature.tables
        if !feature.whenSessionIsLost.isEmpty {
            script += trigger(
                "\(feature.mark)_session_lost",
                on: """
                    AFTER UPDATE OF state ON session
                    WHEN NEW.state = 'disconnected' AND OLD.state <> 'disconnected'
                    """, feature.whenSessionIsLost)
        }
        if !feature.whenSessionEnds.isEmpty {
            script += trigger(
                "\(feature.mark)_session_ended", on: "BEFORE DELETE ON session", feature.whenSessionEnds)
        }
        return script
    }

    /// The tables of the store itself.
    private static let ownTables = """
        -- MARK: Store

        CREATE TABLE store (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            generation INTEGER NOT NULL,  -- of all sessions: bumped by every change of any
            used INTEGER NOT NULL,        -- the greatest that any session was ever given
            created INTEGER NOT NULL,     -- likewise
            aged INTEGER,                 -- what age is measured by: see `Store.prune`. NULL until something is
            looked INTEGER,               -- when `aged` last followed a clock that was far ahead
            -- Bumped by every change of a redirect, tombstone or tie: caches of resolved identifiers compare it. 0: there never was one.
            redirects INTEGER NOT NULL DEFAULT 0,
            addresses TEXT,               -- by which settings the keys of links were made; NULL: there may be links without keys
            shortcuts INTEGER NOT NULL DEFAULT 0,  -- bumped by every change of a dynamic shortcut item. 0: there never was one
            conditions TEXT               -- the configuration, by its digest, whose conditions sessions have; NULL: not known
        ) STRICT;
        INSERT INTO store VALUES (1, 0, 0, 0, NULL, NULL, 0, '1 ', 0, NULL);

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
            code BLOB,         -- what a hook's signature was made of: the same signed request again is a duplicate
            schedule TEXT,     -- of a scheduled notification: its id
            scheduled INTEGER, -- and when it was to come
            input BLOB         -- of one that ended when it arrived; NULL: its input is in `delivery_input`, or it has none
        ) STRICT;
        CREATE INDEX delivery_open ON delivery (number) WHERE finished IS NULL;
        CREATE INDEX delivery_sender ON delivery (sender_id, accepted) WHERE sender_id IS NOT NULL;
        CREATE INDEX delivery_collapse ON delivery (collapse, app)
            WHERE collapse IS NOT NULL AND state IN ('accepted', 'resolved');
        CREATE INDEX delivery_duplicate ON delivery (number) WHERE state = 'duplicate';
        CREATE INDEX delivery_code ON delivery (code) WHERE code IS NOT NULL;

        -- The inputs of those that were open once: a change of state does not write the input again.
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

        -- Sums over all deliveries, right at the end of every transaction: rows that it inserts are counted once for all of them
        -- (`StoreState.countInserted`), the triggers count the other changes.
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
        INSERT INTO totals VALUES (1, 0, 0, 0, 0, 0, 0, 0);

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
                ('shown', 'pressed', 'expired', 'dismissed', 'closed', 'undefined', 'replaced', 'lost', 'visited')),
            shown INTEGER NOT NULL,
            ended INTEGER,           -- NULL as long as it is shown, as far as is known
            response TEXT,           -- the button that was pressed
            target TEXT,             -- the newest identifier of its content
            session TEXT,            -- the session that its delivery chose
            answer TEXT,             -- the action that was the answer for the sender that waited for one
            awaits INTEGER NOT NULL DEFAULT 0  -- whether it has buttons that answer a sender
        ) STRICT;
        CREATE INDEX notification_shown_as ON notification (shown_as, server);
        CREATE INDEX notification_open ON notification (collapse, app) WHERE ended IS NULL;
        CREATE INDEX notification_target ON notification (app, target) WHERE ended IS NULL;

        -- Pushes that interrupted the user lately, of apps that limit how often. They outlive their deliveries.
        CREATE TABLE interruption (
            delivery TEXT PRIMARY KEY,
            app TEXT NOT NULL,
            at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX interruption_app ON interruption (app, at);

        -- MARK: Shortcut items

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
        """

    /// Counts the rows of all deliveries.
    static let recounting = """
        INSERT OR REPLACE INTO totals SELECT 1, count(*) FILTER (WHERE finished IS NULL), coalesce(sum(bytes) FILTER (WHERE finished IS NULL), 0),
            coalesce(sum(bytes) FILTER (WHERE finished IS NOT NULL), 0), count(finished),
            count(*) FILTER (WHERE state = 'duplicate'), count(finished) FILTER (WHERE reason = 'invalid'),
            coalesce(sum(bytes) FILTER (WHERE finished IS NOT NULL AND reason = 'invalid'), 0)
        FROM delivery;
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
    package func migrate(
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
            if before == 5 { try refuseOlderTables(of: &connection, version: before) }
            var copied: MigrationCopy.Made?
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
                if try version(of: &connection) == before, moment == copied?.moment {
                    pending = nil
                    let dangling = "SELECT count(*) FROM pragma_foreign_key_check"
                    // A file that is made anew has none; a damaged one may have had some before.
                    let known = before == 0 ? nil : try connection.integer(dangling)
                    try connection.execute(step.sql())
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
                // A copy of what is still there is of no use.
                if let copied, (try? version(of: &connection)) == before { copied.remove() }
                throw error
            }
        }
        if target >= version { try installFeatures(&connection) }
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

    /// Whether it has the newest version, and the tables of all features.
    func isNewest(_ connection: inout SQLiteConnection) throws(StoreError) -> Bool {
        try version(of: &connection) == version && !features.contains { connection.lacksTable($0.mark) }
    }

    /// Makes the tables of features that the program that made the file did not have.
    private func installFeatures(_ connection: inout SQLiteConnection) throws(StoreError) {
        for feature in features where connection.lacksTable(feature.mark) {
            try connection.run("BEGIN IMMEDIATE")
            do throws(StoreError) {
                // Another process may have made them meanwhile.
                let table = "SELECT count(*) FROM sqlite_schema WHERE name = ?"
                if try connection.integer(table, .text(feature.mark)) == 0 {
                    try connection.execute(Schema.installing(feature))
                }
                try connection.run("COMMIT")
            } catch {
                _ = try? connection.run("ROLLBACK")
                throw error
            }
        }
    }
}
