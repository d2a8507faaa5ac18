/// The text formats that metrics are shown in.
public enum MetricsFormat: Sendable, CaseIterable {
    /// Prometheus text exposition 0.0.4.
    case text
    /// OpenMetrics 1.0.
    case openMetrics

    /// OpenMetrics where the request's `Accept` field names it (and does not refuse it by `q=0`), else the plain text that
    /// everything reads.
    public init(accept: String?) {
        let names = accept?.split(separator: ",").map { $0.split(separator: ";").map { MetricsFormat.word($0) } } ?? []
        let asksForIt = names.contains { parts in
            parts.first == "application/openmetrics-text" && !parts.contains("q=0") && !parts.contains("q=0.0")
        }
        self = asksForIt ? .openMetrics : .text
    }

    public var contentType: String {
        switch self {
        case .text: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }

    private static func word(_ text: Substring) -> String {
        text.lowercased().filter { $0 != " " && $0 != "\t" }
    }
}
