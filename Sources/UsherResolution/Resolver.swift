public import UsherScene
public import UsherText

/// Decides which window should show some content: lines 0 to 9 of Documentation/Resolution.md.
///
/// A value over an immutable snapshot: it opens no file, runs no program and reads no clock, so the same question to
/// the same snapshot has the same answer, now and in a replay. Callers hand session changes to `update` and `remove`;
/// how the sessions are searched is an internal detail of this type.
public struct Resolver: Sendable {
    public private(set) var snapshot: Snapshot
    /// The snapshot's, for decisions to hold.
    public private(set) var configuration: Shared<Configuration>
    let domains: DomainTable
    let schemes: SchemeTable
    /// Where the sessions of each app are in the table, by the place of the app: not looked up for each decision.
    private var sessionPlaces: [Int?]

    public init(_ snapshot: Snapshot) {
        self.snapshot = snapshot
        sessionPlaces = Resolver.sessionPlaces(of: snapshot)
        configuration = Shared(snapshot.configuration)
        domains = DomainTable(snapshot.configuration.apps)
        schemes = SchemeTable(snapshot.configuration.apps)
        keepConfiguredScenes()
    }

    /// The same apps with other sessions.
    public mutating func replaceSessions(_ sessions: SessionTable) {
        snapshot.sessions = sessions
        sessionPlaces = Resolver.sessionPlaces(of: snapshot)
        keepConfiguredScenes()
    }

    /// Sessions of scenes that the configuration does not have stay as they are until it has them again.
    private mutating func keepConfiguredScenes() {
        for (app, place) in zip(snapshot.configuration.apps, sessionPlaces) {
            if let place { snapshot.sessions.keep(Set(app.scenes.map(\.name)), ofAppAt: place) }
        }
    }

    /// The same apps with other dynamic shortcut items.
    public mutating func replaceDynamicShortcuts(_ items: [DynamicShortcut]) {
        snapshot.configuration.replaceDynamicShortcuts(items)
        configuration = Shared(snapshot.configuration)
    }

    /// The same apps with other programs that are not found.
    public mutating func replaceMissingPrograms(_ scenes: Set<SceneName>) {
        snapshot.missingPrograms = scenes
    }

    /// Takes note of a new session, or of a new state of a known one.
    public mutating func update(_ session: SceneSession) {
        change { $0.update(session) }
    }

    /// The same for many at once.
    public mutating func update(_ sessions: [SceneSession]) {
        change { $0.update(sessions) }
    }

    private mutating func change(_ body: (inout SessionTable) -> Void) {
        let count = snapshot.sessions.appCount
        body(&snapshot.sessions)
        guard snapshot.sessions.appCount != count else { return }
        sessionPlaces = Resolver.sessionPlaces(of: snapshot)
        keepConfiguredScenes()
    }

    private static func sessionPlaces(of snapshot: Snapshot) -> [Int?] {
        snapshot.configuration.apps.map { snapshot.sessions.place(ofApp: $0.id) }
    }

    /// The scenes of an app whose programs are not found.
    func missingScenes(ofAppAt place: Int) -> [String] {
        if snapshot.missingPrograms.isEmpty { return [] }
        let app = configuration.value.apps[place].id
        return snapshot.missingPrograms.filter { $0.app == app }.map(\.scene)
    }

    /// Its sessions; empty where it never had one.
    func sessions(ofAppAt place: Int) -> Shared<AppSessions> {
        sessionPlaces[place].map { snapshot.sessions[$0] } ?? .empty
    }

    /// Forgets a session.
    public mutating func remove(session id: String, app: String) {
        snapshot.sessions.remove(id: id, app: app)
    }

    /// The decision for a request.
    ///
    /// - Parameter redirection: where the request's target leads, by the store.
    /// - Complexity: an evaluation of each distinct condition that has a literal of the subject, or none that can be looked
    ///   up, however many sessions there are.
    public func resolve(_ request: ActivationRequest, following redirection: Redirection = .none) -> Resolution {
        resolve(request, following: redirection, without: nil)
    }

    /// The same as if a session were not there.
    func resolve(
        _ request: ActivationRequest, following redirection: Redirection, without session: String?
    ) -> Resolution {
        if case .loop = redirection.end {
            return Resolution.of(
                .noScene, by: configuration,
                failure: .init(.redirectLoop, "the redirects of this target come back to where they were"))
        }
        let aliases = request.target.map { redirection.aliases(of: $0) } ?? []
        let place: Int
        var warning: Diagnostic?
        var isClaimed = false
        switch owner(of: request, aliases: aliases) {
        case .found(let found, let rule): (place, isClaimed) = (found, aliases.count == 1 && rule.isClaim)
        case .foundAmong(let found, _, let several): (place, warning) = (found, several)
        case _ where redirection.isDeleted: return deleted(redirection, app: nil, aliases: aliases)
        case .failed(let failure):
            return Resolution.of(
                failure.code == .noSuchSession ? .noSuchSession : .noApp, by: configuration, subjects: aliases,
                failure: failure)
        case .unclaimed(let page):
            return Resolution.of(.webFallback, by: configuration, page: page, subjects: aliases)
        case .absent(let failure):
            guard let page = request.webPage else {
                return Resolution.of(.noApp, by: configuration, subjects: aliases, failure: failure)
            }
            var resolution = Resolution.of(.webFallback, by: configuration, page: page, subjects: aliases)
            resolution.warning = failure
            resolution.warning?.message += ": its web page is opened instead"
            if failure.code == .noApp { resolution.warning?.code = .notInstalled }
            return resolution
        case .refused(let refusal): return browse(request, redirection, aliases: aliases, refusal)
        }
        if redirection.isDeleted {
            return deleted(redirection, app: place, aliases: aliases)
        }
        var resolution = Search(
            for: request, ofAppAt: place, aliases: aliases, tied: redirection.firstTied, in: self, without: session
        ).run(request)
        if let warning { resolution.warning = warning }
        resolution.isClaimed = isClaimed
        return resolution
    }

    private func deleted(
        _ redirection: Redirection, app place: Int?, aliases: [TargetContentIdentifier]
    ) -> Resolution {
        var note = ""
        if case .deleted(let why) = redirection.end { note = why }
        return Resolution.of(
            .contentDeleted, by: configuration, app: place, subjects: aliases,
            failure: .init(
                .contentDeleted, note,
                help: redirection.tombstone.map { "\($0.identifier.restoreCommand()) takes that back" }))
    }

    /// What an association file leaves to the browser goes there, where the app has a website or the link is one.
    private func browse(
        _ request: ActivationRequest, _ redirection: Redirection, aliases: [TargetContentIdentifier],
        _ refusal: OwnerRefusal
    ) -> Resolution {
        let app = snapshot.configuration.app(id: refusal.app)
        let hasWebsite = app?.website?.value == true
        guard let page = request.fallbackPage(aliases, tied: redirection.firstTied, hasWebsite: hasWebsite)?.url else {
            return Resolution.of(.noApp, by: configuration, subjects: aliases, failure: refusal.failure)
        }
        return Resolution.of(
            .webFallback, by: configuration, app: snapshot.configuration.place(ofApp: refusal.app), page: page,
            subjects: aliases, rule: refusal.rule?.location ?? app?.website?.location)
    }
}
