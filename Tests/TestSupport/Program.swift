package import UsherActivation
import UsherSystem

/// A program that runs until it is ended: with the signals of a new program, which a test's threads may have blocked.
package final class Program {
    private var child: ChildProcess

    package init(_ request: SpawnRequest) throws { child = try Spawner.start(request) }

    deinit { end() }

    package var process: Int32 { child.pid }

    package var hasEnded: Bool { child.wait(until: Deadline(inMilliseconds: 0)) != nil }

    package func end() { child.stop(patience: 5000) }

    // A file that is open for writing cannot be executed ("Text file busy"), and whatever another thread starts meanwhile
    // has it open as well. So children write programs, never the process of the tests.

    /// Writes a program that a test, or what it starts, is about to execute, and makes the folder that it is in.
    package static func write(_ text: String, at path: String) throws {
        try shell(#"mkdir -p "${0%/*}" && cat >"$0" && chmod 755 "$0""#, path, input: text)
    }

    /// The same with the bytes of another program.
    package static func copy(_ original: String, to path: String) throws {
        try shell(#"mkdir -p "${0%/*}" && cp "$1" "$0""#, path, original)
    }

    private static func shell(_ script: String, _ arguments: String..., input: String = "") throws {
        let result = try Spawner.run(
            SpawnRequest(
                program: "/bin/sh", arguments: ["sh", "-c", script] + arguments,
                environment: [EnvironmentVariable("PATH", "/usr/bin:/bin")], input: Array(input.utf8)),
            timeLimit: 30_000)
        guard result.end == .exited(0) else { throw NotWritten(program: arguments[0]) }
    }

    private struct NotWritten: Error { var program: String }
}
