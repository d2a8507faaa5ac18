import TestSupport
import Testing
import UsherConfiguration
import UsherScene
import UsherTarget

/// `suggestions`, `directions-modes`, `artwork` and `[perform]` of a manifest, and `[suggestions]` of `usher.toml`.
@Suite struct SuggestionKeysTests {
    private func load(_ manifest: String, _ settings: String = "") throws -> (LoadedConfiguration, folder: String) {
        let folder = TemporaryFolder()
        try folder.write(settings, to: "usher.toml")
        let scene = "\n[[scenes]]\nname = \"main\"\nlaunch = { exec = [\"true\"] }\n"
        try folder.write("id = \"example.maps\"\n" + manifest + scene, to: "apps/maps.toml")
        return (ConfigurationLoader.load(path: folder.path, searchPath: Fixtures.searchPath), folder.path)
    }

    @Test func manifest() throws {
        let (loaded, folder) = try load(
            """
            suggestions = ["text", "place"]
            directions-modes = ["ride-share", "MKDirectionsModeTrain", "MKDirectionsModeBus", "car", "MKDirectionsModeCar"]
            artwork = "cover.png"

            [perform]
            directions = "geo:{latitude},{longitude}{?query,mode}"
            play = "{+item}{?index-path}"
            """)
        #expect(loaded.diagnostics.map(\.description) == [])
        let app = try #require(loaded.configuration.apps.first { $0.id == "example.maps" })
        #expect(app.suggestions.kinds == [.text, .place])
        #expect(app.suggestions.directionsModes == [.rideShare, .transit, .car])
        #expect(app.suggestions.artwork == folder + "/apps/cover.png")
        #expect(Set(app.suggestions.perform.keys) == [.directions, .play])
        let play = try #require(app.suggestions.perform[.play])
        #expect(play.location.line == 8)
        let expansion = try play.value.expand(["item": .string("music:1"), "index-path": .string("2/0")])
        #expect(expansion == "music:1?index-path=2%2F0")
    }

    @Test func nothingIsDeclaredByDefault() throws {
        let app = try #require(try load("").0.configuration.apps.first { $0.id == "example.maps" })
        #expect(app.suggestions.kinds.isEmpty && app.suggestions.directionsModes.isEmpty)
        #expect(app.suggestions.artwork == nil && app.suggestions.perform.isEmpty)
    }

    @Test(arguments: DirectionsMode.appleNames.map(\.name) + DirectionsMode.allCases.map(\.rawValue))
    func everyMode(_ name: String) throws {
        let (loaded, _) = try load("directions-modes = [\"\(name)\"]")
        #expect(loaded.diagnostics.map(\.description) == [])
        let app = try #require(loaded.configuration.apps.first { $0.id == "example.maps" })
        #expect(app.suggestions.directionsModes == [try #require(DirectionsMode(named: name))])
    }

    /// A hyphen is no part of a name anywhere else.
    @Test func targetsStayStrict() throws {
        let (loaded, _) = try load("targets = { a = \"x:{index-path}\" }")
        #expect(loaded.diagnostics.map(\.code.name) == ["template.syntax"])
    }

    @Test func settingsByDefault() {
        let settings = Settings().suggestions
        #expect(settings.isEnabled && settings.includesPages && settings.includesContacts)
        #expect(settings.kinds == Set(SuggestionKind.allCases))
        #expect(settings.keepDays == 30)
        #expect(!settings.excludes(app: "example.maps") && !settings.excludes(host: "bank.example"))
    }

    @Test func settings() throws {
        let (loaded, _) = try load(
            "",
            """
            [suggestions]
            enabled = false
            kinds = ["place"]
            pages = false
            contacts = false
            exclude-apps = ["example.maps"]
            exclude-hosts = ["Bank.example", "localhost"]
            keep-days = 7
            [suggestions.phrases]
            location = ["spotkajmy się pod", "Treffen wir uns:"]
            telephoneNumber = []
            """)
        #expect(loaded.diagnostics.map(\.description) == [])
        let settings = loaded.settings.suggestions
        #expect(!settings.isEnabled && !settings.includesPages && !settings.includesContacts)
        #expect(settings.kinds == [.place])
        #expect(settings.keepDays == 7)
        #expect(settings.excludes(app: "example.maps"))
        #expect(settings.excludes(host: "bank.example") && settings.excludes(host: "www.bank.example"))
        #expect(!settings.excludes(host: "notbank.example") && !settings.excludes(host: "example"))
        #expect(settings.phrases == [.location: ["spotkajmy się pod", "Treffen wir uns:"]])
    }

    @Test func noKindsAreNone() throws {
        #expect(try load("", "[suggestions]\nkinds = []").0.settings.suggestions.kinds.isEmpty)
    }

    struct Mistake: CustomTestStringConvertible {
        var line: String
        var name: String
        var help: String
        var testDescription: String { line }

        init(_ line: String, _ name: String, _ help: String) { (self.line, self.name, self.help) = (line, name, help) }
    }

    static let mistakes = [
        Mistake("kind = []", "key.unknown", "did you mean `kinds`?"),
        Mistake("kinds = [\"plce\"]", "key.value", "did you mean \"place\"?"),
        Mistake("kinds = [\"place\", \"place\"]", "duplicate.value", ""),
        Mistake("kinds = \"place\"", "key.type", "a list, even of one: kinds = [\"place\"]"),
        Mistake("enabled = \"true\"", "key.type", "drop the quotes: enabled = true"),
        Mistake("keep-days = -1", "key.value", ""),
        Mistake("keep-days = 1.5", "key.type", "write it so: keep-days = 30"),
        Mistake(
            "exclude-hosts = [\"*.bank.example\"]", "key.value",
            "what is below a host is excluded with it: exclude-hosts = [\"bank.example\"]"),
        Mistake(
            "exclude-hosts = [\"https://bank.example/\"]", "key.value",
            "without scheme, port and path: exclude-hosts = [\"bank.example\"]"),
        Mistake("exclude-apps = [\"example.map\"]", "rule.no-effect", "did you mean \"example.maps\"?"),
        Mistake("phrases = [\"meet at\"]", "key.type", "write it so: [suggestions.phrases]"),
        Mistake("phrases = { place = [\"meet at\"] }", "key.unknown", "its keys are"),
        Mistake("phrases = { locaton = [\"meet at\"] }", "key.unknown", "did you mean `location`?"),
        Mistake("phrases = { location = \"meet at\" }", "key.type", "a list, even of one: location = [\"meet at\"]"),
        Mistake("phrases = { location = [\" : \"] }", "key.value", "write it so: location = [\"meet at\"]"),
        Mistake("phrases = { location = [7] }", "key.type", "put it in quotes"),
    ]

    @Test(arguments: mistakes)
    func mistake(_ mistake: Mistake) throws {
        let diagnostics = try load("", "[suggestions]\n" + mistake.line).0.diagnostics
        #expect(diagnostics.map(\.code.name) == [mistake.name])
        #expect(mistake.help.isEmpty || diagnostics.first?.help?.hasPrefix(mistake.help) == true)
    }
}
