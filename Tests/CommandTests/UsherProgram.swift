import CLinux
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing
import UsherJSON

/// The built `usher`, run as a user runs it: real pipes, folders of its own.
struct UsherProgram {
    struct Ending {
        var status: Int32
        var output: String
        var errors: String

        /// Standard output as one JSON value; a failed expectation where it is none.
        func json(_ location: SourceLocation = #_sourceLocation) -> JSONValue {
            do {
                return try JSONValue(parsing: Array(output.utf8))
            } catch {
                Issue.record(
                    "not JSON (\(error)): \(output.prefix(400)) \(errors.prefix(400))", sourceLocation: location)
                return .null
            }
        }

        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    static let sampleConfiguration = Repository.path + "/Config"
    static let fixtures = Repository.path + "/Tests/Fixtures"

    /// Everything the program may write to; removed at the end.
    let folder: String
    var environment: [String: String]

    /// Calls `body` with a program whose home, configuration and state are in a folder of their own.
    static func run<Result>(_ body: (UsherProgram) throws -> Result) throws -> Result {
        let folder = NSTemporaryDirectory() + "/usher-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let usher = UsherProgram(folder: folder)
        defer {
            // Commands that open windows do so in a tmux server of this folder's own.
            if FileManager.default.fileExists(atPath: "\(folder)/tmux-\(getuid())/default") {
                _ = try? usher.shell("tmux kill-server")
            }
            try? FileManager.default.removeItem(atPath: folder)
        }
        return try body(usher)
    }

    private init(folder: String) {
        self.folder = folder
        environment = [
            "HOME": folder, "PATH": "\(Repository.products):/usr/bin:/bin", "XDG_CONFIG_HOME": folder + "/config",
            "XDG_STATE_HOME": folder + "/state", "TERM": "xterm", "TMUX_TMPDIR": folder,
        ]
    }

    /// Runs `usher` to its end.
    @discardableResult
    func callAsFunction(_ arguments: String..., input: String = "") throws -> Ending {
        try run(arguments, input: Data(input.utf8))
    }

    func run(_ arguments: [String], input: Data = Data()) throws -> Ending {
        try run(program: Repository.products + "/usher", arguments, input: input)
    }

    /// Runs `usherd` meanwhile, on the same state.
    func withDaemon(config: String, _ body: () throws -> Void) throws {
        let daemon = try startDaemon(config: config)
        defer {
            kill(daemon.processIdentifier, SIGTERM)
            daemon.waitUntilExit()
        }
        try waitUntil("the daemon answers") { try self("status").status == 0 }
        try body()
    }

    /// Starts `usherd` on the same state, which listens at `s`.
    ///
    /// - Parameter descriptors: how many files it may have open.
    func startDaemon(config: String, descriptors: Int? = nil) throws -> Process {
        let daemon = Process()
        let usherd = Repository.products + "/usherd"
        let arguments = ["--config", config, "--socket", path("s"), "--quiet"]
        daemon.executableURL = URL(fileURLWithPath: descriptors == nil ? usherd : "/usr/bin/prlimit")
        daemon.arguments = (descriptors.map { ["--nofile=\($0):\($0)", usherd] } ?? []) + arguments
        daemon.environment = environment
        daemon.standardOutput = FileHandle.nullDevice
        daemon.standardError = FileHandle.nullDevice
        // Threads that run tests block signals, and a child inherits that.
        var none = sigset_t()
        var blocked = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &blocked)
        defer { pthread_sigmask(SIG_SETMASK, &blocked, nil) }
        try daemon.run()
        return daemon
    }

    /// Runs a line of shell, with `usher` in the `PATH`.
    func shell(_ line: String) throws -> Ending {
        try run(program: "/bin/sh", ["-c", line], input: Data())
    }

    /// Waits for the very process: Foundation's `Process` takes it for running as long as any other child, started beside it,
    /// has inherited what it listens to.
    private func run(program: String, _ arguments: [String], input: Data) throws -> Ending {
        let (standardInput, output, errors) = (try pipe(), try pipe(), try pipe())
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var (child, descriptor): (pid_t, Int32) = (0, -1)
        let result = usher_spawn(
            &child, &descriptor, program, &words, &variables, folder, standardInput.reading.fileDescriptor,
            output.writing.fileDescriptor, errors.writing.fileDescriptor)
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: result) ?? .EINVAL) }
        close(descriptor)
        for handle in [standardInput.reading, output.writing, errors.writing] {
            try handle.close()
        }
        let writer = Thread {
            // A program that does not read to the end must not end the tests.
            signal(SIGPIPE, SIG_IGN)
            try? standardInput.writing.write(contentsOf: input)
            try? standardInput.writing.close()
        }
        writer.start()
        let collected = Collected()
        let reader = Thread {
            collected.finish((try? errors.reading.readToEnd()) ?? Data())
        }
        reader.start()
        let data = (try? output.reading.readToEnd()) ?? Data()
        let errorData = collected.wait()
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        let ended = status & 0x7f
        return Ending(
            status: ended == 0 ? (status >> 8) & 0xff : -ended, output: String(decoding: data, as: UTF8.self),
            errors: String(decoding: errorData, as: UTF8.self))
    }

    /// A pipe that no program started by another thread inherits.
    private func pipe() throws -> (reading: FileHandle, writing: FileHandle) {
        var ends: [Int32] = [0, 0]
        guard usher_pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE) }
        _ = fcntl(ends[0], F_SETFL, 0)
        return (
            FileHandle(fileDescriptor: ends[0], closeOnDealloc: true),
            FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        )
    }

    /// A path in the folder.
    func path(_ name: String) -> String { folder + "/" + name }

    func write(_ text: String, to name: String) throws {
        let file = path(name)
        try FileManager.default.createDirectory(
            atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try text.write(toFile: file, atomically: false, encoding: .utf8)
    }

    /// Writes a program that is about to be executed.
    func writeProgram(_ text: String, to name: String) throws { try Program.write(text, at: path(name)) }

    /// The text of a file in the folder; empty where there is none.
    func text(_ name: String) -> String { (try? String(contentsOfFile: path(name), encoding: .utf8)) ?? "" }

    /// Whether there is anything of that name in the folder.
    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    /// The sample configuration with a first window of each of Clown Town's scenes.
    func connectClowns() throws {
        for arguments in [["main"], ["clown", "--target", "https://clowntown.example/clowns/crusty"]] {
            let ending = try run(
                ["scene", "connect", "--config", UsherProgram.sampleConfiguration, "--app", "example.clowntown"]
                    + ["--scene"] + arguments)
            #expect(ending.status == 0, "\(ending.errors)")
        }
    }
}

/// Bytes that another thread collects.
private final class Collected: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let data = Mutex(Data())

    func finish(_ bytes: Data) {
        data.withLock { $0 = bytes }
        semaphore.signal()
    }

    func wait() -> Data {
        semaphore.wait()
        return data.withLock { $0 }
    }
}
