import Glibc
import TestSupport
import Testing
import UsherSystem

@Suite("Files")
struct FileSystemTests {
    private let folder = "/tmp/usher-files-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"

    private func removed(_ paths: [String], _ body: () throws -> Void) rethrows {
        defer {
            for path in paths { unlink(path) }
            rmdir(folder)
        }
        try body()
    }

    @Test("a file is replaced in one step, with the mode that was asked for")
    func replacing() throws {
        let path = folder + "/file"
        try FileSystem.makeFolder(folder)
        try removed([path]) {
            try FileSystem.replace(path, Array("one".utf8), mode: 0o600)
            try FileSystem.replace(path, Array("two".utf8), mode: 0o640)
            #expect(try FileSystem.read(path, limit: 3) == Array("two".utf8))
            #expect(try FileSystem.names(in: folder) == ["file"])
            var status = stat()
            #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
            // It was changed meanwhile.
            #expect(try !FileSystem.replace(path, Array("three".utf8), mode: 0o600) { false })
            #expect(try FileSystem.read(path, limit: 3) == Array("two".utf8))
            #expect(try FileSystem.names(in: folder) == ["file"])
            guard geteuid() == 0 else { return }
            #expect(chown(path, 12345, 54321) == 0)
            try FileSystem.replace(path, Array("four".utf8), mode: 0o640)
            #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
            #expect(status.st_uid == 12345 && status.st_gid == 54321)
        }
    }

    @Test("a file that is there is not written by create")
    func creating() throws {
        let path = folder + "/file"
        try FileSystem.makeFolder(folder)
        try removed([path]) {
            try FileSystem.create(path, [1], mode: 0o600)
            let failure = #expect(throws: FileSystem.WriteFailure.self) {
                try FileSystem.create(path, [2], mode: 0o600)
            }
            #expect(failure?.error == SystemError(EEXIST))
            #expect(FileSystem.contents(of: path, limit: 9) == [1])
        }
    }

    @Test("reading is bounded: an error for whole files, the beginning for others")
    func limits() throws {
        let path = folder + "/file"
        try FileSystem.makeFolder(folder)
        try removed([path]) {
            try FileSystem.create(path, [1, 2, 3], mode: 0o600)
            #expect(throws: FileSystem.Failure.tooLarge) { try FileSystem.read(path, limit: 2) }
            #expect(throws: FileSystem.Failure.notAFile) { try FileSystem.read(folder, limit: 2) }
            #expect(throws: FileSystem.Failure.notFound) { try FileSystem.read(path + "/x", limit: 2) }
            #expect(FileSystem.contents(of: path, limit: 2) == [1, 2])
            #expect(FileSystem.contents(of: path + "x", limit: 2) == nil)
        }
    }

    @Test("a folder below a file cannot be made, and the failure names it")
    func folders() throws {
        let failure = #expect(throws: FileSystem.WriteFailure.self) { try FileSystem.makeFolder("/dev/null/folder") }
        #expect(failure?.path == "/dev/null/folder/" && failure?.error == SystemError(ENOTDIR))
    }

    @Test("paths without dots", arguments: [("/a/./b/../c", "/a/c"), ("../a//b/", "../a/b"), ("", "."), ("/..", "/")])
    func normalised(path: String, expected: String) { #expect(FilePath.normalised(path) == expected) }
}

@Suite("Threads and sockets")
struct ThreadTests {
    @Test("a watch that is stopped ends, and stop waits for it")
    func watch() throws {
        let watch = try #require(
            WatchThread(named: "test watch") { end in
                _ = eventually { end.hasCome }
            })
        watch.stop()
        watch.stop()
    }

    @Test("what cannot be the path of a socket is refused", arguments: [("", EINVAL), ("a\0b", EINVAL)])
    func badPath(path: String, number: Int32) {
        #expect(throws: SystemError(number)) { try LocalSocket.connect(to: path) }
    }

    @Test("the longest path is tried, one byte more is refused")
    func longestPath() {
        let longest = "/" + String(repeating: "x", count: LocalSocket.longestPath - 1)
        #expect(throws: SystemError(ENOENT)) { try LocalSocket.connect(to: longest) }
        #expect(throws: SystemError(ENAMETOOLONG)) { try LocalSocket.connect(to: longest + "x") }
    }

    @Test("an error number has the C library's text")
    func texts() { #expect(SystemError(ENOENT).text == "No such file or directory") }
}
