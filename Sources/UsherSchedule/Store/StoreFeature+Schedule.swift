public import UsherStore

extension StoreFeature {
    /// Notifications that wait for a time, and those that came.
    public static let schedule = {
        var feature = StoreFeature(mark: "scheduled_notification", tables: scheduleTables)
        feature.prune = Store.pruneFired
        feature.salvaged = ["scheduled_notification", "fired_notification"].map {
            SalvagedTable(name: $0, key: "number")
        }
        return feature
    }()

    private static let scheduleTables = """
        -- MARK: Scheduled notifications

        CREATE TABLE scheduled_notification (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            app TEXT,
            next INTEGER NOT NULL,   -- when it is due
            rule TEXT,               -- NULL for once
            fired INTEGER,           -- of a rule: when it was fired last
            created INTEGER NOT NULL,
            payload BLOB NOT NULL    -- as it was given
        ) STRICT;
        CREATE INDEX scheduled_notification_next ON scheduled_notification (next);

        -- The last firing of each id. Kept for a while: see `pruneFired`.
        CREATE TABLE fired_notification (
            number INTEGER PRIMARY KEY,
            id TEXT NOT NULL UNIQUE,
            app TEXT,
            due INTEGER NOT NULL,    -- when it was to come
            time INTEGER NOT NULL,   -- when it came
            delivery TEXT NOT NULL
        ) STRICT;
        CREATE INDEX fired_notification_time ON fired_notification (time);
        """
}
