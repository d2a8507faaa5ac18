import Foundation
import Synchronization
import TestSupport

/// The built `usher`, run against a fixture's state folder.
struct ControlProgram {
    struct Ending: Equatable {
        var status: Int32
        var output: String
        var errors: String
        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    let fixture: ControlFixture
    /// More than it has by itself.
    var environment: [String: String] = [:]

    /// Runs it to its end.
    ///
    /// - Parameter meanwhile: called with the process and the way to its standard input, which is closed afterwards.
    func run(
        _ arguments: [String], input: Data = Data(),
        meanwhile: @escaping @Sendable (Int32, FileHandle) -> Void = { _, _ in }
    ) throws -> Ending {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Repository.products + "/usher")
        process.arguments = arguments
        process.environment = [
            "HOME": fixture.folder, "USHER_STATE": fixture.state, "PATH": "/usr/bin:/bin",
            "TMUX_TMPDIR": fixture.folder,
        ].merging(environment) { $1 }
        process.currentDirectoryURL = URL(fileURLWithPath: fixture.folder)
        let (standardInput, output, errors) = (Pipe(), Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = output
        process.standardError = errors
        // Threads that run tests block signals, and a child inherits that.
        var none = sigset_t()
        var blocked = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &blocked)
        defer { pthread_sigmask(SIG_SETMASK, &blocked, nil) }
        try process.run()
        let pid = process.processIdentifier
        let writing = standardInput.fileHandleForWriting
        Thread.detachNewThread {
            signal(SIGPIPE, SIG_IGN)
            try? writing.write(contentsOf: input)
            meanwhile(pid, writing)
            try? writing.close()
        }
        let errorData = Mutex(Data())
        let read = DispatchSemaphore(value: 0)
        let errorHandle = errors.fileHandleForReading
        Thread.detachNewThread {
            let data = (try? errorHandle.readToEnd()) ?? Data()
            errorData.withLock { $0 = data }
            read.signal()
        }
        let data = (try? output.fileHandleForReading.readToEnd()) ?? Data()
        read.wait()
        process.waitUntilExit()
        return Ending(
            status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
            output: String(decoding: data, as: UTF8.self),
            errors: String(decoding: errorData.withLock { $0 }, as: UTF8.self))
    }
}
