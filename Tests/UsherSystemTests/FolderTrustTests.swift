import Foundation
import Testing
import UsherSystem

/// Folders that other users could change are not used.
@Suite struct FolderTrustTests {
    private static let me = geteuid()

    /// A folder below one of the test's own in `/tmp`, each with a mode.
    private static func with(_ modes: [mode_t], _ body: (String) throws -> Void) throws {
        let root = "/tmp/usher-trust-\(UUID().uuidString)"
        defer {
            for length in (1...modes.count).reversed() {
                chmod(root + String(repeating: "/f", count: length - 1), 0o700)
            }
            try? FileManager.default.removeItem(atPath: root)
        }
        var path = root
        for (index, mode) in modes.enumerated() {
            if index > 0 { path += "/f" }
            try #require(mkdir(path, 0o700) == 0 && chmod(path, mode) == 0)
        }
        try body(path)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var modes: [mode_t]
        /// The mode that is named; nil where the folder is fine.
        var refused: String?
        /// The same for a socket.
        var refusedSocket: String?
        var testDescription: String { modes.map { String($0, radix: 8) }.joined(separator: "/") }

        init(_ modes: mode_t..., files: String?, socket: String?) {
            (self.modes, refused, refusedSocket) = (modes, files, socket)
        }
    }

    @Test(arguments: [
        Case(0o700, files: nil, socket: nil), Case(0o755, files: nil, socket: nil),
        Case(0o775, files: "0775", socket: "0775"), Case(0o757, files: "0757", socket: "0757"),
        Case(0o720, files: "0720", socket: "0720"),
        // As /tmp is.
        Case(0o1777, files: "1777", socket: nil), Case(0o1777, 0o700, files: nil, socket: nil),
        // Others could rename the folder and put one of theirs in its place.
        Case(0o777, 0o700, files: "0777", socket: "0777"), Case(0o777, 0o755, 0o700, files: "0777", socket: "0777"),
        // A group of the user's own is usual.
        Case(0o775, 0o700, files: nil, socket: nil),
    ])
    func modes(_ test: Case) throws {
        try Self.with(test.modes) { path in
            for (use, mode) in [(FolderTrust.Use.files, test.refused), (.socket, test.refusedSocket)] {
                var message: String?
                var help: String?
                do throws(FolderTrust.Fault) {
                    try FolderTrust.check(path, for: use, option: "--state")
                } catch {
                    (message, help) = (error.message, error.help)
                }
                guard let mode else {
                    #expect(message == nil)
                    continue
                }
                let text = try #require(message)
                #expect(text.contains("(owner \(Self.me), mode \(mode)) can be changed by other users"), "\(text)")
                #expect(help?.hasPrefix("chmod go-w /tmp/usher-trust-") == true && help?.hasSuffix("--state") == true)
            }
        }
    }

    @Test func aFolderThatIsMissingIsJudgedByThoseAbove() throws {
        try Self.with([0o700]) { path in
            #expect(throws: Never.self) { try FolderTrust.check(path + "/a/b", option: "--state") }
        }
        try Self.with([0o777]) { path in
            #expect(throws: FolderTrust.Fault.self) { try FolderTrust.check(path + "/a/b", option: "--state") }
        }
    }

    @Test func aLinkIsFollowed() throws {
        try Self.with([0o700, 0o777]) { path in
            let link = String(path.dropLast(2)) + "/link"
            try #require(symlink(path, link) == 0)
            #expect(throws: FolderTrust.Fault.self) { try FolderTrust.check(link, option: "--state") }
        }
    }

    @Test func aFolderOfAnotherUser() throws {
        try Self.with([0o755, 0o700]) { path in
            // For root one that belongs to another; for others, as another user would see their own.
            if Self.me == 0 { try #require(chown(path, 4242, 4242) == 0) }
            let (owner, user) = Self.me == 0 ? (4242, UInt32(0)) : (Self.me, UInt32(4242))
            do throws(FolderTrust.Fault) {
                try FolderTrust.check(path, option: "--state", user: user)
                Issue.record("it is used")
            } catch {
                #expect(
                    error.message.hasSuffix("(owner \(owner), mode 0700) belongs to another user: this is user \(user)")
                )
                #expect(error.help == "run this as user \(owner), or name another folder with --state")
            }
            if Self.me == 0 { chown(path, 0, 0) }
        }
        // A folder of root is trusted for every user.
        #expect(throws: Never.self) { try FolderTrust.check("/usr/lib", option: "--state", user: 4242) }
    }
}
