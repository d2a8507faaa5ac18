internal import Synchronization
internal import UsherHook
public import UsherLog
public import UsherSystem
public import UsherText

/// Logs and counts what becomes of requests, a line each. Of refusals, ten lines a minute of the same hook, reason and client.
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

    public static let linesInAMinute = 10
    /// Kinds of refusals that are told apart at a time; beyond, all clients of a minute share one window.
    private static let kindLimit = 1024

    private let logger: Logger
    private let metrics: DaemonMetrics?
    private let clock: @Sendable () -> MonotonicInstant
    private let windows = Mutex<[Kind: Window]>([:])

    /// - Parameter metrics: what counts; nil counts nothing.
    public init(
        _ logger: Logger, metrics: DaemonMetrics? = nil,
        clock: @escaping @Sendable () -> MonotonicInstant = { MonotonicClock.now }
    ) {
        self.logger = logger
        self.metrics = metrics
        self.clock = clock
    }

    /// A request to a hook. To be called once for each.
    ///
    /// - Parameters:
    ///   - hook: its name in the configuration.
    ///   - client: the address of the client, or its user.
    ///   - reason: the dotted name of the error, where there is one.
    ///   - why: what the answer says; the reasons of an ignored event.
    public func note(
        _ result: Result, hook: String, client: String, status: Int, reason: String? = nil, why: String? = nil
    ) {
        metrics?.countHook(hook, result)
        switch result {
        case .accepted, .duplicate:
            logger.log(
                .hookAccepted,
                [
                    "hook": .text(hook), "client": .text(client), "status": .number(Int64(status)),
                    "result": .text(result.rawValue), "why": why.map(LogValue.text),
                ])
        case .ignored:
            logger.log(
                .hookIgnored,
                [
                    "hook": .text(hook), "client": .text(client), "status": .number(Int64(status)),
                    "error.name": reason.map(LogValue.text), "why": why.map(LogValue.text),
                ])
        case .answered:
            logger.log(
                .hookAnswered,
                ["hook": .text(hook), "client": .text(client), "status": .number(Int64(status))])
        case .refused:
            countLimit(reason ?? "")
            metrics?.countHookRefusal(hook, reason ?? "")
            guard let leftOut = leftOut(hook, reason ?? "", client) else { return }
            logger.log(
                .hookRefused,
                [
                    "hook": .text(hook), "client": .text(client), "status": .number(Int64(status)),
                    "error.name": reason.map(LogValue.text), "why": why.map(LogValue.text), "left_out": leftOut,
                ])
        }
    }

    /// A request to a path that is not served.
    public func noteUnknown(path: String, client: String, status: Int, reason: String, why: String) {
        metrics?.countHookRefusal("", reason)
        guard let leftOut = leftOut("", reason, client) else { return }
        logger.log(
            .hookUnknown,
            [
                "hook": "", "http.path": .text(path), "client": .text(client), "status": .number(Int64(status)),
                "error.name": .text(reason), "why": .text(why), "left_out": leftOut,
            ])
    }

    /// A request that is refused at a path without a hook.
    public func noteRefused(path: String, client: String, status: Int, reason: String, why: String) {
        countLimit(reason)
        guard let leftOut = leftOut("/", reason, client) else { return }
        logger.log(
            .requestRefused,
            [
                "http.path": .text(path), "client": .text(client), "status": .number(Int64(status)),
                "error.name": .text(reason), "why": .text(why), "left_out": leftOut,
            ])
    }

    private func countLimit(_ reason: String) {
        if reason == "rate.limited" { metrics?.countLimited("rate") }
        if reason == "rate.queue-full" { metrics?.countLimited("queue") }
    }

    /// Secrets or tokens that cannot be used, and why.
    func noteUnreadable(_ failure: SecretFiles.Failure, of owner: String) {
        guard let leftOut = leftOut(owner, "signature.secret", "") else { return }
        logger.log(
            .secretsUnreadable,
            [
                "secret.owner": .text(owner), "secret.source": .text(failure.source.description),
                "error": .text(failure.reason), "left_out": leftOut,
            ])
    }

    /// How many lines of this kind were left out before this one; nil where this one is left out, too.
    private func leftOut(_ place: String, _ reason: String, _ client: String) -> LogValue? {
        let now = clock()
        return windows.withLock { windows in
            var kind = Kind(place: place, reason: reason, client: client)
            if windows[kind] == nil, windows.count >= RequestLog.kindLimit {
                windows = windows.filter { now - $0.value.began < .seconds(60) }
                if windows.count >= RequestLog.kindLimit { kind = Kind(place: "", reason: "", client: "") }
            }
            return windows[kind, default: Window(began: now)].admit(at: now).map { .number(Int64($0)) }
        }
    }
}
