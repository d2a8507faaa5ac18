internal import UsherPredicate
public import UsherScene
internal import UsherText

/// Decides which window should show some content: lines 0 to 9 of Documentation/Resolution.md.
///
/// A value over an immutable snapshot: it opens no file, runs no program and reads no clock, so the same question to
/// the same snapshot has the same answer, now and in a replay. Callers hand session changes to `update` and `remove`;
/// how the sessions are searched is an internal detail of this type.
public struct Resolver: Sendable {
    public private(set) var snapshot: Snapshot
    private let domains: DomainTable
    private let schemes: SchemeTable

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
    private func resolve(
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
    ) -> (sessions: [SceneSession], count: Int) {
        var place = resolution.app.flatMap { snapshot.configuration.place(ofApp: $0) }
        if place == nil {
            let aliases = request.target.map { redirection.aliases(of: $0) } ?? []
            if case .found(let found, _) = owner(of: request, aliases: aliases) { place = found }
        }
        guard let place else { return ([], 0) }
        let search = Search(request: request, ofAppAt: place, aliases: [], snapshot: snapshot)
        var slots = search.candidates(limit: limit)
        for id in [resolution.session, request.session].compactMap({ $0 }) {
            if let slot = search.slot(of: id), !slots.contains(slot) { slots.append(slot) }
        }
        return (slots.map { search.session($0) }, search.candidateCount)
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
        guard case .found(let place, let rule) = owner(of: request, aliases: aliases) else {
            if request.app == nil { explanation.refusals = refusals(of: request, aliases: aliases) }
            return explanation
        }
        switch rule {
        case .domain, .association: explanation.refusals = refusals(of: request, aliases: aliases)
        case .named, .topic, .session, .activityType, .shortcutType, .onlyApp, .scheme: break
        }
        let app = snapshot.configuration.apps[place]
        let search = Search(request: request, ofAppAt: place, aliases: aliases, snapshot: snapshot)
        let account = SearchAccount(search, resolution, hasTerms: hasTerms)
        explanation.app = app
        explanation.ownerRule = rule
        explanation.subjects = search.subjects.map(\.text)
        explanation.candidateCount = search.candidateCount
        explanation.candidates = account.candidates(limit: limit)
        explanation.configurations = account.configurations()
        return explanation
    }
}

/// Tells of a search why each candidate wins or loses.
private struct SearchAccount {
    private let search: Search
    private let resolution: Resolution
    /// Where the winner lies.
    private let winner: Int32?
    private let hasTerms: Bool

    init(_ search: Search, _ resolution: Resolution, hasTerms: Bool) {
        self.hasTerms = hasTerms
        self.search = search
        self.resolution = resolution
        winner = resolution.session.flatMap { search.slot(of: $0) }
    }

    func candidates(limit: Int) -> [Explanation.Candidate] {
        var shown = search.candidates(limit: limit)
        if let winner, !shown.contains(winner) { shown.append(winner) }
        let judged = shown.map { slot in
            let session = search.session(slot)
            return (slot: slot, session: session, truth: truths(of: session))
        }
        let othersCan = judged.contains { $0.slot != winner && $0.truth.can.result && !$0.truth.prefers.result }
        return judged.map { slot, session, truth in
            Explanation.Candidate(
                session: session, prefers: truth.prefers, can: truth.can, wins: slot == winner,
                verdict: resolution.reason == .contentDeleted
                    ? "not asked: the content was deleted"
                    : slot == winner
                        ? praise(othersCan: othersCan) : phrase(for: session, truth.prefers.result, truth.can.result))
        }
    }

    // MARK: Truth

