import Foundation
import TestSupport
import Testing
import UsherConfiguration
import UsherScene

/// Each broken `usher.toml` beside the complete text that is printed for it.
@Suite struct SettingsDiagnosticsTests {
    static let fixtures = Repository.path + "/Tests/Fixtures/settings/"
    static let names = (try? Fixtures.names(in: fixtures, suffix: ".toml")) ?? []

    private func load(_ text: String) throws -> (LoadedConfiguration, TemporaryFolder) {
        let folder = TemporaryFolder()
        try folder.write(text, to: "usher.toml")
        try folder.write(ConfigurationLoaderTests.manifest, to: "apps/a.toml")
        return (ConfigurationLoader.load(path: folder.path, searchPath: Fixtures.searchPath), folder)
    }

    @Test(arguments: names) func diagnosticText(of name: String) throws {
        let (loaded, folder) = try load(String(contentsOfFile: Self.fixtures + name, encoding: .utf8))
        let text = loaded.diagnostics.map { $0.description + "\n" }.joined()
            .replacingOccurrences(of: folder.path, with: "FOLDER")
        let expected = Self.fixtures + name.dropLast(".toml".count) + ".expect.txt"
        #expect(try text == String(contentsOfFile: expected, encoding: .utf8))
    }

    @Test func everyCodeIsShown() throws {
        #expect(Self.names.count >= 3)
        let text = try Self.names.map {
            try String(contentsOfFile: Self.fixtures + $0.dropLast(".toml".count) + ".expect.txt", encoding: .utf8)
        }.joined()
        for code in DiagnosticCode.settings { #expect(text.contains("[\(code)]"), "\(code)") }
    }

    /// One mistake each, on the third line or below.
    @Test(
        arguments: [
            ("colour = \"red\"", "key.unknown"), ("each = 5", "key.type"), ("input = []", "key.value"),
            ("input = [\"xml\"]", "key.value"), ("when = [{ pointer = \"a\", exists = true }]", "hooks.pointer"),
            ("when = [{ pointer = \"/a\", less-than = \"5\" }]", "key.type"),
            ("when = [{ pointer = \"/a\", matches = \".*\" }]", "key.unknown"),
            ("when = [{ not = [{ pointer = \"/a\", exists = true }] }]", "key.type"),
            ("when = [{ not = { pointer = \"/a\", exists = true }, equals = 1 }]", "hooks.condition"),
            ("expect = [{ body = \"a\", result = \"ignored\", results = \"x\" }]", "key.unknown"),
            ("run = { exec = \"deploy now\" }", "key.type"), ("run = { exec = [] }", "command.empty"),
            ("run = { exec = [\"true\", \"{value.other}\"] }", "hooks.template"), ("replays = \"never\"", "key.value"),
        ])
    func hookThatCannotBe(_ line: String, _ code: String) throws {
        let (loaded, _) = try load("[hooks.h]\nsignature = { scheme = \"none\" }\n\(line)\ntitle = \"x\"\n")
        #expect(loaded.diagnostics.map { "\($0.code.name)" } == [code], "\(loaded.diagnostics)")
        #expect(loaded.hasErrors)
    }

    @Test func hooksOfTheSameNameInTwoFiles() throws {
        let folder = TemporaryFolder()
        let hook = "[hooks.one]\nsignature = { scheme = \"none\" }\ntitle = \"x\"\n"
        try folder.write(hook, to: "usher.toml")
        try folder.write("[limits]\n" + hook, to: "hooks/more.toml")
        try folder.write(ConfigurationLoaderTests.manifest, to: "apps/a.toml")
        let loaded = ConfigurationLoader.load(path: folder.path, searchPath: Fixtures.searchPath)
        #expect(
            loaded.diagnostics.map(\.description) == [
                """
                hooks/more.toml:1:2: error: a file of hooks has no key `limits` [U5101 key.unknown]
                    1 | [limits]
                      |  ^~~~~~
                   help: its keys are `hooks`
                """,
                """
                hooks/more.toml:2:8: error: there are two hooks with the name "one" [U5711 hooks.name]
                    2 | [hooks.one]
                      |        ^~~
                   help: give one of them another name; several hooks may share a `path`
                   see:  usher.toml:1:8
                """,
            ])
    }

    @Test("nothing follows of a hook that cannot be read, and names in doubled braces are warned of")
    func hooksAfterErrors() throws {
        let text = """
            [hooks.one]
            signature = { scheme = "none" }
            values = { n = "/n" }
            title = "{{n}} {n} {{other}} {{{n}}}"
            when = [{ pionter = "/a", equals = 1 }]
            [hooks.two]
            path = "one"
            title = "x"
            """
        let found = try load(text).0.diagnostics
        #expect(!found.contains { $0.code == .shadowed }, "\(found)")
        #expect(found.contains { $0.severity == .error && $0.location?.line == 5 }, "\(found)")
        let warnings = found.filter { $0.severity == .warning }
        #expect(warnings.map(\.help) == ["write `{n}`"] && warnings.first?.location?.column == 10, "\(found)")
    }

