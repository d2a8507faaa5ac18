import Foundation
import StoreTestSupport
import Synchronization
import TestSupport
import Testing
import UsherScene
import UsherSystem

@testable import UsherStore

/// Changes from several threads that share a transaction.
@Suite struct GroupCommitTests {
    let folder = TemporaryDirectory()

    /// Holds the connection while others queue up behind it.
    func together(_ store: Store, _ bodies: [@Sendable () throws -> Void]) -> [Bool] {
        let begun = DispatchSemaphore(value: 0)
        let gate = DispatchSemaphore(value: 0)
        let ended = DispatchGroup()
        let outcomes = Outcomes(count: bodies.count)
        Thread.detachNewThread {
            try? store.write { (_) throws(StoreError) in
                begun.signal()
                gate.wait()
            }
        }
        begun.wait()
        let name = "commit \(UInt16.random(in: 0 ... .max))"
        for (number, body) in bodies.enumerated() {
            ended.enter()
            let thread = SystemThread.start(named: name, stackSize: 8 << 20) {
                let isDone = (try? body()) != nil
                outcomes.note(number, isDone)
                ended.leave()
            }
            if thread == nil { ended.leave() }
        }
        // One that is late commits alone, which no test minds.
        _ = eventually(within: 1) { ThreadWaits.limits(name: name).values.count { $0 == .max } == bodies.count }
        gate.signal()
        ended.wait()
        return outcomes.done
    }

    final class Outcomes: Sendable {
        private let state: Mutex<[Bool]>
        init(count: Int) { state = Mutex([Bool](repeating: false, count: count)) }
        func note(_ number: Int, _ isDone: Bool) { state.withLock { $0[number] = isDone } }
        var done: [Bool] { state.withLock { $0 } }
    }

    @Test func aFailedLockFailsAllWaitingCommits() throws {
        let store = try folder.open { $0.busyTimeout = 1000 }
        let other = try SQLiteConnection(path: folder.database, mode: .readWrite, busyTimeout: 1000)
        try other.execute("BEGIN IMMEDIATE")
        let began = ContinuousClock.now
        let outcomes = Outcomes(count: 20)
        let ended = DispatchGroup()
        for number in 0..<20 {
            ended.enter()
            Thread.detachNewThread {
                let isDone = (try? store.record(.sample("d-\(number)"), state: .done, record: "{}")) != nil
                outcomes.note(number, isDone)
                ended.leave()
            }
        }
        ended.wait()
        try other.execute("ROLLBACK")
        #expect(!outcomes.done.contains(true))
        #expect(began.duration(to: .now) < .seconds(15), "each for itself would be 20 s")
        try store.record(.sample("later"), state: .done, record: "{}")
    }

    @Test func changesThatWaitShareOneCommit() throws {
        let store = try folder.open()
        let commits = try folder.commits {
            let done = together(
                store,
                (0..<40).map { number in { try store.record(.sample("d-\(number)"), state: .done, record: "{}") } })
            #expect(done.allSatisfy { $0 })
        }
        // One for all, or a few where some are late on a busy machine.
        #expect(commits <= 10, "\(commits)")
        #expect(try store.deliveries().count == 40)
    }

    @Test func oneThatFailsTakesNoOtherAlong() throws {
        let store = try folder.open()
        let done = together(
            store,
            (0..<9).map { number in
                {
                    try store.write { (state) throws(StoreError) in
                        try state.record(Store.Finished(.sample("d-\(number)"), state: .done, record: "{}"))
                        if number % 3 == 0 { throw StoreError(.storeFailed, "on purpose", path: "") }
                        if number % 3 == 1 { _ = try state.run("INSERT INTO nowhere VALUES (1)") }
                    }
                }
            })
        #expect(done == (0..<9).map { $0 % 3 == 2 })
        #expect(try Set(store.deliveries().map(\.id)) == ["d-2", "d-5", "d-8"])
        try folder.expectTotals(store)
        // Conditions are kept by their rows: those of what was taken back must not be.
        _ = try store.connect([.clown("a"), .clown("b")])
        #expect(try store.sessions().unreadable.isEmpty)
    }

    @Test func aTransactionThatEndsAltogetherIsTriedOneByOne() throws {
        let store = try folder.open()
        let done = together(
            store,
            (0..<6).map { number in
                {
                    try store.write { (state) throws(StoreError) in
                        try state.record(Store.Finished(.sample("d-\(number)"), state: .done, record: "{}"))
                        // As a full disk does it.
                        if number == 3 {
                            _ = try state.run("ROLLBACK")
                            throw StoreError.full(path: "")
                        }
                    }
                }
            })
        #expect(done == (0..<6).map { $0 != 3 })
        #expect(try Set(store.deliveries().map(\.id)) == ["d-0", "d-1", "d-2", "d-4", "d-5"])
        try folder.expectTotals(store)
    }

    @Test func whatWasTakenBackIsCounted() throws {
        let store = try folder.open()
        func rollbacks() throws -> Int { try store.read { (state) throws(StoreError) in state.rollbacks } }
        let before = try rollbacks()
        _ = try? store.write { (_) throws(StoreError) in throw StoreError(.storeFailed, "on purpose", path: "") }
        #expect(try rollbacks() == before + 1)
    }

    @Test func aStoreThatIsClosedRefusesWhatWaits() throws {
        let store = try folder.open()
        store.close()
        #expect(storeError { try store.record(.sample(), state: .done, record: "{}") }?.code == .storeFailed)
    }
}

extension TemporaryDirectory {
    /// How many transactions were committed meanwhile: each leaves one frame marked as its end in the log.
    func commits(_ body: () throws -> Void) throws -> Int {
        let before = try marks()
        try body()
        return try marks() - before
    }

    /// https://sqlite.org/fileformat2.html, 4.1: a header of 32 bytes, then frames of 24 bytes and a page; the second word of
    /// a frame is the size of the database where it ends a transaction, else 0.
    private func marks() throws -> Int {
        guard let log = FileManager.default.contents(atPath: database + "-wal"), log.count > 32 else { return 0 }
        let page = Int(log[8]) << 24 | Int(log[9]) << 16 | Int(log[10]) << 8 | Int(log[11])
        return stride(from: 32, to: log.count - 24, by: page + 24).count { log[$0 + 4..<$0 + 8].contains { $0 != 0 } }
    }
}