    private func truths(of session: SceneSession) -> (prefers: Explanation.Truth, can: Explanation.Truth) {
        let conditions = session.conditions
        let scene = search.app.scene(named: session.scene)
        // A stored condition knows only its own text; the manifest's knows where its terms stand.
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

    // MARK: Phrases

    private func praise(othersCan: Bool) -> String {
        switch resolution.reason {
        case .explicit: "wins: the request names it"
        case .single: "wins: the app has one window"
        case .prefers: othersCan ? "wins: a window that prefers goes before one that only can" : "wins: it prefers this"
        case .can: "wins: no window prefers this, and it can"
        case .limit: "wins: scenes-limit is reached, and it was used last"
        default: "wins"
        }
    }

    private func phrase(for session: SceneSession, _ prefers: Bool, _ can: Bool) -> String {
        let winner = winner.map(search.session)
        switch (prefers, can, resolution.reason) {
        case (_, _, .explicit): return "loses: the request names another"
        case (_, _, .single): return "loses: \(tieBreak(session, winner))"
        case (true, _, _): return "loses: it prefers this too, but \(tieBreak(session, winner))"
        case (false, true, .prefers):
            let wasUsedLater = (session.used ?? .min) > (winner?.used ?? .min)
            return wasUsedLater
                ? "loses, though used later: it can, it does not prefer" : "loses: it can, it does not prefer"
        case (false, true, .can): return "loses: it can too, but \(tieBreak(session, winner))"
        case (false, true, .opens): return "loses: its app wants a new window for this (new-scene)"
        case (false, true, _): return "loses: an app that asks for a window gets a window of its own"
        case (false, false, .limit): return "loses: \(tieBreak(session, winner))"
        case (false, false, _):
            return session.target == nil ? "neither prefers this nor can show it" : "shows other content"
        }
    }

    private func tieBreak(_ loser: SceneSession, _ winner: SceneSession?) -> String {
        guard let winner else { return "comes later in the order" }
        if loser.state.isOpen != winner.state.isOpen { return "its window is not open" }
        if loser.used != winner.used { return "the other was used later" }
        if loser.created != winner.created { return "the other is newer" }
        return "the other's id comes first"
    }

    func configurations() -> [Explanation.ConfigurationVerdict] {
        search.app.scenes.map { scene in
            let opens = scene.opens.map {
                truth(of: $0.value, origin: .configuration, location: $0.location, termsAreLocated: true)
            }
            let verdict: String
            if case .create(scene.name) = resolution.verdict {
                verdict = resolution.reason == .opens ? "a new one is made: it opens for this" : "a new one is made"
            } else if scene.role != search.request.role {
                verdict = "is of another role"
            } else if search.snapshot.missingPrograms.contains(.init(app: search.app.id, scene: scene.name)) {
                verdict = "its program is not found: \(scene.launch?.command.arguments.first ?? "")"
            } else if !search.fits(scene) {
                verdict = "needs a target"
            } else if let opens {
                verdict = opens.result ? "opens for this" : "does not open for this"
            } else {
                verdict = "opens for anything no other opens for"
            }
            return Explanation.ConfigurationVerdict(scene: scene, opens: opens, verdict: verdict)
        }
    }
}

// MARK: - Owner

extension Resolver {
    /// Line 1 of the resolution: which app owns the request.
    private enum Owner {
        /// The place of the app in the configuration.
        case found(Int, OwnerRule)
        case failed(Diagnostic)
        /// The intended app is not configured on this system: the web page of the request is used instead.
        case absent(Diagnostic)
        /// The app has the host, but leaves the request to the browser because of its association file.
        indirect case refused(OwnerRefusal)
    }

    private func owner(of request: ActivationRequest, aliases: [TargetContentIdentifier]) -> Owner {
        let apps = snapshot.configuration.apps
        switch request.app {
        case .id(let name): return named(name, in: apps)
        case .topic(let topic): return topical(topic, in: apps)
        case nil: break
        }
        if let id = request.session, let session = snapshot.sessions.session(id: id),
            let app = snapshot.configuration.place(ofApp: session.app)
        {
            return .found(app, .session)
        }
        if let type = request.activityType {
            let owners = apps.indices.filter { apps[$0].activityTypes.contains { $0.value == type } }
            if let owner = decide(owners, "the activity type \(type)", .activityType) { return owner }
        }
        if let type = request.shortcutType {
            let owners = apps.indices.filter { apps[$0].shortcuts.contains { $0.type == type } }
            if let owner = decide(owners, "the shortcut type \(type)", .shortcutType) { return owner }
        }
        let subjects = aliases.isEmpty ? [request.url].compactMap({ $0 }).map(TargetContentIdentifier.init) : aliases
        var refusals: [OwnerRefusal] = []
        for subject in subjects {
            if let owner = domainOwner(of: subject, refusals: &refusals) { return owner }
            if let owner = schemeOwner(of: subject) { return owner }
        }
        if let refusal = refusals.first { return .refused(refusal) }
        // Built-in apps do not count for the rule of the only app.
        let own = apps.indices.filter { !apps[$0].isBuiltIn }
        if let type = request.activityType, request.webPage != nil,
            own.count != 1 || own.contains(where: { !apps[$0].activityTypes.isEmpty })
        {
            // The type may belong to an app that is no longer configured. If the only remaining app declares other
            // types, the request is not given to it.
            let close = Suggestion.closest(to: type, among: apps.flatMap { $0.activityTypes.map(\.value) })
            return .absent(
                .init(
                    .noApp, "no app declares the activity type \(type)",
                    help: close.map { "did you mean \($0)?" } ?? "add it to activity-types of the app's manifest"))
        }
        if own.count == 1 { return .found(own[0], .onlyApp) }
        guard !own.isEmpty else {
            return .failed(.init(.noApp, "no app is configured", help: "usher init writes a first configuration"))
        }
        let subject = (aliases.first?.text ?? request.url).map { "nobody owns \($0)" } ?? "the request names no content"
        return .failed(
            .init(
                .noApp, "\(subject), and there are \(own.count) apps",
                help:
                    "name the app in the request (app, apns-topic), or add the host to domains, or the scheme to schemes,"
                    + " in its manifest"))
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
        let close = Suggestion.closest(to: name, among: apps.flatMap { [$0.id] + $0.topics })
        let known = apps.prefix(8).map(\.id).joined(separator: ", ")
        return .init(
            .noApp, message,
            help: close.map { "did you mean \($0)?" } ?? (known.isEmpty ? nil : "there are: \(known)"))
    }

