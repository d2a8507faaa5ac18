import Foundation
import TestSupport
import Testing
import UsherScene
import UsherSystem

@testable import UsherActivation

/// Standard error of programs that go on running.
@Suite("Drained standard error")
struct ErrorDrainTests {
    let directory = TemporaryFolder()

    /// Starts a shell script in the folder, by a name that no other process has.
    func start(_ script: String, name: String = UUID().uuidString) throws -> ChildProcess {
        var request = SpawnRequest(
            program: "/bin/sh", arguments: [name, "-c", script],
            environment: [EnvironmentVariable("PATH", "/usr/bin:/bin")], workingDirectory: directory.path)
        request.errors = .drained
        return try Spawner.start(request)
    }

    /// The processes that read standard error of the program of this name.
    func drains(of name: String) -> [Int32] {
        ProcessTable.processes(whereName: { $0 == "tee" }).filter { pid in
            let line = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") ?? Data()
            return line.starts(with: Data("usher: stderr of \(name)\0".utf8))
        }
    }

    /// Writes more than fits into the pipes, and says so.
    static let writeMuch = "head -c 1000000 /dev/zero >&2 && touch written"
    /// A script waits until the test goes on; at most a minute.
    static let waitForTest = "n=0; until test -e go || test $n = 600; do sleep 0.1; n=$((n+1)); done"

