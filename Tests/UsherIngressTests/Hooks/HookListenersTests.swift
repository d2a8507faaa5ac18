import Foundation
import Synchronization
import Testing
import UsherConfiguration
import UsherHTTP
import UsherHook
import UsherIngress
import UsherJSON
import UsherLog
import UsherOperation

/// Requests to hooks as listeners see them, and as the request file keeps them.
@Suite struct HookListenersTests {
    private static let hooks = """
        [hooks.open]
        signature = { scheme = "none" }
        values = { t = "/t" }
        title = "{t}"
        [hooks.key]
        signature = { scheme = "bearer", secret-file = "key.secret" }
        when = [{ pointer = "/t", exists = true }]
        title = "k"
        [hooks.other]
        path = "key"
        when = [{ pointer = "/u", exists = true }]
        title = "o"
        """

    private final class Listener: LineConnection {
        private let lines = Mutex<[JSONValue]>([])
        private let unsent = Mutex(0)

        func send(_ bytes: [UInt8]) -> Bool {
            for line in bytes.split(separator: 0x0A) {
                if let value = try? JSONValue(parsing: Array(line)) { lines.withLock { $0.append(value) } }
            }
            return true
        }

        var unsentBytes: Int { unsent.withLock { $0 } }
        func setReading(_ isReading: Bool) {}
        func close() {}
        func keep(unsent bytes: Int) { unsent.withLock { $0 = bytes } }
        var all: [JSONValue] { lines.withLock { $0 } }
        /// The requests, without the answer at the beginning.
        var records: [JSONValue] { all.compactMap { $0["record"] } }
    }

    /// A daemon's listeners behind a control connection, and the access of these hooks.
    private final class Station: Sendable {
        let fixture: WebhookFixture
        let control: ControlFixture
        let access: WebhookAccess
        let file: RequestFile
        private let log = MemorySink()

        init() throws {
            fixture = try WebhookFixture(HookListenersTests.hooks, files: ["key.secret": "k3y\n"])
            control = try ControlFixture(isDaemon: false)
            let logger = Logger(level: .error, sink: log)
            file = RequestFile(in: fixture.folder, logger: logger)
            access = WebhookAccess(
                fixture.settings, limiter: RateLimiter(fixture.settings.server.rate),
                secrets: SecretFiles(credentials: nil, logger: logger), log: RequestLog(logger, file: file),
                listeners: control.backend.listeners, wallClock: { WebhookFixture.now })
        }

        func listen() -> (Listener, ControlLines) {
            let listener = Listener()
            let lines = ControlLines(control.service, listener)
            lines.receive(Array(#"{"id":1,"command":"hook.listen","arguments":{}}"#.utf8))
            return (listener, lines)
        }

        func send(_ target: String, _ body: String, _ fields: [(String, String)] = []) -> Answer {
            fixture.send(WebhookFixture.request(target, body, fields), RecordingIntake(.accept), access)
        }

        var kept: [JSONValue] {
            file.drain()
            let bytes = (try? Data(contentsOf: URL(filePath: RequestFile.path(in: fixture.folder)))) ?? Data()
            return bytes.split(separator: 0x0A).compactMap { try? JSONValue(parsing: Array($0)) }
        }
    }

    @Test func everyRequestIsShownOnceBeforeItIsJudged() throws {
        let station = try Station()
        let (listener, lines) = station.listen()
        #expect(listener.all.first?["result"]?["streaming"]?.boolean == true)
        #expect(station.send("/hooks/open?a=1", #"{"t":"x"}"#, [("X-Twice", "1"), ("X-Twice", "2")]).status == 202)
        #expect(station.send("/hooks/key", #"{"t":"x"}"#, [("Authorization", "Bearer k3y")]).status == 202)
        #expect(station.send("/hooks/key", #"{"t":"x"}"#, [("Authorization", "Bearer wrong")]).status == 403)
        #expect(station.send("/hooks/nobody", "{}").status == 404)
        let records = listener.records
        #expect(records.map { $0["path"]?.string } == ["/hooks/open", "/hooks/key", "/hooks/key"])
        #expect(records[0]["query"]?.string == "a=1")
        #expect(records[0]["body"]?.string == #"{"t":"x"}"#)
        let twice = records[0]["headers"]?.elements?.filter { $0.elements?.first?.string == "X-Twice" }
        #expect(twice?.compactMap { $0.elements?.last?.string } == ["1", "2"])
        let text = records.map { $0.text() }.joined()
        #expect(text.contains("Bearer ***") && !text.contains("k3y") && !text.contains("wrong"))
        lines.end()
        #expect(station.control.backend.listeners.count == 0)
        _ = station.send("/hooks/open", #"{"t":"y"}"#)
        #expect(listener.records.count == 3)
    }

    @Test func aSlowListenerGetsTheNumberOfMissedRequests() throws {
        let station = try Station()
        let (listener, lines) = station.listen()
        defer { lines.end() }
        listener.keep(unsent: 1 << 20)
        for _ in 0..<3 { _ = station.send("/hooks/open", #"{"t":"x"}"#) }
        #expect(listener.records.isEmpty)
        listener.keep(unsent: 0)
        _ = station.send("/hooks/open", #"{"t":"y"}"#)
        _ = station.send("/hooks/open", #"{"t":"z"}"#)
        #expect(listener.records.map { $0["left_out"]?.int64 } == [3, nil, nil])
        #expect(listener.records.compactMap { $0["body"]?.string } == [#"{"t":"y"}"#, #"{"t":"z"}"#])
    }

    @Test func theRequestFileSaysWhatBecameOfEach() throws {
        let station = try Station()
        _ = station.send("/hooks/open", #"{"t":"x"}"#)
        _ = station.send("/hooks/key", #"{"v":1}"#, [("Authorization", "Bearer k3y")])
        for _ in 0..<12 { _ = station.send("/hooks/key", "{}", [("Authorization", "Bearer wrong")]) }
        _ = station.send("/hooks/open", "{\n  \"t\": x}")
        _ = station.send("/hooks/nobody", "{}")
        let kept = station.kept
        #expect(kept.count == 14)
        #expect(kept[0]["result"]?.string == "accepted" && kept[0]["status"]?.int64 == 202)
        #expect(kept[0]["hook"]?.string == "open" && kept[0]["path"]?.string == "/hooks/open")
        #expect(kept[0]["client"]?.string == "127.0.0.1" && kept[0]["error"]?.kind == .null)
        let why = kept[1]["why"]?.elements ?? []
        #expect(why.map { $0["hook"]?.string } == ["key", "other"])
        #expect(why.first?["name"]?.string == "hook.no-match" && why.first?["rule"]?.string == "usher.toml:7:9")
        #expect(kept[2]["error"]?["name"]?.string == "signature.mismatch" && kept[2]["status"]?.int64 == 403)
        #expect(kept[2...11].allSatisfy { $0["hook"]?.string == "key" && $0["left_out"]?.int64 == 0 })
        let syntax = try #require(kept[12]["error"])
        #expect(syntax["name"]?.string == "json.syntax")
        #expect(syntax["line"]?.int64 == 2 && syntax["column"]?.int64 == 8 && syntax["offset"]?.int64 == 9)
        #expect(kept[13]["hook"]?.string == "" && kept[13]["error"]?["name"]?.string == "hook.unknown")
    }
}
