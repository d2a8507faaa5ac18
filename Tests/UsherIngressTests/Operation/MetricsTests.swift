import Foundation
import Testing
import UsherIngress
import UsherLog
import UsherScene
import UsherText

@Suite("Metrics")
struct MetricsTests {
    /// A daemon's metrics with something in each.
    private func daemon() -> DaemonMetrics {
        var readings = DaemonMetrics.Readings()
        readings.openDeliveries = { 3 }
        readings.oldestSeconds = { 1.5 }
        readings.connections = { 7 }
        let metrics = DaemonMetrics(version: "1.0 \"odd\"\\\n", readings: readings)
        var record = DecisionRecord(
            id: "1", sequence: 1, time: Instant(microseconds: 0), source: "webhook", configuration: "x",
            action: .focus, reason: .prefers, outcome: .verified)
        record.decideTime = .microseconds(12)
        record.actTime = .seconds(60)
        metrics.count(record)
        metrics.count(record)
        metrics.countRequest(route: "/v1/notifications", status: 202)
        metrics.countRequest(route: "/hooks/{name}", status: 999)
        metrics.countLimited("rate")
        metrics.countReload(.failed)
        return metrics
    }

    @Test("Prometheus's own parsers read both formats", arguments: MetricsFormat.allCases)
    func parsers(format: MetricsFormat) throws {
        let module = format == .text ? "prometheus_client.parser" : "prometheus_client.openmetrics.parser"
        let code = """
            import sys, json
            from \(module) import text_string_to_metric_families as parse
            families = list(parse(sys.stdin.buffer.read().decode()))
            for family in families:
                assert family.documentation, family.name
                assert family.type in ("counter", "gauge", "histogram"), (family.name, family.type)
                for sample in family.samples:
                    print(json.dumps([family.type, sample.name, sample.labels, float(sample.value)], sort_keys=True))
            """
        let (isGood, output) = try PythonJudge.run(code, input: daemon().registry.exposition(format))
        try #require(isGood, "\(output)")
        let lines = Set(output.split(separator: "\n").map(String.init))
        let missing = [
            #"["counter", "usher_deliveries_total", {"outcome": "verified", "reason": "prefers"}, 2.0]"#,
            #"["counter", "usher_requests_total", {"route": "/v1/notifications", "status": "202"}, 1.0]"#,
            #"["counter", "usher_requests_total", {"route": "/hooks/{name}", "status": "999"}, 1.0]"#,
            #"["counter", "usher_rate_limited_total", {"limit": "rate"}, 1.0]"#,
            #"["counter", "usher_configuration_reloads_total", {"result": "failed"}, 1.0]"#,
            #"["counter", "usher_configuration_reloads_total", {"result": "changed"}, 0.0]"#,
            #"["histogram", "usher_decide_seconds_bucket", {"le": "1e-05"}, 0.0]"#,
            #"["histogram", "usher_decide_seconds_bucket", {"le": "5e-05"}, 2.0]"#,
            #"["histogram", "usher_decide_seconds_count", {}, 2.0]"#,
            #"["histogram", "usher_act_seconds_bucket", {"le": "10.0"}, 0.0]"#,
            #"["histogram", "usher_act_seconds_bucket", {"le": "+Inf"}, 2.0]"#,
            #"["histogram", "usher_act_seconds_sum", {}, 120.0]"#,
            #"["gauge", "usher_open_deliveries", {}, 3.0]"#,
            #"["gauge", "usher_queue_oldest_seconds", {}, 1.5]"#,
            #"["gauge", "usher_http_connections", {}, 7.0]"#,
            #"["gauge", "usher_build_info", {"version": "1.0 \"odd\"\\\n"}, 1.0]"#,
        ].filter { !lines.contains($0) }
        #expect(missing == [])
    }

    /// Debian's `prometheus` has it; the package is large, so its judgement is asked for only where it is installed.
    private static let promtool = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { $0 + "/promtool" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    @Test("promtool has nothing to say", .enabled(if: promtool != nil))
    func linted() throws {
        let (status, output) = try PythonJudge.process(
            try #require(MetricsTests.promtool), ["check", "metrics"], input: daemon().registry.exposition())
        #expect(status == 0 && output.isEmpty, "\(output)")
    }

    @Test("what the process says of itself is plausible")
    func process() throws {
        let text = String(decoding: daemon().registry.exposition(), as: UTF8.self)
        func value(_ name: String) -> Double {
            text.split(separator: "\n").first { $0.hasPrefix(name + " ") }.flatMap {
                Double($0.split(separator: " ")[1])
            }
                ?? -1
        }
        #expect(value("process_resident_memory_bytes") > 1_000_000)
        #expect(value("process_cpu_seconds_total") > 0)
        #expect(value("process_open_fds") >= 3)
        #expect(value("process_max_fds") >= value("process_open_fds"))
        let age = Date().timeIntervalSince1970 - value("process_start_time_seconds")
        #expect(age > -5 && age < 86_400)
    }

    @Test("however many labels a sender makes up, few are kept and none is lost")
    func cardinality() {
        let registry = MetricsRegistry()
        let family = registry.counters("x_total", "x", labels: ["a", "b"], limit: 10)
        for index in 0..<1000 { family.increment("a\(index)", "b") }
        family.increment("a3", "b")
        let samples = String(decoding: registry.exposition(), as: UTF8.self).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
        #expect(samples.count == 11)
        #expect(samples.contains("x_total{a=\"a3\",b=\"b\"} 2"))
        #expect(samples.contains("x_total{a=\"other\",b=\"other\"} 990"))
    }

    @Test("counting from many threads loses nothing")
    func threads() async {
        let registry = MetricsRegistry()
        let family = registry.counters("f_total", "f", labels: ["l"])
        let histogram = registry.histogram("h_seconds", "h", bounds: [1])
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for _ in 0..<1000 {
                        family.increment("\(task % 2)")
                        histogram.observe(0.5)
                    }
                }
            }
        }
        let text = String(decoding: registry.exposition(), as: UTF8.self)
        #expect(text.contains("\nf_total{l=\"0\"} 4000\n") && text.contains("\nf_total{l=\"1\"} 4000\n"))
        #expect(text.contains("\nh_seconds_bucket{le=\"1.0\"} 8000\n") && text.contains("\nh_seconds_sum 4000\n"))
    }

    @Test(
        "the format is what the scraper asks for",
        arguments: [
            (nil, .text), ("", .text), ("*/*", .text), ("text/plain;version=0.0.4", .text),
            ("application/openmetrics-text;version=1.0.0,text/plain;q=0.5", .openMetrics),
            ("text/plain, APPLICATION/OpenMetrics-text ; version=0.0.1 ; q=0.2", .openMetrics),
            ("application/openmetrics-text; q=0", .text), (";,;;,", .text),
        ] as [(String?, MetricsFormat)])
    func negotiates(accept: String?, format: MetricsFormat) {
        #expect(MetricsFormat(accept: accept) == format)
    }
}
