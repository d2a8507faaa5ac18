import Foundation

/// A folder of a test's own, with a path short enough for a socket; removed at the end.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = "/tmp/uc-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
