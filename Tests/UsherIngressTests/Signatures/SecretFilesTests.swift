import Foundation
import Synchronization
import Testing
import UsherConfiguration
import UsherHook
import UsherIngress
import UsherLog
import UsherText

@Suite struct SecretFilesTests {
    private final class Clock: Sendable {
        let time = Mutex(MonotonicInstant(nanoseconds: 0))
        func move(_ seconds: Int64) { time.withLock { $0 = $0 + .seconds(seconds) } }
    }

    private func files(_ fixture: WebhookFixture, credentials: String? = nil) -> (SecretFiles, Clock) {
        let clock = Clock()
        let logger = Logger(level: .debug, sink: fixture.log)
        return (SecretFiles(credentials: credentials, logger: logger) { clock.time.withLock { $0 } }, clock)
    }

    private func texts(_ secrets: [[UInt8]]) -> [String] { secrets.map { String(decoding: $0, as: UTF8.self) } }

    @Test func oneALine() throws {
        let fixture = try WebhookFixture("", files: ["s": "one\n\n  two words \r\n\tthree"])
        let (files, _) = files(fixture)
        #expect(try texts(files.secrets(of: .file(fixture.folder + "/s"))) == ["one", "two words", "three"])
        #expect(fixture.log.lines == [])
    }

    /// A secret of a hook may begin so, a token cannot.
    @Test func commentsAmongTokens() throws {
        let fixture = try WebhookFixture("", files: ["s": "# the printer\none\n  #two\n", "none": "# comment\n"])
        let (files, _) = files(fixture)
        #expect(try texts(files.tokens(of: .file(fixture.folder + "/s")).map(\.text)) == ["one"])
        #expect(try texts(files.secrets(of: .file(fixture.folder + "/s"))) == ["# the printer", "one", "#two"])
        #expect(throws: SecretFiles.Failure.self) { try files.tokens(of: .file(fixture.folder + "/none")) }
    }

    /// A file of keys is read as a whole, may be read by others, and is read again as a file of secrets is.
    @Test func publicKeys() throws {
        let fixture = try WebhookFixture("")
        let path = fixture.folder + "/keys"
        try WebhookFixture.write("one\n\n two\n", to: path, mode: 0o644)
        let (files, clock) = files(fixture)
        let signature = HookSignature(.jwt(HookWebToken(audience: ["a"])), secret: .file(path))
        #expect(try texts(files.secrets(of: signature)) == ["one\n\n two\n"])
        #expect(fixture.log.lines == [])
        try WebhookFixture.write("three", to: path, mode: 0o644)
        clock.move(1)
        #expect(try texts(files.secrets(of: signature)) == ["three"])
        #expect(try files.secrets(of: HookSignature.none) == [])
    }

    @Test func credentials() throws {
        let fixture = try WebhookFixture("", files: ["credentials/github": "secret\n"])
        let (files, _) = files(fixture, credentials: fixture.folder + "/credentials")
        #expect(try texts(files.secrets(of: .credential("github"))) == ["secret"])
        let (none, _) = self.files(fixture)
        #expect(throws: SecretFiles.Failure.self) { try none.secrets(of: .credential("github")) }
    }

    /// A changed secret holds after a second at most, without a restart; the old one holds no longer.
    @Test func rotation() throws {
        let fixture = try WebhookFixture("", files: ["s": "old\n"])
        let path = fixture.folder + "/s"
        let (files, clock) = files(fixture)
        #expect(try texts(files.secrets(of: .file(path))) == ["old"])
        try WebhookFixture.write("new\n", to: path)
        #expect(try texts(files.secrets(of: .file(path))) == ["old"])
        clock.move(1)
        #expect(try texts(files.secrets(of: .file(path))) == ["new"])
        clock.move(1)
        #expect(try texts(files.secrets(of: .file(path))) == ["new"])
        try FileManager.default.removeItem(atPath: path)
        clock.move(1)
        #expect(throws: SecretFiles.Failure.self) { try files.secrets(of: .file(path)) }
        try WebhookFixture.write("back\n", to: path)
        #expect(try texts(files.secrets(of: .file(path))) == ["back"])
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o606]) func openToOthers(_ mode: Int) throws {
        let fixture = try WebhookFixture("")
        try WebhookFixture.write("secret\n", to: fixture.folder + "/s", mode: mode)
        let (files, _) = files(fixture)
        #expect(try texts(files.secrets(of: .file(fixture.folder + "/s"))) == ["secret"])
        #expect(fixture.log.lines.count == 1)
        #expect(fixture.log.lines.first?.contains("\"secret.mode\":\"\(String(mode, radix: 8))\"") == true)
        #expect(fixture.log.lines.first?.contains("\"level\":\"warning\"") == true)
    }

    @Test func whatHasNoSecrets() throws {
        let fixture = try WebhookFixture(
            "", files: ["blank": " \n\n", "large": String(repeating: "x\n", count: 40_000)])
        #expect(mkfifo(fixture.folder + "/pipe", 0o600) == 0)
        let (files, _) = files(fixture)
        for (name, reason) in [
            ("missing", "No such file or directory"), ("blank", "there is no secret in it"),
            ("large", "it has more than 65536 bytes"), ("pipe", "it is not a file"), ("apps", "it is not a file"),
        ] {
            let source = SecretSource.file(fixture.folder + "/" + name)
            #expect(throws: SecretFiles.Failure(source: source, reason: reason)) { try files.secrets(of: source) }
        }
    }
}
