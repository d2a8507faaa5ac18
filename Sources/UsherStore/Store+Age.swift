extension Store {
    /// The time that age is measured by, in microseconds since 1970: the clock's, unless that is more than a day ahead of
    /// the time before.
    ///
    /// A clock that was set wrong, or jumped, must not remove a month of history at once. The store then ages by one
    /// day at most, once an hour. A clock that is corrected meanwhile costs no history, and a store that was unused for
    /// a long time catches up in a few days. A clock that was set back is followed at once.
    func age() throws(StoreError) -> Int64 {
        try write { (state) throws(StoreError) in
            let now = state.options.now()
            var (known, looked) = try state.ages()
            if known == nil {
                known = try state.newest()
                looked = nil
            }
            guard let aged = known else {
                try state.set(aged: now, looked: now)
                return now
            }
            let ahead = now.subtractingReportingOverflow(aged).partialValue
            if ahead <= Store.day {
                // Not written for every look.
                if ahead.magnitude >= Store.hour.magnitude || looked == nil {
                    try state.set(aged: now, looked: now)
                }
                return now
            }
            let sinceLook = looked.map { now.subtractingReportingOverflow($0).partialValue.magnitude } ?? .max
            guard sinceLook >= Store.hour.magnitude else { return aged }
            // What is younger than everything there is takes nothing along.
            let next = max(aged + Store.day, min(now, try state.oldest() ?? now))
            try state.set(aged: next, looked: now)
            return next
        }
    }

    private static let hour: Int64 = 3_600_000_000
    private static let day: Int64 = 86_400_000_000
}

extension StoreState {
    fileprivate mutating func ages() throws(StoreError) -> (aged: Int64?, looked: Int64?) {
        let row = try prepare("SELECT aged, looked FROM store")
        guard try row.step() else { throw .unreadable("the age is missing", path: path) }
        return (row.optionalInteger(0), row.optionalInteger(1))
    }

    fileprivate mutating func set(aged: Int64, looked: Int64) throws(StoreError) {
        try run("UPDATE store SET aged = ?, looked = ?", .integer(aged), .integer(looked))
    }

    /// When the last delivery came. nil where there is none.
    fileprivate mutating func newest() throws(StoreError) -> Int64? {
        try integer("SELECT accepted FROM delivery ORDER BY number DESC LIMIT 1")
    }

    /// From when the oldest is that could be forgotten. nil where there is nothing.
    fileprivate mutating func oldest() throws(StoreError) -> Int64? {
        try integer(
            """
            SELECT min(time) FROM (
                SELECT min(accepted) AS time FROM delivery WHERE finished IS NOT NULL
                UNION ALL SELECT min(changed) FROM session WHERE state = 'disconnected')
            """)
    }
}
