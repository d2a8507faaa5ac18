import Testing
import UsherHTTP
import UsherIngress
import UsherJSON

@Suite("Answers about the daemon")
struct OperationAnswersTests {
    @Test("health is a status and a word of the document", arguments: OperationAnswers.Health.allCases)
    func health(health: OperationAnswers.Health) throws {
        let response = OperationAnswers.health(health)
        #expect(response.status == (health == .ok ? 200 : 503))
        #expect(response.fields["content-type"] == "application/json")
        let body = try JSONValue(parsing: response.body)
        #expect(body["status"]?.string == health.rawValue)
        let document = try JSONValue(parsing: OpenAPIDocument.json)
        let words = document["components"]?["schemas"]?["Health"]?["properties"]?["status"]?["enum"]?.elements
        #expect(words?.compactMap(\.string).contains(health.rawValue) == true)
    }

    @Test("metrics come in the format that is asked for, with its type", arguments: MetricsFormat.allCases)
    func metrics(format: MetricsFormat) {
        let peer = HTTPPeer(address: .internet(host: "127.0.0.1", port: 1), listener: "webhook")
        var request = HTTPRequest(method: "GET", target: "/metrics", fields: HTTPFields(), peer: peer)
        if format == .openMetrics { request.fields.append("accept", "application/openmetrics-text") }
        let response = OperationAnswers.metrics(
            DaemonMetrics(version: "1", readings: DaemonMetrics.Readings()), for: request)
        #expect(response.fields["Content-Type"] == format.contentType)
        #expect(String(decoding: response.body, as: UTF8.self).hasSuffix("# EOF\n") == (format == .openMetrics))
    }

    @Test("the document is served as it is")
    func document() {
        #expect(OperationAnswers.document().body == OpenAPIDocument.json)
        #expect(OperationAnswers.document().fields["Content-Type"] == "application/json")
    }
}
