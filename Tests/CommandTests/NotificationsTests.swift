import Foundation
import TestSupport
import Testing
import UsherJSON

/// `usher notification`.
struct NotificationsTests {
    private static let payload = #"{"aps":{"alert":"hi"}}"#

    @Test(
        "times are those of the zone, over both changes",
        arguments: [
            (
                "Europe/Berlin", "2027-03-27T00:00:00Z",
                ["2027-03-27T02:30:00+01:00", "2027-03-28T03:00:00+02:00", "2027-03-29T02:30:00+02:00"]
            ),
            (
                "Europe/Berlin", "2027-10-30T00:00:00Z",
                ["2027-10-30T02:30:00+02:00", "2027-10-31T02:30:00+02:00", "2027-11-01T02:30:00+01:00"]
            ),
            (
                "Asia/Kathmandu", "2027-01-01T00:00:00Z",
                ["2027-01-02T02:30:00+05:45", "2027-01-03T02:30:00+05:45", "2027-01-04T02:30:00+05:45"]
            ),
        ])
    func times(zone: String, from: String, expected: [String]) throws {
        try UsherProgram.run { program in
            var usher = program
            usher.environment["TZ"] = zone
            let found = try usher(
                "notification", "times", "--every", "day 02:30", "--from", from, "--count", "3")
            #expect(found.json().elements?.compactMap(\.string) == expected)
        }
    }

    @Test(
        "what cannot be is refused, and nothing waits",
        arguments: [
            ([], "[U8903 schedule.when]"), (["--in", "1h", "--at", "09:00"], "[U8903 schedule.when]"),
            (["--at", "25:00"], "[U8901 schedule.time]"), (["--in", "1w"], "[U8901 schedule.time]"),
            (["--at", "2020-01-01T00:00:00Z"], "[U8900 schedule.past]"),
            (["--every", "daily"], "[U8902 schedule.rule]"), (["--every", "0s"], "[U8902 schedule.rule]"),
            (["--in", "1h", "--id", String(repeating: "x", count: 129)], "[U8904 schedule.id]"),
        ])
    func refused(options: [String], mark: String) throws {
        try UsherProgram.run { usher in
            let refused = try usher.run(["notification", "schedule"] + options + [Self.payload])
            #expect(refused.status == 2 && refused.errors.contains(mark) && refused.output.isEmpty)
            #expect(try usher("notification", "pending").json().elements?.isEmpty == true)
        }
    }

    @Test("a payload is a file, standard input or JSON, of at most a megabyte; a wrong one says what is wrong with it")
    func payloads() throws {
        try UsherProgram.run { usher in
            let large = #"{"aps":{"alert":"hi"},"more":""#
            let whole = large + String(repeating: "x", count: (1 << 20) - large.utf8.count - 2) + "\"}"
            try usher.write(whole, to: "large.json")
            try usher.write(whole + " \n", to: "larger.json")
            func schedule(_ payload: String, input: String = "") throws -> UsherProgram.Ending {
                try usher.run(["notification", "schedule", "--in", "1h", payload], input: Data(input.utf8))
            }
            #expect(try schedule("large.json").status == 0)
            #expect(try schedule("-", input: "\n" + Self.payload + "\n").status == 0)
            #expect(try schedule(Self.payload).status == 0)
            for (payload, input, mark) in [
                ("larger.json", "", "size.line-too-long"), ("-", "[]", "json.top-level-not-object"),
                ("{", "", "json."), ("-", Self.payload + Self.payload, "json."), ("-", "", "json.empty"),
                ("none.json", "", "cannot open none.json"),
            ] {
                let refused = try schedule(payload, input: input)
                #expect(refused.status == 2 && refused.errors.contains(mark), "\(refused.errors)")
            }
            let waiting = try usher("notification", "pending").json().elements ?? []
            #expect(waiting.count == 3)
            #expect(waiting.first?["payload"]?["more"]?.string?.utf8.count == (1 << 20) - large.utf8.count - 2)
        }
    }

