public import UsherStore

extension StoreFeature {
    /// What suggestions are made of: uses of activities, interactions, signals, contacts; and reminders.
    ///
    /// It needs the tables of activities.
    public static let suggestions = {
        var feature = StoreFeature(mark: "interaction", tables: suggestionTables)
        feature.upgrade.copying = """
            INSERT INTO activity_use (activity, app, time) SELECT number, app, became FROM activity ORDER BY became, number;
            """
        feature.prepare = StoreState.observeActivities
        feature.prune = Store.pruneEvents
        feature.salvaged = ["activity_use", "interaction", "signal_event", "contact", "reminder"].map {
            SalvagedTable(name: $0, key: "number")
        }
        return feature
    }()

    private static let suggestionTables = """
        -- MARK: Suggestions

        -- Each time that an activity becomes current: what suggestions are ranked by. Kept for a while: see `pruneEvents`.
        CREATE TABLE activity_use (
            number INTEGER PRIMARY KEY,
            activity INTEGER NOT NULL REFERENCES activity (number) ON DELETE CASCADE,
            app TEXT NOT NULL,
            time INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX activity_use_time ON activity_use (time);
        CREATE INDEX activity_use_activity ON activity_use (activity, time);

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
}
