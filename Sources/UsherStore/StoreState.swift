import UsherPredicate
import UsherScene
package import UsherTarget

/// The connection of a store with its caches; one thread has it at a time.
///
/// What is done to it belongs to one transaction: see `Store.write`.
package struct StoreState: ~Copyable {
    /// nil once the store was closed.
    var connection: SQLiteConnection?
    /// nil in a store that may be written.
    private(set) var reading: StoreFile.Reading?
    /// Whether the store may only be read.
    package var isReadOnly: Bool { reading != nil }
    let place: StoreFile.Origin?
    package let options: StoreOptions
    package let path: String
    /// Counts rollbacks. A caller that caches what a transaction did compares this number to notice a rollback.
    package private(set) var rollbacks = 0
    /// How addresses are compared.
    package var addresses = AddressSettings()
    /// What features keep.
    package var values = StoreValues()
    /// See `StoreFeature.redirecting`.
    let redirecting: StoreFeature.Redirecting?
    /// Whether a row of a feature needs the process of a session; nil where there is no such feature.
    let needsProcess: String?
    /// See `takeDisplaced`.
    var displaced: [SceneSession] = []

    /// As of the last commit.
    var totals = Store.Totals()
    /// The rows that this transaction has inserted and not yet counted in the table: see `countInserted`.
    var inserted = Store.Totals()
    var bounds = Bounds()
    /// How many deliveries this transaction has finished: at least those.
    var finishedRows = 0
    /// Every delivery before it is open, as far as is known: where the search for the oldest finished one begins.
    var firstFinished: Int64 = 0
    /// No delivery that could not be read has a smaller number; none has an index that would find it.
    var firstInvalid: Int64 = 0
    /// When a log that could not be emptied is tried again, in microseconds since 1970.
    var nextLogAttempt: Int64 = 0
    /// The row of the configuration that was asked for last.
    var configuration: (digest: String, row: Int64, hasManifests: Bool)?
    /// The rows that say what sessions were at a generation, by when they were created, which is unique.
    var sessionVersions: [Int64: (generation: Int64, row: Int64)] = [:]

    /// The conditions read so far, by their row. Rows never change and their numbers are never given again.
    private var conditions = StoredConditions()
    /// Those of them that do not parse.
    private(set) var unreadable: [Int64: UnreadableText] = [:]

    struct UnreadableText: Sendable {
        var text: String
        var error: PredicateError
    }

    init(
        _ connection: consuming SQLiteConnection?, path: String, reading: StoreFile.Reading?,
        place: StoreFile.Origin?,
        options: StoreOptions
    ) {
        self.place = place
        self.path = path
        self.connection = connection
        self.reading = reading
        self.options = options
        let features = options.schema.features
        redirecting = features.lazy.compactMap(\.redirecting).first
        let queries = features.flatMap(\.tablesOfSessions).map { "SELECT 1 FROM \($0) WHERE session = ?1" }
        needsProcess = queries.isEmpty ? nil : queries.joined(separator: " UNION ALL ")
        for feature in features { feature.prepare?(&self) }
    }

    mutating func reopen(_ file: StoreFile, _ options: StoreOptions) throws(StoreError) {
        let opened = try file.openForReading(options)
        reading = opened.reading
        connection = opened.connection
        forgetConditions()
    }

    mutating func transaction<Result>(
        _ begin: String, _ body: (inout StoreState) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try run(begin)
        do throws(StoreError) {
            let result = try body(&self)
            try run("COMMIT")
            return result
        } catch {
            // SQLite may have rolled back by itself; the first error is the one to report.
            _ = try? run("ROLLBACK")
            noteRollback()
            throw error
        }
    }

    /// A delivery that has just been finished may stand before those that were looked at: it was open then.
    mutating func noteFinished(_ number: Int64) {
        finishedRows += 1
        firstFinished = min(firstFinished, number)
        firstInvalid = min(firstInvalid, number)
    }

    /// Rows that were rolled back take their numbers with them.
    mutating func noteRollback() {
        rollbacks += 1
        (finishedRows, firstFinished, firstInvalid) = (0, 0, 0)
        inserted = Store.Totals()
        forgetConditions()
    }

    // MARK: Statements

    package mutating func prepare(_ sql: String, _ values: [SQLiteValue] = []) throws(StoreError) -> Statement {
        guard let statement = try connection?.prepare(sql, values) else { throw .closed(path: path) }
        return statement
    }

    @discardableResult
    package mutating func run(_ sql: String, _ values: SQLiteValue...) throws(StoreError) -> Int {
        guard try connection?.run(sql, values) != nil else { throw .closed(path: path) }
        return connection?.changes ?? 0
    }

    /// Every row that a query finds, as a value.
    package mutating func rows<Value>(
        _ sql: String, _ values: [SQLiteValue] = [], _ value: (borrowing Statement) throws(StoreError) -> Value
    ) throws(StoreError) -> [Value] {
        let row = try prepare(sql, values)
        var found: [Value] = []
        while try row.step() { found.append(try value(row)) }
        return found
    }

    /// The first row that a query finds, as a value.
    package mutating func first<Value>(
        _ sql: String, _ values: [SQLiteValue] = [], _ value: (borrowing Statement) throws(StoreError) -> Value
    ) throws(StoreError) -> Value? {
        let row = try prepare(sql, values)
        return try row.step() ? try value(row) : nil
    }

    package mutating func integer(_ sql: String, _ values: SQLiteValue...) throws(StoreError) -> Int64? {
        let statement = try prepare(sql, values)
        return try statement.step() ? statement.optionalInteger(0) : nil
    }

    package mutating func text(_ sql: String, _ values: SQLiteValue...) throws(StoreError) -> String? {
        let statement = try prepare(sql, values)
        return try statement.step() ? statement.optionalText(0) : nil
    }

    // MARK: Conditions

    /// Reads every condition that was not read before, in one pass.
    mutating func readConditions() throws(StoreError) {
        if conditions.lastInOrder == 0 {
            conditions.reserve(Int(try integer("SELECT count(*) FROM condition") ?? 0))
        }
        let statement = try prepare(
            "SELECT id, text FROM condition WHERE id > ? ORDER BY id", [.integer(conditions.lastInOrder)])
        while try statement.step() {
            let row = statement.integer(0)
            conditions.append(conditions[row] ?? parse(statement, row: row), row: row)
        }
    }

    mutating func condition(_ row: Int64) throws(StoreError) -> ScenePredicate {
        if let known = conditions[row] { return known }
        let statement = try prepare("SELECT id, text FROM condition WHERE id = ?", [.integer(row)])
        guard try statement.step() else { throw .unreadable("condition \(row) is missing", path: path) }
        let predicate = parse(statement, row: row)
        conditions.insert(predicate, row: row)
        return predicate
    }

    /// One that does not parse is never true: it must not make the rest of the store unusable.
    private mutating func parse(_ statement: borrowing Statement, row: Int64) -> ScenePredicate {
        if let predicate = statement.equalCondition(1) { return predicate }
        let text = statement.text(1)
        do throws(PredicateError) {
            return try ScenePredicate(parsing: text)
        } catch {
            unreadable[row] = UnreadableText(text: text, error: error)
            return .never
        }
    }

    /// The row of a condition that a session gets, made when there is none.
    mutating func row(of predicate: ScenePredicate) throws(StoreError) -> Int64 {
        let text = SQLiteValue.text(predicate.canonicalText)
        let known = try integer("SELECT id FROM condition WHERE text = ?", text)
        if predicate.isUnindexed { return try unindexedRow(text, known) }
        if let known { return known }
        guard let made = try integer("INSERT INTO condition (text) VALUES (?) RETURNING id", text) else {
            throw .unreadable("a condition got no number", path: path)
        }
        return made
    }

    /// The row of a condition that no index finds. They are limited, since each is evaluated for every request.
    private mutating func unindexedRow(_ text: SQLiteValue, _ known: Int64?) throws(StoreError) -> Int64 {
        if let known {
            try run("UPDATE condition SET is_unindexed = 1 WHERE id = ? AND is_unindexed = 0", .integer(known))
            let isUsed = "SELECT 1 FROM session WHERE can = ?1 OR prefers = ?1 LIMIT 1"
            if try integer(isUsed, .integer(known)) != nil { return known }
        }
        let limit = Int64(options.unindexedConditions)
        // The evidence of deliveries keeps conditions that no session has any more; they do not count.
        if try integer("SELECT count(*) FROM condition WHERE is_unindexed = 1") ?? 0 >= limit,
            try integer(
                """
                SELECT count(*) FROM condition WHERE is_unindexed = 1 AND (
                    EXISTS (SELECT 1 FROM session WHERE can = condition.id)
                    OR EXISTS (SELECT 1 FROM session WHERE prefers = condition.id))
                """) ?? 0 >= limit
        {
            throw .tooManyConditions(options.unindexedConditions, path: path)
        }
        if let known { return known }
        guard
            let made = try integer("INSERT INTO condition (text, is_unindexed) VALUES (?, 1) RETURNING id", text)
        else { throw .unreadable("a condition got no number", path: path) }
        return made
    }

    /// Deletes every cached row number.
    mutating func forgetConditions() {
        conditions = StoredConditions()
        unreadable.removeAll()
        sessionVersions.removeAll()
        configuration = nil
    }
}

