internal import CSQLite
internal import UsherSystem
internal import UsherText

/// A table that is read around its damaged pages.
package struct SalvagedTable: Sendable {
    let name: String
    /// The key column. Copying steps over unreadable rows by its value.
    let key: String
    /// Whether a number that was given once is not given again.
    let givesNumbersOnce: Bool
    /// Substitute values that are tried in this order when a row has values that do not fit.
    let substitutes: [(column: String, value: Substitute)]
    /// An index that has all columns, too.
    private let coveringIndex: String?
    /// Where a full-text table keeps its texts: read without the index, which may be damaged.
    private let shadow: String?
    /// What says how many rows there were where the table itself cannot.
    private let numberOfRows: String?

    package init(
        name: String, key: String, givesNumbersOnce: Bool = false,
        substitutes: [(column: String, value: Substitute)] = [], coveringIndex: String? = nil, shadow: String? = nil,
        numberOfRows: String? = nil
    ) {
        self.name = name
        self.key = key
        self.givesNumbersOnce = givesNumbersOnce
        self.substitutes = substitutes
        self.coveringIndex = coveringIndex
        self.shadow = shadow
        self.numberOfRows = numberOfRows
    }

    package enum Substitute: Sendable {
        case newID
        case value(SQLiteValue)
    }

    /// Those of the store itself.
    static let own = [
        SalvagedTable(name: "store", key: "id"),
        SalvagedTable(name: "condition", key: "id", givesNumbersOnce: true),
        SalvagedTable(name: "session", key: "number"),
        SalvagedTable(name: "session_number", key: ""),
        SalvagedTable(name: "configuration", key: "id"),
        SalvagedTable(name: "session_version", key: "id"),
        SalvagedTable(
            name: "delivery", key: "number", numberOfRows: "SELECT open_count + kept_count FROM totals"),
        SalvagedTable(name: "delivery_input", key: "number"),
        SalvagedTable(name: "delivery_history", key: "number"),
        SalvagedTable(name: "notification", key: "number"),
        SalvagedTable(name: "shortcut", key: ""),
    ]

    /// How many keys are tried one by one where none can be read: an inner page leads to very many.
    static let patience = 200_000

    func copy(from old: inout SQLiteConnection, to new: inout SQLiteConnection) throws(StoreError) -> StoreRepair
        .Outcome.Table?
    {
        guard try (old.integer("SELECT count(*) FROM sqlite_schema WHERE name = ?", .text(source)) ?? 0) > 0 else {
            return nil
        }
        let theirs = try columns(of: source, &old)
        let ours = try columns(of: name, &new)
        let shared = shadow == nil ? ours.filter { theirs.contains($0) } : theirs
        var copier = RowCopier(table: self, columns: shared, destination: shadow == nil ? shared : ["rowid"] + ours)
        guard copier.columns.count == copier.destination.count else { return nil }
        if key.isEmpty {
            try copier.copyBothEnds(&old, &new, order: shared.prefix(2).joined(separator: ", "), index: nil)
        } else {
            try copier.copyByKey(&old, &new)
            if let coveringIndex {
                try copier.copyBothEnds(&old, &new, order: "identifier", index: coveringIndex)
            }
        }
        let copied = Int(try new.integer("SELECT count(*) FROM \(name)") ?? 0)
        // An index may still have the number of rows. Rows of a page that was cut are missing without an error.
        var known = (try? old.integer("SELECT count(*) FROM \(source)")) ?? nil
        if let numberOfRows, let rows = (try? old.integer(numberOfRows)) ?? nil { known = max(known ?? 0, rows) }
        if known == nil, !copier.hasMet, copier.refused == 0 { known = Int64(copied) }
        return StoreRepair.Outcome.Table(
            name: name, copied: copied, lost: known.map { max(0, Int($0) - copied) })
    }

    var source: String { shadow ?? name }

    private func columns(of table: String, _ connection: inout SQLiteConnection) throws(StoreError) -> [String] {
        let rows = try connection.prepare("SELECT name FROM pragma_table_info(?)", [.text(table)])
        var names: [String] = []
        while try rows.step() { names.append(rows.text(0)) }
        return names
    }
}

/// Copies rows, whatever they hold, as far as they can be read.
private struct RowCopier {
    let table: SalvagedTable
    let columns: [String]
    /// The same columns in the new table.
    let destination: [String]
    /// Whether something could not be read.
    var hasMet = false
    /// How many rows could be read and did not fit.
    var refused = 0
    private var list: String { columns.map { "\"\($0)\"" }.joined(separator: ", ") }

