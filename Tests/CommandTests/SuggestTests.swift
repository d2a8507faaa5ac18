import Foundation
import Testing
import UsherJSON

/// `usher suggest` through its pipes.
struct SuggestTests {
    @Test func answersLineByLine() throws {
        try UsherProgram.run { usher throws in
            let lines = """
                {"id":1,"now":"2026-11-21T12:00:00Z","query":{"kind":"place"}}
                {"id":2,"now":"2026-11-21T12:00:00Z","query":{"kind":"text"}}

                """
            try usher.write(lines, to: "cases.jsonl")
            let ending = try usher("suggest", "--cases", usher.path("cases.jsonl"))
            #expect(
                ending.output == """
                    {"id":1,"results":[],"error":null}
                    {"id":2,"results":[],"error":{"name":"suggest.content-type"}}

                    """)
            #expect(ending.status == 1)
            #expect(ending.errors.contains("line 2"))
            #expect(try usher("suggest").status == 2)
        }
    }

    // MARK: From the store

    private static let crusty = "https://clowntown.example/clowns/crusty"
    private static let place =
        #"{"namedLocation":"Circus","thoroughfare":"Ring 1","city":"Wien","latitude":48.2,"longitude":16.4}"#

    /// A copy of the sample configuration; its apps take what is offered.
    private func configuration(_ usher: UsherProgram, _ settings: String = "") throws -> String {
        try usher.write(settings, to: "town/usher.toml")
        for (app, suggestions) in [("example.clowntown", ""), ("example.ride", #"suggestions = ["place", "text"]"#)] {
            try usher.write(
                """
                id = "\(app)"
                name = "\(app == "example.ride" ? "Ride" : "Clown Town")"
                activity-types = ["\(app).view"]
                \(suggestions)
                directions-modes = ["ride-share"]

                [[scenes]]
                name = "main"
                launch = { exec = ["true"] }

                """, to: "town/apps/\(app).toml")
        }
        return usher.path("town")
    }

    private func look(
        _ usher: UsherProgram, _ config: String, app: String = "example.clowntown", _ more: String...
    ) throws -> UsherProgram.Ending {
        _ = try usher("scene", "connect", "--config", config, "--app", app, "--scene", "main", "--session", app)
        return try usher.run(
            ["activity", "become-current", "--config", config, "--session", app, "--type", "\(app).view"] + more)
    }

    private func suggest(
        _ usher: UsherProgram, _ config: String, _ question: String...
    ) throws -> [JSONValue] {
        let ending = try usher.run(["suggest"] + question + ["--config", config])
        #expect(ending.status == 0, "\(ending.errors)")
        return ending.json().elements ?? []
    }

    @Test func placesAndTextsFromTheStore() throws {
        try UsherProgram.run { usher throws in
            let config = try configuration(usher)
            #expect(try suggest(usher, config, "place").isEmpty)
            let first = try look(usher, config, "--target", Self.crusty, "--attributes", Self.place)
            #expect(first.status == 0, "\(first.errors)")
            #expect(try look(usher, config, "--target", Self.crusty, "--attributes", Self.place).status == 0)
            let places = try suggest(usher, config, "place", "--for", "example.ride", "--why")
            #expect(places.count == 1)
            let circus = places.first ?? .null
            #expect(circus["title"]?.string == "Circus" && circus["count"]?.int64 == 2)
            #expect(circus["subtitle"]?.string == "Ring 1, Wien")
            #expect(circus["label"]?.string == "Get a ride to Circus")
            #expect(circus["target"]?.string == Self.crusty)
            #expect(circus["source"]?["name"]?.string == "Clown Town")
            #expect(circus["why"]?["events"]?.elements?.count == 2)
            let texts = try suggest(usher, config, "text", "--context", "Meet me at: ")
            #expect(texts.first?["value"]?.string == "Circus, Ring 1, Wien")
            #expect(try suggest(usher, config, "text", "--context", "Nothing").isEmpty)
            #expect(try suggest(usher, config, "place", "--at", "2999-01-01T00:00:00Z").isEmpty)
            #expect(try suggest(usher, config, "app").first?["title"]?.string == "Clown Town")
            for (question, code) in [
                (["place", "--for", "example.clowntown"], "suggest.undeclared"), (["text"], "suggest.content-type"),
                (["nobody"], "suggest.kind"), (["media", "--signal", "Car!"], "signal.name"),
            ] {
                let refused = try usher.run(["suggest"] + question + ["--config", config])
                #expect(refused.status == 2)
                #expect(refused.errors.contains(code), "\(refused.errors)")
            }
        }
    }

    @Test func contactsMediaAndSignals() throws {
        try UsherProgram.run { usher throws in
            let config = try configuration(usher)
            try usher.write(
                "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Crusty\r\nTEL:+1-555-0100\r\nEND:VCARD\r\n", to: "clowns.vcf")
            #expect(try usher("contact", "import", usher.path("clowns.vcf"), "--config", config).status == 0)
            for (intent, more) in [
                ("sendMessage", ["--participant", "tel:15550100"]), ("playMedia", ["--target", "song:1"]),
            ] {
                let donated = try usher.run(
                    ["interaction", "donate", "--app", "example.clowntown", "--intent", intent, "--config", config]
                        + more)
                #expect(donated.status == 0, "\(donated.errors)")
            }
            #expect(try suggest(usher, config, "contact").map { $0["title"]?.string } == ["Crusty"])
            let pairs = try suggest(usher, config, "contact", "crus")
            #expect(pairs.map { $0["intent"]?.string } == ["sendMessage"])
            #expect(try suggest(usher, config, "media").map { $0["target"]?.string } == ["song:1"])
            #expect(try suggest(usher, config, "media", "--signal", "car").isEmpty)
            let numbers = try suggest(usher, config, "text", "--content-type", "telephoneNumber")
            #expect(numbers.map { $0["value"]?.string } == ["+1-555-0100"])
            #expect(numbers.first?["last"] == .null)
        }
    }

    @Test(
        "what is off or excluded is neither kept nor offered",
        arguments: [
            "enabled = false", "kinds = []", #"exclude-apps = ["example.clowntown"]"#,
            #"exclude-hosts = ["clowntown.example"]"#, #"kinds = ["contact"]"#,
        ])
    func privacy(setting: String) throws {
        try UsherProgram.run { usher throws in
            let config = try configuration(usher, "[suggestions]\n\(setting)\n")
            #expect(
                try look(
                    usher, config, "--target", Self.crusty, "--attributes", Self.place, "--eligible-for", "search"
                ).status == 0)
            let donated = try usher.run(
                [
                    "interaction", "donate", "--app", "example.clowntown", "--intent", "playMedia", "--target",
                    Self.crusty, "--config", config,
                ])
            #expect(donated.status == 0 && donated.json()["target"]?.string == Self.crusty)
            if setting.hasPrefix("exclude") {
                #expect(try usher("activity", "search", "circus").json().elements?.count == 1)
                #expect(try usher("activity", "search", "circus", "--config", config).json().elements?.isEmpty == true)
            }
            for kind in ["place", "media", "app"] { #expect(try suggest(usher, config, kind).isEmpty, "\(kind)") }
            #expect(try usher("interaction", "list").json().elements?.isEmpty == true)
            let all = try configuration(usher)
            for kind in ["place", "media", "app"] { #expect(try suggest(usher, all, kind).isEmpty, "\(kind)") }
        }
    }

    @Test("new attributes of an activity are not filled by the map item of the old ones") func replaced() throws {
        try UsherProgram.run { usher throws in
            let config = try configuration(usher)
            let item =
                #"{"name":"Old","placemark":{"thoroughfare":"Ring 1","coordinate":{"latitude":1,"longitude":2}}}"#
            #expect(try look(usher, config, "--target", Self.crusty, "--map-item", item).status == 0)
            #expect(try suggest(usher, config, "place").first?["subtitle"]?.string == "Ring 1")
            let updated = try usher(
                "activity", "update", "--config", config, "--session", "example.clowntown", "--attributes",
                #"{"namedLocation":"New","city":"Wien"}"#)
            #expect(updated.status == 0, "\(updated.errors)")
            let place = try suggest(usher, config, "place").first
            #expect(place?["title"]?.string == "New" && place?["subtitle"] == .null)
            #expect(place?["attributes"]?.text() == #"{"namedLocation":"New","city":"Wien"}"#)
        }
    }

    @Test("a score can be computed from the times that are shown") func shownTimes() throws {
        try UsherProgram.run { usher throws in
            let config = try configuration(usher)
            #expect(try look(usher, config, "--target", Self.crusty, "--attributes", Self.place).status == 0)
            let place = try suggest(usher, config, "place", "--why", "--at", "2999-01-01T00:00:00Z").first
            #expect(place == nil)
            let listed = try suggest(usher, config, "app", "--why").first?["why"]?["events"]?.elements?.first
            let time = try #require(listed?["time"]?.string)
            let last = try #require(try suggest(usher, config, "place", "--why", "--at", time).first)
            #expect(last["why"]?["events"]?.elements?.first?["age_s"]?.numberText == "0")
            #expect(last["score"]?.numberText == "1")
        }
    }

    @Test func forgottenIsNowhere() throws {
        try UsherProgram.run { usher throws in
            let config = try configuration(usher)
            _ = try look(usher, config, "--target", Self.crusty, "--attributes", Self.place, "--eligible-for", "search")
            _ = try usher.run(
                [
                    "interaction", "donate", "--app", "example.clowntown", "--intent", "sendMessage", "--participant",
                    "Crusty", "--config", config,
                ])
            #expect(try usher("activity", "search", "circus").json().elements?.count == 1)
            #expect(try usher("forget", "--app", "example.clowntown", "--config", config).status == 0)
            for kind in ["place", "contact", "app"] { #expect(try suggest(usher, config, kind).isEmpty) }
            #expect(try usher("activity", "search", "circus").json().elements?.isEmpty == true)
            #expect(try usher("activity", "list", "--all").json().elements?.isEmpty == true)
            #expect(try usher("interaction", "list").json().elements?.isEmpty == true)
            #expect(try usher("deliveries", "list").json().elements?.isEmpty == true)
        }
    }
}
