import Foundation
import Glibc
import TestSupport
import Testing
import UsherJSON

/// What a launched program wrote on standard error, where its launch failed.
struct LaunchErrorsTests {
    private static let address = "https://errors.example/1"

    /// An app whose program is this script, which runs in the folder; `ready` never holds.
    private func run(_ script: String, grace: String, _ body: (UsherProgram) throws -> Void) throws {
        try UsherProgram.run { usher in
            try usher.write("cd '\(usher.folder)'\necho $$ >>pids\n\(script)\n", to: "program")
            try usher.write(
                """
                id = "example.errors"
                domains = ["errors.example"]
                [[scenes]]
                name = "main"
                launch = { exec = ["sh", "\(usher.folder)/program"], ready = { exec = ["false"] }, launch-grace = "\(grace)" }
                """, to: "config/usher/apps/errors.toml")
            defer { for line in usher.text("pids").split(separator: "\n") { kill(-(pid_t(line) ?? 0), SIGKILL) } }
            try body(usher)
        }
    }

    private func check(_ usher: UsherProgram, _ record: JSONValue) throws {
        let handler = record["handlers"]?.elements?.first
        #expect(record["outcome"]?.string == "failed" && handler?["code"]?.int64 == 1, "\(record.text())")
        #expect(handler?["error_output"]?.string == "usage: x\ncannot open display\n", "\(record.text())")
        #expect(record["error"]?["help"]?.string == "it said: cannot open display", "\(record.text())")
        let id = record["id"]?.string ?? record["delivery"]?.string ?? ""
        let shown = try usher("deliveries", "show", id)
        #expect(shown.output.contains("usage: x"), "\(shown.output)\(shown.errors)")
    }

    @Test("the record of a program that ended early has it, with and without a daemon", arguments: [false, true])
    func endedEarly(isResident: Bool) throws {
        try run("echo usage: x >&2; echo cannot open display >&2; exit 1", grace: "20s") { usher in
            func request() throws { try check(usher, usher("open", Self.address, "--json").json()) }
            if isResident {
                try usher.withDaemon(config: usher.path("config/usher")) { try request() }
            } else {
                try request()
            }
        }
    }

    @Test("a shell that reads the answer is not held up by a program that runs on")
    func runsOn() throws {
        try run("echo waiting >&2; exec sleep 60", grace: "300ms") { usher in
            let begin = ContinuousClock.now
            let ending = try usher.shell("text=$(usher open \(Self.address) --json); printf '%s\\n' \"$text\"")
            #expect(ContinuousClock.now - begin < .seconds(50))
            let record = ending.json()
            #expect(record["outcome"]?.string == "unverified", "\(ending.output)")
            #expect(record["handlers"]?.elements?.first?["error_output"]?.string == "waiting\n", "\(ending.output)")
        }
    }

    @Test("a program goes on writing when its engine is killed")
    func killedEngine() throws {
        let script = """
            touch begun; until test -e go || ! test -e program; do sleep 0.05; done
            head -c 1000000 /dev/zero >&2 && touch written; exec sleep 60
            """
        try run(script, grace: "60s") { usher in
            let ending = try usher.shell(
                """
                usher open \(Self.address) >/dev/null 2>&1 & command=$!
                until test -e begun; do sleep 0.02; done
                kill -9 $(pgrep -f '[u]sherd --on-demand.*\(usher.folder)'); wait $command; touch go
                """)
            #expect(ending.status == 0, "\(ending.output)\(ending.errors)")
            try waitUntil("it has written") { usher.exists("written") }
        }
    }
}
