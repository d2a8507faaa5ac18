internal import UsherPredicate
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
    private let domains: DomainTable
    private let schemes: SchemeTable
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
    private func resolve(
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

// MARK: - Explain

extension Resolver {
    /// The decision for a request, and everything that led to it. Shows the first `limit` candidates and the winner.
    ///
    /// - Complexity: that of two decisions, and O(`limit`) conditions with their terms.
    /// - Parameter decided: this resolver's decision, where it was asked for before.
    public func explain(
        _ request: ActivationRequest, following redirection: Redirection = .none, decided: Resolution? = nil,
        limit: Int = .max
    ) -> Explanation {
        let resolution = decided ?? resolve(request, following: redirection)
        var explanation = tell(request, following: redirection, decided: resolution, limit: limit, hasTerms: true)
        if let winner = explanation.resolution.session, explanation.app != nil {
            // The named session may decide which app owns the request. The window that would be chosen without the
            // winner is resolved for a request that names no session.
            var other = request
            other.session = nil
            explanation.withoutWinner = resolve(other, following: redirection, without: winner)
        }
        explanation.near = nearMisses(of: explanation)
        return explanation
    }

    /// The inputs of a decision that this resolver has made, without the terms of conditions and without the
    /// alternative decision (`withoutWinner`). It is cheap enough to be stored with every delivery.
    public func account(
        for resolution: Resolution, of request: ActivationRequest, following redirection: Redirection, limit: Int
    ) -> Explanation {
        tell(request, following: redirection, decided: resolution, limit: limit, hasTerms: false)
    }

    /// The sessions that an account of a decision needs: the first `limit` that are in question, the winner, and the one
    /// that the request names; and how many are in question.
    ///
    /// - Complexity: does not depend on how many sessions there are.
    public func sessionsInQuestion(
        for resolution: Resolution, of request: ActivationRequest, following redirection: Redirection, limit: Int
    ) -> (sessions: [SceneSession.Summary], count: Int) {
        var place = resolution.hidesApp ? nil : resolution.appPlace
        if place == nil {
            let aliases = request.target.map { redirection.aliases(of: $0) } ?? []
            place = owner(of: request, aliases: aliases).app?.place
        }
        guard let place else { return ([], 0) }
        let search = Search(for: request, ofAppAt: place, aliases: [], in: self)
        var slots = search.candidates(limit: limit)
        for id in [resolution.session, request.session].compactMap({ $0 }) {
            if let slot = search.slot(of: id), !slots.contains(slot) { slots.append(slot) }
        }
        return (slots.map { search.summary($0) }, search.candidateCount)
    }

    /// When the apps that claim the content of a request were used last, in microseconds since 1970; without those that
    /// never were. None where the request names its app.
    public func lastUsesOfOwners(
        of request: ActivationRequest, following redirection: Redirection
    ) -> [(app: String, used: Int64)] {
        guard request.app == nil else { return [] }
        if redirection == .none, let target = request.target, let claim = domains.soleClaim(to: target) {
            let app = snapshot.configuration.apps[claim.app].id
            return snapshot.sessions.lastUse(ofApp: app).map { [(app, $0)] } ?? []
        }
        // No claim is made of them: this is asked of each decision.
        for subject in claimable(of: request, aliases: request.target.map { redirection.aliases(of: $0) } ?? []) {
            let (matches, schemes) = matches(of: subject)
            if matches.isEmpty, schemes.isEmpty { continue }
            return (matches.map(\.claim.app) + schemes.map(\.app)).compactMap { place in
                let app = snapshot.configuration.apps[place].id
                return snapshot.sessions.lastUse(ofApp: app).map { (app, $0) }
            }
        }
        return []
    }

    private func tell(
        _ request: ActivationRequest, following redirection: Redirection, decided resolution: Resolution, limit: Int,
        hasTerms: Bool
    ) -> Explanation {
        var explanation = Explanation(
            request: request, redirection: redirection, app: nil, ownerRule: nil, refusals: [], subjects: [],
            candidates: [],
            candidateCount: 0, configurations: [], resolution: resolution, withoutWinner: nil)
        let aliases = request.target.map { redirection.aliases(of: $0) } ?? []
        if request.app == nil { explanation.owners = claims(to: request, aliases: aliases) }
        guard let (place, rule) = owner(of: request, aliases: aliases).app else {
            if request.app == nil { explanation.refusals = refusals(of: request, aliases: aliases) }
            return explanation
        }
        for index in explanation.owners.indices {
            explanation.owners[index].wins = explanation.owners[index].place == place && rule.isClaim
        }
        switch rule {
        case .domain, .association: explanation.refusals = refusals(of: request, aliases: aliases)
        case .named, .topic, .session, .activityType, .shortcutType, .onlyApp, .scheme: break
        }
        let app = snapshot.configuration.apps[place]
        let search = Search(for: request, ofAppAt: place, aliases: aliases, in: self)
        let account = SearchAccount(search, request, resolution, hasTerms: hasTerms)
        explanation.app = app
        explanation.ownerRule = rule
        explanation.subjects = search.subjects.map(\.text)
        explanation.candidateCount = search.candidateCount + search.withoutProgram(limit: .max).count
        explanation.candidates = account.candidates(limit: limit)
        explanation.configurations = account.configurations()
        explanation.limit = account.limit
        return explanation
    }
}

/// Tells of a search why each candidate wins or loses.
private struct SearchAccount {
    private let search: Search
    private let request: ActivationRequest
    private let resolution: Resolution
    /// Where the winner lies.
    private let winner: Int32?
    private let hasTerms: Bool

    init(_ search: Search, _ request: ActivationRequest, _ resolution: Resolution, hasTerms: Bool) {
        self.hasTerms = hasTerms
        self.search = search
        self.request = request
        self.resolution = resolution
        winner = resolution.session.flatMap { search.slot(of: $0) }
    }

    func candidates(limit: Int) -> [Explanation.Candidate] {
        var shown = search.candidates(limit: limit)
        if let winner, !shown.contains(winner) { shown.append(winner) }
        let missing = search.withoutProgram(limit: limit)
        return (shown + missing).map { slot in
            let session = search.session(slot)
            let truth = truths(of: session)
            let verdict =
                missing.contains(slot)
                ? .notInstalled : verdict(on: slot, truth.prefers.result, truth.can.result)
            return Explanation.Candidate(
                session: session, prefers: truth.prefers, can: truth.can, wins: slot == winner, verdict: verdict,
                phrase: phrase(for: verdict, session))
        }
    }

    // MARK: Truth

    private func truths(of session: SceneSession) -> (prefers: Explanation.Truth, can: Explanation.Truth) {
        let conditions = session.conditions
        let scene = search.app.scene(named: session.scene)
        // A stored condition has only its own text; the manifest's has the places of its terms.
        var again: ActivationConditions?
        if hasTerms, let scene,
            conditions.canActivate.origin == .configuration || conditions.prefersToActivate.origin == .configuration
        {
            let template = search.app.targets.first { $0.name == scene.target }?.template
            again = scene.conditions(for: session.target, template: template).conditions
        }
        return (
            truth(
                of: conditions.prefersToActivate, as: again?.prefersToActivate,
                at: scene?.prefersToActivate?.location),
            truth(of: conditions.canActivate, as: again?.canActivate, at: scene?.canActivate?.location)
        )
    }

    private func truth(
        of condition: ActivationConditions.Condition, as again: ActivationConditions.Condition?,
        at location: SourceLocation?
    ) -> Explanation.Truth {
        let isInFile = condition.origin == .configuration
        let isSame = isInFile && again?.predicate == condition.predicate
        let predicate = isSame ? again?.predicate ?? condition.predicate : condition.predicate
        return truth(
            of: predicate, origin: condition.origin, location: isInFile ? location : nil, termsAreLocated: isSame)
    }

    private func truth(
        of predicate: ScenePredicate, origin: ActivationConditions.Origin, location: SourceLocation?,
        termsAreLocated: Bool
    ) -> Explanation.Truth {
        let matched = search.match(predicate)
        let subject = search.subjects[matched ?? 0].text
        return Explanation.Truth(
            result: matched != nil, predicate: predicate, location: location, origin: origin,
            matched: matched == nil ? nil : subject, terms: hasTerms ? predicate.terms(for: subject) : [],
            termsAreLocated: termsAreLocated)
    }

    // MARK: Verdicts

    /// Whether the decision was made before windows were compared: another session was named, the content was deleted, or
    /// the version of the activity was refused.
    private var isBeforeWindows: Bool {
        switch resolution.reason {
        case .explicit, .requested, .noSuchSession, .contentDeleted, .duplicate, .collapsed, .expired, .invalid, .noApp:
            return true
        case .single, .prefers, .can, .opens, .default, .limit, .recent: return false
        case .webFallback, .noScene:
            // What the windows themselves lead to is another decision where something else had refused them.
            let found = search.run(request)
            return found.chosen != nil || found.makesSession || found.page != resolution.page
        }
    }

    private func verdict(on slot: Int32, _ prefers: Bool, _ can: Bool) -> CandidateVerdict {
        if slot == winner { return CandidateVerdict(rawValue: resolution.reason.rawValue) ?? .explicit }
        if isBeforeWindows { return .notAsked }
        switch resolution.reason {
        case .single, .limit, .recent: return .usedEarlier
        case .prefers: return prefers ? .usedEarlier : can ? .onlyCan : .rejects
        case .can: return can ? .usedEarlier : .rejects
        default: return can || prefers ? .newScene : .rejects
        }
    }

    private func phrase(for verdict: CandidateVerdict, _ session: SceneSession) -> String {
        switch verdict {
        case .explicit: "wins: the request names it"
        case .single: "wins: the app has one window"
        case .prefers: "wins: it prefers this"
        case .can: "wins: no window prefers this, and it can"
        case .recent: "wins: the request names no content, and it was used last"
        case .limit: "wins: scenes-limit is reached, and it was used last"
        case .usedEarlier: "loses: as good, but \(tieBreak(session, winner.map(search.session)))"
        case .onlyCan: "loses: it can show this, but does not prefer it"
        case .rejects: session.target == nil ? "neither prefers this nor can show it" : "shows other content"
        case .newScene:
            request.isSceneRequest
                ? "not used: the app asked for a new window"
                : "not used: its app wants a new window for this (new-scene)"
        case .notInstalled: "not used: its program is not found"
        case .notAsked: "not considered: \(before)"
        }
    }

    /// What decided before windows were compared.
    private var before: String {
        switch resolution.reason {
        case .explicit: "the request names another session"
        case .requested: "the request asks for a new window"
        case .noSuchSession: "the request names a session that is gone"
        case .contentDeleted: "the content was deleted"
        default: resolution.failure?.message ?? "the request was decided before windows were compared"
        }
    }

    private func tieBreak(_ loser: SceneSession, _ winner: SceneSession?) -> String {
        guard let winner else { return "it comes later in the order" }
        if loser.state.isOpen != winner.state.isOpen { return "its window is not open" }
        if loser.used != winner.used { return "the other was used later" }
        if loser.created != winner.created { return "the other is newer" }
        return "the other's id comes first"
    }

    func configurations() -> [Explanation.ConfigurationVerdict] {
        let isBeforeWindows = isBeforeWindows
        // Line 8 takes the first scene that opens for the subject, else the first without `opens`.
        let first = search.firstToOpen
        return search.app.scenes.map { scene in
            let opens = scene.opens.map {
                truth(of: $0.value, origin: .configuration, location: $0.location, termsAreLocated: true)
            }
            let name: ConfigurationVerdictName
            if resolution.makesSession, resolution.scene == scene.name {
                name = .created
            } else if isBeforeWindows {
                name = .notAsked
            } else if resolution.session != nil, resolution.reason != .limit, resolution.reason != .recent {
                name = .notNeeded
            } else if scene.role != request.role {
                name = .rejects
            } else if !search.fits(scene) {
                name = .needsTarget
            } else if opens?.result == false {
                name = .rejects
            } else if !search.canCreate(scene.name) {
                name = .notInstalled
            } else if first == scene.name, search.isFull {
                name = .limit
            } else {
                name = .notFirst
            }
            return Explanation.ConfigurationVerdict(
                scene: scene, opens: opens, verdict: name, phrase: phrase(for: name, scene))
        }
    }

    private func phrase(for verdict: ConfigurationVerdictName, _ scene: SceneConfiguration) -> String {
        switch verdict {
        case .created: resolution.reason == .opens ? "a new window is made: it opens for this" : "a new window is made"
        case .rejects: scene.role == request.role ? "does not open for this" : "is of another role"
        case .notFirst: "another scene comes first"
        case .needsTarget: "needs a target"
        case .limit: "scenes-limit is reached"
        case .notInstalled: "its program is not found: \(scene.launch?.command.arguments.first ?? "")"
        case .notNeeded:
            scene.opens == nil ? "not needed; the default: used when no other `opens` matches" : "not needed"
        case .notAsked: "not considered"
        }
    }

    /// The limit of the app's windows, if it is reached.
    var limit: Explanation.Limit? {
        guard search.isFull, let limit = search.app.scenesLimit else { return nil }
        return Explanation.Limit(limit: limit.value, open: search.openCount, location: limit.location)
    }
}

// MARK: - Owner

extension Resolver {
    /// Line 1 of the resolution: which app owns the request.
    private enum Owner {
        /// The place of the app in the configuration.
        case found(Int, OwnerRule)
        /// Several apps have equal claims; the one that was used last is taken.
        indirect case foundAmong(Int, OwnerRule, Diagnostic)
        case failed(Diagnostic)
        /// The intended app is not configured on this system, or no app may have the activity: the web page of the request
        /// is used instead.
        case absent(Diagnostic)
        /// A page that no app claims.
        case unclaimed(String)
        /// The app has the host, but leaves the request to the browser because of its association file.
        indirect case refused(OwnerRefusal)

        /// The app that gets the request.
        var app: (place: Int, rule: OwnerRule)? {
            switch self {
            case .found(let place, let rule), .foundAmong(let place, let rule, _): (place, rule)
            case .failed, .absent, .unclaimed, .refused: nil
            }
        }
    }

    /// The id of the app that a request is for whatever content it names: the one that it names itself, else the only one.
    package func appWithoutContent(of request: ActivationRequest) -> String? {
        var request = request
        (request.target, request.url, request.newestURL) = (nil, nil, nil)
        let apps = snapshot.configuration.apps
        if let place = owner(of: request, aliases: []).app?.place { return apps[place].id }
        guard request.app == nil, request.session == nil else { return nil }
        let own = apps.lazy.filter { !$0.isBuiltIn }.prefix(2)
        return own.count == 1 ? own.first?.id : nil
    }

    private func owner(of request: ActivationRequest, aliases: [TargetContentIdentifier]) -> Owner {
        let apps = snapshot.configuration.apps
        if let type = request.activityType, type != ActivationRequest.browsingActivity {
            let named = namedApp(of: request, in: apps)
            if let refusal = undeclared(type, named?.app?.place, in: apps) { return .absent(refusal) }
            if let named { return named }
        } else if let named = namedApp(of: request, in: apps) {
            return named
        }
        if let type = request.activityType {
            let owners = apps.indices.filter { apps[$0].activityTypes.contains { $0.value == type } }
            if let owner = decide(owners, "the activity type \(type)", .activityType, request) { return owner }
        }
        if let type = request.shortcutType {
            let owners = apps.indices.filter { apps[$0].shortcuts.contains { $0.type.hasSameBytes(as: type) } }
            if let owner = decide(owners, "the shortcut type \(type)", .shortcutType, request) { return owner }
        }
        let subjects = claimable(of: request, aliases: aliases)
        var refusals: [OwnerRefusal] = []
        for subject in subjects {
            if let owner = domainOwner(of: subject, refusals: &refusals) { return owner }
            if let owner = schemeOwner(of: subject) { return owner }
        }
        if let refusal = refusals.first { return .refused(refusal) }
        if request.carrier == .link, let page = request.webPage { return .unclaimed(page) }
        // Built-in apps do not count for the rule of the only app.
        let own = apps.indices.filter { !apps[$0].isBuiltIn }
        let isForOnlyApp = request.carrier == .notification || request.carrier == .shortcutItem
        if isForOnlyApp, own.count == 1 { return .found(own[0], .onlyApp) }
        guard !own.isEmpty else {
            return .failed(.init(.noApp, "no app is configured", help: "usher init writes a first configuration"))
        }
        if let text = aliases.first?.text ?? request.url, let help = missingScheme(of: text) {
            return .failed(.init(.noApp, "no app claims \(text)", help: help))
        }
        let subject =
            (aliases.first?.text ?? request.url).map { "no app claims \($0)" } ?? "the request names no content"
        return .failed(
            .init(
                .noApp, isForOnlyApp ? "\(subject), and there are \(own.count) apps" : subject,
                help:
                    "\(request.carrier.namingOfApp); or add the host to domains, or the scheme to schemes, in its manifest"
            ))
    }

    /// What to write for an address of an app's without its `https://`; nil for any other text.
    private func missingScheme(of text: String) -> String? {
        let address = TargetContentIdentifier("https://" + text)
        var refusals: [OwnerRefusal] = []
        guard TargetContentIdentifier(text).scheme == nil, !text.utf8.contains(UInt8(ascii: " ")),
            let owner = domainOwner(of: address, refusals: &refusals)?.app
        else { return nil }
        return "write \(address.text), which is \(snapshot.configuration.apps[owner.place].id)'s"
    }

    /// The app that the request names, by its id, a topic or a session; nil if it names none.
    private func namedApp(of request: ActivationRequest, in apps: [App]) -> Owner? {
        switch request.app {
        case .id(let name): return named(name, in: apps)
        case .topic(let topic): return topical(topic, in: apps)
        case nil: break
        }
        guard let id = request.session else { return nil }
        if let session = snapshot.sessions.session(id: id),
            let app = snapshot.configuration.place(ofApp: session.app)
        {
            return .found(app, .session)
        }
        // A request for that window alone goes nowhere else.
        return request.carrier == .scene ? .failed(.noSession(id)) : nil
    }

    /// Why no app may have an activity of this type: none declares it, or the app that the request names declares others.
    private func undeclared(_ type: String, _ named: Int?, in apps: [App]) -> Diagnostic? {
        let close = { (types: [String]) in Spelling.closest(to: type, among: types).map { "did you mean \($0)?" } }
        if let named, !apps[named].activityTypes.isEmpty {
            let types = apps[named].activityTypes.map(\.value)
            if types.contains(where: { $0.hasSameBytes(as: type) }) { return nil }
            return .init(
                .activityUndeclaredType, "\(apps[named].id) does not declare the activity type \(type)",
                help: close(types) ?? "add it to activity-types of its manifest")
        }
        let types = apps.flatMap { $0.activityTypes.map(\.value) }
        if types.contains(where: { $0.hasSameBytes(as: type) }) { return nil }
        return .init(
            .activityUndeclaredType, "no app declares the activity type \(type)",
            help: close(types) ?? "add it to activity-types of the app's manifest")
    }

    private func named(_ name: String, in apps: [App]) -> Owner {
        if let app = snapshot.configuration.place(ofApp: name) ?? apps.firstIndex(where: { $0.topics.contains(name) }) {
            return .found(app, .named)
        }
        return .absent(unknown("there is no app \(name)", name, in: apps))
    }

    private func topical(_ topic: String, in apps: [App]) -> Owner {
        for candidate in [topic] + PushTopic.bases(of: topic) {
            if let app = apps.firstIndex(where: { $0.id == candidate || $0.topics.contains(candidate) }) {
                return .found(app, .topic)
            }
        }
        return .failed(unknown("no app has the topic \(topic)", topic, in: apps))
    }

    private func unknown(_ message: String, _ name: String, in apps: [App]) -> Diagnostic {
        let apps = apps.filter { !$0.isBuiltIn }
        if let help = PushTopic.help(of: name, in: apps) { return .init(.noApp, message, help: help) }
        let close = Spelling.closest(to: name, among: apps.flatMap { [$0.id] + $0.topics })
        let known = apps.prefix(8).map(\.id).joined(separator: ", ")
        return .init(
            .noApp, message,
            help: close.map { "did you mean \($0)?" } ?? (known.isEmpty ? nil : "there are: \(known)"))
    }

    private func decide(_ owners: [Int], _ what: String, _ rule: OwnerRule, _ request: ActivationRequest) -> Owner? {
        if owners.count > 1 {
            let names = owners.map { snapshot.configuration.apps[$0].id }.joined(separator: ", ")
            return .failed(
                .init(.ambiguousApp, "\(what) is declared by \(names)", help: request.carrier.namingOfApp))
        }
        return owners.first.map { .found($0, rule) }
    }

    /// The app with the longest match of a URL by its domain (with a path, or with a rule of its association file).
    private func domainOwner(of subject: TargetContentIdentifier, refusals: inout [OwnerRefusal]) -> Owner? {
        if let claim = domains.soleClaim(to: subject) { return .found(claim.app, .domain(claim.domain)) }
        guard let (host, rest) = subject.webHost else { return nil }
        var refused: [DomainTable.Refusal] = []
        let matches = domains.longest(host: host, rest: rest, refusals: &refused)
        let apps = snapshot.configuration.apps
        for refusal in refused { refusals.append(OwnerRefusal(refusal, of: subject, in: apps)) }
        guard let first = matches.first else { return nil }
        if matches.count == 1 { return .found(first.claim.app, rule(of: first)) }
        return usedLast(of: matches.map { ($0.claim.app, rule(of: $0)) }, claiming: subject)
    }

    private func rule(of match: DomainTable.Match) -> OwnerRule {
        guard let place = match.rule, let association = snapshot.configuration.apps[match.claim.app].association else {
            return .domain(match.claim.domain)
        }
        let rule = association.rules[place]
        return .association(domain: match.claim.domain, rule: Located(rule.summary, at: rule.location))
    }

    /// Of apps with equal claims to an identifier, the one with the session that was used last; of apps without a used
    /// session, the first by the bytes of its id.
    private func usedLast(
        of claims: [(app: Int, rule: OwnerRule)], claiming subject: TargetContentIdentifier
    ) -> Owner {
        let apps = snapshot.configuration.apps
        let uses = claims.map { snapshot.sessions.lastUse(ofApp: apps[$0.app].id) ?? .min }
        let order = claims.indices.sorted { one, other in
            uses[one] == uses[other]
                ? apps[claims[one].app].id.utf8.lexicographicallyPrecedes(apps[claims[other].app].id.utf8)
                : uses[one] > uses[other]
        }
        let names = order.map { apps[claims[$0].app].id }
        let winner = claims[order[0]]
        return .foundAmong(
            winner.app, winner.rule,
            .init(
                .severalApps,
                "\(names.joined(separator: ", ")) claim \(subject.text): \(names[0]) "
                    + (uses[order[0]] == .min ? "is the first by its id" : "was used last"),
                help: "name the app: --app ID; or give one of them a longer path in domains"))
    }

    /// The app that has the scheme of an identifier.
    private func schemeOwner(of subject: TargetContentIdentifier) -> Owner? {
        let claims = schemes.claims(to: subject)
        guard let claim = claims.first else { return nil }
        if claims.count == 1 { return .found(claim.app, .scheme(claim.scheme)) }
        return usedLast(of: claims.map { ($0.app, .scheme($0.scheme)) }, claiming: subject)
    }

    /// Every app that claims the first claimed identifier of a request, the longest claim first.
    private func claims(to request: ActivationRequest, aliases: [TargetContentIdentifier]) -> [OwnerClaim] {
        for subject in claimable(of: request, aliases: aliases) {
            let found = claims(to: subject)
            if !found.isEmpty { return found }
        }
        return []
    }

    /// What an app can claim of a request: its content under each of its identifiers, else its URL.
    private func claimable(
        of request: ActivationRequest, aliases: [TargetContentIdentifier]
    ) -> [TargetContentIdentifier] {
        aliases.isEmpty ? [request.url].compactMap({ $0 }).map(TargetContentIdentifier.init) : aliases
    }

    /// The claims that hold for an identifier: those of domains; where there is none, those of schemes.
    private func matches(
        of subject: TargetContentIdentifier
    ) -> (domains: [DomainTable.Match], schemes: [SchemeTable.Claim]) {
        if let (host, rest) = subject.webHost {
            var refusals: [DomainTable.Refusal] = []
            let found = domains.longest(host: host, rest: rest, refusals: &refusals, keepsAll: true)
            if !found.isEmpty { return (found, []) }
        }
        return ([], schemes.claims(to: subject))
    }

    /// Whether an app has the identifier by `domains`, an association file or `schemes`.
    public func isClaimed(_ subject: TargetContentIdentifier) -> Bool {
        let (domains, schemes) = matches(of: subject)
        return !domains.isEmpty || !schemes.isEmpty
    }

    func claims(to subject: TargetContentIdentifier) -> [OwnerClaim] {
        let (matches, schemes) = matches(of: subject)
        let apps = snapshot.configuration.apps
        let found =
            matches.map { match in
                OwnerClaim(
                    place: match.claim.app, rule: rule(of: match), length: match.length, in: apps, snapshot.sessions)
            }
            + schemes.map {
                OwnerClaim(
                    place: $0.app, rule: .scheme($0.scheme), length: $0.scheme.value.utf8.count, in: apps,
                    snapshot.sessions)
            }
        return found.sorted { one, other in
            if one.length != other.length { return one.length > other.length }
            if one.used != other.used { return (one.used ?? .min) > (other.used ?? .min) }
            return one.app.utf8.lexicographicallyPrecedes(other.app.utf8)
        }
    }

    /// The apps that have the host of a request, but leave it to the browser because of their association files, as far
    /// as the owner is searched by the content of the request.
    private func refusals(of request: ActivationRequest, aliases: [TargetContentIdentifier]) -> [OwnerRefusal] {
        guard domains.hasAssociations else { return [] }
        var refusals: [OwnerRefusal] = []
        for subject in claimable(of: request, aliases: aliases) {
            if domainOwner(of: subject, refusals: &refusals) != nil { break }
        }
        return refusals
    }
}

extension ActivationRequest {
    /// The page that it names beside its target, where a browser can show it.
    fileprivate var webPage: String? { page.flatMap { TargetContentIdentifier($0).isWebAddress ? $0 : nil } }

    /// The page that a browser shows where no window does: the one that the request names, which says it more exactly, else
    /// its target's. Of content that has moved it is the target's, unless the page itself has a new address.
    ///
    /// - Parameters:
    ///   - aliases: of the target, the newest identifier first.
    ///   - tied: the newest that is no other one of the content: see `Redirection.firstTied`.
    ///   - hasWebsite: whether targets that are addresses are pages, too.
    func fallbackPage(
        _ aliases: [TargetContentIdentifier], tied: TargetContentIdentifier? = nil, hasWebsite: Bool
    ) -> (url: String, isTarget: Bool)? {
        let newest = hasWebsite ? [tied, aliases.first].compactMap { $0 }.first { $0.isWebAddress } : nil
        if let webPage, newest == nil || newestURL != nil || newest == target {
            return (webPage, newest.map { $0 == TargetContentIdentifier(webPage) } ?? false)
        }
        return newest.map { ($0.text, true) }
    }
}

/// Why a request went to its app.
public enum OwnerRule: Sendable, Hashable {
    case named, topic, session, activityType, shortcutType, onlyApp
    /// Whether the app claims the identifier, and the request needs no other reason.
    var isClaim: Bool {
        switch self {
        case .domain, .scheme, .association: true
        case .named, .topic, .session, .activityType, .shortcutType, .onlyApp: false
        }
    }
    case domain(Located<String>)
    /// The identifier has a scheme of the app's.
    case scheme(Located<String>)
    /// The app has the host, and a rule of its association file gives it the address. `rule` has the patterns of the
    /// rule.
    indirect case association(domain: Located<String>, rule: Located<String>)
}

/// An app that claims an identifier by `domains`, an association file or `schemes`.
public struct OwnerClaim: Sendable, Hashable {
    /// The place of the app in the configuration.
    let place: Int
    public let app: String
    /// What the manifest or the association file says.
    public let claim: Located<String>
    /// How many bytes of the identifier it accounts for.
    public let length: Int
    /// When a session of the app was used last, in microseconds since 1970.
    public let used: Int64?
    public internal(set) var wins = false

    init(place: Int, rule: OwnerRule, length: Int, in apps: [App], _ sessions: SessionTable) {
        self.place = place
        app = apps[place].id
        claim =
            switch rule {
            case .domain(let domain): domain
            case .scheme(let scheme): scheme
            case .association(_, let rule): rule
            case .named, .topic, .session, .activityType, .shortcutType, .onlyApp:
                Located("", at: apps[place].location)
            }
        self.length = length
        used = sessions.lastUse(ofApp: app)
    }
}

/// An app that has the host of an identifier, but does not get the identifier because of its association file.
public struct OwnerRefusal: Sendable, Hashable {
    public var app: String
    public var subject: TargetContentIdentifier
    public var domain: Located<String>
    /// The association file.
    public var path: String
    /// The patterns of the rule that excludes the identifier; nil if no rule matches it.
    public var rule: Located<String>?

    init(_ refusal: DomainTable.Refusal, of subject: TargetContentIdentifier, in apps: [App]) {
        let app = apps[refusal.app]
        self.app = app.id
        self.subject = subject
        domain = refusal.domain
        path = app.association?.path ?? ""
        rule = refusal.rule.flatMap { app.association?.rules[$0] }.map { Located($0.summary, at: $0.location) }
    }

    /// Without its subject: `excluded by /help/*`.
    public var phrase: String {
        rule.map { "excluded by \($0.value)" } ?? "no component of its association file matches"
    }

    var failure: Diagnostic {
        let message =
            if let rule {
                "\(subject.text) is excluded by \(rule.value), \(rule.location): it is not \(app)'s"
            } else {
                "\(subject.text) matches no component of \(path): it is not \(app)'s"
            }
        return .init(
            .noApp, message,
            help: rule == nil
                ? "let a component include it, or name the app: --app ID"
                : "drop `exclude` there, let a component before it include it, or name the app: --app ID")
    }
}

extension ActivationRequest.Carrier {
    /// How a request of this kind names its app.
    fileprivate var namingOfApp: String {
        let (member, topic) =
            switch self {
            case .notification: ("payload", " or apns-topic")
            case .shortcutItem: ("shortcutItem", "")
            case .activity: ("userActivity", "")
            case .link: ("url", "")
            case .scene: ("payload", "")
            }
        return "name the app: --app ID, or an envelope {\"\(member)\":…,\"app\":\"ID\"}\(topic)"
    }
}

/// The suffixes that an `apns-topic` has after the bundle id, by push type.
private enum PushTopic {
    private static let suffixes = [
        ".push-type.liveactivity", ".push-type.controls", ".push-type.widgets", ".pushkit.fileprovider",
        ".location-query", ".voip-ptt", ".voip", ".complication",
    ]

    static func bases(of topic: String) -> [String] {
        suffixes.filter { topic.hasSuffix($0) && topic.utf8.count > $0.utf8.count }.map {
            String(topic.dropLast($0.count))
        }
    }

    /// What the bundle ids of an app's App Clip and of its watch app have after the app's own.
    private static let companions = [".Clip", ".watchkitapp"]

    /// What to do about the unknown topic of an App Clip or a watch app whose app is known.
    static func help(of topic: String, in apps: [App]) -> String? {
        for candidate in [topic] + bases(of: topic) {
            for companion in companions where candidate.hasSuffix(companion) {
                let owner = String(candidate.dropLast(companion.count))
                guard let app = apps.first(where: { $0.id == owner || $0.topics.contains(owner) }) else { continue }
                return "if \(app.id) is to have its pushes, add \"\(candidate)\" to topics in \(app.location.path)"
            }
        }
        return nil
    }
}
