import Foundation
import Testing
import UsherConfiguration

/// Each broken manifest beside the complete text that is printed for it.
@Suite struct ManifestDiagnosticsTests {
    static let names = (try? Fixtures.names(in: Fixtures.manifests, suffix: ".toml")) ?? []

    @Test(arguments: names) func diagnosticText(of name: String) throws {
        let loaded = ConfigurationLoader.load(path: Fixtures.manifests + name, searchPath: Fixtures.searchPath)
        let text = loaded.diagnostics.map { $0.description + "\n" }.joined()
            .replacingOccurrences(of: Fixtures.manifests, with: "FOLDER/")
        let expected = Fixtures.manifests + name.dropLast(".toml".count) + ".expect.txt"
        #expect(try text == String(contentsOfFile: expected, encoding: .utf8))
    }

    @Test func thereAreTwentyAndMore() { #expect(Self.names.count >= 20) }

    @Test(arguments: names) func everyOneIsAMistake(_ name: String) {
        let loaded = ConfigurationLoader.load(path: Fixtures.manifests + name, searchPath: Fixtures.searchPath)
        let count = loaded.diagnostics.count
        #expect(count > 0)
    }
}
