import Foundation
import TestSupport
import Testing
import UsherLog

/// The file of the last requests to hooks.
@Suite struct RequestFileTests {
    private let files = TemporaryFolder()
    private var folder: String { files.path }
    private let sink = MemorySink()

    private func content(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test func linesAreAppendedForTheOwnerAlone() throws {
        let path = RequestFile.path(in: folder)
        for text in ["a", "b"] {
            let file = RequestFile(in: folder, logger: Logger(sink: sink))
            file.append { leftOut in Array("\(text)\(leftOut)\n".utf8) }
            file.append { _ in Array("\(text)\n".utf8) }
            file.drain()
        }
        #expect(try content(path) == "a0\na\nb0\nb\n")
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(sink.lines.isEmpty)
    }

    @Test func twoFilesOfOneMiBAtMost() throws {
        let path = RequestFile.path(in: folder)
        let file = RequestFile(in: folder, logger: Logger(sink: sink))
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 1023) + [0x0A]
        for number in 0..<3000 {
            file.append { _ in line }
            if number % 500 == 0 { file.drain() }
        }
        file.append { _ in Array("last\n".utf8) }
        file.drain()
        let earlier = try content(RequestFile.earlier(than: path))
        #expect(earlier.utf8.count == 1 << 20)
        let current = try content(path)
        #expect(current.utf8.count == 3000 * 1024 - (2 << 20) + 5 && current.hasSuffix("last\n"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 2)
    }

    @Test func aFailureIsLoggedOnce() throws {
        try FileManager.default.removeItem(atPath: folder)
        let file = RequestFile(in: folder, logger: Logger(sink: sink))
        for _ in 0..<3 {
            file.append { _ in [0x0A] }
            file.drain()
        }
        #expect(sink.lines.count == 1 && sink.lines[0].contains("requests-not-kept"), "\(sink.lines)")
    }
}
