import Foundation
import TestSupport
import Testing
import UsherConfiguration
import UsherScene

/// Manifests that were changed at random are read or refused; every place that is named is in the file.
@Suite struct ManifestFuzzTests {
    static let seeds: [String] = {
        let folders = [Fixtures.manifests, Fixtures.configuration + "/apps/"]
        return folders.flatMap { folder in
            ((try? Fixtures.names(in: folder, suffix: ".toml")) ?? []).map { folder + $0 }
        }
    }()

    static let pieces = [
        "[", "]", "[[", "]]", "{", "}", "=", ".", ",", "\"", "'", "\"\"\"", "'''", "\\", "\\u", "\n", "\r\n", "#", "\t",
        "é", "\u{202E}", "🤡", "1979-05-27", "-", "inf", "nan", "0x", "true", "{target}", "$TARGET", "SELF == ",
        "[[scenes]]",
        "name = ", "can = ''", "launch = { exec = [] }", "\0", "9223372036854775808", "_", "/", "//", "~",
    ].map { Array($0.utf8) }

    @Test(arguments: seeds) func mutated(_ path: String) throws {
        let original = try Array(Data(contentsOf: URL(filePath: path)))
        let folder = TemporaryFolder()
        var random = SeededGenerator(seed: path.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
        for _ in 0..<15 {
            var bytes = original
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                let place = Int.random(in: 0...bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.insert(contentsOf: Self.pieces.randomElement(using: &random) ?? [], at: place)
                case 1 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 2:
                    let end = min(bytes.count, place + Int.random(in: 0..<20, using: &random))
                    bytes.removeSubrange(place..<end)
                default:
                    let end = min(bytes.count, place + Int.random(in: 0..<40, using: &random))
                    bytes.insert(contentsOf: Array(bytes[place..<end]), at: place)
                }
            }
            try folder.write(Data(bytes), to: "app.toml")
            let loaded = ConfigurationLoader.load(path: folder.path + "/app.toml", searchPath: nil)
            let lines = bytes.count { $0 == 0x0A } + 1
            for diagnostic in loaded.diagnostics {
                #expect(!diagnostic.description.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
                if let location = diagnostic.location { #expect((1...lines).contains(location.line)) }
            }
        }
    }
}
