import Foundation
import Glibc
import TestSupport
import Testing
import UsherJSON

/// Sessions of launched programs of whose windows nothing is known: they live as long as a process that was started for them.
struct WindowlessLaunchTests {
    private static let target = "https://notes.example/1"

    /// Writes the manifest of an app whose launch is a script: `$1` is the target. Returns a function that pushes the target.
    private func app(_ usher: UsherProgram, _ script: String, more: String = "") throws -> () throws -> String {
        try usher.write(
            "#!/bin/sh\ncd '\(usher.folder)'\necho $$ > script; echo run >> ledger\n\(script)\n", to: "launch")
        try usher.write(
            """
            id = "example.notes"
            domains = ["notes.example"]
            [[scenes]]
            name = "note"
            opens = 'SELF BEGINSWITH "https://notes.example/"'
            can = 'SELF == $TARGET'
            prefers = 'SELF == $TARGET'
            launch = { exec = ["sh", "\(usher.folder)/launch", "{target}"] }
            \(more)
            """, to: "config/usher/apps/notes.toml")
        return {
            let ending = try usher("dispatch", input: #"{"aps":{"alert":"a","target-content-id":"\#(Self.target)"}}"#)
            let record = ending.json()
            return "\(record["action"]?.string ?? "?") \(record["outcome"]?.string ?? "?")"
        }
    }

    private func runs(_ usher: UsherProgram) -> Int {
        usher.text("ledger").split(separator: "\n").count
    }

    private func states(_ usher: UsherProgram) throws -> [String] {
        try usher("scene", "list").json().elements?.compactMap { $0["state"]?.string } ?? []
    }

    private func kill(processIn file: String, of usher: UsherProgram) throws {
        #expect(Glibc.kill(try #require(process(in: file, of: usher)), SIGKILL) == 0)
    }

    /// The process whose id a script has written down, once it is there.
    private func process(in file: String, of usher: UsherProgram, otherThan last: Int32? = nil) -> Int32? {
        var found: Int32?
        _ = eventually {
            let text = usher.text(file)
            found = text.hasSuffix("\n") ? Int32(text.dropLast()) : nil
            return found != nil && found != last
        }
        return found
    }

    /// Waits until the launched script has ended, which wrote its id first.
    private func ends(_ usher: UsherProgram) -> Bool {
        guard let script = process(in: "script", of: usher) else { return false }
        return eventually { Glibc.kill(script, 0) != 0 }
    }

    @Test("a program that has ended is run again by the next push")
    func ended() throws {
        try UsherProgram.run { usher in
            let push = try app(usher, "")
            #expect(try push() == "launch done")
            #expect(try eventually { try states(usher) == ["disconnected"] })
            #expect(try push() == "launch done")
            #expect(eventually { runs(usher) == 2 })
            #expect(try states(usher).count == 1, "it is the same session")
        }
    }

    @Test("the session of a running program stays connected until the program ends")
    func running() throws {
        try UsherProgram.run { usher in
            let push = try app(usher, "echo $$ > pid; exec sleep 600")
            #expect(try push() == "launch done")
            let first = process(in: "pid", of: usher)
            #expect(try push() == "focus unverified")
            #expect(runs(usher) == 1)
            try kill(processIn: "pid", of: usher)
            #expect(try eventually { try states(usher) == ["disconnected"] })
            #expect(try push() == "launch done")
            #expect(eventually { runs(usher) == 2 })
            #expect(process(in: "pid", of: usher, otherThan: first) != nil)
            try kill(processIn: "pid", of: usher)
        }
    }

    @Test("a program that left another one running keeps its session by that one")
    func leftAnother() throws {
        try UsherProgram.run { usher in
            let push = try app(usher, "sleep 600 & echo $! > pid")
            #expect(try push() == "launch done")
            let first = process(in: "pid", of: usher)
            #expect(ends(usher))
            #expect(try states(usher) == ["connected"])
            #expect(try push() == "focus unverified")
            #expect(runs(usher) == 1)
            try kill(processIn: "pid", of: usher)
            #expect(try push() == "launch done")
            #expect(eventually { runs(usher) == 2 })
            #expect(process(in: "pid", of: usher, otherThan: first) != nil)
            try kill(processIn: "pid", of: usher)
        }
    }

    @Test("a program that registers its session itself is believed", arguments: [false, true])
    func registered(isSlow: Bool) throws {
        try UsherProgram.run { usher in
            let push = try app(
                usher,
                (isSlow ? "sleep 0.5; " : "")
                    + "usher scene connect --app example.notes --scene note --session \"$USHER_SESSION\" --target \"$1\" > said 2>&1"
            )
            #expect(try push() == "launch done")
            #expect(eventually { usher.text("said").contains("connected") }, "\(usher.text("said"))")
            #expect(ends(usher))
            #expect(try states(usher) == ["connected"])
            #expect(try push() == "focus unverified")
            #expect(runs(usher) == 1)
        }
    }

    @Test("with a handler that reaches the program, its end says nothing")
    func shown() throws {
        try UsherProgram.run { usher in
            let push = try app(
                usher, "",
                more: "show = { exec = [\"sh\", \"-c\", \"echo $1 >> '\(usher.folder)/shown'\", \"-\", \"{target}\"] }")
            #expect(try push() == "launch done")
            #expect(ends(usher))
            #expect(try push() == "focus unverified")
            #expect(usher.text("shown") == Self.target + "\n")
        }
    }
}
