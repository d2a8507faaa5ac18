import Foundation
import TestSupport
import Testing
import UsherJSON

/// `usher link suggest --watch`: lines as they come, and nothing in between.
struct LinkWatchTests {
    private static let crusty = "https://clowntown.example/clowns/crusty"

    /// A program that runs on, with its lines.
    private final class Running {
        let process = Process()
        private let pipe = Pipe()
        private var rest = Data()

        init(_ usher: UsherProgram, _ arguments: [String]) throws {
            process.executableURL = URL(fileURLWithPath: Repository.products + "/usher")
            process.arguments = arguments
            process.environment = usher.environment
            process.currentDirectoryURL = URL(fileURLWithPath: usher.folder)
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = pipe
            process.standardError = FileHandle.nullDevice
            try process.run()
        }

        /// The next line, without its end; nil at the end of output.
        func line() -> String? {
            while true {
                if let end = rest.firstIndex(of: 0x0A) {
                    let line = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
                    rest = Data(rest[(end + 1)...])
                    return line
                }
                let data = pipe.fileHandleForReading.availableData
                if data.isEmpty { return nil }
                rest += data
            }
        }

        func stopReading() { try? pipe.fileHandleForReading.close() }

        /// Whether it waits, and would for ever if nothing happened.
        var isAsleep: Bool {
            let limits = ThreadWaits.limits(process: String(process.processIdentifier)).values
            return !limits.isEmpty && limits.allSatisfy { $0 == .max }
        }

        deinit {
            if process.isRunning { process.terminate() }
            process.waitUntilExit()
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func aLineForEachChange() throws {
        try UsherProgram.run { usher throws in
            // Before there is a store, or a folder for one.
            let running = try Running(usher, ["link", "suggest", "--watch", "--json", "--target", Self.crusty])
            #expect(running.line() == #"{"suggestions":[]}"#)
            #expect(!usher.exists("state"))
            let note = try usher("note", "new", "Ask Crusty").output.trimmingCharacters(in: .newlines)
            let link = try usher("link", "add", "--note", note, "--target", Self.crusty)
            let line = try JSONValue(parsing: Array((running.line() ?? "").utf8))
            #expect(line["suggestions"]?.elements?.map { $0["note"]?.string } == [note])
            #expect(try usher("link", "remove", link.output.trimmingCharacters(in: .newlines)).status == 0)
            #expect(running.line() == #"{"suggestions":[]}"#)
            running.process.terminate()
            #expect(running.line() == nil)
            running.process.waitUntilExit()
            #expect(running.process.terminationReason == .exit)
            #expect(running.process.terminationStatus == 0)
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func endsWithItsReader() throws {
        try UsherProgram.run { usher throws in
            let running = try Running(usher, ["link", "suggest", "--watch"])
            #expect(running.line() == #"{"suggestions":[]}"#)
            running.stopReading()
            running.process.waitUntilExit()
            #expect(running.process.terminationReason == .exit)
            #expect(running.process.terminationStatus == 0)
        }
    }

    /// While no process writes, it sleeps.
    @Test(.timeLimit(.minutes(2)))
    func sleepsWhileNothingHappens() throws {
        try UsherProgram.run { usher throws in
            _ = try usher("note", "new", "Ask Crusty")
            let running = try Running(usher, ["link", "suggest", "--watch", "--text", "--target", Self.crusty])
            #expect(running.line() == "")
            #expect(eventually { running.isAsleep })
        }
    }
}
