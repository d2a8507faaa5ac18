import Foundation
import Testing
import UsherConfiguration
import UsherScene

/// Each broken `usher.toml` beside the complete text that is printed for it.
@Suite struct SettingsDiagnosticsTests {
    static let fixtures = Fixtures.repository + "Tests/Fixtures/settings/"
    static let names = (try? Fixtures.names(in: fixtures, suffix: ".toml")) ?? []

    private func load(_ text: String) throws -> (LoadedConfiguration, TemporaryFolder) {
        let folder = try TemporaryFolder()
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

    @Test func hooksOfTheSameNameInTwoFiles() throws {
        let folder = try TemporaryFolder()
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

    /// An app may be missing because its manifest is broken: that is said, and nothing else.
    @Test func appOfABrokenManifest() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "[hooks.one]\napp = \"example.app\"\nsignature = { scheme = \"none\" }\ntitle = \"x\"\n", to: "usher.toml")
        try folder.write("id =\n", to: "apps/a.toml")
        let loaded = ConfigurationLoader.load(path: folder.path, searchPath: Fixtures.searchPath)
        #expect(loaded.diagnostics.map(\.path) == ["apps/a.toml"])
    }
}
