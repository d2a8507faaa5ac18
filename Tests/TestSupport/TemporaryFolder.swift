package import Foundation

/// A folder of a test's own, removed with the value. A socket in it has a short enough path (107 bytes).
package final class TemporaryFolder: Sendable {
    package let path = "/tmp/usher-\(UUID().uuidString.prefix(13))"

    package init() { try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file, and makes the folders that it is in.
    package func write(_ data: Data, to name: String) throws {
        let url = URL(filePath: path).appending(path: name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url)
    }

    package func write(_ text: String, to name: String) throws { try write(Data(text.utf8), to: name) }

    package func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path + "/" + name) }

    package func read(_ name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: path + "/" + name).map { [UInt8]($0) }
    }

    package func text(_ name: String) -> String? { read(name).map { String(decoding: $0, as: UTF8.self) } }
}
