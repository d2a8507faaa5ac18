import CLinux
import Foundation
import Glibc
import TestSupport
import Testing
import UsherJSON

/// The engine that a command starts while none runs, by its rules.
struct OnDemandTests {
    /// Apps whose background handlers are scripts of the test.
    private func configure(_ usher: UsherProgram, _ handlers: [String: String]) throws -> String {
        var manifest = "id = \"example.a\"\nname = \"A\"\ndomains = [\"a.example\"]\n"
        for (name, script) in handlers {
            try usher.writeProgram("#!/bin/sh\n\(script)\n", to: "bin/\(name)")
            manifest +=
                "handlers = { background = { exec = [\"\(usher.path("bin/\(name)"))\"], time-limit = \"20s\" } }\n"
        }
        manifest += "[[scenes]]\nname = \"main\"\n"
        try usher.write("", to: "cfg/usher.toml")
        try usher.write(manifest, to: "cfg/apps/a.toml")
        return usher.path("cfg")
    }

    private static let payload = #"{"aps":{"content-available":1},"app":"example.a"}"# + "\n"

    private func engines(_ usher: UsherProgram) throws -> [Int32] {
        try usher.shell("pgrep -f '[u]sherd --on-demand.*\(usher.folder)' || true").lines.compactMap { Int32($0) }
    }

    /// Waits until no engine of this folder is left.
    private func waitForEnd(_ usher: UsherProgram) throws {
        #expect(try eventually { try engines(usher).isEmpty }, "an engine is left behind")
    }

    @Test("an engine ends with its command and leaves neither a socket nor a lock that is held")
    func endsWithItsCommand() throws {
        try UsherProgram.run { usher in
            let config = try configure(usher, ["h": "exit 0"])
            let ending = try usher("dispatch", "--config", config, "--state", usher.path("s"), input: Self.payload)
            #expect(ending.status == 0, "\(ending.errors)")
            #expect(ending.json()["outcome"]?.string == "done")
            // The store is closed when the command has ended: nothing but the database is there, whole.
            #expect(!usher.exists("s/usherd.sock") && !usher.exists("s/usher.db-wal"))
            #expect(try usher("status", "--state", usher.path("s")).status == 1)
            try waitForEnd(usher)
        }
    }

