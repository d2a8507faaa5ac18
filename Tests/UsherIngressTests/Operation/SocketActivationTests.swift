import Foundation
import Glibc
import Testing

@testable import UsherIngress

@Suite("Sockets that the service manager passes")
struct SocketActivationTests {
    struct Case: CustomTestStringConvertible {
        var id: String
        var count: String?
        var process: String?
        var names: String?
        var found: [SocketActivation.Descriptor]
        var testDescription: String { id }
    }

    static let cases = [
        Case(id: "none", found: []),
        Case(id: "one, without a name", count: "1", process: "7", found: [.init(3, name: "unknown")]),
        Case(
            id: "two with names", count: "2", process: "7", names: "control:webhook",
            found: [.init(3, name: "control"), .init(4, name: "webhook")]),
        Case(
            id: "too few names", count: "2", process: "7", names: "control",
            found: [.init(3, name: "control"), .init(4, name: "unknown")]),
        Case(
            id: "an empty name", count: "2", process: "7", names: ":webhook",
            found: [.init(3, name: "unknown"), .init(4, name: "webhook")]),
        Case(id: "too many names", count: "1", process: "7", names: "a:b:c", found: [.init(3, name: "a")]),
        Case(id: "another process's", count: "1", process: "8", found: []),
        Case(id: "no process", count: "1", found: []),
        Case(id: "no number", count: "many", process: "7", found: []),
        Case(id: "zero", count: "0", process: "7", found: []),
        Case(id: "negative", count: "-1", process: "7", found: []),
        Case(id: "absurd", count: "2147483647", process: "7", found: []),
        Case(id: "beyond 32 bits", count: "99999999999", process: "7", found: []),
    ]

    @Test("what the variables say", arguments: cases)
    func parses(one: Case) {
        #expect(
            SocketActivation.parse(count: one.count, process: one.process, names: one.names, own: 7) == one.found)
    }

    @Test("descriptors are closed in children, and the variables are gone")
    func takes() async {
        await #expect(processExitsWith: .success) {
            // A process of its own: the environment belongs to all of a process. Its first descriptors are in use.
            let listener: Int32 = 900
            guard dup2(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0), listener) == listener else { exit(6) }
            setenv("LISTEN_FDS", "2", 1)
            setenv("LISTEN_PID", "\(getpid())", 1)
            setenv("LISTEN_FDNAMES", "control:closed", 1)
            let found = SocketActivation.descriptors(from: listener)
            guard found == [SocketActivation.Descriptor(listener, name: "control")] else { exit(2) }
            guard fcntl(listener, F_GETFD, 0) & FD_CLOEXEC != 0 else { exit(3) }
            guard getenv("LISTEN_FDS") == nil, getenv("LISTEN_PID") == nil, getenv("LISTEN_FDNAMES") == nil else {
                exit(4)
            }
            guard SocketActivation.descriptors().isEmpty else { exit(5) }
            exit(0)
        }
    }
}
