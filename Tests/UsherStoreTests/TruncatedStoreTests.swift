import Foundation
import StoreTestSupport
import TestSupport
import Testing
import UsherFeatures
import UsherScene

@testable import UsherStore

/// Stores whose file was cut, and what `usher doctor --repair` makes of them.
@Suite struct TruncatedStoreTests {
    private static let pageSize = 8192
    private static let deliveries = 2000

    /// A store with thousands of deliveries of several lengths: some have their input on pages of its own.
    private static let whole: Result<Data, any Error> = Result {
        let folder = TemporaryDirectory()
        let store = try folder.open()
        for start in stride(from: 0, to: deliveries, by: 500) {
            try store.accept(
                (start..<start + 500).map { number in
                    var delivery = Store.NewDelivery.sample(sender: "sender \(number)")
                    let length = number % 97 == 0 ? 20_000 : number % 300
                    delivery.input = Array("input \(number) \(String(repeating: "x", count: length)) end".utf8)
                    return delivery
                })
        }
        store.close()
        return try Data(contentsOf: URL(fileURLWithPath: folder.database))
    }

    /// Bytes that are left: of a thousand parts of the file, and some more or less.
    static let cuts: [(part: Int, more: Int)] = [
        (950, 0), (800, 8191), (500, 5000), (400, 12), (1000, -1), (1000, -pageSize), (1000, -pageSize - 3000),
    ]

    @Test(arguments: cuts)
    func whatIsLeftIsRecovered(cut: (part: Int, more: Int)) throws {
        let folder = TemporaryDirectory()
        let whole = try TruncatedStoreTests.whole.get()
        let pages = whole.count / TruncatedStoreTests.pageSize * cut.part / 1000
        let rest = whole.prefix(pages * TruncatedStoreTests.pageSize + cut.more)
        try rest.write(to: URL(fileURLWithPath: folder.database))
        // Of the last page, SQLite reads as zeros what is missing.
        if rest.count <= whole.count - TruncatedStoreTests.pageSize {
            #expect(storeError { _ = try folder.open() }?.code == .storeCorrupt)
        }

        let outcome = try StoreRepair.run(directory: folder.path, features: .all)
        let damaged = try #require(outcome.damaged)
        #expect(try Data(contentsOf: URL(fileURLWithPath: damaged)) == rest)
        #expect(outcome.actions.first == "the file ends after \(rest.count) of \(whole.count) bytes")
        #expect(!folder.files.contains { $0.contains(".repair-") })
        let table = try #require(outcome.tables.first { $0.name == "delivery" })
        #expect(table.lost == TruncatedStoreTests.deliveries - table.copied)

        // At least the rows that SQLite reads when the missing part is filled with zeros, and no row that was not there.
        let found = try rows(of: folder.database)
        let original = try rows(of: TruncatedStoreTests.write(whole, in: folder, as: "whole.db"))
        let filled = rest + Data(count: whole.count - rest.count)
        let byHand = try rows(of: TruncatedStoreTests.write(filled, in: folder, as: "filled.db"))
        for (number, row) in found { #expect(original[number] == row) }
        #expect(found.count == table.copied)
        for (number, row) in byHand where original[number] == row && row.count == 2 {
            #expect(found[number] == row, "delivery \(number)")
        }
        let store = try folder.open()
        #expect(store.examine().isEmpty)
        try store.accept([.sample()])
    }

    private static func write(_ data: Data, in folder: TemporaryDirectory, as name: String) throws -> String {
        let path = folder.path + "/" + name
        try data.write(to: URL(fileURLWithPath: path))
        return path
    }

    /// The sender and the input of each delivery that can be read, asked for one by one.
    private func rows(of path: String) throws -> [Int: [String]] {
        var found: [Int: [String]] = [:]
        var connection = try SQLiteConnection(path: path, mode: .immutable, busyTimeout: 0)
        for number in 1...TruncatedStoreTests.deliveries {
            let sender = "SELECT sender_id FROM delivery NOT INDEXED WHERE number = ?"
            guard let text = try? connection.text(sender, .integer(Int64(number))) else { continue }
            let query = "SELECT input FROM delivery_input WHERE number = ?"
            let input = try? connection.text(query, .integer(Int64(number)))
            found[number] = [text] + (input.map { [$0] } ?? [])
        }
        return found
    }

    @Test(arguments: [1, 50, 99, 100, 4000, 8191, 8192, 8193, 2 * 8192])
    func aFileWithoutItsTablesIsLeftAlone(length: Int) throws {
        let folder = TemporaryDirectory()
        let rest = try TruncatedStoreTests.whole.get().prefix(length)
        try rest.write(to: URL(fileURLWithPath: folder.database))
        let error = try #require(storeError { _ = try StoreRepair.run(directory: folder.path, features: .all) })
        #expect(error.code == .storeCorrupt)
        #expect(error.message.contains("the file ends after \(length)"))
        #expect(error.message.contains("the list of its tables is lost"))
        #expect(error.help?.contains("repair") == false && error.help?.contains("backup") == true)
        #expect(error.path == folder.database)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == rest)
        #expect(!folder.files.contains { $0.contains("repair") || $0.contains("damaged") })
    }

    @Test func anEmptyFileIsLeftAlone() throws {
        let folder = TemporaryDirectory()
        try Data().write(to: URL(fileURLWithPath: folder.database))
        let error = try #require(storeError { _ = try StoreRepair.run(directory: folder.path, features: .all) })
        #expect(error.code == .maintenanceFile)
        #expect(error.help?.contains("backup") == true)
        #expect(folder.files == ["usher.db"])
    }

    @Test(arguments: [0, 100, 8192, 50 * 8192])
    func theLogOfACutFileIsRead(length: Int) throws {
        let folder = TemporaryDirectory()
        // As after a crash: everything is still in the log.
        let other = TemporaryDirectory()
        let store = try other.open()
        try store.accept((0..<100).map { .sample(sender: "sender \($0)") })
        for ending in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: other.database + ending, toPath: folder.database + ending)
        }
        store.close()
        try FileHandle(forUpdatingAtPath: folder.database)?.truncate(atOffset: UInt64(length))
        let log = try Data(contentsOf: URL(fileURLWithPath: folder.database + "-wal"))
        #expect(length > 0 || storeError { _ = try folder.open() }?.code == .storeCorrupt)
        let outcome = Result { try StoreRepair.run(directory: folder.path, features: .all) }
        switch outcome {
        case .success(let outcome):
            #expect(outcome.tables.first { $0.name == "delivery" }?.copied == 100 || outcome.damaged == nil)
            #expect(try folder.number("SELECT count(*) FROM delivery") == 100)
        case .failure(let error):
            // Tables were on pages that are lost, and the log stays as it is.
            #expect((error as? StoreError)?.code == .storeCorrupt)
            #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database + "-wal")) == log)
        }
    }
}