    /// The first hook of a path that accepts an event keeps it.
    @Test(
        arguments: [
            ("", "", true), ("", "when = [{ pointer = \"/a\", exists = true }]", true),
            ("when = [{ pointer = \"/a\", exists = true }]", "", false),
            (
                "when = [{ pointer = \"/a\", exists = true }]",
                "when = [{ header = \"X\", equals = \"1\" }, { pointer = \"/a\", exists = true }]", true
            ),
            (
                "when = [{ not = { pointer = \"/a\", exists = true } }]",
                "when = [{ not = { pointer = \"/a\", exists = true } }]", true
            ),
            ("when = [{ pointer = \"/a\", exists = true }]", "when = [{ pointer = \"/a\", exists = false }]", false),
            ("input = [\"form\"]", "", false), ("each = \"/a\"", "", false), ("each = \"/a\"", "each = \"/a\"", true),
            ("each = \"/a\"", "each = { pointer = \"/a\", when = [{ pointer = \"/b\", exists = true }] }", true),
            ("each = { pointer = \"/a\", when = [{ pointer = \"/b\", exists = true }] }", "each = \"/a\"", false),
        ])
    func hooksThatAreNeverReached(_ first: String, _ second: String, _ isShadowed: Bool) throws {
        let text = """
            [hooks.one]
            path = "p"
            signature = { scheme = "none" }
            title = "x"
            \(first)
            [hooks.two]
            path = "p"
            title = "x"
            \(second)
            [hooks.other]
            signature = { scheme = "none" }
            title = "x"
            """
        let loaded = try load(text).0
        #expect(loaded.diagnostics.map(\.code) == (isShadowed ? [.shadowed] : []), "\(loaded.diagnostics)")
        #expect(loaded.diagnostics.first?.location?.description ?? "usher.toml:6:8" == "usher.toml:6:8")
    }

    /// Beside several apps, a hook that names none has to lead to one by its target's host.
    @Test func hookThatLeadsToNoApp() throws {
        func load(_ manifests: Int) throws -> [String] {
            let folder = TemporaryFolder()
            let targets = [
                "https://Shop.example/{x}", "https://nowhere.example/{x}", "https://{x}.example/", "order:{x}",
                "https://api.shop.example/{x}",
            ]
            try folder.write(
                targets.enumerated().map {
                    "[hooks.h\($0)]\nsignature = { scheme = \"none\" }\nvalues = { x = \"/x\" }\ntarget = \"\($1)\"\n"
                }.joined() + "[hooks.named]\napp = \"example.a0\"\nsignature = { scheme = \"none\" }\n"
                    + "values = { x = \"/x\" }\ntarget = \"https://nowhere.example/{x}\"\n", to: "usher.toml")
            for number in 0..<manifests {
                let domains = number == 0 ? "domains = [\"shop.example\", \"*.shop.example\"]\n" : ""
                try folder.write("id = \"example.a\(number)\"\nwebsite = true\n" + domains, to: "apps/\(number).toml")
            }
            let loaded = ConfigurationLoader.load(path: folder.path, searchPath: Fixtures.searchPath)
            return loaded.diagnostics.map(\.description)
        }
        #expect(try load(1) == [])
        #expect(
            try load(2) == [
                """
                usher.toml:8:10: warning: no app claims the host "nowhere.example", and the hook names no app: its events end with no-app [U5721 hooks.no-owner]
                    8 | target = "https://nowhere.example/{x}"
                      |          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
                   help: add `app` to the hook, or "nowhere.example" to the `domains` of an app
                """
            ])
    }

    @Test(arguments: ["*", "*.internal", "a b", "a/b", "", "é.example", "a\u{1B}"])
    func whatIsNoHost(_ host: String) throws {
        let (loaded, _) = try load("[server]\nallowed-hosts = [\"fine-1.internal\", \"[::1]\", '\(host)']\n")
        #expect(loaded.diagnostics.map(\.code) == [host.utf8.contains(0x1B) ? .tomlSyntax : .invalidValue])
    }

    /// An app may be missing because its manifest is broken: that is said, and nothing else.
    @Test func appOfABrokenManifest() throws {
        let folder = TemporaryFolder()
        try folder.write(
            "[hooks.one]\napp = \"example.app\"\nsignature = { scheme = \"none\" }\ntitle = \"x\"\n", to: "usher.toml")
        try folder.write("id =\n", to: "apps/a.toml")
        let loaded = ConfigurationLoader.load(path: folder.path, searchPath: Fixtures.searchPath)
        #expect(loaded.diagnostics.map(\.path) == ["apps/a.toml"])
    }
}