    /// From one key to the next; where one cannot be read, from the key after it, and so on.
    mutating func copyByKey(_ old: inout SQLiteConnection, _ new: inout SQLiteConnection) throws(StoreError) {
        var next: Int64 = .min
        var tried = 0
        var step: Int64 = 1
        while true {
            let (last, isDone) = try copy(from: next, &old, &new)
            if let last {
                // Whatever a long stride has passed over.
                if step > 1 { try copyBackwards(before: next, &old, &new) }
                (tried, step) = (0, 1)
                next = last
            } else {
                tried += 1
                // Far from anything that can be read: with strides that grow.
                if tried > SalvagedTable.patience { step = step > .max / 2 ? .max : step * 2 }
            }
            if isDone { return }
            // Keys begin with 0 or 1.
            let (sum, isBeyond) = max(next, -1).addingReportingOverflow(step)
            guard !isBeyond else { return }
            next = sum
        }
    }

    /// - Returns: the last key that could be read, and whether it was the last of all.
    private mutating func copy(
        from key: Int64, _ old: inout SQLiteConnection, _ new: inout SQLiteConnection
    ) throws(StoreError) -> (last: Int64?, isDone: Bool) {
        let place = Int32(columns.firstIndex(of: table.key) ?? 0)
        var last: Int64?
        do throws(StoreError) {
            // The table itself, and no index that may say something else.
            let rows = try old.prepare(
                "SELECT \(list) FROM \(table.source) NOT INDEXED WHERE \(table.key) >= ? ORDER BY \(table.key)",
                [.integer(key)])
            while try rows.step() {
                last = rows.integer(place)
                try keep(rows.values(count: columns.count), &new)
            }
            return (last, true)
        } catch {
            guard StoreRepair.isDamage(error), error.path == old.path else { throw error }
            hasMet = true
            return (last, false)
        }
    }

    private mutating func copyBackwards(
        before key: Int64, _ old: inout SQLiteConnection, _ new: inout SQLiteConnection
    ) throws(StoreError) {
        do throws(StoreError) {
            let rows = try old.prepare(
                "SELECT \(list) FROM \(table.source) NOT INDEXED WHERE \(table.key) < ? ORDER BY \(table.key) DESC",
                [.integer(key)])
            while try rows.step() { try keep(rows.values(count: columns.count), &new) }
        } catch {
            guard StoreRepair.isDamage(error), error.path == old.path else { throw error }
        }
    }

    /// From both ends of an order, each as far as it goes.
    mutating func copyBothEnds(
        _ old: inout SQLiteConnection, _ new: inout SQLiteConnection, order: String, index: String?
    ) throws(StoreError) {
        for direction in ["ASC", "DESC"] {
            let sorted = order.split(separator: ",").map { "\($0) \(direction)" }.joined(separator: ", ")
            do throws(StoreError) {
                let rows = try old.prepare(
                    "SELECT \(list) FROM \(table.source) \(index.map { "INDEXED BY \($0)" } ?? "") ORDER BY \(sorted)")
                while try rows.step() { try keep(rows.values(count: columns.count), &new) }
                return
            } catch {
                guard StoreRepair.isDamage(error), error.path == old.path else { throw error }
                hasMet = true
            }
        }
    }

    // MARK: One row

    private mutating func keep(_ values: [SQLiteValue], _ new: inout SQLiteConnection) throws(StoreError) {
        if try insert(values, &new) { return }
        // One value after the other gives way, those that matter least first, until it fits.
        var values = values
        for substitute in table.substitutes {
            guard let place = columns.firstIndex(of: substitute.column) else { continue }
            switch substitute.value {
            case .newID: values[place] = SQLiteValue(identifier: UUIDv7.next()) ?? .null
            case .value(let value): values[place] = value
            }
            if try insert(values, &new) { return }
        }
        refused += 1
    }

    /// Whether the row is there now; false where its values do not fit.
    private func insert(_ values: [SQLiteValue], _ new: inout SQLiteConnection) throws(StoreError) -> Bool {
        do throws(StoreError) {
            let marks = columns.map { _ in "?" }.joined(separator: ", ")
            let names = destination.map { "\"\($0)\"" }.joined(separator: ", ")
            try new.run("INSERT INTO \(table.name) (\(names)) VALUES (\(marks))", values)
            return true
        } catch {
            let code = error.sqliteCode ?? 0
            // Read twice, from both ends or from an index.
            if code == RowCopier.primaryKey || code == RowCopier.rowID { return true }
            guard code & 0xff == SQLITE_CONSTRAINT || code & 0xff == SQLITE_MISMATCH else { throw error }
            return false
        }
    }

    // Extended codes, which are expressions in C (https://sqlite.org/rescode.html).
    private static let primaryKey: Int32 = SQLITE_CONSTRAINT | 6 << 8
    private static let rowID: Int32 = SQLITE_CONSTRAINT | 10 << 8
}

extension StoreRepair {
    /// Whether a page could not be read: what is behind it may be.
    fileprivate static func isDamage(_ error: StoreError) -> Bool {
        [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_IOERR, SQLITE_NOMEM, SQLITE_TOOBIG].contains(
            (error.sqliteCode ?? 0) & 0xff)
    }
}
