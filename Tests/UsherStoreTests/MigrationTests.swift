import Foundation
import StoreTestSupport
import Testing
import UsherScene
import UsherSystem
import UsherText

@testable import UsherStore

/// Files that an older version left, and what the newest schema does by itself.
@Suite struct MigrationTests {
    let folder = TemporaryDirectory()

    @Test func aStoreOfTheThirdVersionKeepsItsRows() throws {
        let old = TemporaryDirectory()
        do {
            // A file as that version wrote it: rows of every table, a log that was copied in.
            let connection = try old.makeStore(version: 3)
            try connection.execute(
                """
                INSERT INTO condition VALUES (1, 'TRUEPREDICATE'), (2, 'SELF == "https://a.example/é"');
                INSERT INTO session VALUES
                    (1, 'clown-1', 'example.clowntown', 'clown', 'window', 'https://a.example/é', 2, 1, 2, 1, 'connected',
                     10, 1, 3, '%4', '/tmp/tmux,1', 'Crusty', 12),
                    (2, 'main-1', 'example.clowntown', 'main', 'window', NULL, 1, 0, 1, 0, 'disconnected', 5, 2, 2, NULL,
                     NULL, NULL, 9);
                INSERT INTO session_number VALUES ('example.clowntown', 'clown', 7);
                UPDATE store SET generation = 3, used = 10, created = 2, aged = 77;
                INSERT INTO delivery (number, id, source, accepted, state, attempts, finished, record, input)
                VALUES (41, 'one', 'stdin', 5, 'done', 1, 6, '{"id":"one"}', x'7b7d'),
                       (42, 'two', 'stdin', 7, 'accepted', 0, NULL, NULL, x'00ff');
                INSERT INTO delivery_history (delivery, state, finished, record) VALUES ('one', 'failed', 5, '{}');
                """)
        }
        try FileManager.default.copyItem(atPath: old.database, toPath: folder.database)
        let tables = ["session", "session_number", "condition", "delivery_history"]
        // Only what they had then: a table may have got more columns since.
        let columns = try tables.map { try columnNames($0) }
        let before = try zip(tables, columns).map { try rows($0, $1) }

        let store = try folder.open()
        #expect(try folder.number("PRAGMA user_version") == Int64(Schema([]).version))
        #expect(try zip(tables, columns).map { try rows($0, $1) } == before)
        #expect(before.allSatisfy { !$0.isEmpty })
        #expect(try folder.number("SELECT aged FROM store") == 77)
        #expect(try folder.number("SELECT redirects FROM store") == 0)
        #expect(try folder.number("SELECT count(*) FROM session WHERE process IS NOT NULL") == 0)
        #expect(try store.sessions().sessions.map(\.id).sorted() == ["clown-1", "main-1"])
        #expect(try store.connect([.clown("x")]).map(\.id) == ["clown-8"])
        try store.check()
        store.close()
        // Once is enough.
        #expect(try folder.open(.readOnly).sessions().sessions.count == 3)
    }

