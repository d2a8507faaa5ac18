public import UsherLog
internal import UsherScene

/// What the daemon counts and measures (Documentation/Operation.md has the list).
public struct DaemonMetrics: Sendable {
    public let registry: MetricsRegistry
    private let deliveries: CounterFamily
    private let interrupted: CounterFamily
    private let requests: CounterFamily
    private let decide: Histogram
    private let act: Histogram
    private let reloads: CounterFamily
    private let limited: CounterFamily
    private let hookRequests: CounterFamily
    private let hookRefusals: CounterFamily

    /// What is known elsewhere and read at each scrape. nil leaves a metric out.
    public struct Readings: Sendable {
        /// Deliveries that were accepted and have no terminal record.
        public var openDeliveries: (@Sendable () -> Int?)?
        /// The age of the oldest of them, in seconds.
        public var oldestSeconds: (@Sendable () -> Double?)?
        /// Connections that are open now.
        public var connections: (@Sendable () -> Int?)?

        public init() {}
    }

    public init(version: String, readings: Readings) {
        let registry = MetricsRegistry()
        self.registry = registry
        deliveries = registry.counters(
            "usher_deliveries_total", "Deliveries with a terminal record.", labels: ["outcome", "reason"])
        interrupted = registry.counters(
            "usher_deliveries_interrupted_total",
            "Deliveries that were interrupted by a kill and not carried out again.", labels: [])
        _ = interrupted.counter("")
        requests = registry.counters(
            "usher_requests_total", "HTTP requests that were answered.", labels: ["route", "status"], limit: 500)
        limited = registry.counters(
            "usher_rate_limited_total", "Requests that were refused for a limit.", labels: ["limit"], limit: 20)
        hookRequests = registry.counters(
            "usher_hook_requests_total", "Requests to hooks, by what became of them.", labels: ["hook", "result"],
            limit: 1000)
        hookRefusals = registry.counters(
            "usher_hook_refusals_total", "Requests to hooks and unknown paths that were refused, by the error's name.",
            labels: ["hook", "reason"], limit: 1000)
        decide = registry.histogram("usher_decide_seconds", "How long deciding took.")
        act = registry.histogram("usher_act_seconds", "How long carrying out took.")
        reloads = registry.counters(
            "usher_configuration_reloads_total", "Configurations that were read again.", labels: ["result"], limit: 10)
        // Without these an alert on the first failure could not be written.
        for result in ["changed", "unchanged", "failed"] { _ = reloads.counter(result) }
        if let read = readings.openDeliveries {
            registry.gauge("usher_open_deliveries", "Deliveries without a terminal record.") { read().map(Double.init) }
        }
        if let read = readings.oldestSeconds {
            registry.gauge("usher_queue_oldest_seconds", "Age of the oldest open delivery.", read: read)
        }
        if let read = readings.connections {
            registry.gauge("usher_http_connections", "Open connections.") { read().map(Double.init) }
        }
        registry.information("usher_build_info", "The version that runs.", [("version", version)])
        ProcessMetrics.register(in: registry)
    }

    /// Counts a delivery whose terminal record is on disk.
    public func count(_ record: DecisionRecord) {
        deliveries.increment(record.outcome.rawValue, record.reason.rawValue)
        if record.warnings.contains(where: { $0.name == DiagnosticCode.interrupted.name }) { interrupted.increment("") }
        if let time = record.decideTime { decide.observe(time) }
        if let time = record.actTime { act.observe(time) }
    }

    /// Counts an answer.
    ///
    /// - Parameter route: the pattern, as in `/v1/deliveries/{id}`, never a path that a sender made up.
    public func countRequest(route: String, status: Int) {
        requests.increment(route, DaemonMetrics.statuses[status] ?? String(status))
    }

    /// Counts a refusal: `rate`, `queue`, `connections`.
    public func countLimited(_ limit: String) { limited.increment(limit) }

    /// Counts a request to a hook.
    ///
    /// - Parameter hook: a name of the configuration, never one that a sender made up.
    func countHook(_ hook: String, _ result: RequestLog.Result) { hookRequests.increment(hook, result.rawValue) }

    /// Counts a refusal by the dotted name of its error; `hook` is empty for a path that is not served.
    func countHookRefusal(_ hook: String, _ reason: String) { hookRefusals.increment(hook, reason) }

    public enum ReloadResult: String, Sendable, CaseIterable { case changed, unchanged, failed }

    public func countReload(_ result: ReloadResult) { reloads.increment(result.rawValue) }

    /// Texts that are made once.
    private static let statuses = Dictionary(uniqueKeysWithValues: (100..<600).map { ($0, String($0)) })
}