    @Test("a command does not wait for the engine that it started while another command uses that engine")
    func leavesAnEngineInUse() throws {
        try UsherProgram.run { usher in
            let config = try configure(
                usher, ["h": "echo x >> $HOME/begun; until test -e $HOME/go; do sleep 0.02; done"])
            try usher.write(#"{"aps":{"badge":1},"app":"example.a"}"# + "\n", to: "quiet")
            try usher.write(Self.payload, to: "p")
            let ending = try usher.shell(
                """
                mkfifo in; usher dispatch --config \(config) --state s <in >first & first=$!
                exec 9>in; cat quiet >&9; until test -s first; do sleep 0.02; done
                usher dispatch p --config \(config) --state s >second 9>&- & second=$!
                until test -e begun; do sleep 0.02; done
                exec 9>&-; wait $first; echo $?; test -s second || echo acting; touch go; wait $second; echo $?
                """)
            #expect(ending.lines == ["0", "acting", "0"], "\(ending.errors)")
            try waitForEnd(usher)
        }
    }

    @Test("dispatches and edits at once: each is done, by one engine after the other")
    func manyAtOnce() throws {
        try UsherProgram.run { usher in
            let config = try configure(usher, ["h": "exit 0"])
            try usher.write(Self.payload, to: "p")
            let ending = try usher.shell(
                """
                for n in 1 2 3 4 5 6 7 8; do (usher dispatch p --config \(config) --state s >out.$n; echo $? >>codes) & done
                for n in 1 2 3 4; do (usher note new "note $n" --state s >/dev/null; echo $? >>codes) & done
                wait; sort codes | uniq -c | tr -s ' '; cat out.* | grep -c '"outcome":"done"'; usher note list --state s --json | grep -o '"id"' | wc -l
                """)
            #expect(ending.lines == [" 12 0", "8", "4"], "\(ending.output)\(ending.errors)")
            try waitForEnd(usher)
        }
    }

    @Test("others join an engine while it works: edits and dispatches go through it")
    func othersJoin() throws {
        try UsherProgram.run { usher in
            let config = try configure(
                usher, ["h": "echo x >> $HOME/begun; until test -e $HOME/go; do sleep 0.02; done"])
            try usher.write(Self.payload, to: "p")
            let ending = try usher.shell(
                """
                usher dispatch p --config \(config) --state s >out & until test -e begun; do sleep 0.02; done
                usher scene connect --config \(config) --state s --app example.a --scene main >connected; echo $?
                usher status --state s >/dev/null; echo $?; usher deliveries list --state s --json | grep -c acting
                touch go; wait; grep -c done out
                """)
            #expect(ending.lines == ["0", "0", "1", "1"], "\(ending.errors)")
            try waitForEnd(usher)
        }
    }

    @Test("programs have the working folder of the command")
    func environment() throws {
        try UsherProgram.run { usher in
            let config = try configure(usher, ["h": "pwd > $HOME/seen"])
            try usher.write(Self.payload, to: "p")
            try FileManager.default.createDirectory(atPath: usher.path("w"), withIntermediateDirectories: true)
            let ending = try usher.shell("cd w && usher dispatch ../p --config \(config) --state ../s")
            #expect(ending.status == 0, "\(ending.errors)")
            let seen = try String(contentsOfFile: usher.path("seen"), encoding: .utf8)
            #expect(seen.hasSuffix("/w\n"), "\(seen)")
            try waitForEnd(usher)
        }
    }

    @Test("log lines of the engine come to the command, at its level, and in its form")
    func logs() throws {
        try UsherProgram.run { usher in
            let config = try configure(usher, ["h": "exit 0"])
            let arguments = ["dispatch", "--config", config, "--state", usher.path("s")]
            let input = Data(Self.payload.utf8)
            let usual = try usher.run(arguments, input: input).errors
            #expect(usual.contains(#""event":"decision","message":"a request was decided""#), "\(usual)")
            #expect(usual.contains(#""source":"stdin""#) && usual.split(separator: "\n").count == 1, "\(usual)")
            #expect(try usher.run(arguments + ["--log-level", "warning"], input: input).errors.isEmpty)
            let told = try usher.run(arguments + ["--log-format", "text"], input: input).errors
            #expect(told.hasPrefix("usher: a request was decided  delivery.id="), "\(told)")
            try waitForEnd(usher)
        }
    }

    @Test(
        "decisions are logged as far as the configuration says",
        arguments: [
            ("", ["done", "failed"]), ("[log]\ndecisions = \"all\"\n", ["done", "failed"]),
            ("[log]\ndecisions = \"failures\"\n", ["failed"]), ("[log]\ndecisions = \"none\"\n", []),
        ])
    func loggedDecisions(_ settings: String, _ expected: [String]) throws {
        try UsherProgram.run { usher in
            let config = try configure(usher, ["h": "case $USHER_TARGET in */bad) exit 3 ;; esac"])
            try usher.write(settings, to: "cfg/usher.toml")
            let payloads = ["good", "bad"].map {
                #"{"aps":{"content-available":1,"target-content-id":"https://a.example/\#($0)"},"app":"example.a"}"#
            }
            let ending = try usher(
                "dispatch", "--config", config, "--state", usher.path("s"), input: payloads.joined(separator: "\n"))
            #expect(ending.lines.count == 2, "\(ending.output)")
            let logged = try ending.errors.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
            let decisions = logged.filter { $0["event"]?.string == "decision" }
            #expect(decisions.map { $0["outcome"]?.string } == expected, "\(ending.errors)")
            try waitForEnd(usher)
        }
    }

    @Test("an engine that was killed: the command says so, and the next engine recovers what was accepted")
    func killedEngine() throws {
        try UsherProgram.run { usher in
            let config = try configure(usher, ["h": "echo x >> $HOME/begun; sleep 30"])
            try usher.write(Self.payload, to: "p")
            let ending = try usher.shell(
                """
                { usher dispatch p --config \(config) --state s >out 2>err; echo $? >status; } &
                until test -e begun; do sleep 0.02; done; kill -9 $(pgrep -f '[u]sherd --on-demand.*\(usher.folder)')
                wait; cat status; cat err
                """)
            #expect(ending.lines.first == "1", "\(ending.output)\(ending.errors)")
            #expect(ending.output.contains("closed the connection"), "\(ending.output)")
            // The lock is free, and the handler is not run a second time: it may have done its work.
            let next = try usher("dispatch", "--config", config, "--state", usher.path("s"))
            #expect(next.status == 0, "\(next.errors)")
            let list = try usher("deliveries", "list", "--state", usher.path("s"), "--json").json()
            #expect(list.elements?.map { $0["state"]?.string } == ["done"], "\(list.text())")
            try waitForEnd(usher)
        }
    }

    @Test("what a kill interrupted is listed, counted, and run a second time only with --again")
    func interrupted() throws {
        try UsherProgram.run { usher in
            // The launch is under way until there is `go`; its program is killed, too: else it is what was wanted.
            try usher.writeProgram(
                "#!/bin/sh\necho $$ >> $HOME/begun; test -e $HOME/go || exec sleep 30\n", to: "bin/open")
            try usher.write("", to: "cfg/usher.toml")
            try usher.write(
                """
                id = "example.a"
                [[scenes]]
                name = "main"
                [scenes.launch]
                exec = ["\(usher.path("bin/open"))"]
                handle = "none"
                ready = { exec = ["test", "-e", "\(usher.path("go"))"], time-limit = "20s" }
                """, to: "cfg/apps/a.toml")
            let (config, state) = (usher.path("cfg"), usher.path("s"))
            func begun() -> Int { usher.text("begun").split(separator: "\n").count }
            try usher.write(#"{"aps":{"alert":"x"},"app":"example.a"}"# + "\n", to: "p")
            let killed = try usher.shell(
                """
                { usher dispatch p --config \(config) --state s >out 2>err; echo $? >status; } &
                until test -s begun || test -s status; do sleep 0.02; done
                kill -9 $(pgrep -f '[u]sherd --on-demand.*\(usher.folder)') $(cat begun); wait; cat status
                """)
            #expect(killed.lines == ["1"], "\(killed.output)\(killed.errors)")
            let metric = "usher_deliveries_interrupted_total"
            let counted = try usher.shell(
                """
                usherd --config \(config) --state s --socket d.sock --log-level error 2>log & two=$!
                until usher status --state s >/dev/null 2>&1 || ! kill -0 $two; do sleep 0.05; done
                until usher deliveries list --state s --json | grep -q '"done"' || ! kill -0 $two; do sleep 0.05; done
                curl -s --unix-socket d.sock http://u/metrics | grep '^\(metric)'; kill $two; wait $two
                """)
            #expect(counted.lines == ["\(metric) 1"], "\(counted.output)\(counted.errors)")
            let list = try usher("deliveries", "list", "--outcome", "unverified", "--state", state, "--json").json()
            #expect(list.elements?.map { $0["interrupted"]?.boolean } == [true], "\(list)")
            let id = try #require(list.elements?.first?["id"]?.string)
            let arguments = ["deliveries", "retry", id, "--config", config, "--state", state]
            let refused = try usher.run(arguments)
            #expect(refused.status == 2 && begun() == 1, "\(refused.output)\(refused.errors)")
            #expect(
                refused.errors.contains("[U6315 control.delivery-state]") && refused.errors.contains("--again"),
                "\(refused.errors)")
            try usher.write("", to: "go")
            let again = try usher.run(arguments + ["--again"])
            #expect(again.status == 0 && begun() == 2, "\(again.output)\(again.errors)")
            let shown = try usher("deliveries", "show", id, "--state", state, "--json").json()
            #expect(shown["interrupted"]?.boolean != true && shown["outcome"]?.string == "done", "\(shown)")
            try waitForEnd(usher)
        }
    }

    @Test("a command that was killed: the engine finishes what it was given and ends")
    func killedCommand() throws {
        try UsherProgram.run { usher in
            let config = try configure(
                usher,
                ["h": "echo x >> $HOME/begun; until test -e $HOME/go; do sleep 0.02; done; echo x >> $HOME/ended"])
            try usher.write(Self.payload, to: "p")
            let ending = try usher.shell(
                """
                usher dispatch p --config \(config) --state s >out & one=$!
                until test -e begun; do sleep 0.02; done; kill -9 $one; wait; touch go
                """)
            #expect(ending.status == 0)
            try waitForEnd(usher)
            #expect(usher.exists("ended"))
        }
    }

    @Test("an interruption: what has begun is finished, what has not ends as interrupted")
    func interruption() throws {
        try UsherProgram.run { usher in
            let config = try configure(
                usher, ["h": "echo x >> $HOME/begun; until test -e $HOME/go; do sleep 0.02; done"])
            try usher.write(Self.payload + Self.payload, to: "p")
            let ending = try usher.shell(
                """
                sh -c 'exec usher dispatch p --config \(config) --state s >out' & one=$!
                until test -e begun; do sleep 0.02; done; sleep 0.3
                kill -TERM $one; sleep 0.5; touch go; wait $one; echo $?
                """)
            let records = try String(contentsOfFile: usher.path("out"), encoding: .utf8).split(separator: "\n")
            #expect(records.count == 2, "\(ending.output)\(ending.errors)")
            #expect(records.first?.contains(#""outcome":"done""#) == true)
            #expect(records.last?.contains("not begun: the run was interrupted") == true, "\(records)")
            try waitForEnd(usher)
            let began = try String(contentsOfFile: usher.path("begun"), encoding: .utf8)
            #expect(began == "x\n")
        }
    }

    @Test("what a handler dispatches is not queued behind the handler", arguments: [false, true])
    func nested(isResident: Bool) throws {
        try UsherProgram.run { usher in
            let config = try configure(
                usher,
                [
                    "h":
                        "test -e $HOME/nested && exit 0; touch $HOME/nested; usher dispatch $HOME/p > $HOME/inner; echo $? > $HOME/status"
                ])
            try usher.write(Self.payload, to: "p")
            let begin = isResident ? "usherd --config \(config) --state s --socket d.sock 2>log & two=$!; " : ""
            let wait = isResident ? "until usher status --state s >/dev/null 2>&1; do sleep 0.05; done; " : ""
            let end = isResident ? "; kill $two; wait $two" : ""
            let started = Date()
            let ending = try usher.shell(
                begin + wait + "usher dispatch p --config \(config) --state s >out; echo $?" + end)
            #expect(ending.lines.first == "0", "\(ending.output)\(ending.errors)")
            #expect(Date().timeIntervalSince(started) < 15)
            #expect(try String(contentsOfFile: usher.path("status"), encoding: .utf8) == "0\n")
            let inner = try String(contentsOfFile: usher.path("inner"), encoding: .utf8)
            #expect(inner.contains(#""outcome":"done""#), "\(inner)")
            try waitForEnd(usher)
        }
    }

    @Test("a resident usherd takes over from an engine on demand, and a stream goes on through it")
    func takesOver() throws {
        try UsherProgram.run { usher in
            let config = try configure(usher, ["h": "exit 0"])
            try usher.write(Self.payload, to: "p")
            let ending = try usher.shell(
                """
                mkfifo in; usher dispatch --config \(config) --state s <in >out 2>err & one=$!
                exec 9>in; cat p >&9; until grep -q seq out; do sleep 0.02; done
                usherd --config \(config) --state s --socket d.sock 2>log 9>&- & two=$!
                until grep -q '"listening"' log || ! kill -0 $two; do sleep 0.05; done
                cat p >&9; exec 9>&-; wait $one; echo $?; grep -o '"seq":[0-9]*' out; kill $two; wait $two
                grep -c '"event":"decision"' err; grep -c '"event":"decision"' log
                """)
            // Each decision is logged once, by the engine that made it.
            #expect(
                ending.lines == ["0", "\"seq\":1", "\"seq\":2", "1", "1"], "\(ending.output)\(ending.errors)")
            try waitForEnd(usher)
        }
    }

