import Foundation
import StoreTestSupport
import Testing
import UsherFeatures
import UsherScene

@testable import UsherStore

/// Other processes, and the end of them.
@Suite(.serialized) struct CrashTests {
    let folder = TemporaryDirectory()

    /// Kills are drawn from a fixed sequence: within opening, within the first transactions, and later.
    @Test(arguments: [300, 900, 1700, 2500, 4000, 7000, 12_000, 21_000, 34_000, 55_000] as [UInt32])
    func aKilledWriterLeavesWhatItAcknowledged(microseconds: UInt32) async throws {
        let path = folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, microseconds = microseconds as UInt32] in
            let log = open(path + "/acknowledged", O_WRONLY | O_CREAT | O_APPEND, 0o600)
            func acknowledge(_ text: String) { _ = text.withCString { write(log, $0, strlen($0)) } }
            Thread {
                // Whatever it is at then.
                usleep(microseconds)
                kill(getpid(), SIGKILL)
            }.start()
            let store = try Store(directory: path, access: .readWrite, features: .all)
            acknowledge("opened\n")
            while true {
                let delivery = Store.NewDelivery.sample()
                let generation = try store.generation()
                guard
                    case .claimed(let session?, _) = try store.claim(
                        delivery, .create(.clown(delivery.id)), expecting: generation)
                else { break }
                acknowledge("claimed \(delivery.id) \(session.id)\n")
                try store.finish(
                    delivery: delivery.id, state: .done, record: delivery.id,
                    session: (session.id, .init(state: .connected, used: true)))
                acknowledge("finished \(delivery.id) \(session.id)\n")
            }
        }
        // A torn last line was not acknowledged.
        let text = (try? String(contentsOfFile: path + "/acknowledged", encoding: .utf8)) ?? ""
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .map { $0.split(separator: " ").map(String.init) }
        let store = try folder.open()
        try store.check()
        let interrupted = try store.deliveries(ids: store.unfinished())
        #expect(interrupted.count <= 1)
        for line in lines where line.count == 3 {
            let delivery = try #require(try store.delivery(line[1]))
            let session = try #require(try store.session(id: line[2]))
            #expect(delivery.session == session.id)
            if line[0] == "finished" {
                #expect(delivery.state == .done)
                #expect(delivery.record == delivery.id)
                #expect(session.state == .connected)
            } else {
                #expect(delivery.state == .done || interrupted.map(\.id) == [delivery.id])
            }
        }
        // A session and its delivery are made together or not at all.
        let sessions = try store.sessions().sessions
        #expect(try store.deliveries(limit: 1_000_000).compactMap(\.session).sorted() == sessions.map(\.id).sorted())
        for one in interrupted {
            try store.finish(delivery: one.id, state: .failed, record: "{}", endSession: one.session)
        }
        #expect(try store.unfinished().isEmpty)
    }

    @Test func twoProcessesMakeEachWindowOnce() async throws {
        let path = folder.path
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    await #expect(processExitsWith: .success) { [path = path as String] in
                        let store = try Store(directory: path, access: .readWrite, features: .all)
                        for index in 0..<60 {
                            let new = Store.NewSession.clown("\(index)")
                            while true {
                                let known = try store.sessions()
                                if known.sessions.contains(where: { $0.target == new.target }) { break }
                                let result = try store.claim(.sample(), .create(new), expecting: known.generation)
                                if case .claimed = result { break }
                            }
                        }
                    }
                }
            }
        }
        let sessions = try folder.open().sessions().sessions
        #expect(sessions.count == 60)
        #expect(Set(sessions.compactMap(\.target)).count == 60)
    }

    /// What a power cut leaves of the log is any part of it.
    @Test func aTornLogIsReadUpToTheLastWholeTransaction() throws {
        let store = try folder.open()
        var sizes: [UInt64] = []
        for index in 0..<20 {
            try store.record(.sample("d-\(index)"), state: .done, record: "{}")
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.database + "-wal")
            sizes.append(attributes[.size] as? UInt64 ?? 0)
        }
        let last = try #require(sizes.last)
        for cut in stride(from: UInt64(0), through: last, by: 3001) {
            let copy = TemporaryDirectory()
            for ending in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: folder.database + ending, toPath: copy.database + ending)
            }
            try FileHandle(forUpdatingAtPath: copy.database + "-wal")?.truncate(atOffset: cut)
            let whole = sizes.count { $0 <= cut }
            #expect(try copy.open(.readOnly).deliveries(limit: 100).count == whole, "cut at \(cut)")
            let writer = try copy.open()
            try writer.check()
            #expect(try writer.deliveries(limit: 100).count == whole)
        }
    }
}
