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
    /// Of stored sessions: conditions that this version cannot read.
    public var unreadable: [Store.UnreadableCondition] = []

    /// Which sessions it is decided on.
    public enum Sessions: Sendable {
        /// All, as an engine has them.
        case live([SceneSession])
        /// Those of the store, which no engine has open.
        case stored
    }

    /// Why there is no answer.
    public enum Failure: Error {
        case payload(PayloadError)
        case store(StoreError)
    }

    /// - Parameters:
    ///   - line: a payload, of this format.
    ///   - store: where its target may have moved, and stored sessions are.
    ///   - systems: the window systems that are followed.
    ///   - activator: what would carry it out.
    ///   - showsAll: every window in question, not only the first 50.
    public init(
        explaining line: [UInt8], format: PayloadFormat = .auto, app: String?, showsAll: Bool,
        in loaded: LoadedConfiguration, _ sessions: Sessions, following store: Store, systems: [String] = [],
        activator: Activator, openings: EngineOpenings
    ) throws(Failure) {
        var reader = PayloadReader(format: format)
        let payload: Payload
        do throws(PayloadError) { payload = try reader.read(line) } catch { throw .payload(error) }
        let now = Instant.now
        var configuration = loaded.configuration
        do throws(StoreError) {
            configuration.replaceDynamicShortcuts(try store.dynamicShortcuts())
        } catch {
            throw .store(error)
        }
        var resolver = Resolver(Snapshot(configuration: configuration, missingPrograms: loaded.missingPrograms))
        var payloadRequest = PayloadRequest.of(payload, in: configuration, app: app)
        let limit = showsAll ? Int.max : 50
        var unreadable: [Store.UnreadableCondition] = []
        let redirection: Redirection
        var excerpt: Store.SessionExcerpt
        do throws(StoreError) {
            var redirections = RedirectionCache(
                version: try store.read { (state) throws(StoreError) in try state.versions().redirects })
            redirection = try redirections.follow(&payloadRequest, in: resolver) { (id, ties) throws(StoreError) in
                try store.redirection(of: id, ties)
            }
            var question: Store.SessionQuestion?
            if case .stored = sessions {
                question = resolver.question(of: payloadRequest.request, following: redirection, limit: limit)
                if question != nil, try !SessionLoss.ended(in: store).isEmpty { question = nil }
                if question != nil, try !store.isFollowing(loaded.configuration) { question = nil }
            }
            excerpt = try sessions.read(question, of: store, loaded, &unreadable)
        } catch {
            throw .store(error)
        }
        resolver.replaceSessions(SessionTable(excerpt.sessions, lastUses: excerpt.lastUses))
        func decide() throws(Failure) -> Decision {
            do throws(StoreError) {
                return try Decision.of(payloadRequest, following: redirection, in: resolver) {
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
            if excerpt.count != nil {
                do throws(StoreError) {
                    excerpt = try sessions.read(nil, of: store, loaded, &unreadable)
                } catch {
                    throw .store(error)
                }
                resolver.replaceSessions(SessionTable(excerpt.sessions))
            }
            decision = try decide()
        }
        do throws(StoreError) {
            var facts = StoreFacts(store: store)
            _ = try decision.observeRate(of: nil, collapse: payload.collapseID, in: &facts)
        } catch {
            throw .store(error)
        }
        let sources = loaded.sources
        var explanation = resolver.explain(
            decision.payloadRequest.request, following: decision.redirection, decided: decision.resolution, limit: limit
        )
        if let count = excerpt.count { explanation.candidateCount = count }
        let freshness: Freshness = if case .live = sessions { .live } else { .lastSeen }
        var report = ExplanationReport(
            explanation: explanation, freshness: freshness, age: Int((Instant.now - now).milliseconds),
            configurationDigest: loaded.configuration.digest, now: now.microseconds,
            plan: decision.plan(with: activator),
            action: decision.action, policy: decision.policy,
            locate: { condition, offset in sources.location(ofOffset: offset, inStringAt: condition) })
        report.systems = systems
        do throws(StoreError) {
            report.notes = try openings.notes(linkedTo: report.explanation, in: store)
            report.tied = try openings.tiedContents(of: report.explanation, in: store)
        } catch {
            throw .store(error)
        }
        json = report.json
        let found = decision.resolution
        hasVerdict = found.chosen != nil || found.makesSession || found.page != nil
        warnings = payloadRequest.warnings
        self.unreadable = unreadable
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

extension PayloadExplanation.Sessions {
    /// - Parameters:
    ///   - question: nil for all sessions.
    ///   - unreadable: the conditions that this version cannot read.
    fileprivate func read(
        _ question: Store.SessionQuestion?, of store: Store, _ loaded: borrowing LoadedConfiguration,
        _ unreadable: inout [Store.UnreadableCondition]
    ) throws(StoreError) -> Store.SessionExcerpt {
        if case .live(let sessions) = self { return Store.SessionExcerpt(sessions) }
        if let question, let excerpt = try store.sessions(for: question) { return excerpt }
        var sessions = try store.sessions()
        let configuration = loaded.configuration
        try sessions.noteEnded(in: store) { configuration }
        sessions.follow(configuration)
        unreadable = sessions.unreadable
        return Store.SessionExcerpt(sessions.sessions)
    }
}

extension Resolver {
    /// The sessions that a request is decided and explained on, where its target alone says which app it goes to, and no session
    /// counts but by its condition and its place in the order; nil where all of them are needed. Asked without any session.
    fileprivate func question(
        of request: ActivationRequest, following redirection: Redirection, limit: Int
    ) -> Store.SessionQuestion? {
        guard limit < .max, request.session == nil else { return nil }
        let resolution = resolve(request, following: redirection)
        guard resolution.isClaimed, let id = resolution.app, let app = snapshot.configuration.app(id: id),
            app.scenesLimit == nil, app.scenes.count <= 1000, !app.scenes.contains(where: \.isCommand),
            !snapshot.missingPrograms.contains(where: { $0.app == id })
        else { return nil }
        return Store.SessionQuestion(
            app: id, role: request.role, scenes: app.scenes.map(\.name), subjects: resolution.subjects.map(\.text),
            limit: limit)
    }
}
