import Foundation
import TestSupport
import Testing
import UsherConfiguration
import UsherScene

@Suite struct ConfigurationLoaderTests {
    static let manifest = "id = \"example.app\"\nwebsite = true\n"

    private func load(_ folder: TemporaryFolder, _ name: String = "") -> LoadedConfiguration {
        ConfigurationLoader.load(path: folder.path + name, searchPath: Fixtures.searchPath)
    }

    /// The texts, the folder's own name taken out.
    private func texts(_ loaded: LoadedConfiguration, _ folder: TemporaryFolder) -> [String] {
        loaded.diagnostics.map { $0.description.replacingOccurrences(of: folder.path, with: "FOLDER") }
    }

    @Test func missingFolder() throws {
        let folder = TemporaryFolder()
        let loaded = load(folder, "/nowhere")
        #expect(
            texts(loaded, folder) == [
                """
                FOLDER/nowhere: error: there is no such file or folder [U5001 config.not-found]
                   help: `usher init` writes a first configuration; --config and $USHER_CONFIG name another place
                """
            ])
        #expect(loaded.configuration.apps.isEmpty)
    }

    @Test func emptyFolder() throws {
        let folder = TemporaryFolder()
        let loaded = load(folder)
        #expect(loaded.diagnostics.map(\.code) == [.noManifest])
        let hasErrors = loaded.hasErrors
        #expect(!hasErrors)
    }

    @Test func oneFileIsOneManifest() throws {
        let folder = TemporaryFolder()
        try folder.write(Self.manifest, to: "some.toml")
        let loaded = load(folder, "/some.toml")
        #expect(texts(loaded, folder) == [])
        #expect(loaded.files == ["some.toml"])
        #expect(loaded.folder == folder.path)
        #expect(loaded.configuration.apps.map(\.location.description) == ["some.toml:1:6"])
    }

    @Test func manifestsInOrderOfTheirNames() throws {
        let folder = TemporaryFolder()
        for name in ["b", "a", "Z", "é"] {
            try folder.write("id = \"example.\(name == "é" ? "e" : name)\"\nwebsite = true\n", to: "apps/\(name).toml")
        }
        try folder.write("not read", to: "apps/readme.txt")
        try folder.write("not read", to: "apps/.hidden.toml")
        let loaded = load(folder)
        #expect(texts(loaded, folder) == [])
        #expect(loaded.configuration.apps.map(\.id) == ["example.Z", "example.a", "example.b", "example.e"])
    }

    @Test func appsOfTheSameName() throws {
        let folder = TemporaryFolder()
        try folder.write("id = \"example.app\"\nwebsite = true\n", to: "apps/one.toml")
        try folder.write("website = true\nid = \"example.app\"\n", to: "apps/two.toml")
        #expect(
            texts(load(folder), folder) == [
                """
                apps/two.toml:2:6: error: there are two apps with the id "example.app" [U5207 duplicate.value]
                    2 | id = "example.app"
                      |      ^~~~~~~~~~~~~
                   help: give one of them another id
                   see:  apps/one.toml:1:6
                """
            ])
    }

    @Test func topicsAndDomainsOfTwoApps() throws {
        let folder = TemporaryFolder()
        try folder.write(
            "id = \"example.one\"\nwebsite = true\ndomains = [\"Shared.example\"]\n", to: "apps/one.toml")
        try folder.write(
            "id = \"example.two\"\nwebsite = true\ntopics = [\"example.one\"]\ndomains = [\"shared.example\"]\n",
            to: "apps/two.toml")
        #expect(
            texts(load(folder), folder) == [
                """
                apps/two.toml:3:11: error: the topic "example.one" means example.one already [U5207 duplicate.value]
                    3 | topics = ["example.one"]
                      |           ^~~~~~~~~~~~~
                   help: a push is for one app: each topic stands in one manifest
                   see:  apps/one.toml:1:6
                """,
                """
                apps/two.toml:4:12: warning: example.one has the domain "shared.example" too [U5203 domain.claimed-twice]
                    4 | domains = ["shared.example"]
                      |            ^~~~~~~~~~~~~~~~
                   help: a link there goes to the app that was used last, unless the sender names one
                   see:  apps/one.toml:3:12
                """,
            ])
    }

    @Test func eachAppIsToldOfTheFirstEightOfADomain() throws {
        let folder = TemporaryFolder()
        for name in 0..<20 {
            try folder.write(
                "id = \"a\(name)\"\nwebsite = true\ndomains = [\"d.example\"]\n", to: "apps/\(name + 10).toml")
        }
        let found = load(folder).diagnostics.filter { $0.code == .claimedTwice }
        #expect(found.count == (0..<20).reduce(0) { $0 + min($1, 8) })
    }

    @Test func typesOfTwoApps() throws {
        let folder = TemporaryFolder()
        let types =
            "website = true\nactivity-types = [\"shared.edit\"]\n[[shortcuts]]\ntype = \"new\"\ntitle = \"New\"\n"
        try folder.write("id = \"example.one\"\n" + types, to: "apps/one.toml")
        try folder.write("id = \"example.two\"\n" + types, to: "apps/two.toml")
        #expect(
            texts(load(folder), folder) == [
                """
                apps/two.toml:3:19: warning: example.one declares the activity type "shared.edit" too: a request that does not name its app is for neither [U5313 type.no-owner]
                    3 | activity-types = ["shared.edit"]
                      |                   ^
                   help: begin it with the app's id, or remove one
                   see:  apps/one.toml:3:19
                """,
                """
                apps/two.toml:4:1: warning: example.one declares the shortcut type "new" too: a request that does not name its app is for neither [U5313 type.no-owner]
                    4 | [[shortcuts]]
                      | ^
                   help: begin it with the app's id, or remove one
                   see:  apps/one.toml:4:1
                """,
            ])
    }

    /// A component of an association file and an entry of `domains` that account for as much of an address.
    @Test(arguments: [
        ("/clowns/*", "shop.example/clowns/", true), ("*", "shop.example", true),
        ("/clowns/*", "shop.example", false), ("/clowns/*", "shop.example/clowns", false),
        ("/clowns/?", "shop.example/clowns/", false),
    ])
    func componentsAndDomainsOfTwoApps(_ pattern: String, _ domain: String, _ isClaimedTwice: Bool) throws {
        let folder = TemporaryFolder()
        try folder.write(
            "id = \"example.one\"\nwebsite = true\ndomains = [\"shop.example\"]\nsite-association = \"aasa\"\n",
            to: "apps/one.toml")
        try folder.write(
            #"{"applinks":{"details":[{"appIDs":["ABCDE12345.example.one"],"components":[{"/":"\#(pattern)"}]}]}}"#,
            to: "apps/aasa")
        try folder.write("id = \"example.two\"\nwebsite = true\ndomains = [\"\(domain)\"]\n", to: "apps/two.toml")
        let found = load(folder).diagnostics
        #expect(found.map(\.code) == (isClaimedTwice ? [.claimedTwice] : []), "\(found)")
        #expect(found.first?.related?.description ?? "apps/two.toml:3:12" == "apps/two.toml:3:12")
    }

    @Test func everyFileIsJudged() throws {
        let folder = TemporaryFolder()
        try folder.write("[limits]\ndisconnected-dais = 3\n[log]\nlevel = \"loud\"\n", to: "usher.toml")
        try folder.write("id =\n", to: "apps/a.toml")
        try folder.write("id = \"example.app\"\nname = 7\nwebsite = true\n", to: "apps/b.toml")
        #expect(
            load(folder).diagnostics.map { "\($0.location.map { "\($0)" } ?? $0.path) \($0.code.name)" } == [
                "apps/a.toml:1:5 config.syntax", "apps/b.toml:2:8 key.type", "usher.toml:2:1 key.unknown",
                "usher.toml:4:9 key.value",
            ])
    }

    @Test func settings() throws {
        let folder = TemporaryFolder()
        try folder.write(
            "[limits]\ndisconnected-sessions = 0\ndisconnected-days = 7\n[log]\nlevel = \"debug\"\nformat = \"json\"\n",
            to: "usher.toml")
        try folder.write(Self.manifest, to: "apps/a.toml")
        let loaded = load(folder)
        #expect(texts(loaded, folder) == [])
        #expect(loaded.settings.disconnectedSessions == 0)
        #expect(loaded.settings.disconnectedDays == 7)
        #expect(loaded.settings.logLevel == .debug)
        #expect(loaded.settings.logFormat == .json)
    }

    @Test func namedPipeIsNotWaitedFor() throws {
        let folder = TemporaryFolder()
        try folder.write(Self.manifest, to: "apps/a.toml")
        #expect(mkfifo(folder.path + "/apps/b.toml", 0o600) == 0)
        #expect(texts(load(folder), folder) == ["apps/b.toml: error: it is not a file [U5002 config.unreadable]"])
    }

    @Test func largeFile() throws {
        let folder = TemporaryFolder()
        try folder.write(String(repeating: "#", count: ConfigurationLoader.maximumFileSize + 1), to: "apps/a.toml")
        #expect(
            texts(load(folder), folder) == [
                "apps/a.toml: error: the file has more than 4194304 bytes [U5004 config.too-large]"
            ])
    }

    @Test func manyMistakesAreCutShort() throws {
        let folder = TemporaryFolder()
        let keys = (0..<5000).map { "qqqqqqqqqqqq\($0) = 1\n" }.joined()
        try folder.write(Self.manifest + keys, to: "app.toml")
        let loaded = load(folder, "/app.toml")
        #expect(loaded.diagnostics.count == 101)
        #expect(loaded.diagnostics.last?.code == .tooManyDiagnostics)
    }

    /// Warnings keep no configuration from being used, however many there are; a mistake among them does.
    @Test(arguments: [false, true]) func manyWarningsAreWarnings(hasMistake: Bool) throws {
        let folder = TemporaryFolder()
        let scenes = (0..<300).map {
            "[[scenes]]\nname = \"\($0)\"\nopens = \"SELF == 'a'\"\ncan = \"SELF == 'a'\"\nlaunch = { exec = [\"true\"] }\n"
        }
        let last = hasMistake ? "[[scenes]]\nnam = 1\n" : ""
        try folder.write("id = \"example.app\"\n" + scenes.joined() + last, to: "app.toml")
        let loaded = load(folder, "/app.toml")
        #expect(loaded.diagnostics.count == 101)
        let hasErrors = loaded.hasErrors
        #expect(hasErrors == hasMistake)
    }

    /// What check finds of 20,000 scenes is found in one walk over them.
    @Test func manyScenesAreCheckedInTime() throws {
        let folder = TemporaryFolder()
        let targets = (0..<20_000).map { "t\($0) = \"x:\($0)/{a}\"\n" }
        let scenes = (0..<20_000).map {
            "[[scenes]]\nname = \"s\($0)\"\ntarget = \"t\($0)\"\nopens = 'SELF BEGINSWITH \"x:\($0)/\"'\n"
                + "can = 'SELF == $TARGET'\n"
        }
        try folder.write("id = \"example.app\"\n[targets]\n" + targets.joined() + scenes.joined(), to: "app.toml")
        let start = ContinuousClock.now
        let loaded = load(folder, "/app.toml")
        #expect(loaded.configuration.apps.first?.scenes.count == 20_000)
        // Not compiled for speed, it takes some seconds; with the square of the scenes it took more than a minute.
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test(arguments: ["[", "{a=", "[{a=[", "a.", "\"x\".", "a . "]) func deepNesting(_ unit: String) throws {
        let folder = TemporaryFolder()
        for prefix in ["x = ", "", "[", "[["] {
            try folder.write(prefix + String(repeating: unit, count: 200_000), to: "app.toml")
            let loaded = load(folder, "/app.toml")
            #expect([.configurationTooDeep, .tomlSyntax].contains(loaded.diagnostics.first?.code))
        }
    }

    @Test func scenesWithoutTheirProgram() throws {
        let folder = TemporaryFolder()
        try folder.write(
            """
            id = "example.app"
            [[scenes]]
            name = "here"
            can = 'TRUEPREDICATE'
            launch = { exec = ["sh"] }
            [[scenes]]
            name = "gone"
            opens = 'SELF == "x"'
            can = 'SELF == "x"'
            launch = { exec = ["no-such-program-anywhere"] }
            """, to: "app.toml")
        let loaded = load(folder, "/app.toml")
        #expect(loaded.missingPrograms == [SceneName(app: "example.app", scene: "gone")])
        #expect(loaded.diagnostics.map(\.severity) == [.warning])
    }
}

