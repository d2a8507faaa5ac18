import Foundation
import Glibc
import TestSupport
import Testing
import UsherOperation
import UsherScene

@testable import UsherControl

/// The lock of a state folder.
struct DaemonLockTests {
    private static func acquire(_ state: String, socket: String = "/run/s.sock") throws -> DaemonLock {
        try DaemonLock.acquire(state: state, socket: socket, version: "0.1.0", started: "2026-11-21T09:00:00.000Z")
    }

    @Test func namesTheProcessThatHoldsIt() throws {
        let folder = TemporaryFolder()
        let state = folder.path + "/new/state"
        #expect(DaemonLock.holder(state: state) == nil)
        #expect(!FileManager.default.fileExists(atPath: state), "asking makes nothing")
        do {
            let lock = try Self.acquire(state)
            #expect(lock.path == state + "/usherd.lock")
            #expect(
                DaemonLock.holder(state: state)
                    == DaemonHolder(
                        pid: getpid(), socket: "/run/s.sock", started: "2026-11-21T09:00:00.000Z", version: "0.1.0"))
            let mode = try FileManager.default.attributesOfItem(atPath: lock.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            // Closing another descriptor of the file takes nothing away.
            close(open(lock.path, O_RDWR))
            #expect(DaemonLock.holder(state: state) != nil)
            _ = consume lock
        }
        #expect(DaemonLock.holder(state: state) == nil)
        #expect(FileManager.default.fileExists(atPath: state + "/usherd.lock"))
    }

    @Test func secondOneIsRefusedAndNamesTheFirst() throws {
        let folder = TemporaryFolder()
        let lock = try Self.acquire(folder.path)
        do {
            _ = try Self.acquire(folder.path, socket: "/run/other.sock")
            Issue.record("both have it")
        } catch let error as ControlError {
            #expect(error.code == .daemonRunning)
            #expect(error.message.contains("process \(getpid())"))
            #expect(error.message.contains("/run/s.sock"))
        }
        #expect(DaemonLock.holder(state: folder.path)?.socket == "/run/s.sock", "the loser writes nothing")
        _ = consume lock
        _ = try Self.acquire(folder.path, socket: "/run/other.sock")
    }

    /// What an inherited socket is called is known after the lock is taken.
    @Test(arguments: ["/run/inherited.sock", "/s", ""])
    func socketIsNamedLater(_ socket: String) throws {
        let folder = TemporaryFolder()
        let lock = try Self.acquire(folder.path, socket: "/run/first.sock")
        try lock.name(socket: socket)
        let holder = DaemonLock.holder(state: folder.path)
        #expect(
            holder
                == DaemonHolder(pid: getpid(), socket: socket, started: "2026-11-21T09:00:00.000Z", version: "0.1.0"))
        _ = consume lock
    }

    /// Between taking the lock and writing into it there is a moment.
    @Test(arguments: [false, true])
    func refusalWaitsForTheName(_ isAfterACrash: Bool) throws {
        let folder = TemporaryFolder()
        let lock = try Self.acquire(folder.path)
        let path = lock.path
        let content = try Data(contentsOf: URL(filePath: path))
        // What a dead one left is not the name of the first.
        let left = String(decoding: content, as: UTF8.self).replacing("\(getpid())", with: "2147483600")
        try (isAfterACrash ? left : "").write(toFile: path, atomically: false, encoding: .utf8)
        ThreadWaits.whenCallerWaits { try? content.write(to: URL(filePath: path)) }
        do {
            _ = try Self.acquire(folder.path)
            Issue.record("both have it")
        } catch let error as ControlError {
            #expect(error.message.contains("process \(getpid()), which listens on /run/s.sock"))
        }
        _ = consume lock
    }

    @Test func otherProcessSeesIt() async throws {
        let folder = TemporaryFolder()
        let lock = try Self.acquire(folder.path)
        let state = folder.path
        await #expect(processExitsWith: .exitCode(7)) { [state = folder.path as String, pid = getpid() as Int32] in
            let holder = DaemonLock.holder(state: state)
            guard holder?.pid == pid else { exit(1) }
            do {
                _ = try DaemonLock.acquire(state: state, socket: "s", version: "", started: "")
                exit(2)
            } catch let error as ControlError {
                guard error.code == .daemonRunning, error.message.contains("\(pid)") else { exit(3) }
            }
            exit(7)
        }
        #expect(DaemonLock.holder(state: state) != nil)
        _ = consume lock
    }

    @Test func crashLeavesAFileAndNoLock() async throws {
        let folder = TemporaryFolder()
        let state = folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [state = folder.path as String] in
            let lock = try DaemonLock.acquire(state: state, socket: "s", version: "", started: "")
            kill(getpid(), SIGKILL)
            _ = consume lock
        }
        let left = try String(contentsOfFile: state + "/usherd.lock", encoding: .utf8)
        #expect(left.contains("\"socket\":\"s\""))
        #expect(DaemonLock.holder(state: state) == nil)
        let lock = try Self.acquire(state, socket: "/run/next.sock")
        #expect(DaemonLock.holder(state: state)?.socket == "/run/next.sock")
        _ = consume lock
    }

    @Test func folderThatCannotBeMadeIsNamed() throws {
        let folder = TemporaryFolder()
        try "x".write(toFile: folder.path + "/file", atomically: false, encoding: .utf8)
        do {
            _ = try Self.acquire(folder.path + "/file/state")
            Issue.record("made")
        } catch let error as ControlError {
            #expect(error.code == .daemonLock)
            #expect(error.message.contains("Not a directory"))
        }
    }
}
