import Foundation
import TestSupport
import Testing
import UsherJSON
import UsherLog

/// The program, and whether it can be had here.
private enum JournalDaemon {
    static let program = "/lib/systemd/systemd-journald"
    static let namespace = getuid() == 0 ? ["--mount"] : ["--user", "--map-root-user", "--mount"]

    /// Containers may forbid namespaces; the protocol is then tested by `JournalSinkTests` alone.
    static let isPossible: Bool = {
        guard FileManager.default.isExecutableFile(atPath: program) else { return false }
        return (try? run("unshare", namespace + ["sh", "-c", "mount -t tmpfs none /run"]).status) == 0
    }()

    static func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: Data) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, data)
    }
}

/// The real systemd-journald, in a mount namespace of its own, so that it needs no systemd and touches no journal.
@Suite("The real journald", .enabled(if: JournalDaemon.isPossible))
struct JournalDaemonTests {
    /// Calls `body` with the daemon's socket and the folder that it writes to.
    private func withDaemon(_ body: (_ socket: String, _ journal: String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "/usher-journald-\(UUID().uuidString.prefix(8))"
        for name in ["run/journal", "log/journal"] {
            try FileManager.default.createDirectory(
                atPath: folder + "/" + name, withIntermediateDirectories: true)
        }
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // Bound, not mounted: so the socket can be reached from here.
        let script = """
            mkdir -p /run/systemd /run/log && mount --bind "$0/run" /run/systemd && mount --bind "$0/log" /run/log &&
            exec \(JournalDaemon.program)
            """
        process.arguments = ["unshare"] + JournalDaemon.namespace + ["sh", "-c", script, folder]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        let socket = folder + "/run/journal/socket"
        try waitUntil("the daemon listens") { FileManager.default.fileExists(atPath: socket) }
        try body(socket, folder + "/log/journal")
    }

    @Test("entries are found by event and by datum, large ones too, and keep their values")
    func entries() throws {
        try withDaemon { socket, journal in
            var logger = Logger(
                level: .info, format: .journal, sink: try #require(JournalSink(path: socket)))
            logger.identifier = "usherd"
            let large = String(repeating: "0123456789abcde\n", count: 200 * 64)
            logger.log(
                .failed,
                ["delivery.id": "one", "error.code": "U3001", "payload.body": .text("two\nlines")])
            logger.log(
                .failed, ["delivery.id": "two", "payload.body": .text(large)])
            logger.log(.sample, ["delivery.id": "three"])

            func found(_ match: String) throws -> [JSONValue] {
                let answer = try JournalDaemon.run(
                    "journalctl", ["-D", journal, "--all", "-o", "json", "--no-pager", match])
                return try answer.output.split(separator: 0x0A).map { try JSONValue(parsing: Array($0)) }
            }
            try waitUntil("the last entry is there") { try found("USHER_DELIVERY_ID=three").count == 1 }

            let failures = try found("MESSAGE_ID=\(LogEvent.failed.id)")
            #expect(failures.map { $0["USHER_DELIVERY_ID"]?.string } == ["one", "two"])
            #expect(failures.first?["USHER_PAYLOAD_BODY"]?.string == "two\nlines")
            #expect(failures.first?["PRIORITY"]?.string == "3")
            #expect(failures.last?["USHER_PAYLOAD_BODY"]?.string == large)
            #expect(try found("USHER_ERROR_CODE=U3001").count == 1)
            #expect(try found("SYSLOG_IDENTIFIER=usherd").count == 3)
        }
    }
}