    @Test(
        "the last bytes are kept",
        arguments: [
            ("nothing", "exit 3", "", 0), ("a line", "echo no such file >&2; exit 3", "no such file\n", 13),
            ("not UTF-8", #"printf 'a\377\n' >&2; exit 3"#, "a\u{FFFD}\n", 5),
            ("as if to a file", "echo x > /dev/stderr; echo y >&2; exit 3", "x\ny\n", 4),
            ("much", "seq 200000 299999 >&2; echo worst >&2; exit 3", "299999\nworst\n", 4096),
            ("of a child", "(echo one >&2); exit 3", "one\n", 4),
        ])
    func kept(name: String, script: String, end: String, count: Int) throws {
        var child = try start(script)
        #expect(child.wait(until: Deadline(inMilliseconds: 60_000)) == .exited(3))
        let errors = child.lastErrors()
        #expect(errors.hasSuffix(end) && errors.utf8.count == count)
        #expect(child.lastErrors() == errors)
    }

    @Test("of a program that runs, what it has written so far; then it is neither blocked nor ended")
    func running() throws {
        var child = try start("echo so far >&2; touch begun; \(Self.waitForTest); \(Self.writeMuch); sleep 60")
        defer { kill(-child.pid, SIGKILL) }
        try waitUntil("it has begun") { directory.exists("begun") }
        try waitUntil("it was read") { child.errorTail?.count == 7 }
        #expect(child.lastErrors() == "so far\n")
        try directory.write("", to: "go")
        try waitUntil("it goes on") { directory.exists("written") }
        #expect(child.lastErrors() == "so far\n")
    }

    @Test("what a descendant keeps open is not waited for")
    func descendant() throws {
        var child = try start("echo gone >&2; sleep 60 & echo $! >left; exit 1")
        #expect(child.wait(until: Deadline(inMilliseconds: 60_000)) == .exited(1))
        let begin = ContinuousClock.now
        #expect(child.lastErrors() == "gone\n")
        #expect(ContinuousClock.now - begin < .seconds(30))
        kill(try #require(Int32(directory.text("left")?.dropLast() ?? "")), SIGKILL)
    }

    @Test("a hundred megabytes take bounded time and memory")
    func hundredMegabytes() async {
        // In a process of its own: other tests grow as well.
        await #expect(processExitsWith: .success) {
            func resident() -> Int {
                let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
                return (Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0) * 4096
            }
            let tests = ErrorDrainTests()
            // The drain is found once, before.
            _ = try tests.start("exit 0")
            let before = resident()
            var child = try tests.start("head -c 100000000 /dev/zero >&2; echo end >&2; exit 1")
            #expect(child.wait(until: Deadline(inMilliseconds: 60_000)) == .exited(1))
            let errors = child.lastErrors()
            #expect(errors.hasSuffix("\0end\n") && errors.utf8.count == 4096)
            #expect(before > 0 && resident() - before < 16 << 20)
        }
    }

    @Test("the reader ends with the program, and has nothing of this process")
    func readerEnds() throws {
        let name = UUID().uuidString
        var child = try start("\(Self.waitForTest)", name: name)
        // The system shows the words of a new program a moment after it runs.
        try waitUntil("its reader is seen") { !drains(of: name).isEmpty }
        let drain = try #require(drains(of: name).first)
        #expect(FileManager.default.contents(atPath: "/proc/\(drain)/environ") == Data())
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(drain)/cwd") == "/")
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(drain)/fd")
        // 3 is the null file, which it writes to.
        #expect(Set(descriptors).isSubset(of: ["0", "1", "2", "3"]))
        try directory.write("", to: "go")
        try waitUntil("no reader is left") { drains(of: name).isEmpty }
        _ = child.lastErrors()
    }

    @Test("a reader that is killed is replaced, and the program goes on")
    func killedReader() throws {
        let name = UUID().uuidString
        let process: Int32
        do {
            let child = try start("\(Self.waitForTest); \(Self.writeMuch); sleep 60", name: name)
            process = child.pid
        }
        defer { kill(-process, SIGKILL) }
        var killed: Set<Int32> = []
        for _ in 0..<3 {
            var drain: Int32?
            try waitUntil("there is another one") {
                drain = drains(of: name).first { !killed.contains($0) }
                return drain != nil
            }
            let found = try #require(drain)
            kill(found, SIGKILL)
            killed.insert(found)
        }
        try directory.write("", to: "go")
        try waitUntil("the program goes on") { directory.exists("written") }
    }

    @Test("the program goes on when the process that started it is killed, and when the reader is")
    func killedStarter() async throws {
        let path = directory.path
        let name = UUID().uuidString
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, name = name as String] in
            var request = SpawnRequest(
                program: "/bin/sh",
                arguments: [
                    name, "-c",
                    """
                    echo $$ >pid; \(Self.waitForTest); \(Self.writeMuch)
                    until test -e last; do sleep 0.1; done; echo a little >&2 && touch survived; sleep 60
                    """,
                ],
                environment: [EnvironmentVariable("PATH", "/usr/bin:/bin")], workingDirectory: path)
            request.errors = .drained
            var child = try Spawner.start(request)
            _ = kill(getpid(), SIGKILL)
            _ = child.lastErrors()
        }
        try waitUntil("it runs") { directory.text("pid")?.hasSuffix("\n") == true }
        let process = try #require(Int32(directory.text("pid")?.dropLast() ?? ""))
        defer { kill(-process, SIGKILL) }
        #expect(drains(of: name).count == 1)
        try directory.write("", to: "go")
        try waitUntil("it goes on") { directory.exists("written") }
        for drain in drains(of: name) { kill(drain, SIGKILL) }
        try waitUntil("no reader is left") { drains(of: name).isEmpty }
        try directory.write("", to: "last")
        try waitUntil("it gets no SIGPIPE") { directory.exists("survived") }
    }

    @Test("many threads start programs at once")
    func concurrent() async throws {
        let right = try await withThrowingTaskGroup(of: Int.self) { group in
            for lane in 0..<8 {
                group.addTask {
                    var right = 0
                    for turn in 0..<10 {
                        var child = try start("head -c 200000 /dev/zero >&2; echo \(lane)-\(turn) >&2; exit 1")
                        let end = child.wait(until: Deadline(inMilliseconds: 60_000))
                        if end == .exited(1), child.lastErrors().hasSuffix("\0\(lane)-\(turn)\n") { right += 1 }
                    }
                    return right
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(right == 80)
    }

    // MARK: - Launches

    func launch(_ script: String, ready: LaunchHandler.Readiness) -> ActivationReport {
        let activator = Activator(
            windowSystem: EmptyDesktop(), environment: ["PATH": "/usr/bin:/bin", "HOME": directory.path],
            stateDirectory: directory.path)
        var handler = LaunchHandler(method: .exec, command: shell("cd; \(script)"))
        handler.ready = ready
        handler.grace = 300
        return activator.launch(task(), handler)
    }

    @Test("a program that ends before its window came says why", arguments: [true, false])
    func endsEarly(isWindow: Bool) {
        let ready: LaunchHandler.Readiness =
            isWindow ? .window(timeLimit: 60_000) : .exec(shell("sleep 0.02; exit 1"))
        let report = launch("echo out; echo usage: x >&2; echo 'no display\u{1B}[0m' >&2; exit 1", ready: ready)
        #expect(report.outcome == .failed && report.failure?.code == .exitStatus)
        #expect(report.failure?.help == #"it said: no display\u{1b}[0m"#)
        #expect(report.handlers[0].errorOutput == "usage: x\nno display\u{1B}[0m\n")
        #expect(report.handlers[0].output == "" && report.handlers[0].exitStatus == 1)
    }

    @Test("a program that does not get ready in time", arguments: [true, false])
    func notReady(isWindow: Bool) throws {
        let report = launch(
            "echo waiting for the server >&2; echo $$ >pid; exec sleep 60",
            ready: isWindow ? .window(timeLimit: 300) : .exec(command(["false"])))
        #expect(report.outcome == .unverified && report.warnings.map(\.code) == [.notReady])
        #expect(report.handlers[0].errorOutput == "waiting for the server\n")
        #expect(report.handlers[0].status == .running)
        kill(try #require(Int32(directory.text("pid")?.dropLast() ?? "")), SIGKILL)
    }

    @Test("of a launch that is done nothing is kept")
    func done() {
        let report = launch("echo said >&2; touch ready; exec sleep 1", ready: .exec(shell("cd; test -e ready")))
        #expect(report.outcome == .done && report.handlers[0].errorOutput == "")
    }
}

/// A desktop on which no window opens.
private struct EmptyDesktop: WindowSystem {
    let name = "x11"
    let isAvailable = true
    let isDesktop = true
    var support: WindowSupport { WindowSupport("empty", [:]) }

    func recognizes(handle: String) -> Bool { false }
    func windows() throws(ActivationFailure) -> WindowList { WindowList(server: "one", windows: []) }
    func presence(of window: WindowReference) throws(ActivationFailure) -> WindowPresence { .unknown }
    func focus(_ request: FocusRequest) throws(ActivationFailure) -> WindowSighting { throw Self.no }
    func find(processes: [Int32]) throws(ActivationFailure) -> WindowSighting? { nil }
    func type(_ keys: WindowKeys, into window: WindowReference) throws(ActivationFailure) { throw Self.no }
    func isOnItsWay(nonce: String) -> Bool { false }
    func plan(_ step: WindowStep) -> String { "" }

    private static let no = ActivationFailure(.windowSystem, "it has no windows")
}
