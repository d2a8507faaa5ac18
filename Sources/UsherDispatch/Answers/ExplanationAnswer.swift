public import UsherActivation
public import UsherConfiguration
internal import UsherJSON
internal import UsherLog
public import UsherPayload
internal import UsherResolution
public import UsherScene
public import UsherStore

/// What `explain` answers, whoever asks: decided on the sessions as they are; nothing is done.
public struct ExplanationAnswer: Sendable {
    /// One object.
    public var json: String
    /// Whether there is a window or a page.
    public var hasVerdict: Bool
    /// About the payload.
    public var warnings: [PayloadWarning]

    /// - Parameters:
    ///   - line: a payload.
    ///   - planner: what would carry it out; a dry run.
    ///   - showsAll: every window in question, not only the first 50.
    public init(
        explaining line: [UInt8], app: String?, showsAll: Bool, in loaded: LoadedConfiguration,
        _ sessions: Store.Sessions, freshness: Snapshot.Freshness, planner: Activator
    ) throws(PayloadError) {
        var reader = PayloadReader()
        let payload = try reader.read(line)
        let now = Timestamp.now().microseconds
        let resolver = Resolver(
            Snapshot(
                configuration: loaded.configuration, sessions: SessionTable(sessions.sessions),
                missingPrograms: loaded.missingPrograms))
        let inquiry = Inquiry(payload, in: loaded.configuration, app: app)
        let decision = Decision(inquiry, following: .none, in: resolver, fallbackLimit: 0)
        let sources = loaded.sources
        let report = ExplanationReport(
            explanation: resolver.explain(
                inquiry.request, following: .none, decided: decision.resolution, limit: showsAll ? .max : 50),
            freshness: freshness, age: Int((Timestamp.now().microseconds - now) / 1000),
            configurationDigest: loaded.configuration.digest, now: now, plan: decision.plan(with: planner),
            action: decision.action, policy: decision.policy,
            locate: { condition, offset in sources.location(ofOffset: offset, inStringAt: condition) })
        json = report.json
        hasVerdict = decision.resolution.verdict != .nothing
        warnings = inquiry.warnings
    }

    /// The payload that asks for a target.
    public static func line(for target: String) -> [UInt8] {
        var line = JSONWriter(escaping: .minimal)
        line.beginObject()
        line.member("url", target)
        line.endObject()
        return line.bytes
    }
}
