internal import UsherScene

extension Store {
    /// Where a record stands among all: in the order in which they were written.
    package struct RecordPlace: Sendable, Hashable {
        /// Microseconds since 1970.
        package var finished: Int64
        package var number: Int64
    }

    package struct StoredRecord: Sendable {
        package var id: String
        /// JSON.
        package var record: String
        package var place: RecordPlace
    }

    /// Where a finished delivery's record stands; nil where it is not known, or open. The id is ours or its sender's.
    package func recordPlace(of id: String) throws(StoreError) -> RecordPlace? {
        guard let known = try delivery(id) else { return nil }
        return try read { (state) throws(StoreError) in
            let row = try state.prepare(
                "SELECT finished, number FROM delivery WHERE id = ? AND finished IS NOT NULL", [.text(known.id)])
            return try row.step() ? RecordPlace(finished: row.integer(0), number: row.integer(1)) : nil
        }
    }

    /// The first delivery in the order of arrival that had no record at that place, or may get one still.
    package func firstNumber(after place: RecordPlace) throws(StoreError) -> Int64 {
        try read { (state) throws(StoreError) in
            try state.integer(
                "SELECT min(number) FROM delivery WHERE finished IS NULL OR finished >= ?", .integer(place.finished))
                ?? 0
        }
    }

    /// What follows a place, in order; fewer than `limit` only at the end, or where it is more than a megabyte.
    ///
    /// - Parameter number: only deliveries from this one on in the order of arrival; the others need not be looked at.
    package func records(
        after place: RecordPlace, from number: Int64, limit: Int
    ) throws(StoreError) -> (records: [StoredRecord], isAll: Bool) {
        try read { (state) throws(StoreError) in
            // The places first: what is long is then only read of those that are wanted.
            let row = try state.prepare(
                """
                SELECT d.id, d.record, d.finished, d.number FROM (
                    SELECT number FROM delivery
                    WHERE number >= ?1 AND (finished > ?2 OR finished = ?2 AND number > ?3) AND record IS NOT NULL
                    ORDER BY finished, number LIMIT ?4) AS p
                JOIN delivery AS d ON d.number = p.number ORDER BY d.finished, d.number
                """,
                [.integer(number), .integer(place.finished), .integer(place.number), .integer(Int64(limit))])
            var records: [StoredRecord] = []
            var size = 0
            while size < 1 << 20 {
                guard try row.step() else { return (records, records.count < limit) }
                let record = row.text(1)
                size += record.utf8.count
                records.append(
                    StoredRecord(
                        id: row.text(0), record: record,
                        place: RecordPlace(finished: row.integer(2), number: row.integer(3))))
            }
            return (records, false)
        }
    }
}
