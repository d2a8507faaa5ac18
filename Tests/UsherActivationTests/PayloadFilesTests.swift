import Foundation
import TestSupport
import Testing

@testable import UsherActivation

@Suite("PayloadFiles")
struct PayloadFilesTests {
    @Test("a payload is a private file whose name holds nothing of it")
    func write() throws {
        let directory = TemporaryFolder()
        let files = PayloadFiles(stateDirectory: directory.path)
        let path = try files.write([1, 2, 3], nonce: "../a/b\u{e9}")
        #expect(path == directory.path + "/payloads/payload-___a_b__")
        #expect(directory.read("payloads/payload-___a_b__") == [1, 2, 3])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let folder = try FileManager.default.attributesOfItem(atPath: files.directory)[.posixPermissions] as? Int
        #expect(folder == 0o700)
    }

    @Test("a symbolic link at the path is not followed")
    func link() throws {
        let directory = TemporaryFolder()
        let files = PayloadFiles(stateDirectory: directory.path)
        mkdir(files.directory, 0o700)
        symlink(directory.path + "/elsewhere", files.path(nonce: "n"))
        #expect(throws: ActivationFailure.self) { try files.write([1], nonce: "n") }
        #expect(!directory.exists("elsewhere"))
    }

    @Test("old files are pruned, new ones and others stay")
    func prune() throws {
        let directory = TemporaryFolder()
        let files = PayloadFiles(stateDirectory: directory.path)
        let old = try files.write([1], nonce: "old")
        _ = try files.write([1], nonce: "new")
        let foreign = files.directory + "/notes"
        try "x".write(toFile: foreign, atomically: true, encoding: .utf8)
        for path in [old, foreign] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date().addingTimeInterval(-1000)], ofItemAtPath: path)
        }
        #expect(files.prune(olderThan: 500) == 1)
        #expect(!directory.exists("payloads/payload-old"))
        #expect(directory.exists("payloads/payload-new"))
        #expect(directory.exists("payloads/notes"))
    }
}
