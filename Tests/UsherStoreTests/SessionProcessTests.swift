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
}
