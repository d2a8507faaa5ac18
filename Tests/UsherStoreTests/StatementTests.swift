import StoreTestSupport
import Testing

@testable import UsherStore

@Suite struct StatementTests {
    private let folder = TemporaryDirectory()

    private func connection() throws -> SQLiteConnection {
        _ = try folder.open()
        return try SQLiteConnection(path: folder.database, mode: .readWrite, busyTimeout: 1000)
    }

    @Test("the same text can be in use twice: neither use moves or ends the other") func twice() throws {
        var connection = try connection()
        let text = "SELECT value FROM json_each(?)"
        let outer = try connection.prepare(text, [.text("[1, 2, 3]")])
        var found: [Int64?] = []
        while try outer.step() {
            found.append(outer.integer(0))
            let inner = try connection.prepare(text, [.text("[7, 8]")])
            #expect(try inner.step())
            #expect(inner.integer(0) == 7)
        }
        #expect(found == [1, 2, 3])
    }

    @Test("an error names the statement, in one line and without its values") func named() throws {
        var connection = try connection()
        let error = #expect(throws: StoreError.self) {
            try connection.run("INSERT INTO condition (id,\n    text)\nVALUES (?, NULL)", .text("private"))
        }
        #expect(error?.message.hasPrefix("SQLite refused: ") == true)
        #expect(error?.message.hasSuffix(" (INSERT INTO condition (id, text) VALUES (?, NULL))") == true)
    }

    @Test("as many values as parameters, and one statement a text") func misuse() throws {
        var connection = try connection()
        for values in [[], [.integer(1)], [.integer(1), .integer(2), .integer(3)]] as [[SQLiteValue]] {
            let error = #expect(throws: StoreError.self) {
                let statement = try connection.prepare("SELECT ?, ?", values)
                _ = try statement.step()
            }
            #expect(error?.message == "a statement of 2 parameters is given \(values.count) values")
        }
        let error = #expect(throws: StoreError.self) {
            let statement = try connection.prepare("SELECT 1; SELECT 2")
            _ = try statement.step()
        }
        #expect(error?.message == "one text holds several statements: SELECT 1; SELECT 2")
    }
}