/// The digest names a configuration, byte by byte.
@Suite struct ConfigurationDigestTests {
    private func digest(_ files: [(name: String, text: String)]) throws -> String {
        let folder = TemporaryFolder()
        for file in files { try folder.write(file.text, to: file.name) }
        return ConfigurationLoader.load(path: folder.path, searchPath: nil).configuration.digest
    }

    @Test func isStable() throws {
        let files = [("usher.toml", ""), ("apps/a.toml", ConfigurationLoaderTests.manifest)]
        #expect(
            try digest(files) == "sha256:baa98aa0a726ae8cf5b88fc11f742dbc8318d07ea55f695c13d24470da760134")
        #expect(try digest(files) == digest(files))
    }

    @Test func ofNothing() throws {
        #expect(
            try digest([]) == "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test func differsWithEveryByteAndName() throws {
        let manifest = ConfigurationLoaderTests.manifest
        let digests = try [
            digest([("apps/a.toml", manifest)]), digest([("apps/b.toml", manifest)]),
            digest([("apps/a.toml", manifest + " ")]), digest([("usher.toml", ""), ("apps/a.toml", manifest)]),
            digest([("apps/a.toml", manifest), ("apps/b.toml", manifest)]),
        ]
        #expect(Set(digests).count == digests.count)
    }

    @Test func includesThePropertyList() throws {
        let manifest = ConfigurationLoaderTests.manifest + "info-plist = \"../Info.plist\"\n"
        func list(_ type: String) -> String {
            "<plist version=\"1.0\"><dict><key>NSUserActivityTypes</key><array><string>\(type)</string></array></dict></plist>"
        }
        let one = try digest([("apps/a.toml", manifest), ("Info.plist", list("a"))])
        let other = try digest([("apps/a.toml", manifest), ("Info.plist", list("b"))])
        #expect(one != other)
    }
}
