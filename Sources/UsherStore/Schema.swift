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
            redriven INTEGER,  -- its attempts when somebody asked for it again
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
    ]

    /// Brings a file to the newest version, each step and its number in one transaction.
    ///
    /// The first steps of a new file are taken before its log is switched on, so that from its first byte on the file
    /// itself, without a log, says whose it is.
    static func migrate(_ connection: inout Connection, steps: [String]) throws(StoreError) {
        while true {
            // Several questions, one moment: another process may be making the file.
            try connection.run("BEGIN")
            let found = Result { () throws(StoreError) in try version(&connection, known: steps.count) }
            try connection.run("COMMIT")
            guard try found.get() < steps.count else { return }
            try connection.run("BEGIN IMMEDIATE")
            do throws(StoreError) {
                // Another process may have taken the step while this one waited for the lock.
                let version = try version(&connection, known: steps.count)
                if version < steps.count {
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