    private func decide(_ owners: [Int], _ what: String, _ rule: OwnerRule) -> Owner? {
        if owners.count > 1 {
            let names = owners.map { snapshot.configuration.apps[$0].id }.joined(separator: ", ")
            return .failed(
                .init(.ambiguousApp, "\(what) is declared by \(names)", help: "name the app in the request"))
        }
        return owners.first.map { .found($0, rule) }
    }

    /// The app with the longest match of a URL by its domain (with a path, or with a rule of its association file).
    private func domainOwner(of subject: TargetContentIdentifier, refusals: inout [OwnerRefusal]) -> Owner? {
        guard let (host, rest) = subject.webHost else { return nil }
        var refused: [DomainTable.Refusal] = []
        let matches = domains.longest(host: host, rest: rest, refusals: &refused)
        let apps = snapshot.configuration.apps
        for refusal in refused { refusals.append(OwnerRefusal(refusal, of: subject, in: apps)) }
        guard let first = matches.first else { return nil }
        if matches.count > 1 {
            let names = matches.map { match -> String in
                let app = apps[match.claim.app]
                return app.id + (match.rule.flatMap { app.association?.rules[$0] }.map { " (\($0.location))" } ?? "")
            }
            return .failed(
                .init(
                    .ambiguousApp, "\(subject.text) is owned by \(names.joined(separator: ", "))",
                    help: first.rule == nil
                        ? "name the app in the request, or give one of them a longer path in domains"
                        : "name the app in the request, or let one association file say more of the path"))
        }
        guard let place = first.rule, let association = apps[first.claim.app].association else {
            return .found(first.claim.app, .domain(first.claim.domain))
        }
        let rule = association.rules[place]
        return .found(
            first.claim.app,
            .association(domain: first.claim.domain, rule: Located(rule.summary, at: rule.location)))
    }

    /// The app that has the scheme of an identifier.
    private func schemeOwner(of subject: TargetContentIdentifier) -> Owner? {
        let claims = schemes.claims(to: subject)
        guard let claim = claims.first else { return nil }
        guard claims.count == 1 else {
            let names = claims.map { snapshot.configuration.apps[$0.app].id }.joined(separator: ", ")
            return .failed(
                .init(
                    .ambiguousApp, "the scheme of \(subject.text) is owned by \(names)",
                    help: "name the app in the request, or take the scheme out of one manifest"))
        }
        return .found(claim.app, .scheme(claim.scheme))
    }

    /// The apps that have the host of a request, but leave it to the browser because of their association files, as far
    /// as the owner is searched by the content of the request.
    private func refusals(of request: ActivationRequest, aliases: [TargetContentIdentifier]) -> [OwnerRefusal] {
        guard domains.hasAssociations else { return [] }
        var refusals: [OwnerRefusal] = []
        let subjects = aliases.isEmpty ? [request.url].compactMap({ $0 }).map(TargetContentIdentifier.init) : aliases
        for subject in subjects {
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
    ///   - hasWebsite: whether targets that are addresses are pages, too.
    func fallbackPage(
        _ aliases: [TargetContentIdentifier], hasWebsite: Bool
    ) -> (url: String, isTarget: Bool)? {
        let newest = hasWebsite ? aliases.first.flatMap { $0.isWebAddress ? $0 : nil } : nil
        if let webPage, newest == nil || newestURL != nil || newest == target {
            return (webPage, newest.map { $0 == TargetContentIdentifier(webPage) } ?? false)
        }
        return newest.map { ($0.text, true) }
    }
}

/// Why a request went to its app.
public enum OwnerRule: Sendable, Hashable {
    case named, topic, session, activityType, shortcutType, onlyApp
    case domain(Located<String>)
    /// The identifier has a scheme of the app's.
    case scheme(Located<String>)
    /// The app has the host, and a rule of its association file gives it the address. `rule` has the patterns of the
    /// rule.
    indirect case association(domain: Located<String>, rule: Located<String>)
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
                ? "let a component include it, or name the app in the request"
                : "drop `exclude` there, let a component before it include it, or name the app in the request")
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
}
