import Foundation
import Testing
import UsherScene

@testable import UsherStore

@Suite struct OwnerTests {
    @Test func thisProcessIsAlive() {
        let own = Store.Owner.current()
        #expect(own.isAlive())
        #expect(own.pid == getpid())
        #expect(own.bootID.utf8.count == 36)
        #expect(own.startTime > 0)
    }

    @Test func aLaterProcessOfTheSameNumberIsAnother() {
        var other = Store.Owner.current()
        other.startTime += 1
        #expect(!other.isAlive())
        other = .current()
        other.bootID = "00000000-0000-0000-0000-000000000000"
        #expect(!other.isAlive())
        other = .current()
        other.pid = Int32.max
        #expect(!other.isAlive())
    }

    @Test func aProcessThatEndedIsDead() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sleep")
        process.arguments = ["30"]
        try process.run()
        let status = try #require(ProcessStatus.read(pid: process.processIdentifier))
        let owner = Store.Owner(
            bootID: Store.Owner.current().bootID, pid: process.processIdentifier, startTime: status.startTime)
        #expect(owner.isAlive())
        // A test runner's children may ignore SIGTERM.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(!owner.isAlive())
    }

    // MARK: Files

    @Test func anOwnerLivesAsLongAsItsStoreIsOpen() throws {
        let folder = TemporaryDirectory()
        let (store, other) = (try folder.open(), try folder.open())
        let owner = store.owner()
        #expect(owner.file != nil)
        #expect(store.owner() == owner)
        #expect(other.owner() != owner, "two in one process are two")
        #expect(other.isAlive(owner))
        store.close()
        #expect(!other.isAlive(owner))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/owners").count == 1)
    }

    @Test(arguments: ["../usher.db", "", ".", "nobody"])
    func anInvalidNameHasNoProcess(name: String) throws {
        let folder = TemporaryDirectory()
        let store = try folder.open()
        _ = store.owner()
        #expect(!store.isAlive(.init(bootID: Store.Owner.current().bootID, pid: getpid(), startTime: 1, file: name)))
    }

    /// As after a kill, or a power cut: the file is there, and no process holds its lock.
    @Test func anUnlockedFileMeansADeadOwner() throws {
        let folder = TemporaryDirectory()
        let store = try folder.open()
        var owner = store.owner()
        owner.file = "left"
        _ = FileManager.default.createFile(atPath: folder.path + "/owners/left", contents: nil)
        #expect(!store.isAlive(owner))
        _ = try store.claim(.sample("a"), .none, expecting: 0, owner: owner)
        #expect(try store.abandoned() == ["a"])
        #expect(try store.adopt(["a", "b"], owner: store.owner()) == ["a"])
        #expect(try store.abandoned().isEmpty)
        store.forgetDeadOwners()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/owners") == [store.owner().file])
    }

    /// What a process of another PID namespace holds: its number means nothing here.
    @Test func aLockedFileMeansALivingOwner() throws {
        let folder = TemporaryDirectory()
        let store = try folder.open()
        _ = store.owner()
        let path = folder.path + "/owners/held"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "exec 9> '\(path)'; flock -x 9; echo held; exec sleep 60"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        defer {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        #expect(pipe.fileHandleForReading.availableData.count > 0)
        let owner = Store.Owner(bootID: "another", pid: 1, startTime: 1, file: "held")
        #expect(store.isAlive(owner))
        // Where the number means something, it is believed: a child of the dead may hold the lock for a moment.
        var killed = store.owner()
        killed.startTime += 1
        #expect(!store.isAlive(killed))
        _ = try store.claim(.sample("a"), .none, expecting: 0, owner: owner)
        #expect(try store.abandoned().isEmpty)
        #expect(try !store.adopt(id: "a", owner: store.owner()))
        #expect(try store.begin(delivery: "a", attempt: 2, nonce: "n", owner: store.owner()) == .taken)
        guard case .taken = try store.finish(delivery: "a", state: .done, record: "{}", owner: store.owner()) else {
            Issue.record("finished by another")
            return
        }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(!store.isAlive(owner))
        #expect(try store.adopt(id: "a", owner: store.owner()))
    }

    static let fields = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20 21"

    @Test(
        arguments: [
            ("plain", "7 (usher) S \(fields)\n", true, 4711), ("parentheses", "7 (a) b) (c) R \(fields)", true, 4711),
            ("newline in the name", "7 (a\nb) D \(fields)", true, 4711),
            ("zombie", "7 (usher) Z \(fields)", false, 4711),
        ] as [(String, String, Bool, UInt64)])
    func statIsReadPastTheName(_ name: String, text: String, isRunning: Bool, startTime: UInt64) {
        let status = ProcessStatus(parsing: Array(text.utf8))
        #expect(status?.isRunning == isRunning)
        #expect(status?.startTime == startTime)
    }

    @Test(arguments: [
        "", "7", "7 (usher", "7 (usher)", "7 (usher) S 1 2 3", "7 (usher) S " + String(repeating: "x ", count: 30),
    ])
    func anythingElseIsNoProcess(text: String) {
        #expect(ProcessStatus(parsing: Array(text.utf8)) == nil)
    }
}
