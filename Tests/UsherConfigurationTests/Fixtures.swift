import Foundation
import TestSupport

/// Places in the repository.
enum Fixtures {
    static let manifests = Repository.path + "/Tests/Fixtures/manifests/"
    static let configuration = Repository.path + "/Config"

    /// What commands are looked for in: the same on every machine.
    static let searchPath = "/usr/bin:/bin"

    static func names(in folder: String, suffix: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(suffix) }.sorted()
    }
}
