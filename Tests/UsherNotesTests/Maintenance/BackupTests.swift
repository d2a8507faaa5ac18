import Foundation
import StoreTestSupport
import Synchronization
import Testing
import UsherScene

@testable import UsherNotes
@testable import UsherStore

@Suite struct BackupTests {
    let folder = TemporaryDirectory()

    @Test func aCopyIsOfOneMomentWhileOthersWrite() throws {
        let store = try folder.open()
        try store.take(ContentSamples.rows(notes: 400))
        let path = folder.path
        let stop = Flag()
        // A thread of its own: the others may all be busy with tests.
        let written = Counter()
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            defer { ended.signal() }
            while !stop.isSet {
                // Two rows that are there together, or not at all.
                let count = written.value
                let note = ContentSamples.note(10_000 + count)
                guard (try? store.take([.note(note), .link(ContentSamples.link(count, of: note.id))])) != nil else {
                    return
                }
                written.add()
            }
        }
        for index in 0..<8 {
            let reader = try Store(directory: path, access: .readOnly, features: [.notes])
            let copy = path + "/copy-\(index)"
            let size = try reader.backUp(to: copy)
            let attributes = try FileManager.default.attributesOfItem(atPath: copy)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(attributes[.size] as? Int64 == size)
        }
        stop.set()
        #expect(ended.wait(timeout: .now() + 60) == .success)
        #expect(written.value > 0)
        for index in 0..<8 {
            let place = TemporaryDirectory()
            try FileManager.default.copyItem(atPath: path + "/copy-\(index)", toPath: place.database)
            let copy = try place.open()
            #expect(copy.examine().isEmpty)
            let rows = try copy.allRows()
            let notes = rows.count { if case .note = $0 { true } else { false } }
            let links = rows.count { if case .link = $0 { true } else { false } }
            #expect(notes >= 400 && links == 800 + notes - 400)
        }
        #expect(!folder.files.contains { $0.contains(".new-") })
    }

    @Test func whatIsThereIsNeverOverwritten() throws {
        let store = try folder.open()
        let file = folder.path + "/file"
        try Data("mine".utf8).write(to: URL(fileURLWithPath: file))
        #expect(storeError { try store.backUp(to: file) }?.message == "is there already")
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data("mine".utf8))
        #expect(storeError { try store.backUp(to: folder.path + "/no/such/folder") }?.code == .maintenanceFile)
        let nothing = TemporaryDirectory()
        #expect(storeError { try nothing.open(.readOnly).backUp(to: nothing.path + "/copy") }?.code == .maintenanceFile)
    }
}

private final class Counter: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
}

private final class Flag: Sendable {
    private let value = Mutex(false)
    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
}
