import Foundation
import Testing
import UsherJSON

/// What suggestions are made of, from outside: contacts, interactions, signals, reminders, and that they are forgotten.
struct SuggestionDataTests {
    private static let config = ["--config", UsherProgram.sampleConfiguration]

    private func names(_ answer: JSONValue) -> [String] { answer.members?.map(\.name) ?? [] }

    private func donate(_ usher: UsherProgram, _ arguments: String...) throws -> UsherProgram.Ending {
        try usher.run(["interaction", "donate", "--app", "example.clowntown"] + arguments + Self.config)
    }

    @Test("cards are imported, replaced, skipped and refused") func contacts() throws {
        try UsherProgram.run { usher in
            let cards = """
                BEGIN:VCARD\r\nVERSION:3.0\r\nUID:1\r\nFN:Crusty\r\nTEL;TYPE=HOME:+1 555\r\nEND:VCARD\r
                BEGIN:VCARD\r\nVERSION:4.0\r\nKIND:group\r\nFN:Clowns\r\nEND:VCARD\r
                BEGIN:VCARD\r\nVERSION:4.0\r\nUID:1\r\nFN:Krusty\r\nEND:VCARD\r
                BEGIN:VCARD\r\nVERSION:4.0\r\nEND:VCARD\r\n
                """
            try usher.write(cards, to: "clowns.vcf")
            let first = try usher("contact", "import", usher.path("clowns.vcf"))
            #expect(first.status == 1)
            #expect(
                first.json().text()
                    == #"{"cards":4,"imported":1,"replaced":1,"skipped":1,"errors":[{"line":17,"name":"vcard.no-name","#
                    + #""message":"the card has no name: neither FN, N, NICKNAME nor ORG"}]}"#)
            let list = try usher("contact", "list").json()
            #expect(list.elements?.count == 1)
            #expect(
                names(list.elements?.first ?? .null) == [
                    "id", "uid", "name", "givenName", "familyName", "nickname", "organizationName", "phoneNumbers",
                    "emailAddresses", "handles", "addresses", "urls",
                ])
            #expect(list.elements?.first?["name"]?.string == "Krusty")
            let none = try usher.run(["contact", "import", "-"], input: Data("nothing".utf8))
            #expect(none.status == 1)
            #expect(none.json()["errors"]?.elements?.first?["name"]?.string == "vcard.none")
            #expect(try usher("contact", "import", usher.path("missing.vcf")).status == 2)
        }
    }

    @Test("a donation is answered with all of it, and the same id is the same one") func donation() throws {
        try UsherProgram.run { usher in
            let made = try donate(
                usher, "--intent", "sendMessage", "--participant", "Crusty", "--participant", "tel:+1", "--id", "m1",
                "--direction", "incoming", "--outcome", "failure", "--at", "2026-01-02T03:04:05.5+01:00", "--target",
                "u:1")
            #expect(made.status == 0, "\(made.errors)")
            let expected =
                #"{"id":"m1","app":"example.clowntown","intent":"sendMessage","participants":["Crusty","tel:+1"],"#
                + #""target":"u:1","direction":"incoming","outcome":"failure","activity":null,"#
                + #""time":"2026-01-02T02:04:05.500Z","error":null}"#
            #expect(made.json().text() == expected)
            let again = try donate(usher, "--intent", "sendMessage", "--participant", "Bozo", "--id", "m1")
            #expect(again.status == 0 && again.json().text() == expected)
            #expect(try usher("interaction", "list").json().elements?.map { $0.text() } == [expected])
            #expect(try usher("interaction", "forget", "m1", "m2").status == 2)
            #expect(try usher("interaction", "forget", "m1").status == 0)
            #expect(try usher("interaction", "list").json().elements?.isEmpty == true)
        }
    }

    @Test(
        "a refused donation says why",
        arguments: [
            ("interaction.intent", ["--intent", "sendmessage"]),
            ("interaction.no-participant", ["--intent", "sendEmail"]),
            ("interaction.no-participant", ["--intent", "startVideoCall", "--participant", " "]),
            ("interaction.no-target", ["--intent", "playMedia"]),
            ("interaction.no-such-app", ["--intent", "requestRide", "--app", "example.unknown"]),
            ("interaction.future", ["--intent", "requestRide", "--at", "2999-01-01T00:00:00Z"]),
            ("activity.none", ["--intent", "requestRide", "--activity", "current"]),
            ("control.argument", ["--intent", "requestRide", "--at", "yesterday"]),
        ])
    func refusals(_ name: String, _ arguments: [String]) throws {
        try UsherProgram.run { usher in
            let app = arguments.contains("--app") ? [] : ["--app", "example.clowntown"]
            let refused = try usher.run(["interaction", "donate"] + app + arguments + Self.config)
            #expect(refused.status == 2 && refused.output.isEmpty)
            #expect(refused.errors.hasPrefix("usher: ") && refused.errors.contains(" \(name)]"), "\(refused.errors)")
            #expect(try usher("interaction", "list").json().elements?.isEmpty == true)
        }
    }

    @Test("lines are taken in all together, or not at all") func lines() throws {
        try UsherProgram.run { usher in
            let good = #"{"app":"example.clowntown","intent":"getDirections","time":"2026-01-02T03:04:05Z","id":"a"}"#
            let bad = #"{"app":"example.clowntown","intent":"playMedia"}"#
            let donate = ["interaction", "donate", "--from", "-"] + Self.config
            let refused = try usher.run(donate, input: Data("\(good)\n\n\(bad)\n".utf8))
            #expect(refused.status == 2)
            #expect(refused.errors.contains("line 3: ") && refused.errors.contains("interaction.no-target]"))
            let lines = refused.output.split(separator: "\n")
            #expect(lines.count == 2 && lines.first?.hasSuffix(#""error":null}"#) == true)
            #expect(lines.last?.contains(#""name":"interaction.no-target""#) == true)
            #expect(try usher("interaction", "list").json().elements?.isEmpty == true)
            #expect(try usher.run(donate, input: Data("\(good)\n{\n".utf8)).status == 2)
            #expect(try usher.run(donate, input: Data("\(good)\n{\"more\":1}\n".utf8)).status == 2)
            #expect(try usher("interaction", "list").json().elements?.isEmpty == true)
            let taken = try usher.run(
                donate, input: Data("\(good)\n\(good.replacing(#""id":"a""#, with: #""id":"b""#))".utf8))
            #expect(taken.status == 0 && taken.output.split(separator: "\n").count == 2, "\(taken.errors)")
            #expect(
                try usher("interaction", "list").json().elements?.compactMap { $0["id"]?.string } == ["b", "a"])
            let many = String(repeating: #"{"app":"example.clowntown","intent":"getDirections"}"# + "\n", count: 1500)
            #expect(try usher.run(donate, input: Data(many.utf8)).status == 0)
            #expect(try usher("interaction", "list").json().elements?.count == 1502, "all of them")
        }
    }

    @Test("a reminder waits for one thing") func reminders() throws {
        try UsherProgram.run { usher in
            for (name, arguments) in [
                ("remind.when", []), ("remind.when", ["--in", "2h", "--when", "car"]),
                ("remind.past", ["--at", "2020-01-01T00:00:00Z"]), ("signal.name", ["--when", "Car"]),
                ("control.argument", ["--in", "soon"]), ("control.argument", ["--at", "2h"]),
            ] {
                let refused = try usher.run(["remind", "Call"] + arguments)
                #expect(refused.status == 2 && refused.output.isEmpty)
                #expect(refused.errors.contains(" \(name)]"), "\(refused.errors)")
            }
            let made = try usher("remind", "Call", "--at", "2999-01-01T01:00:00+01:00")
            let id = made.output.trimmingCharacters(in: .newlines)
            #expect(made.status == 0 && id.count == 36)
            let whole = try usher("remind", "Ask", "--when-opens", "u:1", "--json").json()
            #expect(
                names(whole) == ["id", "text", "at", "when_opens", "when", "target", "activity", "state", "created"])
            let list = try usher("reminder", "list").json().elements ?? []
            #expect(list.map { $0["text"]?.string } == ["Call", "Ask"])
            #expect(list.first?["at"]?.string == "2999-01-01T00:00:00.000Z")
            #expect(list.allSatisfy { $0["state"]?.string == "waiting" })
            #expect(try usher("reminder", "delete", "0199d0f2").status == 2)
            #expect(try usher("reminder", "delete", id).status == 0)
            #expect(try usher("reminder", "list").json().elements?.count == 1)
        }
    }

    @Test("more lines than the daemon takes at once are refused with the remedy; parts are taken in") func large()
        throws
    {
        try UsherProgram.run { usher in
            try usher.withDaemon(config: UsherProgram.sampleConfiguration) {
                let lines = (0..<16_000).map {
                    #"{"app":"example.clowntown","intent":"sendMessage","participants":["Crusty"],"target":"u:"#
                        + String(repeating: "x", count: 60) + #"","id":"m\#($0)"}"# + "\n"
                }
                try usher.write(lines.joined(), to: "all")
                try usher.write(lines.prefix(6_000).joined(), to: "part")
                let all = try usher("interaction", "donate", "--from", usher.path("all"))
                #expect(all.status != 0 && all.errors.contains("split -C 1m"), "\(all.errors.prefix(400))")
                #expect(try usher("interaction", "list", "--limit", "1").json().elements?.isEmpty == true)
                #expect(try usher("interaction", "donate", "--from", usher.path("part")).status == 0)
                #expect(try usher("interaction", "list").json().elements?.count == 6_000)
            }
        }
    }

    @Test("what performed something leaves neither a file nor a window that is gone behind")
    func performed() throws {
        try UsherProgram.run { usher in
            let map = """
                id = "example.map"
                name = "Map"
                schemes = ["map"]
                [perform]
                directions = "map:to{?query}"
                [[scenes]]
                name = "map"
                launch = { tmux = ["sh", "-c", "exec sleep 600", "{payload-file}"], in = "map" }
                """
            try usher.write(map, to: "config/usher/apps/map.toml")
            let record = try usher("perform", "directions", "Unmistakable")
            #expect(record.status == 0, "\(record.errors)")
            #expect(try usher("open", "map:other", "--app", "example.map").status == 0)
            func traces() throws -> [String] {
                try usher.shell("grep -rli unmistakable '\(usher.path("state"))' | sed 's:.*/::' | sort -u").lines
            }
            #expect(try traces().contains { $0.hasPrefix("payload-") })
            let first = try usher("forget", "--app", "example.map")
            #expect(first.json().text() == #"{"events":0,"interactions":1,"contacts":0,"reminders":0}"#)
            #expect(first.errors.contains("1 window keeps its target and title: close them, and forget again"))
            #expect(first.errors.contains("1 other request stays in the journal"))
            #expect(try !traces().contains { $0.hasPrefix("payload-") })
            #expect(try usher("scene", "disconnect", "map-1").status == 0)
            #expect(try !usher("forget", "--app", "example.map", "--dry-run").errors.contains("window"))
            #expect(try usher("scene", "list").json().elements?.isEmpty == false)
            #expect(try usher("forget", "--app", "example.map").status == 0)
            #expect(try usher("scene", "list").json().elements?.isEmpty == true)
            #expect(try traces() == [])
        }
    }

    @Test(
        "a rehearsal of forgetting makes no store, and a window whose process has ended is forgotten without the daemon"
    )
    func withoutDaemon() throws {
        try UsherProgram.run { usher in
            #expect(try usher("forget", "--all", "--dry-run").json()["events"]?.int64 == 0)
            #expect(try usher.shell("find '\(usher.path("."))' -name 'usher.db*'").lines == [])
            let phone = """
                id = "example.phone"
                schemes = ["phone"]
                [perform]
                call = "phone:{number}"
                [[scenes]]
                name = "call"
                launch = { exec = ["sh", "-c", "cd '\(usher.path("."))'; echo $$ >pid; while [ ! -e end ]; do sleep 0.1; done"] }
                """
            try usher.write(phone, to: "config/usher/apps/phone.toml")
            let called = try usher("perform", "call", "+15550100")
            #expect(called.status == 0, "\(called.errors)")
            func traces() throws -> [String] {
                try usher.shell("grep -rl 15550100 '\(usher.path("state"))' | sed 's:.*/::' | sort -u").lines
            }
            #expect(try !traces().isEmpty)
            try usher.write("", to: "end")
            let ended = try usher.shell(
                """
                read -r pid <'\(usher.path("pid"))'
                for _ in $(seq 300); do grep -sq '^State:.[^ZX]' /proc/$pid/status || exit 0; sleep 0.1; done; exit 1
                """)
            #expect(ended.status == 0)
            let forgotten = try usher("forget", "--all")
            #expect(forgotten.status == 0 && !forgotten.errors.contains("window"), "\(forgotten.errors)")
            #expect(try traces() == [])
        }
    }

    @Test("a request without the daemon makes the reminder due that waits for its content") func opened() throws {
        try UsherProgram.run { usher in
            let target = "https://clowntown.example/clowns/crusty"
            #expect(try usher.run(["remind", "Call", "--when-opens", target] + Self.config).status == 0)
            let opened = try usher.run(["open", target] + Self.config)
            #expect(opened.status == 0, "\(opened.errors)")
            let due = try usher.shell(
                """
                python3 -c 'import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute("SELECT count(due) FROM reminder").fetchone())' \
                  "$(find '\(usher.path("state"))' -name usher.db)"
                """)
            #expect(due.lines == ["1"], "\(due.errors)")
        }
    }

    @Test("a reminder and an interaction are linked to what is current, and all is forgotten together")
    func forgetting() throws {
        try UsherProgram.run { usher in
            try usher.connectClowns()
            let crusty = "https://clowntown.example/clowns/crusty"
            for _ in 0..<2 {
                let made = try usher.run(
                    [
                        "activity", "become-current", "--session", "clown-1", "--type", "example.clowntown.view-clown",
                        "--title", "Crusty", "--target", crusty,
                    ] + Self.config)
                #expect(made.status == 0, "\(made.errors)")
            }
            let activity = try usher("activity", "show", "current").json()["id"]?.string
            let reminder = try usher("remind", "Call", "--in", "7d", "--json").json()
            #expect(reminder["target"]?.string == crusty && reminder["activity"]?.string == activity)
            let interaction = try donate(usher, "--intent", "getDirections", "--activity", "current").json()
            #expect(interaction["activity"]?.string == activity)
            let card = Data("BEGIN:VCARD\nVERSION:3.0\nFN:A\nEND:VCARD".utf8)
            #expect(try usher.run(["contact", "import", "-"], input: card).status == 0)
            #expect(try usher("signal", "car").json()["signal"]?.string == "car")
            #expect(try usher("signal", "a car").errors.contains("signal.name]"))
            func forget(_ arguments: String...) throws -> String { try usher.run(["forget"] + arguments).json().text() }
            let all = #"{"events":2,"interactions":1,"contacts":1,"reminders":1}"#
            #expect(try usher("forget").errors.contains("forget.what]"))
            #expect(try forget("--all", "--dry-run") == all)
            #expect(try forget("--since", "1h", "--dry-run") == all)
            let content = #"{"events":2,"interactions":1,"contacts":0,"reminders":1}"#
            #expect(try forget("--app", "example.clowntown", "--since", "1d", "--dry-run") == content)
            #expect(try forget("--source", "clowntown.example", "--dry-run") == content)
            #expect(
                try forget("--all", "--app", "other") == #"{"events":0,"interactions":0,"contacts":0,"reminders":0}"#)
            #expect(try forget("--all") == all)
            #expect(try usher("activity", "list", "--all").json().elements?.isEmpty == true)
            #expect(try usher("reminder", "list").json().elements?.isEmpty == true)
            #expect(try usher("contact", "list").json().elements?.isEmpty == true)
        }
    }
}
