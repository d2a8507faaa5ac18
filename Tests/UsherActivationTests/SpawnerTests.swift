import Foundation
import TestSupport
import Testing
import UsherScene
import UsherSystem

@testable import UsherActivation

@Suite("Spawner")
struct SpawnerTests {
    static let environment = [EnvironmentVariable("PATH", "/usr/local/bin:/usr/bin:/bin")]

    func run(
        _ script: String, input: [UInt8] = [], directory: String? = nil,
        environment: [EnvironmentVariable] = environment,
        timeLimit: Int = 10_000
    ) throws -> ProcessResult {
        let request = SpawnRequest(
            program: "/bin/sh", arguments: ["sh", "-c", script], environment: environment, workingDirectory: directory,
            input: input, captureLimit: 64 * 1024)
        return try Spawner.run(request, timeLimit: timeLimit)
    }

    func text(_ result: ProcessResult) -> String { String(decoding: result.output, as: UTF8.self) }

    @Test("a child inherits no descriptor, even one without close-on-exec")
    func descriptors() throws {
        let leaks = (0..<3).map { _ in open("/etc/passwd", O_RDONLY) }
        defer { for leak in leaks { close(leak) } }
        let tests = leaks.map { "test -e /proc/self/fd/\($0) && echo leaked" }.joined(separator: "; ")
        let result = try run(tests + "; for d in 0 1 2; do test -e /proc/self/fd/$d && echo $d; done")
        #expect(text(result) == "0\n1\n2\n")
    }

    @Test("a blocked signal and an ignored SIGPIPE are not handed on")
    func signals() throws {
        signal(SIGPIPE, SIG_IGN)
        var blocked = sigset_t()
        var before = sigset_t()
        sigemptyset(&blocked)
        sigaddset(&blocked, SIGTERM)
        sigaddset(&blocked, SIGUSR1)
        pthread_sigmask(SIG_BLOCK, &blocked, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let result = try run("grep -E '^Sig(Blk|Ign)' /proc/self/status")
        let masks = text(result).split(separator: "\n").map { UInt64($0.split(separator: "\t")[1], radix: 16) ?? .max }
        // glibc keeps two signals for itself, 32 and 33.
        #expect(masks.map { $0 & 0x7FFF_FFFF } == [0, 0])
    }

    @Test("a child leads a session and a group of its own")
    func session() throws {
        let result = try run(
            "read -r pid name state parent group session rest < /proc/self/stat; echo $pid $group $session")
        let numbers = Set(text(result).split { $0 == " " || $0 == "\n" })
        #expect(numbers.count == 1)
        #expect(Int32(numbers.first ?? "") != getsid(0))
    }

    @Test("the working directory is the one asked for")
    func directory() throws {
        #expect(text(try run("pwd", directory: "/usr/bin")) == "/usr/bin\n")
    }

    @Test("a working directory that is missing is named, not the program")
    func missingDirectory() {
        #expect {
            try run("pwd", directory: "/nowhere/at/all")
        } throws: { error in
            let failure = error as? ActivationFailure
            return failure?.code == .cannotStart && failure?.message.contains("/nowhere/at/all") == true
        }
    }

    @Test("the environment is exactly what was given")
    func environment() throws {
        let given = [EnvironmentVariable("ONE", "a b\nc"), EnvironmentVariable("TWO", "=x;é")]
        let request = SpawnRequest(
            program: "/usr/bin/env", arguments: ["env", "-0"], environment: given, captureLimit: 1024)
        #expect(strings(try Spawner.run(request, timeLimit: 5000).output) == ["ONE=a b\nc", "TWO==x;é"])
    }

    @Test("the payload is on standard input, can be opened again, and cannot be changed")
    func payload() throws {
        let payload = [UInt8](repeating: 0x61, count: 300_000)
        let result = try run(
            "wc -c; wc -c < /dev/stdin; (echo x >> /dev/stdin) 2>/dev/null || echo sealed", input: payload)
        #expect(text(result) == "300000\n300000\nsealed\n")
    }