    @Test("a note says when it comes, and what would be wrong with it now")
    func notes() throws {
        try UsherProgram.run { program in
            var usher = program
            usher.environment["TZ"] = "Asia/Kathmandu"
            let config = UsherProgram.sampleConfiguration
            for (payload, options, note) in [
                (Self.payload, ["--app", "example.clowntown"], nil),
                (Self.payload, ["--app", "example.clowntwon"], "did you mean example.clowntown?"),
                (Self.payload, [], "name the app: --app ID"),
                (#"{"payload":{"aps":{}},"headers":{"apns-topic":"a.b"}}"#, [], "no app has the topic a.b: it fails"),
                (#"{"aps":{"alert":"x","target-content-id":"nobody:1"}}"#, [], "no app claims nobody:1"),
                (
                    #"{"aps":{"alert":"x","target-content-id":"clowntown.example/clowns/crusty"}}"#, [],
                    "write https://clowntown.example/clowns/crusty, which is example.clowntown's"
                ),
            ] as [(String, [String], String?)] {
                let words = ["notification", "schedule", "--at", "2100-01-01 9:00", "--config", config, payload]
                let made = try usher.run(words + options)
                #expect(made.status == 0 && made.lines.count == 1)
                #expect(made.errors.contains("usher: it comes 2100-01-01T09:00:00+05:45\n"), "\(made.errors)")
                #expect(made.errors.contains("it fails at its time, unless") == (note != nil), "\(made.errors)")
                if let note { #expect(made.errors.contains(note), "\(made.errors)") }
            }
        }
    }

    @Test("usherd dispatches what is due, also what it missed, and removing takes all ids or none")
    func daemon() throws {
        try UsherProgram.run { usher in
            let config = usher.path("town")
            try usher.write(
                """
                id = "example.town"
                [handlers]
                background = { exec = ["sh", "-c", "cat >> $HOME/came", "-"] }
                [[scenes]]
                name = "main"
                launch = { exec = ["true"] }
                """, to: "town/apps/town.toml")
            func schedule(_ id: String, _ options: String...) throws {
                let payload = #"{"aps":{"content-available":1},"n":"\#(id)"}"#
                let made = try usher.run(
                    ["notification", "schedule", "--id", id, "--app", "example.town", payload] + options)
                #expect(made.output == id + "\n", "\(made.errors)")
            }
            let misspelt = try usher(
                "notification", "schedule", "--in", "0s", "--id", "none", "--app", "example.twon", "--config", config,
                "{}")
            #expect(misspelt.status == 0 && misspelt.errors.contains("it fails at its time, unless"))
            #expect(misspelt.errors.contains("did you mean example.town?"), "\(misspelt.errors)")
            #expect(try usher("notification", "remove", "--pending", "none").status == 0)
            try schedule("missed", "--in", "0s")
            try schedule("later", "--at", "tomorrow 09:00")
            try usher.withDaemon(config: config) {
                try schedule("soon", "--in", "1s")
                try schedule("rule", "--every", "9h")
                try waitUntil("two came") { usher.text("came").components(separatedBy: "\"n\"").count == 3 }
                let came = try usher("notification", "delivered").json().elements ?? []
                #expect(Set(came.compactMap { $0["id"]?.string }) == ["missed", "soon"])
                try waitUntil("both are done") {
                    let all = try usher("notification", "delivered").json().elements ?? []
                    return all.allSatisfy { $0["outcome"]?.string == "done" && $0["state"]?.string == "done" }
                }
                let delivery = try #require(came.first?["delivery"]?.string)
                let record = try usher("deliveries", "show", delivery, "--json").json()["record"]
                #expect(record?["source"]?.string == "schedule" && record?["schedule"]?.string == "soon")
                let none = try usher("notification", "remove", "--pending", "later", "soon")
                #expect(none.status == 2 && none.errors.contains("[U8906 schedule.unknown]"))
                #expect(try usher("notification", "pending").json().elements?.count == 2)
                let removed = try usher("notification", "remove", "--pending", "rule", "later").json()
                #expect(removed.elements?.map { $0["id"]?.string } == ["rule", "later"])
            }
            #expect(try usher("notification", "remove", "--delivered", "--all").json().elements?.count == 2)
            #expect(try usher("notification", "delivered").json().elements?.isEmpty == true)
        }
    }

    @Test("reminders take the same times, and are in their own list")
    func reminders() throws {
        try UsherProgram.run { usher in
            #expect(try usher("remind", "Call Crusty", "--at", "tomorrow 09:00").status == 0)
            let past = try usher("remind", "Call Crusty", "--at", "2020-01-01T00:00:00Z")
            #expect(past.status == 2 && past.errors.contains("[U8500 remind.past]"))
            #expect(try usher("remind", "Call Crusty", "--at", "noon").errors.contains("control.argument]"))
            #expect(try usher("reminder", "list").json().elements?.count == 1)
            try usher.withDaemon(config: UsherProgram.sampleConfiguration) {
                let waiting = try usher("remind", "Call Bozo", "--in", "1h")
                #expect(waiting.status == 0 && waiting.errors.contains("[U8503 reminder.no-bus]"), "\(waiting.errors)")
                let shown = try usher.shell("TZ=Asia/Kathmandu script -qec 'usher reminder list' /dev/null").output
                #expect(shown.contains("+05:45"), "\(shown)")
                #expect(try usher("reminder", "list").json().elements?.count == 2)
            }
            #expect(try usher("notification", "pending").json().elements?.isEmpty == true)
        }
    }
}