/// Conditions by the numbers of their rows: those of one pass in their order, without a table to find them, and others.
private struct StoredConditions {
    private var rows: [Int64] = []
    private var predicates: [ScenePredicate] = []
    private var others: [Int64: ScenePredicate] = [:]

    /// Up to this row all are here.
    var lastInOrder: Int64 { rows.last ?? 0 }

    mutating func reserve(_ count: Int) {
        rows.reserveCapacity(count)
        predicates.reserveCapacity(count)
    }

    /// - Parameter row: behind the last in order.
    mutating func append(_ predicate: ScenePredicate, row: Int64) {
        rows.append(row)
        predicates.append(predicate)
        if !others.isEmpty { others[row] = nil }
    }

    mutating func insert(_ predicate: ScenePredicate, row: Int64) { others[row] = predicate }

    subscript(row: Int64) -> ScenePredicate? {
        guard let first = rows.first, row >= first, row <= lastInOrder else { return others[row] }
        // Few rows ever go, so that most stand where they would stand if none had gone, or shortly before.
        var low = 0
        var high = min(Int(row - first), rows.count - 1)
        if rows[high] == row { return predicates[high] }
        while low < high {
            let middle = (low + high) / 2
            if rows[middle] < row { low = middle + 1 } else { high = middle }
        }
        return rows[low] == row ? predicates[low] : nil
    }
}
