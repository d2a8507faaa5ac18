import Foundation
import Testing
import UsherJSON

/// `usher perform`: apps asked by their templates, in a configuration of the test's own.
@Suite("perform")
struct PerformTests {
    /// An app whose commands leave no window.
    private static func app(_ name: String, _ rest: String) -> String {
        """
        id = "example.\(name)"
        name = "\(name.capitalized)"
        schemes = ["\(name)"]
        \(rest)
        [[scenes]]
        name = "main"
        launch = { exec = ["true"], handle = "none" }
        """
    }

    private static let apps = [
        "map": """
        directions-modes = ["car", "pedestrian"]
        [perform]
        place = "map:show{?name,query,latitude,longitude}"
        directions = "map:to{?name,query,address,latitude,longitude,mode}"
        """,
        "taxi": """
        directions-modes = ["MKDirectionsModeRideShare"]
        [perform]
        directions = "taxi:to{?name,query,mode}"
        """,
        "phone": """
        [perform]
        call = "phone:{number}"
        message = "phone:text{?number,text}"
        email = "phone:mail{?email,text}"
        play = "phone:play{?item,index-path}"
        """,
        "chat": """
        activity-types = ["example.chat.conversation"]
        [perform]
        message = "chat:to{?name,text}"
        """,
    ]

    private static let guide = """
        id = "example.guide"
        domains = ["guide.example"]
        activity-types = ["example.guide.item"]
        [[scenes]]
        name = "guide"
        launch = { exec = ["true"] }
        """

    private static let card = """
        BEGIN:VCARD
        VERSION:4.0
        FN:Crusty the Clown
        TEL:tel:+1-555-0100
        EMAIL:crusty@clowns.example
        ADR:;;1 Infinite Loop;Cupertino;CA;95014;United States
        END:VCARD
        BEGIN:VCARD
        VERSION:4.0
        FN:Bozo
        END:VCARD

        """

    private func run(_ body: (UsherProgram) throws -> Void) throws {
        try UsherProgram.run { usher in
            for (name, rest) in Self.apps {
                try usher.write(Self.app(name, rest), to: "config/usher/apps/\(name).toml")
            }
            try usher.write(Self.guide, to: "config/usher/apps/guide.toml")
            try usher.write(Self.card, to: "cards.vcf")
            #expect(try usher("contact", "import", usher.path("cards.vcf")).status == 0)
            try body(usher)
        }
    }

    /// Makes something current that has these attributes.
    private func show(_ attributes: String, _ usher: UsherProgram, target: String = "https://guide.example/1") throws {
        if try usher("scene", "list").json().elements?.isEmpty ?? true {
            let made = try usher("scene", "connect", "--app", "example.guide", "--scene", "guide")
            #expect(made.status == 0, "\(made.errors)")
        }
        let current = try usher(
            "activity", "become-current", "--session", "guide-1", "--type", "example.guide.item", "--target", target,
            "--attributes", attributes)
        #expect(current.status == 0, "\(current.errors)")
    }

    private func summary(_ record: JSONValue) -> String {
        ["app", "target", "title", "outcome"].map { record[$0]?.string ?? "-" }.joined(separator: " | ")
    }

    private static let loop = "1%20Infinite%20Loop%2C%20Cupertino%2C%20CA%2095014%2C%20United%20States"

