import Foundation
import StoreTestSupport
import TestSupport
import Testing
import UsherScene

@testable import UsherActivities
@testable import UsherNotes
@testable import UsherStore

/// Stores that were damaged on their disk, and what can be had of them.
@Suite struct RepairTests {
    let folder = TemporaryDirectory()

    @Test(arguments: [1, 2, 3, 4])
    func noNoteThatCanBeReadIsLost(_ seed: Int) throws {
        do {
            let store = try folder.open()
            try store.take(ContentSamples.rows(notes: 300))
            _ = try store.connect((0..<50).map { .clown("\($0)") })
        }
        var random = SeededGenerator(seed: UInt64(seed))
        try damage(pages: seed % 2 == 0 ? 12 : 3, &random)
        let readable = try readableNotes()
        let readableIdentifiers = try readableLinkIdentifiers()

        let outcome = try StoreRepair.run(directory: folder.path, features: [.notes, .activities, .ties])
        let damaged = try #require(outcome.damaged)
        #expect(FileManager.default.fileExists(atPath: damaged))
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.database)
        #expect(attributes[.posixPermissions] as? Int == 0o600)

        let store = try folder.open()
        // Links whose identifiers were on a lost page are reported, and left to the user.
        #expect(store.examine().allSatisfy { $0.code == .bareLink })
        var connection = try SQLiteConnection(path: folder.database, mode: .readOnly, busyTimeout: 1000)
        for (number, text) in readable {
            #expect(try connection.text("SELECT text FROM note WHERE number = ?", .integer(number)) == text)
        }
        for identifier in readableIdentifiers {
            #expect(
                try connection.integer("SELECT 1 FROM link_identifier WHERE identifier = ?", .text(identifier)) == 1)
        }
        let notes = try #require(outcome.tables.first { $0.name == "note" })
        #expect(notes.copied >= readable.count)
        if let lost = notes.lost { #expect(notes.copied + lost >= 300) }
        // And it works as before.
        try store.take([.note(ContentSamples.note(5000))])
        _ = try store.connect([.main()])
    }

    @Test(arguments: [1, 2, 3])
    func shortcutItemsThatCanBeReadStay(_ seed: Int) throws {
        do {
            let store = try folder.open()
            try store.take(ContentSamples.rows(notes: 300))
            let item = ShortcutDefinition(type: "t", title: "T", location: nil)
            _ = try store.changeShortcuts(of: "a") { _ in Result<[ShortcutDefinition], Never>.success([item]) }
        }
        var random = SeededGenerator(seed: UInt64(seed))
        try damage(pages: 3, &random)
        var before = try SQLiteConnection(path: folder.database, mode: .immutable, busyTimeout: 0)
        let readable = (try? before.integer("SELECT count(*) FROM shortcut WHERE app = 'a'")) ?? 0
        _ = try StoreRepair.run(directory: folder.path, features: [.notes, .activities])
        let store = try folder.open()
        #expect(try store.dynamicShortcuts().count == Int(readable))
        // The engine reads them.
        let version = try store.read { (state) throws(StoreError) in try state.versions().shortcuts }
        #expect((version > 0) == (readable > 0))
    }

    /// Overwrites pages with nonsense, but not those that say which tables there are.
    private func damage(pages: Int, _ random: inout SeededGenerator) throws {
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder.database))
        let spared = Data("CREATE ".utf8)
        let offsets = stride(from: 8192, to: whole.count, by: 8192).filter {
            whole[$0..<$0 + 8192].range(of: spared) == nil
        }
        let handle = try #require(FileHandle(forUpdatingAtPath: folder.database))
        for offset in offsets.shuffled(using: &random).prefix(pages) {
            try handle.seek(toOffset: UInt64(offset))
            let noise = (0..<8192).map { _ in UInt8.random(in: 0...255, using: &random) }
            try handle.write(contentsOf: Data(noise))
        }
        try handle.close()
    }

    /// Asked for one by one.
    private func readableNotes() throws -> [Int64: String] {
        var found: [Int64: String] = [:]
        var connection = try SQLiteConnection(path: folder.database, mode: .immutable, busyTimeout: 0)
        for number in Int64(1)...300 {
            if let text = try? connection.text("SELECT text FROM note WHERE number = ?", .integer(number)) {
                found[number] = text
            }
        }
        return found
    }

    private func readableLinkIdentifiers() throws -> [String] {
        var found: [String] = []
        var connection = try SQLiteConnection(path: folder.database, mode: .immutable, busyTimeout: 0)
        for link in Int64(1)...600 { found += (try? identifiers(of: link, &connection)) ?? [] }
        return found
    }

    private func identifiers(of link: Int64, _ connection: inout SQLiteConnection) throws -> [String] {
        let rows = try connection.prepare("SELECT identifier FROM link_identifier WHERE link = ?", [.integer(link)])
        var found: [String] = []
        while try rows.step() { found.append(rows.text(0)) }
        return found
    }

    // MARK: Without damage

    @Test func whatBelongsToNothingGetsAPlace() throws {
        do {
            let store = try folder.open()
            try store.take(ContentSamples.rows(notes: 10))
            let id = try store.connect([.clown("crusty")])[0].id
            _ = try store.write { (state) throws(StoreError) in
                try state.run(
                    """
                    INSERT INTO activity (id, app, session, type, state, needs_save, is_searchable, became, changed, document)
                    VALUES (randomblob(16), 'a', ?, 't', 'current', 0, 0, 1, 1, x'7b7d')
                    """, .text(id))
            }
        }
        // Behind its back, and without the checks that it has switched on.
        try folder.sql(
            """
            DELETE FROM note WHERE number IN (3, 5);
            DELETE FROM link WHERE number = 15;
            UPDATE note SET text = 'changed' WHERE number = 7;
            UPDATE activity SET session = NULL;
            DELETE FROM link_identifier WHERE link = 20;
            INSERT INTO redirect (source, destination, is_prefix, made) VALUES ('l', 'm', 0, 1), ('m', 'l', 0, 1);
            """)
        let codes = try Set(folder.open(.readOnly).examine().map(\.code))
        #expect(codes == [.forgottenKeys, .textIndex, .bareLink, .endlessRedirect, .deadActivity])

        let outcome = try StoreRepair.run(directory: folder.path, features: [.notes, .activities, .ties])
        #expect(outcome.damaged == nil)
        let store = try folder.open()
        // What only its user can decide is left.
        #expect(Set(store.examine().map(\.code)) == [.bareLink, .endlessRedirect])
        #expect(try folder.number("SELECT count(*) FROM link") == 20)
        #expect(try folder.number("SELECT count(*) FROM note WHERE text LIKE '%lost%'") == 3)
        #expect(try folder.number("SELECT count(*) FROM note_text WHERE note_text MATCH 'changed'") == 1)
        #expect(try folder.number("SELECT count(*) FROM activity WHERE state = 'current'") == 0)
    }

    @Test func aStoreThatAProcessHasOpenIsLeftAlone() throws {
        let store = try folder.open()
        try store.take(ContentSamples.rows(notes: 2))
        #expect(
            storeError { _ = try StoreRepair.run(directory: folder.path, features: [.notes, .activities, .ties]) }?.code
                == .maintenanceInUse)
        let reader = try SQLiteConnection(path: folder.database, mode: .readOnly, busyTimeout: 0)
        store.close()
        try reader.execute("BEGIN; SELECT count(*) FROM note")
        #expect(
            storeError { _ = try StoreRepair.run(directory: folder.path, features: [.notes, .activities, .ties]) }?.code
                == .maintenanceInUse)
    }

    @Test func whatIsMissingOrForeignIsLeftAlone() throws {
        #expect(
            storeError { _ = try StoreRepair.run(directory: folder.path, features: [.notes, .activities, .ties]) }?.code
                == .maintenanceFile)
        try folder.sql("PRAGMA application_id = 42; CREATE TABLE t (x)")
        #expect(
            storeError { _ = try StoreRepair.run(directory: folder.path, features: [.notes, .activities, .ties]) }?.code
                == .storeForeign)
    }

    @Test func filesThatOthersMayReadAreFound() throws {
        try folder.open().close()
        #expect(Store.examineFiles(directory: folder.path).map(\.code) == [.loosePermissions])
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
        #expect(Store.examineFiles(directory: folder.path).isEmpty)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder.database)
        #expect(Store.examineFiles(directory: folder.path).map(\.code) == [.loosePermissions])
    }
}
