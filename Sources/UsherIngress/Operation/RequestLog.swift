internal import Synchronization
internal import UsherEngine
public import UsherHook
internal import UsherJSON
public import UsherLog
internal import UsherOperation
public import UsherScene
public import UsherSystem
public import UsherText

/// Logs and counts what becomes of requests, and keeps those to hooks in a file: a line each. Of refusals, ten lines a minute of
/// the same hook, reason and client.
///
/// Safe from any thread; memory is bounded.
public final class RequestLog: Sendable {
    /// What became of a request to a hook.
    public enum Result: String, Sendable, CaseIterable { case accepted, ignored, duplicate, answered, refused }

    /// A minute of one kind of refusal.
    private struct Window {
        var began: MonotonicInstant
        var written = 0
        var leftOut = 0

        /// How many lines were left out before this one; nil where this one is left out, too.
        mutating func admit(at now: MonotonicInstant) -> Int? {
            if now - began >= .seconds(60) { (began, written) = (now, 0) }
            guard written < RequestLog.linesInAMinute else {
                leftOut += 1
                return nil
            }
            written += 1
            defer { leftOut = 0 }
            return leftOut
        }
    }

    private struct Kind: Hashable {
        var place: String
        var reason: String
        var client: String
    }

    static let linesInAMinute = 10
    /// Reasons of one request that are kept.
    static let reasonLimit = 16
    /// Kinds of refusals that are counted separately at a time; beyond, all clients of a minute share one window.
    private static let kindLimit = 1024

    private let logger: Logger
    private let metrics: DaemonMetrics?
    private let file: RequestFile?
    private let clock: @Sendable () -> MonotonicInstant
    private let windows = Mutex<[Kind: Window]>([:])

    /// - Parameters:
    ///   - metrics: what counts; nil counts nothing.
    ///   - file: what keeps the requests to hooks; nil keeps nothing.
    public init(
        _ logger: Logger, metrics: DaemonMetrics? = nil, file: RequestFile? = nil,
        clock: @escaping @Sendable () -> MonotonicInstant = { MonotonicClock.now }
    ) {
        self.logger = logger
        self.metrics = metrics
        self.file = file
        self.clock = clock
    }

    /// A request to a hook. To be called once for each.
    ///
    /// - Parameters:
    ///   - hook: its name in the configuration.
    ///   - path: of the URL.
    ///   - client: the address of the client, or its user.
    ///   - problem: why it is refused.
    ///   - misses: why it, or elements of it, are ignored.
    ///   - failures: of an accepted request: what is wrong with elements of it.
    ///   - deliveries: our ids of those that it made, refused ones included.
    public func log(
        _ result: Result, hook: String, path: String, client: String, status: Int, problem: Diagnostic? = nil,
        misses: [HookMiss] = [], failures: [Diagnostic] = [], deliveries: [String] = []
    ) {
        metrics?.countHook(hook, result)
        let isIgnored = result == .ignored
        let reason = problem?.code.name ?? (isIgnored ? DiagnosticCode.hookNoMatch.name : nil)
        let why = problem?.message ?? (isIgnored ? misses.first?.message : nil)
        let hasDeliveries = result == .accepted || result == .duplicate || !deliveries.isEmpty
        func log(_ event: LogEvent, result: LogValue? = nil, leftOut: Int? = nil) {
            logger.log(
                event,
                [
                    "hook": .text(hook), "client": .text(client), "status": .number(Int64(status)), "result": result,
                    "error.name": reason.map(LogValue.text), "why": why.map(LogValue.text),
                    "deliveries": hasDeliveries ? .list(deliveries) : nil,
                    "left_out": leftOut.map { .number(Int64($0)) },
                ])
        }
        var leftOut = 0
        switch result {
        case .accepted, .duplicate: log(.hookAccepted, result: .text(result.rawValue))
        case .ignored: log(.hookIgnored)
        case .answered: log(.hookAnswered)
        case .refused:
            countLimit(reason ?? "")
            metrics?.countHookRefusal(hook, reason ?? "")
            guard let before = linesLeftOut(hook, reason ?? "", client) else { return }
            log(.hookRefused, leftOut: before)
            leftOut = before
        }
        keep(
            result, hook, path: path, client: client, status: status, problem, misses, failures,
            deliveries: deliveries, leftOut: leftOut)
        // `usher hook log` shows a refused request as soon as it is answered. Lines of refusals are few, unlike the others.
        if result == .refused { file?.drain() }
    }

