import CSQLite
import Glibc
internal import UsherPredicate
internal import UsherScene
internal import UsherText

/// A compiled statement, kept by its connection for the next use.
///
/// A statement may outlive its connection: SQLite keeps a connection that was closed until its last statement is gone.
@safe
final class PreparedStatement {
    fileprivate let handle: OpaquePointer
    fileprivate let path: String
    /// Whether a `Statement` has it now.
    fileprivate(set) var isInUse = false

    init(adopting handle: OpaquePointer, path: String) {
        unsafe self.handle = unsafe handle
        self.path = path
    }

    deinit { unsafe sqlite3_finalize(handle) }
}

/// One use of a compiled statement: bound, stepped, and put back by `deinit` with nothing bound.
package struct Statement: ~Copyable {
    private let prepared: PreparedStatement

    init(_ prepared: PreparedStatement) {
        self.prepared = prepared
        prepared.isInUse = true
    }

    deinit {
        prepared.isInUse = false
        unsafe sqlite3_reset(prepared.handle)
        unsafe sqlite3_clear_bindings(prepared.handle)
    }

    /// A parameter without a value would be NULL.
    private borrowing func check(_ values: [SQLiteValue]) throws(StoreError) {
        let count = Int(unsafe sqlite3_bind_parameter_count(prepared.handle))
        guard values.count == count else {
            throw .misuse("a statement of \(count) parameters is given \(values.count) values", path: prepared.path)
        }
    }

    /// Binds the parameters: as many values as there are.
    package borrowing func bind(_ values: [SQLiteValue]) throws(StoreError) {
        try check(values)
        for (index, value) in values.enumerated() {
            let result = bind(value, at: Int32(index + 1))
            guard result == SQLITE_OK else { throw failure(result) }
        }
    }

    /// Runs the statement to its end with values that are not copied one by one: all lie in one piece of memory meanwhile.
    ///
    /// - Parameter packed: that memory, whatever is in it.
    consuming func runOnce(_ values: [SQLiteValue], packedIn packed: inout [UInt8]) throws(StoreError) {
        try check(values)
        var count = 0
        for value in values {
            switch value {
            case .text(let text): count += text.utf8.count
            case .blob(let bytes): count += bytes.count
            case .null, .integer: break
            }
        }
        packed.removeAll(keepingCapacity: true)
        packed.append(addingCapacity: count) { output in
            for value in values {
                switch value {
                case .text(let text):
                    let bytes = text.utf8
                    output.append(copying: bytes.span)
                case .blob(let bytes): output.append(copying: bytes.span)
                case .null, .integer: break
                }
            }
        }
        let handle = unsafe prepared.handle
        let result = unsafe packed.withUnsafeBytes { bytes -> Int32 in
            var start = 0
            for (place, value) in values.enumerated() {
                let index = Int32(place + 1)
                let result: Int32
                switch value {
                case .null: result = unsafe sqlite3_bind_null(handle, index)
                case .integer(let integer): result = unsafe sqlite3_bind_int64(handle, index, integer)
                case .text(let text):
                    let count = text.utf8.count
                    let piece = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
                    result = unsafe usher_sqlite3_lend_text(handle, index, piece.baseAddress, UInt64(count))
                    start += count
                case .blob(let blob):
                    let piece = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<start + blob.count])
                    result = unsafe usher_sqlite3_lend_blob(handle, index, piece.baseAddress, UInt64(blob.count))
                    start += blob.count
                }
                guard result == SQLITE_OK else { return result }
            }
            while true {
                let result = unsafe sqlite3_step(handle)
                guard result == SQLITE_ROW else { return result }
            }
        }
        guard result == SQLITE_DONE else { throw failure(result) }
    }

    /// Goes to the next row; false when there is none.
    package borrowing func step() throws(StoreError) -> Bool {
        let result = unsafe sqlite3_step(prepared.handle)
        switch result {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw failure(result)
        }
    }

    /// How many columns a row has.
    package var columns: Int { Int(unsafe sqlite3_column_count(prepared.handle)) }

    // MARK: Columns of the current row, from 0

    package borrowing func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(prepared.handle, column) }

    package borrowing func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    package borrowing func real(_ column: Int32) -> Double { unsafe sqlite3_column_double(prepared.handle, column) }

    package borrowing func text(_ column: Int32) -> String {
        optionalText(column) ?? ""
    }

    package borrowing func optionalText(_ column: Int32) -> String? {
        unsafe textBytes(column).map { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// The column's text, as a very string that is there when its bytes are the same: texts that repeat cost one allocation.
    borrowing func optionalText(_ column: Int32, likely text: String?) -> String? {
        guard let bytes = unsafe textBytes(column) else { return nil }
        if let text, unsafe text.hasBytes(bytes) { return text }
        return unsafe String(decoding: bytes, as: UTF8.self)
    }

    /// Whether the column has this very text.
    borrowing func isText(_ column: Int32, _ text: String) -> Bool {
        unsafe textBytes(column).map { unsafe text.hasBytes($0) } ?? false
    }

    /// Whether the column's text, a condition, is one of some that are `SELF == "…"`; nil where it is of another kind.
    borrowing func isEquality(_ column: Int32, among wanted: [String]) -> Bool? {
        guard let bytes = unsafe textBytes(column), ScenePredicate.rangeOfEqualText(in: unsafe bytes.span) != nil
        else { return nil }
        return wanted.contains { unsafe $0.hasBytes(bytes) }
    }

    /// The column's condition where it is `SELF == "…"`, read without the parser; nil for any other.
    borrowing func equalCondition(_ column: Int32) -> ScenePredicate? {
        guard let bytes = unsafe textBytes(column), let text = ScenePredicate.rangeOfEqualText(in: unsafe bytes.span)
        else { return nil }
        return unsafe ScenePredicate(
            equalTo: String(decoding: UnsafeBufferPointer(rebasing: bytes[text]), as: UTF8.self))
    }

    package borrowing func blob(_ column: Int32) -> [UInt8] {
        unsafe Array(bytes(sqlite3_column_blob(prepared.handle, column), of: column))
    }

    package borrowing func optionalBlob(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : blob(column) }

    /// The first columns, whatever is in them; a number with a fraction, which the store has none of, is NULL.
    package borrowing func values(count: Int) -> [SQLiteValue] {
        (0..<Int32(count)).map { column in
            switch unsafe sqlite3_column_type(prepared.handle, column) {
            case SQLITE_INTEGER: .integer(integer(column))
            case SQLITE_TEXT: .text(text(column))
            case SQLITE_BLOB: .blob(blob(column))
            default: .null
            }
        }
    }

    /// A column of sixteen bytes as the text of an identifier.
    package borrowing func identifier(_ column: Int32) throws(StoreError) -> String {
        guard let text = UUIDv7.text(of: blob(column)) else {
            throw .unreadable("an identifier is not of sixteen bytes", path: prepared.path)
        }
        return text
    }

    /// SQLite's own copy of a text, good until the next step; nil for NULL.
    ///
    /// A value is looked up once for all that is asked of it. Nothing else uses the connection meanwhile: it is the statement
    /// of one thread (https://sqlite.org/c3ref/value.html).
    private borrowing func textBytes(_ column: Int32) -> UnsafeBufferPointer<UInt8>? {
        let value = unsafe sqlite3_column_value(prepared.handle, column)
        guard let start = unsafe sqlite3_value_text(value) else { return nil }
        return unsafe UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }

    private borrowing func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(prepared.handle, column) == SQLITE_NULL
    }

    /// SQLite's own copy of a value: good until the next step.
    private borrowing func bytes(_ start: UnsafeRawPointer?, of column: Int32) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(
            start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(prepared.handle, column)))
    }

    private borrowing func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
        switch value {
        case .null: return unsafe sqlite3_bind_null(prepared.handle, index)
        case .integer(let integer): return unsafe sqlite3_bind_int64(prepared.handle, index, integer)
        case .text(var text):
            let handle = unsafe prepared.handle
            return text.withUTF8 {
                unsafe usher_sqlite3_bind_text(handle, index, $0.baseAddress, UInt64($0.count))
            }
        case .blob(let bytes):
            let handle = unsafe prepared.handle
            return unsafe bytes.withUnsafeBytes {
                unsafe usher_sqlite3_bind_blob(handle, index, $0.baseAddress, UInt64($0.count))
            }
        }
    }

    private borrowing func failure(_ result: Int32) -> StoreError {
        var error = unsafe StoreError.sqlite(
            result, connection: sqlite3_db_handle(prepared.handle), path: prepared.path)
        if error.code == .storeFailed, let text = unsafe sqlite3_sql(prepared.handle) {
            // Values are bound, so that there are none of the user's in it.
            let words = unsafe String(cString: text).split(whereSeparator: \.isWhitespace)
            error.message += " (\(words.joined(separator: " ").prefix(60)))"
        }
        return error
    }
}

extension String {
    fileprivate func hasBytes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard utf8.count == bytes.count else { return false }
        let isSame = unsafe utf8.withContiguousStorageIfAvailable {
            unsafe bytes.isEmpty || memcmp($0.baseAddress!, bytes.baseAddress!, bytes.count) == 0
        }
        return isSame ?? false
    }
}
