import Foundation
import TestSupport
import Testing
import UsherJSON

/// `launch` with `handle = "none"`: a command, no window.
struct CommandsWithoutWindowTests {
    /// An app with a command for each address below `/play/`, beside a window; the command notes its run and ends when
    /// the file `end` is there, or when the folder of the test is gone.
    private func run(_ limit: Int, _ body: (UsherProgram) throws -> Void) throws {
        try UsherProgram.run { usher in
            try usher.write(
                "#!/bin/sh\ncd '\(usher.folder)'\necho run >> ledger\nuntil [ -e end ] || [ ! -e play ]; do sleep 0.05; done\n",
                to: "play")
            try usher.write(
                """
                id = "example.player"
                domains = ["player.example"]
                scenes-limit = \(limit)
                [[scenes]]
                name = "play"
                opens = 'SELF BEGINSWITH "https://player.example/play/"'
                launch = { exec = ["sh", "\(usher.folder)/play"], handle = "none" }
                [[scenes]]
                name = "list"
                can = 'SELF == "https://player.example/"'
                launch = { exec = ["true"] }
                """, to: "config/usher/apps/player.toml")
            try body(usher)
            try usher.write("", to: "end")
        }
    }

    private func push(_ usher: UsherProgram) throws -> JSONValue {
        try usher("open", "https://player.example/play/1", "--json").json()
    }

    private func scenes(_ usher: UsherProgram) throws -> [String] {
        try usher("scene", "list").json().elements?.compactMap { $0["scene"]?.string } ?? []
    }

    @Test("each push runs the command, whatever windows are open") func eachPush() throws {
        try run(1) { usher in
            #expect(try usher("scene", "connect", "--app", "example.player", "--scene", "list").status == 0)
            for count in 1...3 {
                let record = try push(usher)
                #expect(record["action"]?.string == "launch" && record["reason"]?.string == "opens", "\(record.text())")
                #expect(record["outcome"]?.string == "done")
                #expect(try scenes(usher).count { $0 == "play" } == count)
            }
            #expect(
                eventually {
                    (try? String(contentsOfFile: usher.path("ledger"), encoding: .utf8)) == "run\nrun\nrun\n"
                })
            let explained = try usher("explain", "https://player.example/play/1").json()
            let candidates = explained["candidates"]?.elements ?? []
            #expect(candidates.compactMap { $0["scene"]?.string } == ["list"], "\(explained.text())")
            // A limit counts windows only.
            #expect(explained["limit"]?["open"]?.int64 == 1)
        }
    }

    @Test("its session ends with it") func end() throws {
        try run(4) { usher in
            _ = try push(usher)
            #expect(try scenes(usher) == ["play"])
            try usher.write("", to: "end")
            #expect(try eventually { try scenes(usher).isEmpty })
            _ = try push(usher)
            #expect(try eventually { try scenes(usher).isEmpty })
        }
    }

    @Test(
        "another value, and one of another kind of launch, is refused",
        arguments: [
            #"exec = ["true"], handle = "window""#, #"exec = ["true"], handle = """#,
            #"tmux = ["true"], handle = "none""#,
            #"desktop = ["some.desktop"], handle = "none""#, #"dbus = ["org.example.App"], handle = "none""#,
        ])
    func refused(_ launch: String) throws {
        try UsherProgram.run { usher in
            try usher.write(
                "id = \"example.player\"\n[[scenes]]\nname = \"play\"\nlaunch = { \(launch) }\n",
                to: "config/usher/apps/player.toml")
            let checked = try usher("check")
            let names = (checked.json()["findings"]?.elements ?? []).compactMap { $0["name"]?.string }
            #expect(names.contains("command.handle"), "\(checked.output)")
            #expect(checked.status != 0)
        }
    }
}
