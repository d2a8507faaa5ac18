public import UsherActivation
public import UsherConfiguration
internal import UsherJSON
internal import UsherLog
public import UsherPayload
internal import UsherPlace
internal import UsherResolution
public import UsherScene
public import UsherStore
internal import UsherSystem
internal import UsherText

/// The answer of `explain`, the same for every interface (socket, HTTP, command line). It is decided on the current
/// sessions; no effect runs.
public struct PayloadExplanation: Sendable {
    /// One object.
    public var json: String
    /// Whether there is a window or a page.
    public var hasVerdict: Bool
    /// About the payload.
    public var warnings: [PayloadError]

    /// Why there is no answer.
    public enum Failure: Error {
        case payload(PayloadError)
        case store(StoreError)
    }

    /// - Parameters:
    ///   - line: a payload, of this format.
    ///   - store: where its target may have moved.
    ///   - systems: the window systems that are followed.
    ///   - activator: what would carry it out.
    ///   - showsAll: every window in question, not only the first 50.
    public init(
        explaining line: [UInt8], format: PayloadFormat = .auto, app: String?, showsAll: Bool,
        in loaded: LoadedConfiguration, _ sessions: Store.Sessions, following store: Store, freshness: Freshness,
        systems: [String] = [],
        activator: Activator, openings: EngineOpenings
    ) throws(Failure) {
        var reader = PayloadReader(format: format)
        let payload: Payload
        do throws(PayloadError) { payload = try reader.read(line) } catch { throw .payload(error) }
        let now = Instant.now
        var resolver = Resolver(
            Snapshot(
                configuration: loaded.configuration, sessions: SessionTable(sessions.sessions),
                missingPrograms: loaded.missingPrograms))
        var payloadRequest = PayloadRequest(payload, in: loaded.configuration, app: app)
        var redirections = RedirectionCache(version: sessions.redirects)
        let redirection: Redirection
        do throws(StoreError) {
            redirection = try redirections.follow(&payloadRequest) { (id) throws(StoreError) in
                try store.redirection(of: id)
            }
        } catch {
            throw .store(error)
        }
        func decide() throws(Failure) -> Decision {
            do throws(StoreError) {
                return try Decision(payloadRequest, following: redirection, in: resolver) {
                    (place, configuration) throws(StoreError) in
                    var facts = StoreFacts(store: store)
                    return try openings.mapApps(for: place, in: configuration, now: now, &facts)
                }
            } catch {
                throw .store(error)
            }
        }
        var decision = try decide()
        // A daemon read its configuration long ago.
        let missing = resolver.missingPrograms(afterLookingFor: decision, by: activator.programs, looksForAll: true)
        if let missing {
            resolver.replaceMissingPrograms(missing)
            decision = try decide()
        }
        do throws(StoreError) {
            try decision.observeRate(collapse: payload.headers.apnsCollapseID, in: store)
        } catch {
            throw .store(error)
        }
        let sources = loaded.sources
        var report = ExplanationReport(
            explanation: resolver.explain(
                decision.payloadRequest.request, following: decision.redirection, decided: decision.resolution,
                limit: showsAll ? .max : 50),
            freshness: freshness, age: Int((Instant.now - now).milliseconds),
            configurationDigest: loaded.configuration.digest, now: now.microseconds,
            plan: decision.plan(with: activator),
            action: decision.action, policy: decision.policy,
            locate: { condition, offset in sources.location(ofOffset: offset, inStringAt: condition) })
        report.systems = systems
        json = report.json
        hasVerdict = decision.resolution.verdict != .nothing
        warnings = payloadRequest.warnings
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
