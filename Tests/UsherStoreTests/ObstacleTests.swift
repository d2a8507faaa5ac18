import Foundation
import Glibc
import StoreTestSupport
import Testing
import UsherFeatures
import UsherScene

@testable import UsherStore

/// What only another user or another file system can show: each in a process of its own.
@Suite struct ObstacleTests {
    let folder = TemporaryDirectory()

    /// Becomes an ordinary user where this one may do everything.
    static func becomeOrdinary() {
        if geteuid() == 0, setgid(65534) == 0 { _ = setuid(65534) }
    }

    @Test(arguments: [
        (EROFS, "mounted read-only"), (EDQUOT, "your quota"), (ENOSPC, "no space left"), (EACCES, "cannot be written"),
        (EMFILE, "Too many open files"),
    ])
    func theCauseIsNamed(number: Int32, words: String) {
        #expect(StoreError.system(number, "it cannot be made", path: "/nowhere/usher.db").message.contains(words))
    }

    @Test func aFolderThatMayNotBeWritten() async throws {
        do { _ = try folder.open().connect([.main()]) }
        let path = folder.path
        chmod(folder.database, 0o644)
        chmod(path, 0o555)
        await #expect(processExitsWith: .success) { [path = path as String] in
            ObstacleTests.becomeOrdinary()
            let error = storeError { _ = try Store(directory: path, access: .readWrite, features: .all) }
            #expect(error?.code == .storeReadOnly)
            #expect(error?.help?.contains("--state") == true)
            #expect(error?.message == "the store cannot be written")
            #expect(
                storeError { _ = try Store(directory: path + "/new", access: .readWrite, features: .all) }?.code
                    == .storeReadOnly)
            // It can still be read.
            let store = try Store(directory: path, access: .readOnly, features: .all)
            #expect(try store.sessions().sessions.count == 1)
        }
        chmod(path, 0o755)
        #expect(folder.files == ["usher.db"])
    }

    @Test func aFolderThatMayNotBeWrittenWithALogInIt() async throws {
        let writer = try folder.open()
        _ = try writer.connect([.main()])
        let path = folder.path
        for ending in ["", "-wal", "-shm"] { chmod(folder.database + ending, 0o644) }
        chmod(path, 0o555)
        await #expect(processExitsWith: .success) { [path = path as String] in
            ObstacleTests.becomeOrdinary()
            let store = try Store(directory: path, access: .readOnly, features: .all)
            #expect(try store.sessions().sessions.count == 1)
        }
        chmod(path, 0o755)
        #expect(folder.files == ["usher.db", "usher.db-shm", "usher.db-wal"])
    }

    @Test func aFileThatMayNotBeRead() async throws {
        try folder.open().close()
        let path = folder.path
        chmod(folder.database, 0)
        await #expect(processExitsWith: .success) { [path = path as String] in
            ObstacleTests.becomeOrdinary()
            #expect(
                storeError { _ = try Store(directory: path, access: .readWrite, features: .all) }?.code == .storeOpen)
            #expect(
                storeError { _ = try Store(directory: path, access: .readOnly, features: .all) }?.code == .storeOpen)
        }
    }

    @Test func aFileThatMayNotBeWritten() async throws {
        try folder.open().close()
        let path = folder.path
        chmod(folder.database, 0o444)
        chmod(path, 0o777)
        await #expect(processExitsWith: .success) { [path = path as String] in
            ObstacleTests.becomeOrdinary()
            #expect(
                storeError { _ = try Store(directory: path, access: .readWrite, features: .all) }?.code
                    == .storeReadOnly)
        }
    }

    /// Whether this process may mount file systems in a namespace of its own.
    static let mayMount: Bool = {
        guard geteuid() == 0 else { return false }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        process.arguments = ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    /// A file system that only this thread sees.
    static func mountSmall(_ path: String, bytes: Int) throws {
        // Not in Swift's Glibc module: it is declared with _GNU_SOURCE only.
        let symbol = try #require(dlsym(nil, "unshare"))
        let unshare = unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)
        let newMountNamespace: Int32 = 0x0002_0000
        try #require(unshare(newMountNamespace) == 0)
        try #require(mount("none", "/", nil, UInt(MS_REC) | UInt(MS_PRIVATE), nil) == 0)
        try #require(mount("none", path, "tmpfs", 0, "size=\(bytes)") == 0)
    }

    @Test(.enabled(if: mayMount)) func aFullFileSystem() async throws {
        let path = folder.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            try ObstacleTests.mountSmall(path, bytes: 1 << 20)
            let store = try Store(directory: path, access: .readWrite, features: .all)
            var kept = 0
            let error = storeError {
                for index in 0..<10_000 {
                    try store.record(.sample("d-\(index)"), state: .done, record: String(repeating: "x", count: 2000))
                    kept += 1
                }
            }
            #expect(error?.code == .storeFull)
            #expect(kept > 0 && kept < 10_000)
            #expect(try store.deliveries(limit: 10_000).count == kept)
            try store.check()
            // Not even a new store fits.
            #expect(
                storeError { _ = try Store(directory: path + "/another", access: .readWrite, features: .all) }?.code
                    == .storeFull)
        }
    }

    @Test(.enabled(if: mayMount)) func aReadOnlyFileSystem() async throws {
        let path = folder.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            try ObstacleTests.mountSmall(path, bytes: 8 << 20)
            do { _ = try Store(directory: path, access: .readWrite, features: .all).connect([.main()]) }
            try #require(mount("none", path, nil, UInt(MS_REMOUNT) | UInt(MS_RDONLY), nil) == 0)
            for directory in [path, path + "/new"] {
                let error = storeError { _ = try Store(directory: directory, access: .readWrite, features: .all) }
                #expect(error?.code == .storeReadOnly)
                #expect(error?.message == "the file system of the store is mounted read-only")
                #expect(error?.help?.contains("mount this one for writing") == true)
            }
            let store = try Store(directory: path, access: .readOnly, features: .all)
            #expect(try store.sessions().sessions.count == 1)
            let copying = storeError { try store.backUp(to: path + "/copy.db") }
            #expect(copying?.code == .maintenanceFile && copying?.path == path + "/copy.db")
            #expect(copying?.help?.contains("read-only") == true)
        }
    }
}