    /// Writes a request into the file: what `usher hook log` shows.
    private func keep(
        _ result: Result, _ hook: String, path: String, client: String, status: Int, _ problem: Diagnostic?,
        _ misses: [HookMiss], _ failures: [Diagnostic] = [], deliveries: [String] = [], leftOut: Int
    ) {
        guard let file else { return }
        var record = HookRequestRecord()
        (record.time, record.hook, record.path) = (.now, hook, path)
        (record.client, record.status, record.result) = (client, status, result.rawValue)
        record.error = problem.map { ErrorAnswer($0) }
        record.deliveries = deliveries
        let reasons = failures.map { HookReasonAnswer($0, hook: hook) } + misses.lazy.map { HookReasonAnswer($0) }
        record.why = Array(reasons.prefix(RequestLog.reasonLimit))
        file.append { [record] dropped in
            var record = record
            record.leftOut = leftOut + dropped
            var json = JSONWriter()
            record.write(to: &json)
            json.newline()
            return json.bytes
        }
    }

    /// A request to a path that is not served.
    public func logUnknown(path: String, client: String, status: Int, _ problem: Diagnostic) {
        let reason = problem.code.name
        metrics?.countHookRefusal("", reason)
        guard let leftOut = linesLeftOut("", reason, client) else { return }
        logger.log(
            .hookUnknown,
            [
                "hook": "", "http.path": .text(path), "client": .text(client), "status": .number(Int64(status)),
                "error.name": .text(reason), "why": .text(problem.message), "left_out": .number(Int64(leftOut)),
            ])
        if problem.code == .hookUnknown {
            keep(.refused, "", path: path, client: client, status: status, problem, [], leftOut: leftOut)
        }
    }

    /// A request that is refused at a path without a hook.
    public func logRefused(path: String, client: String, status: Int, reason: String, why: String) {
        countLimit(reason)
        guard let leftOut = linesLeftOut("/", reason, client) else { return }
        logger.log(
            .requestRefused,
            [
                "http.path": .text(path), "client": .text(client), "status": .number(Int64(status)),
                "error.name": .text(reason), "why": .text(why), "left_out": .number(Int64(leftOut)),
            ])
    }

    private func countLimit(_ reason: String) {
        if reason == "rate.limited" { metrics?.countLimited("rate") }
        if reason == "rate.queue-full" { metrics?.countLimited("queue") }
    }

    /// Secrets or tokens that cannot be used, and why.
    func logUnreadable(_ failure: SecretFiles.Failure, of owner: String) {
        guard let leftOut = linesLeftOut(owner, "signature.secret", "") else { return }
        logger.log(
            .secretsUnreadable,
            [
                "secret.owner": .text(owner), "secret.source": .text(failure.source.description),
                "error": .text(failure.reason), "left_out": .number(Int64(leftOut)),
            ])
    }

    /// How many lines of this kind were left out before this one; nil where this one is left out, too.
    private func linesLeftOut(_ place: String, _ reason: String, _ client: String) -> Int? {
        let now = clock()
        return windows.withLock { windows in
            var kind = Kind(place: place, reason: reason, client: client)
            if windows[kind] == nil, windows.count >= RequestLog.kindLimit {
                windows = windows.filter { now - $0.value.began < .seconds(60) }
                if windows.count >= RequestLog.kindLimit { kind = Kind(place: "", reason: "", client: "") }
            }
            return windows[kind, default: Window(began: now)].admit(at: now)
        }
    }
}
