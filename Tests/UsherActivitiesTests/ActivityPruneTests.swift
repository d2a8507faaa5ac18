import StoreTestSupport
import Testing
import UsherScene
import UsherStore

@testable import UsherActivities

/// Activities that no session has any more.
@Suite struct ActivityPruneTests {
    let folder = TemporaryDirectory()

    @Test func onlyResignedOnesThatNoSearchFindsAreForgotten() throws {
        let day: Int64 = 86_400_000_000
        let store = try folder.open { $0.now = { 1000 * 86_400_000_000 } }
        let id = try store.connect([.clown("crusty")])[0].id
        try store.write { (state) throws(StoreError) in
            for (number, values) in [
                "NULL, 'resigned', 0, \(day)", "NULL, 'resigned', 1, \(day)", "'\(id)', 'current', 0, NULL",
                "NULL, 'resigned', 0, \(950 * day)", "NULL, 'resigned', 0, \(951 * day)", "NULL, 'kept', 0, \(day)",
            ].enumerated() {
                try state.run(
                    """
                    INSERT INTO activity (number, id, app, type, needs_save, became, changed, document, session, state,
                        is_searchable, resigned)
                    VALUES (\(number + 1), randomblob(16), 'a', 't', 0, 1, 1, x'7b7d', \(values))
                    """)
            }
        }
        var retention = Store.Retention.default
        #expect(try store.prune(now: 1000 * day, keeping: retention).ofFeatures == 1)
        #expect(try numbers() == "2,3,4,5,6")
        retention.historyCount = 1
        #expect(try store.prune(now: 1000 * day, keeping: retention).ofFeatures == 1)
        #expect(try numbers() == "2,3,5,6")
    }

    /// A search does not find them any more; so their words go, and then they are as the others.
    @Test func expiredOnesAreFoundByNoSearch() throws {
        let day: Int64 = 86_400_000_000
        let store = try folder.open { $0.now = { 1000 * 86_400_000_000 } }
        try store.write { (state) throws(StoreError) in
            for (number, values) in [
                "'resigned', \(day), \(2 * day)", "'resigned', \(day), \(1001 * day)", "'resigned', \(day), NULL",
                "'resigned', \(999 * day), \(1000 * day)",
            ].enumerated() {
                try state.run(
                    """
                    INSERT INTO activity (number, id, app, type, target, needs_save, became, changed, document,
                        is_searchable, state, resigned, expires)
                    VALUES (\(number + 1), randomblob(16), 'a', 't', 'x:\(number)', 0, 1, 1, x'7b7d', 1, \(values))
                    """)
                try state.run("INSERT INTO activity_text (rowid, title) VALUES (\(number + 1), 'pie')")
            }
        }
        #expect(try store.prune(now: 1000 * day).ofFeatures == 1)
        #expect(try numbers() == "2,3,4")
        #expect(try folder.number("SELECT count(*) FROM activity_text WHERE activity_text MATCH 'pie'") == 2)
        #expect(try folder.number("SELECT is_searchable FROM activity WHERE number = 4") == 0)
    }

    private func numbers() throws -> String? {
        var connection = try SQLiteConnection(path: folder.database, mode: .readWrite, busyTimeout: 1000)
        return try connection.text("SELECT group_concat(number) FROM (SELECT number FROM activity ORDER BY number)")
    }
}
