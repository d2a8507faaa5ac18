public import UsherHTTP
internal import UsherOperation

/// Answers for operators: health, metrics, the description of the interface.
public enum OperationAnswers {
    /// Whether requests are taken.
    public enum Health: String, Sendable, CaseIterable {
        case ok
        /// What was accepted is finished, and no more is taken.
        case stopping
        /// The store cannot be written.
        case failing
    }

    /// `GET /healthz`: 200 or 503; made once, for it is asked often.
    public static func health(_ health: Health) -> HTTPResponse {
        switch health {
        case .ok: healthy
        case .stopping: stopping
        case .failing: failing
        }
    }

    /// `GET /metrics`, in the format that the request accepts.
    public static func metrics(_ metrics: DaemonMetrics, for request: HTTPRequest) -> HTTPResponse {
        let format = MetricsFormat(accept: request.fields["Accept"])
        return HTTPResponse(200, type: format.contentType, body: metrics.registry.exposition(format))
    }

    /// `GET /openapi.json`.
    public static func document() -> HTTPResponse {
        HTTPResponse(200, type: "application/json", body: OpenAPIDocument.json)
    }

    private static let healthy = response(200, .ok)
    private static let stopping = response(503, .stopping)
    private static let failing = response(503, .failing)

    private static func response(_ status: Int, _ health: Health) -> HTTPResponse {
        var response = HTTPResponse(
            status, type: "application/json", body: HealthAnswer(status: health).jsonText + [0x0A])
        // A cache in between would go on saying what was.
        response.fields.append("Cache-Control", "no-store")
        return response
    }
}
