public import UsherScene

/// Decides which window should show some content: lines 0 to 9 of Documentation/Resolution.md.
///
/// A value over an immutable snapshot: it opens no file, runs no program and reads no clock, so the same question to the
/// same snapshot has the same answer, now and in a replay. Callers hand session changes to `update` and `remove`; how the
/// sessions are searched is this type's own business.
public struct Resolver: Sendable {
    public private(set) var snapshot: Snapshot
    let domains: DomainTable
    let schemes: SchemeTable

    public init(_ snapshot: Snapshot) {
        self.snapshot = snapshot
        domains = DomainTable(snapshot.configuration.apps)
        schemes = SchemeTable(snapshot.configuration.apps)
    }

    /// The same apps with other sessions.
    public mutating func replaceSessions(_ sessions: SessionTable) {
        snapshot.sessions = sessions
    }

    /// Many more questions follow: builds the index of the sessions where there is none.
    public mutating func buildIndex() { snapshot.sessions.buildIndex() }

    /// The same apps with other programs that are not found.
    public mutating func replaceMissingPrograms(_ scenes: Set<SceneName>) {
        snapshot.missingPrograms = scenes
    }

    /// Takes note of a new session, or of a new state of a known one.
    public mutating func update(_ session: SceneSession) {
        snapshot.sessions.update(session)
    }

    /// The same for many at once.
    public mutating func update(_ sessions: [SceneSession]) {
        snapshot.sessions.update(sessions)
    }

    /// Forgets a session.
    public mutating func remove(session id: String, app: String) {
        snapshot.sessions.remove(id: id, app: app)
    }

    /// The decision for a request.
    ///
    /// - Parameter redirection: where the request's target leads, as the store knows it.
    /// - Complexity: an evaluation of each distinct condition that has a literal of the subject, or none that can be looked
    ///   up, however many sessions there are; of each session's where the table has no index.
    public func resolve(_ request: ActivationRequest, following redirection: Redirection = .none) -> Resolution {
        resolve(request, following: redirection, without: nil)
    }

    /// The same as if a session were not there.
    func resolve(
        _ request: ActivationRequest, following redirection: Redirection, without session: String?
    ) -> Resolution {
        if redirection.end == .loop {
            return Resolution(
                verdict: .nothing, reason: .noScene,
                failure: .init(.redirectLoop, "the redirects of this target come back to where they were"))
        }
        let aliases = request.target.map { redirection.aliases(of: $0) } ?? []
        let place: Int
        switch owner(of: request, aliases: aliases) {
        case .found(let found, _): place = found
        case .failed where redirection.isDeleted, .absent where redirection.isDeleted,
            .refused where redirection.isDeleted:
            return deleted(redirection, app: nil, aliases: aliases)
        case .failed(let failure):
            return Resolution(verdict: .nothing, reason: .noApp, subjects: aliases, failure: failure)
        case .absent(let failure):
            guard let page = request.webPage else {
                return Resolution(verdict: .nothing, reason: .noApp, subjects: aliases, failure: failure)
            }
            var resolution = Resolution(verdict: .openWeb(url: page), reason: .webFallback, subjects: aliases)
            resolution.passedOver = failure
            return resolution
        case .refused(let refusal): return browse(request, aliases: aliases, refusal)
        }
        if redirection.isDeleted {
            return deleted(redirection, app: snapshot.configuration.apps[place].id, aliases: aliases)
        }
        return Search(request: request, ofAppAt: place, aliases: aliases, snapshot: snapshot, without: session)
            .run()
    }

    private func deleted(
        _ redirection: Redirection, app: String?, aliases: [TargetContentIdentifier]
    ) -> Resolution {
        var note = ""
        if case .deleted(let why) = redirection.end { note = why }
        return Resolution(
            verdict: .nothing, reason: .contentDeleted, app: app, subjects: aliases,
            failure: .init(
                .contentDeleted, note,
                help: redirection.tombstone.map { "\($0.identifier.restoreCommand()) takes that back" }))
    }

    /// What an association file leaves to the browser goes there, where the app has a website or the link is one.
    private func browse(
        _ request: ActivationRequest, aliases: [TargetContentIdentifier], _ refusal: OwnerRefusal
    ) -> Resolution {
        let app = snapshot.configuration.app(id: refusal.app)
        guard let page = request.fallbackPage(aliases, hasWebsite: app?.website?.value == true)?.url else {
            return Resolution(verdict: .nothing, reason: .noApp, subjects: aliases, failure: refusal.failure)
        }
        return Resolution(
            verdict: .openWeb(url: page), reason: .webFallback, app: refusal.app, subjects: aliases,
            rule: refusal.rule?.location ?? app?.website?.location)
    }
}
