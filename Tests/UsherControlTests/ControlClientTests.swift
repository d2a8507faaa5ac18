import Foundation
import Synchronization
import TestSupport
import Testing
import UsherJSON
import UsherOperation
import UsherScene

@testable import UsherControl

/// The client, against a small server on a real socket.
struct ControlClientTests {
    private static let hello =
        #"{"protocol":1,"version":"0.1.0","pid":1,"config":{"path":"/c","digest":"d"},"state":"/s"}"#

    private static func id(_ line: [UInt8]) -> Int64 { (try? JSONValue(parsing: line))?["id"]?.int64 ?? -1 }

    @Test func answersAreMatchedById() throws {
        let folder = TemporaryFolder()
        let server = try LineServer(folder.path + "/s") { connection, line in
            // First an answer to something else, a heartbeat, then this one's.
            connection.send(
                "{\"id\":99,\"result\":0}\n\n{\"id\":\(Self.id(line)),\"result\":{\"n\":\(Self.id(line))}}\n")
        }
        defer { server.stop() }
        let client = try ControlClient(connectingTo: server.path)
        #expect(try client.call(Yield()) == Array(#"{"n":1}"#.utf8))
        #expect(try client.call(Yield()) == Array(#"{"n":2}"#.utf8))
    }

    @Test func errorOfTheDaemonIsThrown() throws {
        let folder = TemporaryFolder()
        let server = try LineServer(folder.path + "/s") { connection, line in
            connection.send(
                String(
                    decoding: ControlReply.failure(id: Self.id(line), ControlError(.controlArgument, "no")).line,
                    as: UTF8.self))
        }
        defer { server.stop() }
        let client = try ControlClient(connectingTo: server.path)
        #expect(throws: ControlError.self) { try client.call(Yield()) }
    }

    @Test(arguments: [(1000, 1000, true), (0, 1000, true), (0, 0, true), (1001, 1000, false), (1000, 0, false)])
    func serversOfThisUserAndOfRootAreSpokenTo(_ server: UInt32, _ client: UInt32, _ isTrusted: Bool) {
        let refusal = UnixSocket.refusal(ofServerOf: server, client: client, path: "/s")
        #expect((refusal == nil) == isTrusted)
        if let refusal {
            #expect(refusal.code == .controlOtherUser)
            #expect(refusal.message == "/s is served by user \(server), and this is user \(client): nothing was sent")
        }
    }

    @Test("a server of another user gets no bytes", .enabled(if: geteuid() == 0, "only root has other users"))
    func otherUser() throws {
        let folder = TemporaryFolder()
        chmod(folder.path, 0o777)
        let server = Process()
        server.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
        server.arguments = [
            "--reuid", "65534", "--regid", "65534", "--clear-groups", "--", "/usr/bin/python3", "-c",
            """
            import os, socket, sys
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(sys.argv[1])
            listener.listen()
            os.write(1, b"listening\\n")
            os.write(1, b"read %d\\n" % len(listener.accept()[0].recv(4096)))
            """, folder.path + "/s",
        ]
        let output = Pipe()
        server.standardOutput = output
        try server.run()
        #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "listening\n")
        do throws(ControlError) {
            _ = try ControlClient(connectingTo: folder.path + "/s").call(Yield())
            Issue.record("it was spoken to")
        } catch {
            #expect(error.code == .controlOtherUser && error.message.contains("is served by user 65534"))
        }
        #expect(String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self) == "read 0\n")
        server.waitUntilExit()
    }

    @Test func missingServerIsUnreachable() throws {
        let folder = TemporaryFolder()
        let long = folder.path + "/" + String(repeating: "x", count: 200)
        for path in [folder.path + "/nothing", long, ""] {
            do throws(ControlError) {
                _ = try ControlClient(connectingTo: path)
                Issue.record("connected to \(path)")
            } catch {
                #expect(error.code == .controlUnreachable)
            }
        }
    }

    @Test func connectionThatEndsIsUnreachable() throws {
        let folder = TemporaryFolder()
        let server = try LineServer(folder.path + "/s") { connection, _ in connection.close() }
        defer { server.stop() }
        let client = try ControlClient(connectingTo: server.path)
        // More than a socket holds: the write itself finds the peer gone, and no signal ends us.
        let large = DispatchPayload(input: [UInt8](repeating: 0x20, count: 4 << 20))
        for _ in 0..<2 {
            do throws(ControlError) {
                _ = try client.call(Yield())
                _ = try client.call(large)
                Issue.record("answered")
            } catch {
                #expect(error.code == .controlUnreachable)
            }
        }
    }

    @Test func otherProtocolIsSaid() throws {
        let folder = TemporaryFolder()
        let server = try LineServer(folder.path + "/s") { connection, _ in connection.send("220 mail.example ESMTP\n") }
        defer { server.stop() }
        do throws(ControlError) {
            _ = try ControlClient(connectingTo: server.path).hello()
            Issue.record("understood")
        } catch {
            #expect(error.code == .controlProtocol)
        }
    }

    // MARK: Reaching a daemon

    @Test func withoutADaemonThereIsNone() throws {
        let folder = TemporaryFolder()
        #expect(try ControlClient.reach(state: folder.path) == nil)
    }

    @Test func daemonThatIsStartingIsWaitedFor() throws {
        let folder = TemporaryFolder()
        let socket = folder.path + "/s"
        let lock = try DaemonLock.acquire(state: folder.path, socket: socket, version: "", started: "")
        let servers = Mutex<LineServer?>(nil)
        ThreadWaits.whenCallerWaits {
            let server = try? LineServer(socket) { connection, line in
                connection.send("{\"id\":\(Self.id(line)),\"result\":\(Self.hello)}\n")
            }
            servers.withLock { $0 = server }
        }
        let found = try ControlClient.reach(state: folder.path, patience: 30_000)
        #expect(found?.hello.configuration == "/c")
        servers.withLock { $0?.stop() }
        _ = consume lock
    }

    @Test func daemonThatStopsMeanwhileIsNone() throws {
        let folder = TemporaryFolder()
        let state = folder.path
        let lock = try DaemonLock.acquire(state: state, socket: state + "/s", version: "", started: "")
        let holder = Holder(lock)
        ThreadWaits.whenCallerWaits { holder.release() }
        #expect(try ControlClient.reach(state: state, patience: 30_000) == nil)
    }

    @Test func daemonThatNeverAnswersIsUnreachable() throws {
        let folder = TemporaryFolder()
        let lock = try DaemonLock.acquire(state: folder.path, socket: folder.path + "/s", version: "", started: "")
        do throws(ControlError) {
            _ = try ControlClient.reach(state: folder.path, patience: 100)
            Issue.record("reached")
        } catch {
            #expect(error.code == .controlUnreachable)
            #expect(error.message.contains(folder.path + "/s"))
        }
        _ = consume lock
    }

    private final class Holder: Sendable {
        private let lock: Mutex<DaemonLock?>

        init(_ lock: consuming sending DaemonLock) { self.lock = Mutex(lock) }

        func release() { lock.withLock { $0 = nil } }
    }
}