    @Test("warnings of a configuration are printed once, whatever process reads it first")
    func warningsOnce() throws {
        try UsherProgram.run { usher in
            let config = try configure(usher, ["h": "exit 0"])
            try usher.write(
                "id = \"example.b\"\nactivity-types = [\"nodot\"]\n[[scenes]]\nname = \"main\"\n", to: "cfg/apps/b.toml"
            )
            let ending = try usher.shell(
                """
                for round in 1 2; do
                usherd --config \(config) --state s --socket d.sock 2>log$round & two=$!
                until grep -q '"listening"' log$round || ! kill -0 $two; do sleep 0.05; done
                kill $two; wait $two; grep -c lint.activity-type log$round
                done
                echo '\(Self.payload)' | usher dispatch --config \(config) --state s 2>&1 >/dev/null | grep -c lint.activity-type
                """)
            #expect(ending.lines == ["1", "0", "0"], "\(ending.output)\(ending.errors)")
            try waitForEnd(usher)
        }
    }

    @Test("a value over several lines is finished by the engine that has its beginning, and lines count on in the next")
    func takesOverWithinValue() throws {
        try UsherProgram.run { usher in
            let config = try configure(usher, ["h": "exit 0"])
            let ending = try usher.shell(
                """
                mkfifo in; usher dispatch --config \(config) --state s <in >out 2>err & one=$!
                exec 9>in; printf '{"aps":{}}\n{\n "aps": {\n' >&9; until grep -q seq out; do sleep 0.02; done
                usherd --config \(config) --state s --socket d.sock 2>log 9>&- & two=$!
                # The engine makes way: nothing else joins it.
                while [ -e s/usherd.sock ]; do sleep 0.02; done
                printf '  "content-available": 1},\n' >&9
                printf '"app": "example.a"\n}\n' >&9
                until grep -q '"listening"' log || ! kill -0 $two; do sleep 0.05; done
                printf '{"aps":{}} {"aps":}\n{\n"aps":{"x":,}}\n' >&9
                exec 9>&-; wait $one
                grep -oE '"seq":[0-9]*|"line":[0-9]*,"column":[0-9]*' out
                kill $two; wait $two
                """)
            #expect(
                ending.lines == [
                    "\"seq\":1", "\"seq\":2", "\"seq\":3", "\"seq\":4", "\"line\":7,\"column\":19", "\"seq\":5",
                    "\"line\":9,\"column\":12",
                ], "\(ending.output)\(ending.errors)")
            try waitForEnd(usher)
        }
    }

    @Test("a resident usherd waits for an engine that has the lock and is not named in it yet, or no longer")
    func waitsForUnnamed() throws {
        try UsherProgram.run { usher in
            let config = try configure(usher, ["h": "exit 0"])
            #expect(try usher("note", "new", "one", "--state", usher.path("s")).status == 0)
            let lock = open(usher.path("s/usherd.lock"), O_RDWR | O_CLOEXEC)
            try #require(lock >= 0 && ftruncate(lock, 0) == 0 && usher_lock(lock, 0) == 0)
            Thread.detachNewThread {
                // It asks for the lock again and again, and has its file open only for that.
                usleep(500_000)
                usher_unlock(lock)
            }
            let ending = try usher.shell(
                """
                usherd --config \(config) --state s --socket d.sock 2>log & two=$!
                until grep -q '"listening"' log || ! kill -0 $two; do sleep 0.05; done
                grep -c '"listening"' log; kill $two; wait $two; echo $?
                """)
            #expect(ending.lines == ["1", "0"], "\(ending.output)\(ending.errors)")
            close(lock)
        }
    }

    /// Unlocks when another process has the file of the lock open and waits, and leaves a file `released` then.
    private func releaseOnceAwaited(_ lock: Int32, _ usher: UsherProgram) {
        let path = usher.path("s/usherd.lock").replacingOccurrences(of: "//", with: "/")
        Thread.detachNewThread {
            let manager = FileManager.default
            _ = eventually {
                let processes = (try? manager.contentsOfDirectory(atPath: "/proc"))?.compactMap { Int32($0) } ?? []
                return processes.contains { process in
                    guard process != getpid(),
                        let state = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
                        state.contains(") S ")
                    else { return false }
                    let files = (try? manager.contentsOfDirectory(atPath: "/proc/\(process)/fd")) ?? []
                    return files.contains {
                        (try? manager.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\($0)"))?.hasSuffix(path)
                            ?? false
                    }
                }
            }
            _ = manager.createFile(atPath: usher.path("released"), contents: nil)
            usher_unlock(lock)
        }
    }

    @Test("edits need neither an engine nor a configuration, and commands that act say what is wrong with one")
    func configurations() throws {
        try UsherProgram.run { usher in
            #expect(try usher("note", "new", "text", "--state", usher.path("s")).status == 0)
            #expect(try usher("dispatch", "--state", usher.path("s"), input: Self.payload).status == 2)
            try usher.write("nonsense = 1\n", to: "cfg/usher.toml")
            let ending = try usher(
                "dispatch", "--config", usher.path("cfg"), "--state", usher.path("s"), input: Self.payload)
            #expect(ending.status == 2)
            #expect(ending.errors.contains("one error in the configuration: nothing was done"), "\(ending.errors)")
            #expect(try usher("note", "list", "--state", usher.path("s"), "--json").json().elements?.count == 1)
            try waitForEnd(usher)
        }
    }

    @Test("an edit waits for another edit that holds the lock, and so does an engine")
    func editLock() throws {
        try UsherProgram.run { usher in
            let config = try configure(usher, ["h": "exit 0"])
            #expect(try usher("note", "new", "one", "--state", usher.path("s")).status == 0)
            let lock = open(usher.path("s/usherd.lock"), O_RDWR | O_CLOEXEC)
            try #require(lock >= 0)
            for act in ["note new two --state s", "dispatch p --config \(config) --state s"] {
                try usher.write(Self.payload, to: "p")
                try #require(usher_lock(lock, 1) == 0)
                try? FileManager.default.removeItem(atPath: usher.path("released"))
                releaseOnceAwaited(lock, usher)
                #expect(try usher.shell("usher \(act) && test -e released").status == 0)
                try waitForEnd(usher)
            }
            close(lock)
        }
    }

    @Test("a state folder whose path is too long for the address of a socket: others join there as well")
    func longPath() throws {
        try UsherProgram.run { usher in
            let config = try configure(
                usher, ["h": "echo x >> $HOME/begun; until test -e $HOME/go; do sleep 0.02; done"])
            try usher.write(Self.payload, to: "p")
            let state = usher.path(String(repeating: "long/", count: 30) + "s")
            let ending = try usher.shell(
                """
                usher dispatch p --config \(config) --state \(state) >out & until test -e begun; do sleep 0.02; done
                usher status --state \(state) >/dev/null; echo $?; touch go; wait; grep -c done out
                """)
            #expect(ending.lines == ["0", "1"], "\(ending.errors)")
            try waitForEnd(usher)
        }
    }
}