    @Test func ofSessionsThatHaveTheSameWindowTheOneUsedLastKeepsIt() throws {
        do {
            let connection = try folder.makeStore(version: 5)
            func row(_ id: String, _ state: String, _ used: Int?, _ server: String?, _ handle: String?) -> String {
                let (used, server, handle) = (
                    used.map(String.init) ?? "NULL", server.map { "'\($0)'" } ?? "NULL",
                    handle.map { "'\($0)'" } ?? "NULL"
                )
                return
                    "('\(id)', 'a', 'main', 'window', 1, 0, 1, 0, '\(state)', \(used), 1, 1, \(handle), \(server), 9)"
            }
            try connection.execute(
                """
                INSERT INTO condition VALUES (1, 'TRUEPREDICATE');
                INSERT INTO session (id, app, scene, role, can, can_origin, prefers, prefers_origin, state, used, created,
                    generation, handle, handle_server, changed)
                VALUES \([
                    row("early", "connected", 3, "x", "1"), row("last", "connected", 7, "x", "1"),
                    row("never", "connecting", nil, "x", "1"), row("gone", "closing", 9, "x", "1"),
                    row("other", "connected", 1, "y", "1"), row("none-1", "connected", 1, nil, nil),
                    row("none-2", "connected", 1, nil, nil), row("bare-1", "connected", nil, nil, "2"),
                    row("bare-2", "connected", 1, nil, "2"),
                ].joined(separator: ", "));
                """)
        }
        let store = try folder.open()
        let found = try store.sessions().sessions.map { "\($0.id) \($0.state.rawValue) \($0.handle ?? "-")" }
        #expect(
            found == [
                "early disconnected -", "last connected 1", "never disconnected -", "gone closing -",
                "other connected 1",
                "none-1 connected -", "none-2 connected -", "bare-1 disconnected -", "bare-2 connected 2",
            ])
        try store.check()
    }

    @Test func aStoreOfTheFourthVersionKeepsItsDeliveries() throws {
        do {
            let connection = try folder.makeStore(version: 4)
            try connection.execute(
                """
                INSERT INTO delivery (number, id, source, accepted, state, attempts, finished, record, collapse, input)
                VALUES (41, 'one', 'stdin', 5, 'done', 1, 6, '{"id":"one"}', 'c', x'7b7d'),
                       (42, 'two', 'stdin', 7, 'accepted', 0, NULL, NULL, NULL, x'00ff');
                INSERT INTO delivery_history (delivery, state, finished, record) VALUES ('one', 'failed', 5, '{}');
                """)
        }
        // Read as it is, without being brought up to date.
        let reader = try folder.open(.readOnly)
        #expect(try reader.deliveries().map(\.id) == ["two", "one"])
        reader.close()
        #expect(try folder.number("PRAGMA user_version") == 4)

        let store = try folder.open()
        #expect(try folder.number("PRAGMA user_version") == Int64(Schema([]).version))
        let one = try #require(try store.delivery("one"))
        #expect(one.collapse == "c" && one.record == #"{"id":"one"}"# && one.input == Array("{}".utf8))
        #expect(one.parent == nil && one.response == nil && one.notification == nil)
        #expect(try store.delivery("two")?.input == [0x00, 0xff])
        #expect(try folder.number("SELECT count(*) FROM delivery_history WHERE delivery = 'one'") == 1)
        try store.write { (state) throws(StoreError) in
            try state.insert(
                Store.StoredNotification(
                    delivery: "one", app: "a", collapse: nil, server: "s", number: 3, shown: 1))
        }
        #expect(try store.press("default", onNumber: 3, of: "s", as: "three") == .accepted(of: "one"))
        #expect(try store.delivery("three")?.parent == "one")
        try store.check()
    }

    // MARK: The lean journal

    /// A file as a version left it: finished deliveries, open ones, one with an explanation, and what refers to them.
    private func makeJournal(version: Int) throws {
        let connection = try folder.makeStore(version: version)
        let history =
            "INSERT INTO delivery_history (delivery, state, finished, record) VALUES ('done', 'failed', 5, '{}');"
        let notification =
            "INSERT INTO notification (delivery, app, server, shown_as, state, shown) VALUES ('moved', 'a', 's', 3, 'shown', 1);"
        try connection.execute(
            """
            INSERT INTO delivery (number, id, sender_id, source, format, accepted, app, target, resolved, state, attempts,
                nonce, owner_boot, owner_pid, owner_start, action, reason, scene, configuration, session, finished, record,
                explanation, input)
            VALUES
                (41, 'done', 's', 'stdin', 'apns', 5, 'a', 'x:1', 'x:1', 'done', 1, 'n', 'b', 7, 8, 'launch', 'opens',
                    'clown', 'sha256:00', 'clown-1', 6, '{"id":"done"}', '{"v":1}', x'7b7d'),
                (42, 'moved', NULL, 'stdin', NULL, 7, 'a', 'x:1', 'x:2', 'failed', 0, NULL, NULL, NULL, NULL, 'focus',
                    'prefers', NULL, 'sha256:00', 'clown-1', 9, '{"id":"moved"}', NULL, zeroblob(100000)),
                (43, 'waits', NULL, 'webhook', 'apns', 8, NULL, NULL, NULL, 'accepted', 0, NULL, NULL, NULL, NULL, NULL,
                    NULL, NULL, NULL, NULL, NULL, NULL, NULL, x'00ff'),
                (44, 'acts', NULL, 'webhook', 'apns', 9, 'a', 'x:3', 'x:3', 'acting', 1, 'nonce', 'boot', 3, 4, 'launch',
                    'opens', 'clown', 'sha256:01', 'clown-2', NULL, NULL, '{"v":1}', zeroblob(5000));
            \(version < 2 ? "" : history)
            \(version < 5 ? "" : notification)
            """)
    }

    @Test func deliveriesAreCounted() throws {
        let connection = try folder.makeStore(version: 5)
        try connection.execute(
            """
            INSERT INTO delivery (id, state, finished, accepted, attempts, source, input) VALUES
                ('first', 'done', 2, 1, 1, 'stdin', x'7b7d'), ('again', 'duplicate', 3, 2, 0, 'stdin', x'7b7d'),
                ('waits', 'accepted', NULL, 3, 0, 'stdin', x'7b');
            """)
        let store = try folder.open()
        #expect(
            store.totals == Store.Totals(openCount: 1, openBytes: 361, keptBytes: 724, keptCount: 2, duplicateCount: 1))
        try store.finish(delivery: "waits", state: .done, record: "{}")
        try folder.expectTotals(store)
        #expect(store.totals.keptCount == 3)
        try store.check()
    }

    @Test(arguments: 1...5)
    func deliveriesOfEveryVersionBecomeLean(version: Int) throws {
        try makeJournal(version: version)
        let store = try folder.open()
        #expect(try folder.number("PRAGMA user_version") == Int64(Schema([]).version))
        #expect(try store.deliveries().map(\.id) == ["acts", "waits", "moved", "done"])
        let done = try #require(try store.delivery("done"))
        #expect(done.state == .done && done.record == #"{"id":"done"}"# && done.legacyExplanation == #"{"v":1}"#)
        #expect(done.senderID == "s" && done.target == "x:1" && done.resolved == "x:1")
        #expect(done.input == Array("{}".utf8))
        #expect(done.action == .launch && done.reason == .opens && done.configuration == "sha256:00")
        #expect(done.session == "clown-1" && done.scene == "clown" && done.finished == 6 && done.evidence == nil)
        // They tell how to go on with an open one.
        #expect(done.nonce == nil)
        let moved = try #require(try store.delivery("moved"))
        #expect(moved.resolved == "x:2" && moved.input == [UInt8](repeating: 0, count: 100_000))
        let acts = try #require(try store.delivery("acts"))
        #expect(acts.nonce == "nonce")
        #expect(acts.configuration == "sha256:01" && acts.input.count == 5000 && acts.attempts == 1)
        #expect(try store.delivery("waits")?.input == [0x00, 0xff])
        let history = try folder.number("SELECT count(*) FROM delivery_history WHERE delivery = 'done'")
        #expect(history == (version < 2 ? 0 : 1))
        #expect(try folder.number("SELECT count(*) FROM notification") == (version < 5 ? 0 : 1))
        #expect(try folder.number("SELECT count(*) FROM pragma_foreign_key_check") == 0)
        #expect(store.totals.openCount == 2)
        try folder.expectTotals(store)
        // Work goes on: what was open is finished, what failed is tried again.
        #expect(try store.unfinished() == ["waits", "acts"])
        try store.finish(delivery: "acts", state: .done, record: "{}")
        #expect(try store.retry(delivery: "moved") == .accepted)
        try folder.expectTotals(store)
        try store.check()
        store.close()
        // What was there before, as it was.
        var copy = try SQLiteConnection(
            path: folder.database + ".version-\(version)", mode: .immutable, busyTimeout: 1000)
        #expect(try copy.integer("PRAGMA user_version") == Int64(version))
        #expect(try copy.integer("SELECT sum(length(input)) FROM delivery") == 105_004)
        #expect(folder.files.filter { $0.contains(".new-") } == [])
    }

    @Test func withoutRoomForACopyNothingIsChanged() throws {
        try makeJournal(version: 5)
        let error = try #require(storeError { _ = try folder.open { $0.freeSpace = { _ in 16 << 20 } } })
        #expect(error.code == .storeFull)
        #expect(error.message.hasPrefix("bringing the store up to date takes"), "\(error.message)")
        #expect(try folder.number("PRAGMA user_version") == 5)
        #expect(folder.files.allSatisfy { !$0.contains(".version-") })
        #expect(try folder.open(.readOnly).deliveries().count == 4)
        #expect(try folder.open().deliveries().count == 4)
    }

    @Test func aStepThatFailsLeavesNoCopy() throws {
        try makeJournal(version: 5)
        let error = storeError {
            _ = try folder.open {
                $0.schema.steps.append(Schema.Step(from: 5, to: $0.schema.version, sql: "SELECT * FROM nowhere"))
            }
        }
        #expect(error?.code == .storeFailed)
        #expect(folder.files.allSatisfy { !$0.contains(".version-") })
        #expect(try folder.number("PRAGMA user_version") == 5)
        #expect(try folder.open().deliveries().count == 4)
        #expect(folder.files.contains("usher.db.version-5"))
    }

    @Test func whatAKilledRunLeftOfItsCopyIsRemoved() throws {
        try makeJournal(version: 5)
        for name in [".version-5.new-0190", ".version-5"] {
            try Data("half a copy".utf8).write(to: URL(fileURLWithPath: folder.database + name))
        }
        _ = try folder.open()
        #expect(folder.files.filter { $0.contains(".version-5") } == ["usher.db.version-5"])
        var copy = try SQLiteConnection(path: folder.database + ".version-5", mode: .immutable, busyTimeout: 0)
        #expect(try copy.text("PRAGMA integrity_check(1)") == "ok")
        #expect(try copy.integer("SELECT count(*) FROM delivery") == 4)
    }

    // MARK: Versions

    @Test(arguments: 1...5)
    func aFileOfEveryVersionGetsTheTablesOfANewOne(version: Int) throws {
        let new = TemporaryDirectory()
        _ = try new.open()
        try makeJournal(version: version)
        _ = try folder.open()
        #expect(try description(folder) == description(new))
    }

    @Test("a file of version 17 gets the columns and tables of version 18, and its deliveries are counted anew")
    func version17() throws {
        try folder.open().close()
        let columns = try columnNames("delivery")
        try folder.makeVersion17()
        try folder.sql(
            """
            INSERT INTO delivery (id, state, bytes, accepted, attempts, source) VALUES ('one', 'accepted', 1, 7, 0, 'stdin');
            INSERT INTO delivery (id, state, bytes, accepted, attempts, source, finished, reason)
            VALUES ('two', 'failed', 5, 8, 0, 'stdin', 9, 'invalid');
            """)
        let store = try folder.open()
        try folder.expectTotals(store)
        #expect(store.totals.openCount == 1 && store.totals.invalidCount == 1 && store.totals.invalidBytes == 5)
        #expect(try folder.number("PRAGMA user_version") == Int64(Schema([]).version))
        #expect(try columnNames("delivery") == columns)
        let one = try #require(try store.delivery("one"))
        #expect(one.schedule == nil && one.scheduled == nil && one.accepted == 7)
    }

    @Test("deliveries of version 18 keep their inputs, and are counted with those that follow")
    func version18() throws {
        do {
            let connection = try folder.makeVersion(18)
            try connection.execute(
                """
                INSERT INTO delivery (number, id, state, bytes, accepted, attempts, source, finished, original) VALUES
                    (1, 'open', 'accepted', 1, 7, 0, 'stdin', NULL, NULL), (2, 'done', 'done', 20, 8, 0, 'stdin', 9, NULL),
                    (3, 'again', 'duplicate', 300, 8, 0, 'stdin', 9, 2);
                INSERT INTO delivery_input VALUES (1, x'7b7d'), (2, x'5b5d');
                """)
        }
        let store = try folder.open()
        try store.check()
        #expect(
            store.totals == Store.Totals(openCount: 1, openBytes: 1, keptBytes: 320, keptCount: 2, duplicateCount: 1))
        #expect(try store.delivery("open")?.input == Array("{}".utf8))
        #expect(try ["done", "again"].map { try store.delivery($0)?.input } == [Array("[]".utf8), Array("[]".utf8)])
        try store.record(.sample("new"), state: .done, record: "{}")
        #expect(try store.delivery("new")?.input == Store.NewDelivery.sample().input)
        #expect(try folder.number("SELECT count(*) FROM delivery_input") == 2)
        try folder.expectTotals(store)
        #expect(try store.retry(delivery: "again") == .accepted)
        try folder.expectTotals(store)
        store.close()
        #expect(try folder.open().totals.openCount == 2)
    }

    @Test("notifications of version 19 keep what they have, and may be visited")
    func version19() throws {
        do {
            let connection = try folder.makeVersion(19)
            try connection.execute(
                """
                INSERT INTO delivery (number, id, state, bytes, accepted, attempts, source, finished)
                VALUES (1, 'one', 'done', 20, 8, 0, 'stdin', 9), (2, 'two', 'done', 20, 8, 0, 'stdin', 9);
                INSERT INTO notification (delivery, app, collapse, server, shown_as, state, shown, ended, response) VALUES
                    ('one', 'mail', 'inbox', 'life', 3, 'shown', 10, NULL, NULL),
                    ('two', 'mail', NULL, 'life', 4, 'pressed', 11, 12, 'reply');
                """)
        }
        let store = try folder.open()
        try store.check()
        let one = try #require(try store.delivery("one")?.notification)
        #expect(one.collapse == "inbox" && one.number == 3 && one.shown == 10 && one.ended == nil)
        #expect(one.target == nil && one.session == nil && one.answer == nil)
        #expect(try store.delivery("two")?.notification?.response == "reply")
        #expect(try store.endNotification(number: 3, of: "life", as: .visited) == "one")
        #expect(try store.delivery("one")?.notification?.state == .visited)
        // Its delivery goes, and the notification with it.
        try folder.sql("PRAGMA foreign_keys = ON; DELETE FROM delivery WHERE id = 'two'")
        #expect(try folder.number("SELECT count(*) FROM notification") == 1)
        let new = TemporaryDirectory()
        _ = try new.open()
        func tables(_ folder: TemporaryDirectory) throws -> [String] {
            try description(folder).filter { $0.contains("notification") }
        }
        #expect(try tables(folder) == tables(new) && tables(new).count > 4)
    }

    @Test("no notification of version 20 has a sender that waits")
    func version20() throws {
        do {
            let connection = try folder.makeVersion(20)
            try connection.execute(
                """
                INSERT INTO delivery (number, id, state, bytes, accepted, attempts, source, finished)
                VALUES (1, 'one', 'done', 20, 8, 0, 'stdin', 9);
                INSERT INTO notification (delivery, app, server, shown_as, state, shown, target, session)
                VALUES ('one', 'mail', 'life', 3, 'shown', 10, 'x:1', 'main-1');
                """)
        }
        let store = try folder.open()
        try store.check()
        let one = try #require(try store.delivery("one")?.notification)
        #expect(one.target == "x:1" && one.session == "main-1" && !one.awaits)
        #expect(try store.awaitedNotifications().isEmpty)
        _ = try store.write { (state) throws(StoreError) in
            var other = one
            other.awaits = true
            try state.insert(other)
        }
        #expect(try store.awaitedNotifications().map(\.delivery) == ["one"])
        try store.noteAnswersGone(fromNotificationOf: "one", 4, of: "life")
        #expect(try store.awaitedNotifications().isEmpty && store.delivery("one")?.notification?.number == 4)
    }

    /// The statements of the schema without comments and with single blanks, and what SQLite makes of them.
    private func description(_ folder: TemporaryDirectory) throws -> [String] {
        let names = "(SELECT name FROM sqlite_schema WHERE type = 'table') AS tables"
        return try folder.texts(
            """
            SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema
            UNION ALL SELECT json_array(tables.name, c.cid, c.name, c.type, c."notnull", c.dflt_value, c.pk)
                FROM \(names), pragma_table_info(tables.name) AS c
            UNION ALL SELECT json_array(tables.name, i.name, i."unique", i.origin, i.partial)
                FROM \(names), pragma_index_list(tables.name) AS i
            ORDER BY 1
            """
        ).map {
            $0.replacing(/--[^\n]*/, with: "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
                .replacing(" ,", with: ",").replacing(" )", with: ")")
        }
    }

    @Test(arguments: [6, 11, 16], [Store.Access.readWrite, .readOnly])
    func aStoreOfAnUnreleasedBuildIsRefusedAndLeftAlone(version: Int, access: Store.Access) throws {
        try folder.open().close()
        try folder.sql("PRAGMA user_version = \(version); PRAGMA wal_checkpoint(TRUNCATE)")
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.database))
        let error = try #require(storeError { _ = try folder.open(access) })
        #expect(error.code == .storeNewer)
        #expect(error.message == "the store has version \(version), which only unreleased builds of Usher wrote")
        #expect(error.help?.contains("usher note export") == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == before)
    }

    // MARK: A session's activity

    static let endings: [(name: String, sql: String, state: String, isOfSession: Int64)] = [
        ("disconnected", "UPDATE session SET state = 'disconnected', changed = 500", "kept", 1),
        ("retitled", "UPDATE session SET title = 'x', changed = 500", "current", 1),
        ("closing", "UPDATE session SET state = 'closing', changed = 500", "current", 1),
        ("closed", "DELETE FROM session", "resigned", 0),
        (
            "disconnected, then closed",
            "UPDATE session SET state = 'disconnected', changed = 500; DELETE FROM session",
            "resigned", 0
        ),
    ]

    @Test(arguments: endings)
    func aSessionTakesItsActivityAlong(_ ending: (name: String, sql: String, state: String, isOfSession: Int64)) throws
    {
        let store = try folder.open()
        let id = try store.connect([.clown("crusty")])[0].id
        try store.write { (state) throws(StoreError) in
            for (number, kind) in [(1, "resigned"), (2, "current")] {
                try state.run(
                    """
                    INSERT INTO activity (id, app, session, type, state, needs_save, is_searchable, became, changed,
                        resigned, document)
                    VALUES (?, 'example.clowntown', ?, 'example.watching', ?, 0, 0, 100, 100, ?, x'7b7d')
                    """, .blob([UInt8](repeating: UInt8(number), count: 16)), .text(id), .text(kind),
                    kind == "resigned" ? .integer(150) : .null)
            }
            // Through the store's own connection: with its foreign keys, and with a schema that is not trusted.
            for statement in ending.sql.split(separator: ";") { try state.run(String(statement)) }
        }
        let found = try store.read { (state) throws(StoreError) in
            try state.text("SELECT state FROM activity WHERE number = 2")
        }
        #expect(found == ending.state)
        #expect(
            try folder.number("SELECT count(*) FROM activity WHERE number = 2 AND session IS NOT NULL")
                == ending.isOfSession)
        // The one before is left alone.
        #expect(try folder.number("SELECT resigned FROM activity WHERE number = 1") == 150)
        let resigned = try folder.number("SELECT resigned FROM activity WHERE number = 2")
        switch ending.name {
        case "disconnected", "disconnected, then closed": #expect(resigned == 500)
        // By SQLite's own clock: this year, and not in another unit.
        case "closed": #expect(abs(try #require(resigned) - Instant.now.microseconds) < 600_000_000)
        default: #expect(resigned == nil)
        }
        try store.check()
    }

    @Test func oneNoteIsInProgressAndOneActivityIsASessions() throws {
        let store = try folder.open()
        let id = try store.connect([.clown("crusty")])[0].id
        let activity = """
            INSERT INTO activity (id, app, session, type, state, needs_save, is_searchable, became, changed, document)
            VALUES (randomblob(16), 'a', '\(id)', 't', 'current', 0, 0, 1, 1, x'7b7d')
            """
        let note =
            "INSERT INTO note (id, text, state, line, created, changed) VALUES (randomblob(16), 'x', 'current', 1, 1, 1)"
        for statement in [activity, note] {
            _ = try store.write { (state) throws(StoreError) in try state.run(statement) }
            #expect(
                storeError { _ = try store.write { (state) throws(StoreError) in try state.run(statement) } } != nil)
        }
    }

    private func columnNames(_ table: String) throws -> String {
        var connection = try SQLiteConnection(path: folder.database, mode: .readWrite, busyTimeout: 1000)
        return try connection.text("SELECT group_concat(quote(name)) FROM pragma_table_info('\(table)')")
            .map { $0.replacingOccurrences(of: "'", with: "\"") } ?? ""
    }

    /// Every value as SQLite would write it down.
    private func rows(_ table: String, _ columns: String) throws -> String {
        var connection = try SQLiteConnection(path: folder.database, mode: .readWrite, busyTimeout: 1000)
        let values = columns.split(separator: ",").map { "quote(\($0))" }.joined(separator: " || ' ' || ")
        return try connection.text(
            "SELECT group_concat(row, char(10)) FROM (SELECT \(values) AS row FROM \(table) ORDER BY row)") ?? ""
    }
}
