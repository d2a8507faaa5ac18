public import UsherStore

extension StoreFeature {
    /// The sessions of coding agents.
    public static let agents = {
        var feature = StoreFeature(mark: "agent", tables: agentTables)
        feature.whenSessionIsLost = ended("NEW")
        feature.whenSessionEnds = ended("OLD")
        feature.salvaged = [SalvagedTable(name: "agent", key: "number", givesNumbersOnce: true)]
        return feature
    }()

    private static func ended(_ row: String) -> String {
        """
        UPDATE agent SET state = 'ended', kind = NULL, turn = NULL,
            since = CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER)
        WHERE 'agent-' || number = \(row).id AND state <> 'ended';
        """
    }

    private static let agentTables = """
        -- MARK: Coding agents

        CREATE TABLE agent (
            number INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given twice: `agent-` and this is the id of its session
            agent TEXT NOT NULL,
            session TEXT NOT NULL,   -- its id, as the agent gives it
            state TEXT NOT NULL,
            kind TEXT,               -- what it waits for
            since INTEGER NOT NULL,
            seen INTEGER,            -- the last visit since the state is this one
            turn INTEGER,            -- when the user's request came that it works on
            tool TEXT,
            title TEXT,
            cwd TEXT,
            pid INTEGER,
            start INTEGER,           -- of the process, in clock ticks since boot
            tty TEXT,
            delivery TEXT            -- of its last notification
        ) STRICT;
        """
}
