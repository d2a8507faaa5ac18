import Foundation
import TestSupport
import Testing
import UsherJSON

@Suite("usher browser")
struct BrowserCommandTests {
    @Test("installs for the browsers that have been run here, and says so")
    func install() throws {
        try UsherProgram.run { usher in
            let home = usher.folder
            #expect(try usher.run(["browser", "install"]).status == 2)
            try FileManager.default.createDirectory(
                atPath: home + "/config/chromium", withIntermediateDirectories: true)
            try FileManager.default.createDirectory(atPath: home + "/.mozilla", withIntermediateDirectories: true)
            let before = try usher.run(["browser", "status"])
            #expect(before.status == 1)
            #expect(before.json()["browsers"]?.elements?.map { $0["manifest"]?.string } == ["missing", "missing"])

            let ending = try usher.run(["browser", "install"])
            #expect(ending.status == 0, "\(ending.errors)")
            #expect(ending.json()["written"]?.elements?.count == 3)
            let firefox = try manifest(home + "/.mozilla/native-messaging-hosts/org.usher.browser.json")
            #expect(firefox["allowed_extensions"]?.elements?.map(\.string) == ["browser@usher"])
            let chromium = try manifest(home + "/config/chromium/NativeMessagingHosts/org.usher.browser.json")
            let origin = try #require(chromium["allowed_origins"]?.elements?.first?.string)
            let key = try #require(try manifest(Repository.path + "/Extension/manifest.json")["key"]?.string)
            #expect(origin == "chrome-extension://\(try identifier(ofKey: key, usher))/")
            let script = try #require(chromium["path"]?.string)
            #expect(FileManager.default.isExecutableFile(atPath: script))
            #expect(firefox["name"]?.string == "org.usher.browser" && firefox["path"]?.string == script)

            let after = try usher.run(["browser", "status"])
            #expect(after.status == 1)
            #expect(after.json()["browsers"]?.elements?.map { $0["manifest"]?.string } == ["ready", "ready"])
            #expect(after.json()["usherd"]?.boolean == false)
            try FileManager.default.removeItem(atPath: script)
            let broken = try usher.run(["browser", "status"])
            #expect(broken.json()["browsers"]?.elements?.first?["manifest"]?.string == "broken")
        }
    }

    @Test("a script that browsers start survives any path, and ends with the browser")
    func host() throws {
        try UsherProgram.run { usher in
            let state = usher.folder + "/it's $HOME; a state"
            let ending = try usher.run(["browser", "install", "vivaldi", "--state", state, "--extension-id", "abc"])
            #expect(ending.status == 0, "\(ending.errors)")
            let line =
                "for f in it*state/browser-host; do printf '\\002\\000\\000\\000{}' | \"$f\" chrome-extension://abc/; done"
            let host = try usher.shell(line)
            #expect(host.status == 0 && host.output.isEmpty && host.errors.isEmpty, "\(host.errors)")
            #expect(usher.exists("it's $HOME; a state/browser-host"))
        }
    }

    @Test(
        "what is no browser's is refused",
        arguments: [
            ["browser", "install", "netscape"], ["browser", "install", "--profile", "/tmp"],
            ["browser", "install", "firefox", "--extension-id", "a/b"],
            ["browser", "install", "firefox", "--extension-id", "a b"],
        ])
    func refused(words: [String]) throws {
        let ending = try UsherProgram.run { usher in try usher.run(words) }
        #expect(ending.status == 2 && ending.output.isEmpty)
    }

    private func manifest(_ path: String) throws -> JSONValue {
        try JSONValue(parsing: Array(Data(contentsOf: URL(fileURLWithPath: path))))
    }

    /// The first half of the key's digest, in the letters a to p.
    private func identifier(ofKey key: String, _ usher: UsherProgram) throws -> String {
        let sum = try usher.shell("printf %s '\(key)' | base64 -d | sha256sum").output.prefix(32)
        return String(
            sum.compactMap(\.hexDigitValue).map { Character(Unicode.Scalar(UInt8(ascii: "a") + UInt8($0))) })
    }
}

@Suite("usher browser pause")
struct BrowserPauseTests {
    @Test("a pause has an end or none, and is ended by resume")
    func pause() throws {
        try UsherProgram.run { usher in
            let forever = try usher("browser", "pause").json()
            #expect(forever["paused"]?.boolean == true && forever["until"] == .null)
            let limited = try usher("browser", "pause", "30m").json()
            #expect(limited["paused"]?.boolean == true && limited["until"]?.string?.hasSuffix("Z") == true)
            let resumed = try usher("browser", "resume").json()
            #expect(resumed["paused"]?.boolean == false && resumed["until"] == .null)
        }
    }

    @Test("what is no duration is refused", arguments: ["0s", "30", "m", "-5m", "1y", "366d", "99999999999s", "1.5h"])
    func refused(text: String) throws {
        try UsherProgram.run { usher in
            let ending = try usher.run(["browser", "pause", "--", text])
            #expect(ending.status == 2 && ending.errors.contains("control.argument]"), "\(ending.errors)")
            #expect(try usher("browser", "resume").status == 0)
        }
    }
}
