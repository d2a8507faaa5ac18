internal import UsherPredicate
public import UsherScene
internal import UsherText

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
