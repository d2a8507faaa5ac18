import Synchronization
import TestSupport
import Testing
import UsherIngress
import UsherJSON
import UsherLog
import UsherScene
import UsherText

@testable import UsherHook

/// What is written and counted of requests, and what is left out.
@Suite struct RequestLogTests {
    private final class Time: Sendable {
        private let value = Mutex(MonotonicInstant(nanoseconds: 1_000_000_000))

        var now: MonotonicInstant { value.withLock { $0 } }

        func pass(seconds: Int64) {
            value.withLock { $0 = MonotonicInstant(nanoseconds: $0.nanoseconds + seconds * 1_000_000_000) }
        }
    }

    private let sink = MemorySink()
    private let time = Time()
    private let metrics = DaemonMetrics(version: "1", readings: .init())

    private func log(_ level: LogLevel = .notice) -> RequestLog {
        RequestLog(Logger(level: level, sink: sink), metrics: metrics, clock: { [time] in time.now })
    }

    private var lines: [JSONValue] { sink.lines.compactMap { try? JSONValue(parsing: Array($0.utf8)) } }

    private var counted: [String] {
        String(decoding: metrics.registry.exposition(), as: UTF8.self).split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix("usher_hook_") || $0.hasPrefix("usher_rate_limited") }.sorted()
    }

    private func refuse(
        _ log: RequestLog, _ count: Int, hook: String = "h", reason: String = "signature.mismatch",
        client: String = "192.0.2.1"
    ) {
        for _ in 0..<count {
            log.log(
                .refused, hook: hook, path: "/hooks/h", client: client, status: 403, problem: problem(reason))
        }
    }

    private func problem(_ name: String, _ code: String = "U0000") -> Diagnostic {
        Diagnostic(DiagnosticCode(code, name), "a reason", help: "a remedy")
    }

    private let miss = HookMiss(
        hook: "h", message: "no", at: "/a", rule: SourceLocation(path: "hooks/h.toml", line: 3, column: 9))

    @Test("a refusal is in the file before its sender has the answer, with what came before it")
    func refusalIsWritten() {
        let folder = TemporaryFolder()
        let file = RequestFile(in: folder.path, logger: Logger(level: .error, sink: sink))
        let log = RequestLog(Logger(level: .error, sink: sink), file: file)
        for number in 1...20 {
            log.log(.ignored, hook: "h", path: "/hooks/h", client: "c\(number)", status: 200, misses: [miss])
            refuse(log, 1, client: "c\(number)")
            let lines = folder.text("hook-requests.jsonl")?.split(separator: "\n").map(String.init) ?? []
            #expect(lines.count == 2 * number)
            #expect(lines.last?.contains(#""result":"refused""#) == true)
        }
    }

    @Test("the file says what is wrong with elements of a request that was taken, before it says what was ignored")
    func failedElements() throws {
        let folder = TemporaryFolder()
        let file = RequestFile(in: folder.path, logger: Logger(level: .error, sink: sink))
        let log = RequestLog(Logger(level: .error, sink: sink), file: file)
        log.log(
            .accepted, hook: "h", path: "/hooks/h", client: "c", status: 202, misses: [miss, miss],
            failures: [problem("hook.value-missing")], deliveries: ["1", "2"])
        file.drain()
        let text = try #require(folder.text("hook-requests.jsonl"))
        let request = try JSONValue(parsing: Array(text.utf8))
        #expect(request["deliveries"]?.elements?.map(\.string) == ["1", "2"])
        let reasons = request["why"]?.elements ?? []
        #expect(reasons.map { $0["name"]?.string } == ["hook.value-missing", "hook.no-match", "hook.no-match"])
    }

    @Test func tenLinesAMinute() {
        let log = log()
        refuse(log, 25)
        #expect(lines.count == 10)
        #expect(lines.allSatisfy { $0["left_out"]?.int64 == 0 })
        time.pass(seconds: 59)
        refuse(log, 1)
        #expect(lines.count == 10)
        time.pass(seconds: 1)
        refuse(log, 2)
        #expect(lines.map { $0["left_out"]?.int64 }.suffix(2) == [16, 0])
        #expect(
            counted == [
                #"usher_hook_refusals_total{hook="h",reason="signature.mismatch"} 28"#,
                #"usher_hook_requests_total{hook="h",result="refused"} 28"#,
            ])
    }

    @Test func eachKindByItself() {
        let log = log()
        refuse(log, 12)
        refuse(log, 12, hook: "k")
        refuse(log, 12, reason: "signature.missing")
        refuse(log, 12, client: "192.0.2.2")
        #expect(lines.count == 40)
    }

    /// With more kinds than are remembered, the log grows no faster.
    @Test func manyClients() {
        let log = log()
        for number in 0..<5000 { refuse(log, 2, client: "client-\(number)") }
        #expect(lines.count <= 1024 * 2 + 10)
        time.pass(seconds: 60)
        refuse(log, 1, client: "another")
        #expect(lines.last?["client"]?.string == "another")
    }

    @Test func members() {
        let log = log(.info)
        refuse(log, 1)
        log.log(.accepted, hook: "h", path: "/hooks/h", client: "user:1000", status: 202)
        log.log(.ignored, hook: "h", path: "/hooks/h", client: "192.0.2.1", status: 200, misses: [miss])
        log.log(.answered, hook: "h", path: "/hooks/h", client: "192.0.2.1", status: 200)
        log.log(.duplicate, hook: "h", path: "/hooks/h", client: "192.0.2.1", status: 202)
        log.logUnknown(path: "/x", client: "192.0.2.1", status: 404, problem("webhook.unknown"))
        log.logRefused(path: "/metrics", client: "192.0.2.1", status: 429, reason: "rate.limited", why: "no")
        func words(_ name: String) -> [String?] { lines.map { $0[name]?.string } }
        #expect(words("level") == ["notice", "info", "info", "info", "info", "notice", "notice"])
        #expect(words("hook") == ["h", "h", "h", "h", "h", "", nil])
        #expect(words("client") == ["192.0.2.1", "user:1000"] + Array(repeating: "192.0.2.1", count: 5))
        #expect(
            words("error.name") == [
                "signature.mismatch", nil, "hook.no-match", nil, nil, "webhook.unknown", "rate.limited",
            ])
        #expect(words("why") == ["a reason", nil, "no", nil, nil, "a reason", "no"])
        #expect(lines.map { $0["status"]?.int64 } == [403, 202, 200, 200, 202, 404, 429])
        #expect(
            counted == [
                #"usher_hook_refusals_total{hook="",reason="webhook.unknown"} 1"#,
                #"usher_hook_refusals_total{hook="h",reason="signature.mismatch"} 1"#,
                #"usher_hook_requests_total{hook="h",result="accepted"} 1"#,
                #"usher_hook_requests_total{hook="h",result="answered"} 1"#,
                #"usher_hook_requests_total{hook="h",result="duplicate"} 1"#,
                #"usher_hook_requests_total{hook="h",result="ignored"} 1"#,
                #"usher_hook_requests_total{hook="h",result="refused"} 1"#,
                #"usher_rate_limited_total{limit="rate"} 1"#,
            ])
    }

    /// At the default level, what was taken leaves no line.
    @Test func levels() {
        let log = log()
        log.log(.accepted, hook: "h", path: "/hooks/h", client: "192.0.2.1", status: 202)
        log.log(.ignored, hook: "h", path: "/hooks/h", client: "192.0.2.1", status: 200)
        #expect(lines.isEmpty)
    }
}
