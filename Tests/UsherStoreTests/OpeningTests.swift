import Foundation
import StoreTestSupport
import Testing
import UsherFeatures
import UsherScene

@testable import UsherStore

@Suite struct OpeningTests {
    let folder = TemporaryDirectory()
    static let version = Int64(Schema([]).version)

    @Test func theFolderAndTheFileAreTheOwnersAlone() throws {
        let directory = folder.path + "/a/b c?d#e%41/é"
        let store = try Store(directory: directory, access: .readWrite, features: .all)
        _ = try store.connect([.main()])
        for (path, mode) in [
            (folder.path + "/a", 0o700), (directory, 0o700), (directory + "/usher.db", 0o600),
            (directory + "/usher.db-wal", 0o600), (directory + "/usher.db-shm", 0o600),
        ] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == mode, "\(path)")
        }
        store.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["usher.db"])
        #expect(try Store(directory: directory, access: .readWrite, features: .all).sessions().sessions.count == 1)
        #expect(try Store(directory: directory, access: .readOnly, features: .all).sessions().sessions.count == 1)
    }

    @Test func itIsSetUpAsItShouldBe() throws {
        let store = try folder.open()
        let settings: [(String, Int64)] = [
            ("synchronous", 2), ("foreign_keys", 1), ("trusted_schema", 0), ("temp_store", 2), ("mmap_size", 0),
            ("cache_size", -16000), ("wal_autocheckpoint", 1000), ("page_size", 8192),
            ("journal_size_limit", 67_108_864),
            ("busy_timeout", 5000), ("application_id", 0x5573_6872), ("user_version", Self.version),
        ]
        for (name, value) in settings {
            let found = try store.read { (state) throws(StoreError) in try state.integer("PRAGMA \(name)") }
            #expect(found == value, "\(name)")
        }
        #expect(try store.read { (state) throws(StoreError) in try state.text("PRAGMA journal_mode") } == "wal")
        // Every table of ours; what is not is a full-text index, with the tables that it keeps for itself.
        let loose =
            "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND NOT strict AND name NOT LIKE 'sqlite%'"
        #expect(try folder.number(loose + " AND type NOT IN ('virtual', 'shadow')") == 0)
        #expect(
            try folder.number(
                "SELECT count(*) FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%' AND sql NOT LIKE '%USING fts5%'")
                == 0)
        try store.check()
    }

    @Test func afterItWasClosedEverythingThrows() throws {
        let store = try folder.open()
        store.close()
        store.close()
        #expect(storeError { _ = try store.sessions() }?.code == .storeFailed)
        #expect(storeError { _ = try store.connect([.main()]) }?.code == .storeFailed)
    }

    @Test(arguments: ["no bytes", "a header"])
    func anEmptyFileBecomesAStore(_ what: String) throws {
        if what == "no bytes" {
            _ = FileManager.default.createFile(atPath: folder.database, contents: nil)
        } else {
            try folder.sql("CREATE TABLE t (x); DROP TABLE t")
        }
        let store = try folder.open()
        _ = try store.connect([.main()])
        #expect(try folder.number("PRAGMA user_version") == Self.version)
        try store.check()
    }

    @Test func manyProcessesMayMakeItAtOnce() async throws {
        let path = folder.path
        for round in 0..<40 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let store = try Store(directory: path + "/\(round)", access: .readWrite, features: .all)
                        _ = try store.connect([.main()])
                    }
                    // A reader sees a store, incomplete or complete, and never reports a foreign file.
                    group.addTask {
                        _ = try Store(directory: path + "/\(round)", access: .readOnly, features: .all).sessions()
                    }
                }
                try await group.waitForAll()
            }
            let store = try Store(directory: path + "/\(round)", access: .readWrite, features: .all)
            #expect(Set(try store.sessions().sessions.map(\.id)) == ["main-1", "main-2", "main-3", "main-4"])
        }
    }

    // MARK: Versions

    @Test func anOlderStoreIsBroughtUpToDate() throws {
        try folder.open().close()
        let added = "ALTER TABLE session ADD COLUMN colour TEXT; CREATE TABLE extra (id INTEGER PRIMARY KEY) STRICT"
        do {
            let store = try folder.open { $0.addStep(added) }
            _ = try store.connect([.main()])
        }
        #expect(try folder.number("PRAGMA user_version") == Self.version + 1)
        #expect(try folder.number("SELECT count(*) FROM extra") == 0)
        // And is then too new for the older program.
        #expect(storeError { _ = try folder.open() }?.code == .storeNewer)
    }

    @Test func aStepThatFailsLeavesTheVersionBefore() throws {
        do {
            let store = try folder.open()
            _ = try store.connect([.main()])
        }
        let error = storeError {
            _ = try folder.open { $0.addStep("CREATE TABLE extra (x) STRICT; SELECT nonsense") }
        }
        #expect(error != nil)
        #expect(try folder.number("PRAGMA user_version") == Self.version)
        #expect(try folder.number("SELECT count(*) FROM sqlite_schema WHERE name = 'extra'") == 0)
        #expect(try folder.open().sessions().sessions.count == 1)
    }

    @Test func aStepThatLeavesReferencesToNoRowIsNotTaken() throws {
        do {
            let store = try folder.open()
            _ = try store.connect([.main()])
        }
        let error = try #require(storeError { _ = try folder.open { $0.addStep("DELETE FROM condition") } })
        #expect(error.code == .storeFailed)
        #expect(error.message == "2 references would lead to no row in version \(Self.version + 1)")
        #expect(try folder.number("PRAGMA user_version") == Self.version)
        #expect(try folder.open().sessions().sessions.count == 1)
    }

    @Test(arguments: [Store.Access.readWrite, .readOnly])
    func aNewerStoreIsRefusedAndLeftAlone(access: Store.Access) throws {
        try folder.open().close()
        try folder.sql("PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)")
        let before = try contents()
        let error = try #require(storeError { _ = try folder.open(access) })
        #expect(error.code == .storeNewer)
        #expect(error.message == "the store has version 99; this Usher supports versions up to \(Self.version)")
        #expect(try contents() == before)
    }

    @Test(arguments: [Store.Access.readWrite, .readOnly])
    func aVersionThatIsOnlyInTheLogCountsToo(access: Store.Access) throws {
        try folder.open().close()
        let copy = TemporaryDirectory()
        do {
            let connection = try SQLiteConnection(path: folder.database, mode: .readWrite, busyTimeout: 0)
            try connection.execute("PRAGMA user_version = 99")
            for ending in ["", "-wal", "-shm"] {
                try FileManager.default.copyItem(atPath: folder.database + ending, toPath: copy.database + ending)
            }
        }
        let database = try Data(contentsOf: URL(fileURLWithPath: copy.database))
        let log = try Data(contentsOf: URL(fileURLWithPath: copy.database + "-wal"))
        #expect(storeError { _ = try copy.open(access) }?.code == .storeNewer)
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy.database)) == database)
        #expect(try Data(contentsOf: URL(fileURLWithPath: copy.database + "-wal")) == log)
    }

    static let foreign = [
        ("another application", "PRAGMA application_id = 42; CREATE TABLE t (x)"),
        ("no application", "CREATE TABLE t (x)"),
        ("no application, with a log", "PRAGMA journal_mode = WAL; CREATE TABLE t (x)"),
        ("no application, no tables, a version", "PRAGMA user_version = 3"),
    ]

    @Test(arguments: foreign, [Store.Access.readWrite, .readOnly])
    func aForeignDatabaseIsRefusedAndLeftAlone(_ file: (name: String, sql: String), access: Store.Access) throws {
        try folder.sql(file.sql)
        let before = try contents()
        let error = try #require(storeError { _ = try folder.open(access) })
        #expect(error.code == .storeForeign)
        #expect(error.help != nil)
        #expect(try contents() == before)
    }

    // MARK: Damage

    @Test(arguments: [Store.Access.readWrite, .readOnly])
    func whatIsNoDatabaseIsRefusedAndLeftAlone(access: Store.Access) throws {
        try Data(repeating: 0x41, count: 5000).write(to: URL(fileURLWithPath: folder.database))
        let before = try contents()
        let error = try #require(storeError { _ = try folder.open(access) })
        #expect(error.code == .storeCorrupt)
        #expect(error.message == "the store is damaged: file is not a database")
        #expect(try contents() == before)
    }

    @Test(arguments: [Store.Access.readWrite, .readOnly])
    func aDamagedPageIsSaid(access: Store.Access) throws {
        do {
            let store = try folder.open()
            _ = try store.connect((0..<2000).map { .clown("\($0)") })
        }
        // Every page but those that say which tables there are: a store whose tables are unknown is not opened at all.
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder.database))
        let handle = try #require(FileHandle(forUpdatingAtPath: folder.database))
        var spared = 0
        for offset in stride(from: 8192, to: whole.count, by: 8192) {
            if whole[offset..<offset + 8192].range(of: Data("CREATE ".utf8)) != nil {
                spared += 1
                continue
            }
            try handle.seek(toOffset: UInt64(offset))
            try handle.write(contentsOf: Data(repeating: 0xa5, count: 8192))
        }
        try handle.close()
        #expect(spared < 5)
        let store = try folder.open(access)
        #expect(storeError { _ = try store.sessions() }?.code == .storeCorrupt)
        #expect(storeError { try store.check() }?.code == .storeCorrupt)
        store.close()
        // And those, too.
        let rest = try #require(FileHandle(forUpdatingAtPath: folder.database))
        try rest.seek(toOffset: 8192)
        try rest.write(contentsOf: Data(repeating: 0xa5, count: whole.count - 8192))
        try rest.close()
        #expect(storeError { _ = try folder.open(access).sessions() }?.code == .storeCorrupt)
    }

    @Test func aTruncatedStoreIsSaid() throws {
        do {
            let store = try folder.open()
            _ = try store.connect((0..<500).map { .clown("\($0)") })
        }
        try FileHandle(forUpdatingAtPath: folder.database)?.truncate(atOffset: 8192)
        for access in [Store.Access.readWrite, .readOnly] {
            #expect(storeError { _ = try folder.open(access).sessions() }?.code == .storeCorrupt)
        }
    }

    // MARK: Obstacles

    @Test func aFolderThatIsAFile() throws {
        _ = FileManager.default.createFile(atPath: folder.path + "/file", contents: nil)
        for directory in ["/file", "/file/state"] {
            let error = storeError {
                _ = try Store(directory: folder.path + directory, access: .readWrite, features: .all)
            }
            #expect(error?.code == .storeOpen)
            #expect(error?.path == folder.path + "/file")
            #expect(error?.message == "the folder cannot be made: Not a directory")
        }
    }

    @Test(arguments: ["a folder", "a pipe"], [Store.Access.readWrite, .readOnly])
    func aStoreThatIsNoFile(_ what: String, access: Store.Access) throws {
        if what == "a folder" {
            try FileManager.default.createDirectory(atPath: folder.database, withIntermediateDirectories: false)
        } else {
            try #require(mkfifo(folder.database, 0o600) == 0)
        }
        let error = storeError { _ = try folder.open(access) }
        #expect(error?.code == .storeOpen)
        #expect(error?.message == "the store is not a file")
    }

    @Test(arguments: [Store.Access.readWrite, .readOnly])
    func aPathWithANULByte(access: Store.Access) {
        let error = storeError { _ = try Store(directory: folder.path + "/a\u{0}b", access: access, features: .all) }
        #expect(error?.code == .storeOpen)
    }

    @Test func anotherWriterForTooLong() throws {
        let store = try folder.open { $0.busyTimeout = 20 }
        let other = try SQLiteConnection(path: folder.database, mode: .readWrite, busyTimeout: 0)
        try other.execute("BEGIN IMMEDIATE")
        let error = try #require(storeError { _ = try store.connect([.main()]) })
        #expect(error.code == .storeBusy)
        #expect(error.help?.contains("fuser") == true)
        // Reading goes on, and so does writing once the other is done.
        #expect(try store.sessions().sessions.isEmpty)
        try other.execute("COMMIT")
        #expect(try store.connect([.main()]).count == 1)
    }

    @Test func noMorePages() throws {
        try folder.open().close()
        let empty = try #require(try folder.number("PRAGMA page_count"))
        let store = try folder.open { $0.maximumPages = Int(empty) + 22 }
        var kept = 0
        let error = storeError {
            for index in 0..<1000 {
                try store.record(.sample("d-\(index)"), state: .done, record: String(repeating: "x", count: 2000))
                kept += 1
            }
        }
        #expect(error?.code == .storeFull)
        #expect(error?.sqliteCode == 13)
        // What was kept before is there, and smaller things still work.
        #expect(kept > 0)
        #expect(try store.deliveries(limit: 1000).count == kept)
        try store.check()
    }

    @Test func aStoreThatWasRemovedTakesNothing() throws {
        let store = try folder.open()
        _ = try store.connect([.main()])
        #expect(store.isInPlace)
        let away = folder.path + "-away"
        try FileManager.default.moveItem(atPath: folder.path, toPath: away)
        defer { try? FileManager.default.removeItem(atPath: away) }
        #expect(!store.isInPlace)
        #expect(storeError { _ = try store.connect([.main()]) }?.code == .storeGone)
        // Another one in its place is another one.
        try folder.open().close()
        #expect(!store.isInPlace)
        #expect(storeError { _ = try store.connect([.main()]) }?.code == .storeGone)
        try FileManager.default.removeItem(atPath: folder.path)
        try FileManager.default.moveItem(atPath: away, toPath: folder.path)
        #expect(store.isInPlace)
        #expect(try store.connect([.main()]).map(\.id) == ["main-2"])
        #expect(try folder.open(.readOnly).isInPlace)
    }

    @Test func onlySoManyStatementsAreKept() throws {
        var connection = try SQLiteConnection(path: "", mode: .memory, busyTimeout: 0)
        for _ in 0..<2 {
            for number in 0..<300 {
                #expect(try connection.integer("SELECT ? + \(number)", .integer(1)) == Int64(number + 1))
                #expect(try connection.integer("SELECT ? * 2", .integer(2)) == 4)
            }
        }
        #expect(connection.statementCount == SQLiteConnection.statementLimit)
    }

    private func contents() throws -> [String: Data] {
        var all: [String: Data] = [:]
        for name in folder.files { all[name] = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + name)) }
        return all
    }
}
