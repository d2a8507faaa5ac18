import Foundation
import Testing

@testable import UsherStore

@Suite struct SessionProcessTests {
    @Test func thisProcessRuns() throws {
        let own = try #require(Store.SessionProcess.running(pid: getpid()))
        #expect(own.isRunning)
        #expect(own.pid == getpid())
        #expect(own.bootID.utf8.count == 36)
        #expect(own.startTime > 0)
    }

    @Test func aLaterProcessOfTheSameNumberIsAnother() throws {
        let own = try #require(Store.SessionProcess.running(pid: getpid()))
        var other = own
        other.startTime += 1
        #expect(!other.isRunning)
        other = own
        other.bootID = "00000000-0000-0000-0000-000000000000"
        #expect(!other.isRunning)
        other = own
        other.pid = Int32.max
        #expect(!other.isRunning)
    }

    @Test func aProcessThatEndedDoesNotRun() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sleep")
        process.arguments = ["30"]
        try process.run()
        let running = try #require(Store.SessionProcess.running(pid: process.processIdentifier))
        #expect(running.isRunning)
        // A test runner's children may ignore SIGTERM.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(!running.isRunning)
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