    @Test("a dispatcher that was started without standard descriptors hands over the right ones")
    func closedStandard() async {
        await #expect(processExitsWith: .success) {
            for descriptor in Int32(0)...2 { close(descriptor) }
            let request = SpawnRequest(
                program: "/bin/sh", arguments: ["sh", "-c", "cat; echo error >&2"], input: Array("payload ".utf8),
                captureLimit: 100)
            let result = try? Spawner.run(request, timeLimit: 5000)
            exit(result.map { String(decoding: $0.output, as: UTF8.self) } == "payload error\n" ? 0 : 1)
        }
    }

    @Test("without a payload standard input is empty")
    func noPayload() throws {
        #expect(text(try run("wc -c")) == "0\n")
    }

    @Test(
        "the ways in which a program ends are distinguished",
        arguments: [("exit 0", ProcessEnd.exited(0)), ("exit 7", .exited(7)), ("kill -9 $$", .signalled(9))])
    func end(script: String, expected: ProcessEnd) throws {
        #expect(try run(script).end == expected)
    }

    @Test("a process whose children are reaped by the kernel gets no exit status")
    func lostStatus() async {
        await #expect(processExitsWith: .success) {
            signal(SIGCHLD, SIG_IGN)
            let request = SpawnRequest(program: "/bin/sh", arguments: ["sh", "-c", "sleep 1; exit 7"])
            guard let end = try? Spawner.run(request, timeLimit: 10_000).end else { exit(1) }
            let failure = ActivationFailure.unsuccessful("sh", end)
            exit(end == .unknown && failure?.code == .exitStatus ? 0 : 1)
        }
    }

    @Test("standard error is captured with standard output")
    func standardError() throws {
        #expect(text(try run("echo one; echo two >&2")) == "one\ntwo\n")
    }

    @Test("the last bytes of standard output and of standard error are kept apart")
    func apart() throws {
        var request = SpawnRequest(
            program: "/bin/sh",
            arguments: ["sh", "-c", "seq 100000; seq 200000 299999 >&2; echo last; echo worst >&2; exit 3"],
            environment: Self.environment, captureLimit: 10)
        request.keepsLast = true
        request.errors = .apart
        let result = try Spawner.run(request, timeLimit: 30_000)
        #expect(result.end == .exited(3))
        #expect(String(decoding: result.output, as: UTF8.self) == "00000\nlast\n".suffix(10))
        #expect(result.outputLength == 588_895 + 5)
        #expect(result.errorOutput.count == 4096)
        #expect(String(decoding: result.errorOutput.suffix(13), as: UTF8.self) == "299999\nworst\n")
        #expect(result.errorLength == 700_000 + 6)
        request.errors = .discarded
        #expect(try Spawner.run(request, timeLimit: 30_000).errorLength == 0)
    }

    @Test("a gigabyte of output neither blocks its writer nor makes us grow")
    func gigabyte() async {
        // In a process of its own: other tests grow as well.
        await #expect(processExitsWith: .success) {
            func resident() -> Int {
                let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
                return (Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0) * 4096
            }
            let before = resident()
            let result = try Spawner.run(
                SpawnRequest(
                    program: "/bin/sh", arguments: ["sh", "-c", "exec head -c 1073741824 /dev/zero"],
                    environment: [EnvironmentVariable("PATH", "/usr/bin:/bin")], captureLimit: 64 * 1024),
                timeLimit: 60_000)
            #expect(result.end == .exited(0))
            #expect(result.outputLength == 1 << 30)
            #expect(result.output.count == 64 * 1024)
            #expect(before > 0)
            #expect(resident() - before < 32 << 20)
        }
    }

    @Test("a handler that hangs is stopped at its limit, with its children and those in groups of their own")
    func hanging() throws {
        let mark = EnvironmentVariable("USHER_TEST_MARK", UUID().uuidString)
        let result = try run(
            "exec bash -c \"trap '' TERM; sleep 987 & set -m; sleep 988 & sleep 989 & wait\"",
            environment: Self.environment + [mark],
            timeLimit: 200)
        #expect(result.end == nil)
        #expect(result.milliseconds >= 200)
        #expect(result.milliseconds < 3000)
        #expect(eventually { ProcessTable.processes(withVariable: mark).isEmpty })
    }

    @Test(
        "a handler that hangs is stopped with what made a session of its own",
        arguments: [
            "setsid sleep 971 & wait", "setsid --fork sleep 972; sleep 973",
            "setsid sh -c 'trap \"\" TERM; setsid sleep 974 & wait' >/dev/null 2>&1 </dev/null & sleep 975",
            "(setsid sh -c 'while :; do (setsid sleep 976 &); sleep 0.01; done' &); sleep 977",
        ])
    func ownSessions(script: String) throws {
        let mark = EnvironmentVariable("USHER_TEST_MARK", UUID().uuidString)
        var request = SpawnRequest(
            program: "/bin/sh", arguments: ["sh", "-c", script], environment: Self.environment + [mark])
        request.mark(UsherVariables.run)
        let result = try Spawner.run(request, timeLimit: 200)
        #expect(result.end == nil)
        #expect(result.milliseconds < 5000)
        #expect(ProcessTable.processes(withVariable: mark).isEmpty)
    }

    @Test("what a handler leaves running when it ends stays, and so does what another run of it left")
    func leftRunning() throws {
        let mark = EnvironmentVariable("USHER_TEST_MARK", UUID().uuidString)
        func run(_ script: String) throws -> ProcessResult {
            var request = SpawnRequest(
                program: "/bin/sh", arguments: ["sh", "-c", script], environment: Self.environment + [mark])
            request.mark(UsherVariables.run)
            return try Spawner.run(request, timeLimit: 300)
        }
        #expect(try run("setsid --fork sleep 981").end == .exited(0))
        #expect(try run("setsid --fork sleep 982; sleep 983").end == nil)
        let left = ProcessTable.processes(withVariable: mark)
        #expect(left.count == 1)
        for pid in left { kill(pid, SIGKILL) }
    }

    @Test("a server for others that a handler needed first does not get its mark")
    func serverOfOthers() throws {
        let mark = EnvironmentVariable("USHER_TEST_MARK", UUID().uuidString)
        let ends = try LocalSocket.pair()
        defer { for end in [ends.0, ends.1] { close(end) } }
        let result = Spawner.startServer(
            "/bin/sleep", arguments: ["sleep", "984"],
            environment: Self.environment + [mark, EnvironmentVariable(UsherVariables.run, "1")], connection: ends.1)
        #expect(result == 0)
        let server = try #require(ProcessTable.processes(withVariable: mark).first)
        #expect(!ProcessTable.process(server, holds: EnvironmentVariable(UsherVariables.run, "1")))
        kill(server, SIGKILL)
        // Nothing else does. A wait for any child, as that of exit tests, would return this one again and again.
        waitpid(server, nil, 0)
    }

    @Test("a program that keeps writing is stopped at its limit too")
    func endlessWriter() throws {
        let result = try run("exec cat /dev/zero", timeLimit: 200)
        #expect(result.end == nil)
        #expect(result.milliseconds < 3000)
    }

    @Test("a grandchild that keeps the output open is not waited for")
    func grandchild() throws {
        let result = try run("sleep 3 & exit 4")
        #expect(result.end == .exited(4))
        #expect(result.milliseconds < 2000)
    }

    @Test("a program that is missing is an error of the start", arguments: [("/nonexistent/program", "No such file")])
    func missing(program: String, words: String) {
        #expect {
            _ = try Spawner.run(SpawnRequest(program: program, arguments: [program]), timeLimit: 1000)
        } throws: { error in
            let failure = error as? ActivationFailure
            return failure?.code == .cannotStart && failure?.message.contains(words) == true
        }
    }

    @Test("a program that is being written is started when that is over", arguments: [false, true])
    func beingWritten(isEndless: Bool) throws {
        let directory = TemporaryFolder()
        let script = directory.path + "/script"
        try Program.write("#!/bin/sh\nexit 3\n", at: script)
        let writer = open(script, O_WRONLY | O_CLOEXEC)
        let (refused, closed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            // A slow writer: a quarter of the time for which it is tried.
            if isEndless { refused.wait() } else { usleep(50_000) }
            close(writer)
            closed.signal()
        }
        let request = SpawnRequest(program: script, arguments: [script])
        if isEndless {
            #expect { _ = try Spawner.run(request, timeLimit: 60_000) } throws: {
                ($0 as? ActivationFailure)?.message.contains("Text file busy") == true
            }
            refused.signal()
        } else {
            #expect(try Spawner.run(request, timeLimit: 60_000).end == .exited(3))
        }
        closed.wait()
    }

    @Test("a script without an interpreter is never given to a shell")
    func noInterpreter() throws {
        let directory = TemporaryFolder()
        let script = directory.path + "/script"
        try Program.write("touch \(directory.path)/ran\n", at: script)
        #expect {
            _ = try Spawner.run(SpawnRequest(program: script, arguments: [script]), timeLimit: 1000)
        } throws: { ($0 as? ActivationFailure)?.help?.contains("#!") == true }
        #expect(!directory.exists("ran"))
    }

    @Test(
        "what no program can be given is refused before it is started",
        arguments: [
            ("200 KB argument", ["x", String(repeating: "a", count: 200_000)], [EnvironmentVariable]()),
            ("NUL in an argument", ["x", "a\0b"], []),
            ("no argument", [], []),
            ("200 KB variable", ["x"], [EnvironmentVariable("A", String(repeating: "a", count: 200_000))]),
            ("NUL in a variable", ["x"], [EnvironmentVariable("A", "a\0b")]),
            ("= in a name", ["x"], [EnvironmentVariable("A=B", "c")]),
            ("NUL in a name", ["x"], [EnvironmentVariable("A\0B", "c")]),
            ("no name", ["x"], [EnvironmentVariable("", "c")]),
        ])
    func refused(name: String, arguments: [String], environment: [EnvironmentVariable]) {
        #expect(throws: ActivationFailure.self) {
            try SpawnRequest(program: "/bin/true", arguments: arguments, environment: environment).validate()
        }
    }

    @Test("what is no variable in an environment does not keep a program from being started")
    func entryWithoutName() throws {
        let directory = TemporaryFolder()
        let connection = try #require(FileHandle(forUpdatingAtPath: "/dev/null"))
        let error = Spawner.startServer(
            "/bin/sh", arguments: ["sh", "-c", "echo $$ > \(directory.path)/pid"],
            environment: [EnvironmentVariable("", "x"), EnvironmentVariable("PATH", "/usr/bin:/bin")],
            connection: connection.fileDescriptor)
        #expect(error == 0)
        try waitUntil("it has run") { directory.text("pid")?.hasSuffix("\n") == true }
        // A child that nothing waits for stays, and the tests that end a process would wait for it for ever.
        let process = try #require(Int32(directory.text("pid")?.dropLast() ?? ""))
        #expect(waitpid(process, nil, 0) == process)
    }

    @Test("the longest argument that is allowed arrives")
    func longest() throws {
        let argument = String(repeating: "a", count: ProgramWords.maximumLength)
        let request = SpawnRequest(
            program: "/bin/sh", arguments: ["sh", "-c", "echo ${#1}", "sh", argument], captureLimit: 100)
        #expect(text(try Spawner.run(request, timeLimit: 5000)) == "\(ProgramWords.maximumLength)\n")
    }

    @Test("programs that were let go are reaped when the next one starts")
    func reaping() throws {
        var pid: Int32 = 0
        do {
            let child = try Spawner.start(SpawnRequest(program: "/bin/true", arguments: ["true"]))
            pid = child.pid
        }
        #expect(
            try eventually {
                _ = try Spawner.run(SpawnRequest(program: "/bin/true", arguments: ["true"]), timeLimit: 1000)
                return kill(pid, 0) != 0
            })
    }

    @Test("many threads start programs at once")
    func concurrent() async throws {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for lane in 0..<8 {
                group.addTask {
                    var right = 0
                    for turn in 0..<10 {
                        let result = try run("cat; exit \(turn)", input: Array("\(lane)-\(turn)".utf8))
                        if result.end == .exited(Int32(turn)), text(result) == "\(lane)-\(turn)" { right += 1 }
                    }
                    return right
                }
            }
            let right = try await group.reduce(0, +)
            #expect(right == 80)
        }
    }
}

@Suite("ProgramLocator")
struct ProgramLocatorTests {
    @Test(
        "programs are looked for as a shell would",
        arguments: [
            ("sh", "/bin:/usr/bin", "/bin/sh"), ("/bin/sh", "", "/bin/sh"), ("usher-no-such-program", "/bin", nil),
            ("sh", "", nil), ("sh", "bin::.", nil), ("/etc/passwd", "/bin", nil), ("/etc", "/bin", nil),
            ("", "/bin", nil),
            ("../bin/sh", "/usr", nil), ("a\0b", "/bin", nil),
        ] as [(String, String, String?)])
    func locate(program: String, path: String, expected: String?) {
        let locator = ProgramLocator(path: path)
        #expect(locator.locate(program) == expected)
        #expect(locator.isInstalled(program) == (expected != nil))
    }

    @Test("a program that is removed is not found again")
    func removed() throws {
        let directory = TemporaryFolder()
        let file = directory.path + "/tool"
        try Program.write("#!/bin/sh\n", at: file)
        let locator = ProgramLocator(path: directory.path)
        #expect(locator.locate("tool") == file)
        unlink(file)
        #expect(locator.locate("tool") == nil)
    }
}