    @Test(
        "the target is what the app's template gives",
        arguments: [
            ("directions Karlskirche", "example.map | map:to?query=Karlskirche | Get directions to Karlskirche"),
            ("place geo:48.2,16.3", "example.map | map:show?latitude=48.2&longitude=16.3 | Show 48.2, 16.3"),
            (
                "directions geo:0,0?q=1,2(A) --mode pedestrian",
                "example.map | map:to?name=A&latitude=1&longitude=2&mode=pedestrian | Get directions to A"
            ),
            (
                "directions 1.5,2 --app example.map",
                "example.map | map:to?latitude=1.5&longitude=2 | Get directions to 1.5, 2"
            ),
            (
                "directions https://maps.apple.com/?daddr=Wien&dirflg=w",
                "example.map | map:to?query=Wien&mode=pedestrian | Get directions to Wien"
            ),
            (
                "directions crusty",
                "example.map | map:to?name=Crusty%20the%20Clown&query=\(loop)&address=\(loop) | "
                    + "Get directions to Crusty the Clown"
            ),
            (
                "ride crusty",
                "example.taxi | taxi:to?name=Crusty%20the%20Clown&query=\(loop)&mode=ride-share | "
                    + "Get a ride to Crusty the Clown"
            ),
            (
                "directions Wien --mode ride-share",
                "example.taxi | taxi:to?query=Wien&mode=ride-share | Get a ride to Wien"
            ),
            ("directions Wien --app example.taxi", "example.taxi | taxi:to?query=Wien | Get a ride to Wien"),
            ("call crusty", "example.phone | phone:%2B1-555-0100 | Call Crusty the Clown"),
            ("call tel:+431234 --video", "example.phone | phone:%2B431234 | Call +431234 with video"),
            (
                "message crusty --text Hi",
                "example.chat | chat:to?name=Crusty%20the%20Clown&text=Hi | Send a message to Crusty the Clown"
            ),
            (
                "message crusty --app example.phone",
                "example.phone | phone:text?number=%2B1-555-0100 | Send a message to Crusty the Clown"
            ),
            (
                "email crusty",
                "example.phone | phone:mail?email=crusty%40clowns.example | Send mail to Crusty the Clown"
            ),
            ("play song:1 --index-path 2/0", "example.phone | phone:play?item=song%3A1&index-path=2%2F0 | Play song:1"),
        ])
    func target(_ line: String, _ expected: String) throws {
        try run { usher in
            let words = ["perform"] + line.split(separator: " ").map(String.init)
            let rehearsal = try usher.run(words + ["--dry-run"])
            #expect(summary(rehearsal.json()) == expected + " | skipped", "\(rehearsal.errors)")
            #expect(rehearsal.json()["dry_run"]?.boolean == true)
            #expect(try usher("interaction", "list").json().elements?.count == 0)
            #expect(try usher("deliveries", "list").json().elements?.count == 0)
            let done = try usher.run(words)
            #expect(summary(done.json()) == expected + " | done", "\(done.errors)")
            #expect(done.json()["source"]?.string == "perform")
            #expect(done.status == 0)
        }
    }

    @Test(
        "what cannot be done is refused, and nothing is done",
        arguments: [
            ("directions", "perform.nothing"), ("call", "perform.nothing"), ("call nobody", "perform.nothing"),
            ("call Bozo", "perform.nothing"), ("email Bozo", "perform.nothing"), ("play", "perform.nothing"),
            ("directions Wien --mode bike", "perform.no-app"), ("place Wien --app example.other", "perform.no-app"),
            ("directions Wien --mode bike --app example.map", "perform.not-supported"),
            ("ride Wien --app example.map", "perform.not-supported"),
            ("call 555 --app example.map", "perform.not-supported"),
            ("place geo:91,0", "place.latitude"), ("place https://maps.app.goo.gl/x", "place.short-link"),
            ("ride Wien --mode car", "control.argument"), ("call 555 --text Hi", "control.argument"),
        ])
    func refusal(_ line: String, _ name: String) throws {
        try run { usher in
            for more in [[], ["--dry-run"]] {
                let ending = try usher.run(["perform"] + line.split(separator: " ").map(String.init) + more)
                #expect(ending.status == 2)
                #expect(ending.output.isEmpty)
                #expect(ending.errors.contains(" \(name)]"), "\(ending.errors)")
            }
            #expect(try usher("interaction", "list").json().elements?.count == 0)
        }
    }

    @Test func verbsAreKnown() throws {
        try run { usher in
            let ending = try usher("perform", "cal", "555")
            #expect(ending.status == 2)
            #expect(ending.errors.contains("did you mean call?"))
        }
    }

