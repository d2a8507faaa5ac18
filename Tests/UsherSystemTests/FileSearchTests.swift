import Foundation
import TestSupport
import Testing
import UsherSystem

/// Files that are looked for where they may have been moved.
struct FileSearchTests {
    private let files = TemporaryFolder()
    private var folder: String { files.path }

    private func write(_ name: String, _ text: String = "text") throws { try files.write(text, to: name) }

    private func path(_ name: String) -> [UInt8] { Array("\(folder)/\(name)".utf8) }

    private func places(_ name: String, _ identity: FileIdentity, milliseconds: Int = 10_000) -> [String] {
        FileSearch.places(ofFileOnceAt: path(name), identity, until: Deadline(inMilliseconds: milliseconds))
            .map { String(decoding: $0, as: UTF8.self).replacingOccurrences(of: folder + "/", with: "") }
    }

    private func move(_ name: String, to other: String) throws {
        try FileManager.default.moveItem(atPath: "\(folder)/\(name)", toPath: "\(folder)/\(other)")
    }

    @Test func movedAndRenamed() throws {
        try write("a/b/file")
        try write("a/other/file", "another text")
        let identity = try #require(FileIdentity(path: path("a/b/file")))
        #expect(!FileIdentity.isMissing(path("a/b/file")))
        try move("a/b/file", to: "a/other/renamed")
        try write("a/other/renamed", "longer than before")
        try FileManager.default.removeItem(atPath: "\(folder)/a/other/renamed")
        try write("a/b/file", "text")
        let again = try #require(FileIdentity(path: path("a/b/file")))
        try move("a/b/file", to: "a/other/renamed")
        #expect(FileIdentity.isMissing(path("a/b/file")))
        // The nearest folder that exists is its own.
        #expect(places("a/b/file", again) == [])
        try FileManager.default.removeItem(atPath: "\(folder)/a/b")
        #expect(places("a/b/file", again) == ["a/other/renamed"])
        #expect(places("a/b/file", FileIdentity(device: 0, inode: 0, birth: 0, size: identity.size)) == [])
    }

    @Test func theSameNameAndSizeOnce() throws {
        try write("one/file", "text")
        let stranger = FileIdentity(device: 1, inode: 1, birth: 1, size: 4)
        #expect(places("file", stranger) == ["one/file"])
        #expect(places("gone/deep/file", stranger) == ["one/file"])
        // Where a folder was is a file now.
        #expect(places("one/file/deep/file", stranger) == ["one/file"])
        try write("plain")
        #expect(places("plain/file", stranger) == ["one/file"])
        #expect(places("file", FileIdentity(device: 1, inode: 1, birth: 1, size: 5)) == [])
        #expect(places("other", stranger) == [])
        // Where the time is over, it may be the only one or not.
        #expect(places("file", stranger, milliseconds: 0) == [])
        try write("two/file", "TEXT")
        #expect(places("file", stranger) == [])
    }

    @Test func neitherLinksNorLoops() throws {
        try write("one/file", "text")
        let identity = try #require(FileIdentity(path: path("one/file")))
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/loop", withDestinationPath: folder)
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/name", withDestinationPath: "one/file")
        #expect(places("name", identity) == ["one/file"])
        try FileManager.default.linkItem(atPath: "\(folder)/one/file", toPath: "\(folder)/one/twin")
        #expect(places("lost", identity) == ["one/file", "one/twin"])
    }

    @Test func aFolderIsAFile() throws {
        try write("folder/inside")
        let identity = try #require(FileIdentity(path: path("folder")))
        try write("elsewhere/x")
        try move("folder", to: "elsewhere/folder")
        #expect(places("folder", identity) == ["elsewhere/folder"])
    }

    @Test func namesThatAreNoText() throws {
        let name = path("x") + [0xFF, 0x20]
        let descriptor = unsafe (name + [0]).withUnsafeBufferPointer { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { unsafe open($0.baseAddress!, O_CREAT | O_WRONLY, 0o600) }
        }
        close(descriptor)
        let identity = try #require(FileIdentity(path: name))
        #expect(
            FileSearch.places(ofFileOnceAt: path("y"), identity, until: Deadline(inMilliseconds: 10_000)) == [name])
    }
}
