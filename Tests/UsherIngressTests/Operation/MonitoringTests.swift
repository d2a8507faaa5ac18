import Foundation
import TestSupport
import Testing
import UsherIngress
import UsherJSON

/// The dashboard and the alert rules of Config/monitoring, judged by Prometheus's own promtool.
@Suite struct MonitoringTests {
    private static let folder = Repository.path + "/Config/monitoring/"
    private static let rules = folder + "usher-alerts.yml"

    /// The expressions of the dashboard's panels and variables.
    private static func expressions() throws -> [String] {
        let bytes = try Data(contentsOf: URL(filePath: folder + "usher-dashboard.json"))
        let dashboard = try JSONValue(parsing: Array(bytes))
        let panels = try #require(dashboard["panels"]?.elements)
        let ids = panels.compactMap { $0["id"]?.int64 }
        #expect(Set(ids).count == panels.count)
        let found = panels.flatMap { $0["targets"]?.elements ?? [] }.compactMap { $0["expr"]?.string }
        #expect(found.count >= 18)
        // What Grafana fills in.
        return found.map {
            $0.replacing("$__rate_interval", with: "5m").replacing("$job", with: "usher").replacing(
                "$instance", with: "a")
        }
    }

    @Test func `every metric is one of the daemon's`() throws {
        var readings = DaemonMetrics.Readings()
        readings.openDeliveries = { 0 }
        readings.oldestSeconds = { 0 }
        readings.connections = { 0 }
        let exposition = String(
            decoding: DaemonMetrics(version: "1", readings: readings).registry.exposition(.text), as: UTF8.self)
        let known = Set(exposition.matches(of: /# TYPE (\w+) \w+/).map { String($0.1) })
        let texts = [try String(contentsOfFile: Self.rules, encoding: .utf8)] + (try Self.expressions())
        for text in texts {
            for match in text.matches(of: /\b(usher_[a-z_]+|process_[a-z_]+)\b/) {
                let name = String(match.1).replacing(/_bucket$/, with: "")
                #expect(known.contains(name), "\(name)")
            }
        }
    }

    @Test func `promtool reads each expression of the dashboard`() throws {
        let rules = try Self.expressions().enumerated().map { index, expression in
            "{record: \"a:\(index)\", expr: \(JSONValue.string(expression).text())}"
        }
        try judge(
            ["check", "rules", "rules.yml"], file: "rules.yml",
            "groups: [{name: a, rules: [\(rules.joined(separator: ", "))]}]\n", says: "\(rules.count) rules found")
    }

    @Test func `the alerts say what they should of given series`() throws {
        let tests = try String(
            contentsOfFile: Repository.path + "/Tests/Fixtures/monitoring/alerts.test.yml", encoding: .utf8)
        let rules = try String(contentsOfFile: Self.rules, encoding: .utf8)
        for match in rules.matches(of: /- alert: (\w+)/) {
            // Once where nothing is wrong, and once where something is.
            #expect(tests.split(separator: "alertname: \(match.1)").count == 3, "\(match.1)")
        }
        try judge(
            ["test", "rules", "test.yml"], file: "test.yml",
            tests.replacing("[usher-alerts.yml]", with: "[\"\(Self.rules)\"]"), says: "SUCCESS")
    }

    /// Runs promtool beside a file of this name.
    private func judge(_ arguments: [String], file name: String, _ text: String, says expected: String) throws {
        let folder = NSTemporaryDirectory() + "/usher-promtool-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try text.write(toFile: folder + "/" + name, atomically: false, encoding: .utf8)
        let (status, output) = try PythonJudge.process(
            "/usr/bin/promtool", arguments.dropLast() + [folder + "/" + name], input: [])
        #expect(status == 0 && output.contains(expected), "\(output)")
    }
}