    @Test func whatIsCurrentIsMeant() throws {
        try run { usher in
            let place =
                #"{"namedLocation":"Café","fullThoroughfare":"Karlsplatz 10","city":"Wien","phoneNumbers":["+43 1"#
            try show(place + #" 234"]}"#, usher)
            let way = try usher("perform", "directions").json()
            #expect(way["title"]?.string == "Get directions to Café")
            #expect(
                way["target"]?.string?.hasPrefix("map:to?name=Caf%C3%A9&query=Karlsplatz%2010%2C%20Wien&address=")
                    == true)
            #expect(try usher("perform", "call").json()["target"]?.string == "phone:%2B43%201%20234")
            // By its name it is meant after others were current, too.
            try show(
                #"{"namedLocation":"Prater","latitude":48.2,"longitude":16.4}"#, usher,
                target: "https://guide.example/2")
            #expect(try usher("perform", "call", "café").json()["title"]?.string == "Call Café")
            #expect(
                try usher("perform", "place").json()["target"]?.string
                    == "map:show?name=Prater&latitude=48.2&longitude=16.4")
            #expect(try usher("perform", "call").errors.contains("perform.nothing"))
            #expect(try usher("perform", "play").errors.contains("perform.nothing"))
        }
    }

    @Test func whatIsCurrentMayRefuse() throws {
        try run { usher in
            try show(
                #"{"namedLocation":"Island","city":"Wien","supportsNavigation":false,"supportsPhoneCalls":false,"#
                    + #""phoneNumbers":["555"]}"#, usher)
            for verb in ["directions", "ride", "call"] {
                let ending = try usher("perform", verb)
                #expect(ending.status == 2)
                #expect(ending.errors.contains("perform.not-supported"), "\(ending.errors)")
            }
            #expect(try usher("perform", "place").status == 0)
        }
    }

    @Test func mediaAreMeantByTheirTitle() throws {
        try run { usher in
            try show(#"{"title":"One","artist":"Band"}"#, usher)
            #expect(
                summary(try usher("perform", "play").json()).hasPrefix("example.phone | phone:play?item=https%3A%2F%2F")
            )
            #expect(try usher("perform", "play", "one", "--dry-run").json()["title"]?.string == "Play One")
            let played = try usher("interaction", "list").json().elements?.first
            #expect(played?["target"]?.string == "https://guide.example/1")
        }
    }

    @Test func whatWasDoneIsDonated() throws {
        try run { usher in
            for words in [
                ["directions", "Wien"], ["ride", "Wien"], ["call", "Crusty"], ["call", "555-1", "--video"],
                ["message", "crusty@clowns.example", "--app", "example.chat"], ["email", "a@b.example"],
                ["play", "song:1"],
                ["place", "Wien"],
            ] {
                #expect(try usher.run(["perform"] + words).status == 0)
            }
            let donated = try usher("interaction", "list").json().elements?.reversed().map { interaction in
                [interaction["intent"]?.string, interaction["participants"]?.text(), interaction["outcome"]?.string]
                    .map { $0 ?? "-" }.joined(separator: " ")
            }
            #expect(
                donated == [
                    "getDirections [] success", "requestRide [] success",
                    #"startAudioCall ["Crusty the Clown"] success"#, #"startVideoCall ["tel:555-1"] success"#,
                    #"sendMessage ["Crusty the Clown"] success"#, #"sendEmail ["mailto:a@b.example"] success"#,
                    "playMedia [] success",
                ])
        }
    }

    @Test("a place in a list is for apps that take one, and an app that takes an item gets one") func places() throws {
        try run { usher in
            let path = "config/usher/apps/phone.toml"
            for (template, what, expected) in [
                ("phone:play{?item,index-path}", [], "perform.nothing]"),
                ("phone:play{?item}", ["song:1"], "perform.not-supported]"),
                ("phone:list{?index-path}", [], nil), ("phone:play{?item,index-path}", ["song:1"], nil),
            ] as [(String, [String], String?)] {
                try usher.write(Self.app("phone", "[perform]\nplay = \"\(template)\""), to: path)
                let played = try usher.run(["perform", "play"] + what + ["--index-path", "2/0"])
                #expect(played.status == (expected == nil ? 0 : 2), "\(template): \(played.errors)")
                if let expected { #expect(played.errors.contains(expected), "\(template): \(played.errors)") }
            }
        }
    }

    @Test func failureIsDonatedToo() throws {
        try run { usher in
            try usher.write(
                Self.app("phone", #"[perform]"# + "\n" + #"call = "phone:{number}""#).replacingOccurrences(
                    of: #"exec = ["true"], handle = "none""#, with: #"exec = ["./gone"]"#),
                to: "config/usher/apps/phone.toml")
            let ending = try usher("perform", "call", "555")
            #expect(ending.status == 1)
            #expect(ending.json()["error"] != .null)
            let donated = try usher("interaction", "list").json().elements
            #expect(donated?.map { $0["outcome"]?.string } == ["failure"])
        }
    }

    @Test func theAppThatWasUsedGoesFirst() throws {
        try run { usher in
            #expect(try usher("perform", "message", "Crusty", "--dry-run").json()["app"]?.string == "example.chat")
            #expect(try usher("perform", "message", "Crusty", "--app", "example.phone").status == 0)
            #expect(try usher("perform", "message", "Crusty", "--dry-run").json()["app"]?.string == "example.phone")
            try usher.write("[suggestions]\nexclude-apps = [\"example.phone\"]\n", to: "config/usher/usher.toml")
            #expect(try usher("perform", "message", "Crusty", "--dry-run").json()["app"]?.string == "example.chat")
        }
    }

    @Test func aConversationIsContinued() throws {
        try run { usher in
            try usher.write(
                Self.app("chat", Self.apps["chat"] ?? "")
                    + "\n[[scenes]]\nname = \"talk\"\nopens = 'FALSEPREDICATE'\nlaunch = { exec = [\"true\"] }\n",
                to: "config/usher/apps/chat.toml")
            #expect(
                try usher("scene", "connect", "--app", "example.chat", "--scene", "talk").status == 0)
            let made = try usher(
                "activity", "become-current", "--session", "talk-1", "--type", "example.chat.conversation", "--target",
                "chat:42")
            #expect(made.status == 0, "\(made.errors)")
            let donated = try usher(
                "interaction", "donate", "--app", "example.chat", "--intent", "sendMessage", "--participant",
                "tel:+15550100", "--activity", "current")
            #expect(donated.status == 0, "\(donated.errors)")
            let record = try usher("perform", "message", "Crusty", "--dry-run").json()
            #expect(record["target"]?.string == "chat:42")
            #expect(record["session"]?.string == "talk-1")
            #expect(record["title"]?.string == "Send a message to Crusty the Clown")
            #expect(
                try usher("perform", "message", "Bozo", "--dry-run").json()["target"]?.string == "chat:to?name=Bozo")
        }
    }

    @Test(
        "links of maps that no app owns go to an app that can",
        arguments: [
            ("geo:1,2", "example.map map:show?latitude=1&longitude=2"),
            ("https://maps.apple.com/?q=Wien", "example.map map:show?query=Wien"),
            (
                "https://www.google.com/maps/dir/?api=1&destination=Wien&travelmode=walking",
                "example.map map:to?query=Wien&mode=pedestrian"
            ),
        ])
    func links(_ link: String, _ expected: String) throws {
        try run { usher in
            func summary(_ record: JSONValue) -> String {
                "\(record["app"]?.string ?? "-") \(record["target"]?.string ?? "-")"
            }
            #expect(summary(try usher("open", link).json()) == expected)
            let push = #"{"aps":{"alert":"hi","target-content-id":"\#(link)"}}"#
            #expect(summary(try usher("dispatch", input: push).json()) == expected)
            #expect(summary(try usher("dispatch", "--dry-run", input: push).json()) == expected)
            let explained = try usher("explain", link).json()
            #expect(explained["app"]?.string == "example.map")
            #expect(expected.hasSuffix(explained["request"]?["target"]?.string ?? "-"))
            let delivery = try usher("deliveries", "list").json().elements?.first?["id"]?.string ?? ""
            let past = try usher("explain", "--delivery", delivery).json()
            #expect(expected.hasSuffix(past["request"]?["target"]?.string ?? "-"))
            #expect(summary(try usher("open", link, "--app", "example.map").json()) == expected)
            #expect(try usher("open", link, "--app", "example.guide").json()["target"]?.string == link)
            // An owner goes before.
            try usher.write(
                Self.guide.replacingOccurrences(
                    of: #"domains = ["guide.example"]"#,
                    with: #"domains = ["maps.apple.com", "www.google.com"]"# + "\nschemes = [\"geo\"]"),
                to: "config/usher/apps/guide.toml")
            #expect(try usher("explain", link).json()["app"]?.string == "example.guide")
        }
    }
}
