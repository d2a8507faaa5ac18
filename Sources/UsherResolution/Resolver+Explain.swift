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
            // Whose the request is, the session that it names may say; which window takes it then is asked without it.
            var other = request
            other.session = nil
            explanation.withoutWinner = resolve(other, following: redirection, without: winner)
        }
        return explanation
    }

    /// What led to a decision that this resolver has made, without the terms of conditions and without the question what
    /// would be if: cheap enough to be kept with every delivery.
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
        return (slots.compactMap { search.session($0) }, search.candidateCount)
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
    let search: Search
    let resolution: Resolution
    /// Where the winner lies.
    let winner: Int32?
    let hasTerms: Bool

    init(_ search: Search, _ resolution: Resolution, hasTerms: Bool) {
        self.hasTerms = hasTerms
        self.search = search
        self.resolution = resolution
        winner = resolution.session.flatMap { search.slot(of: $0) }
    }

    func candidates(limit: Int) -> [Explanation.Candidate] {
        var shown = search.candidates(limit: limit)
        if let winner, !shown.contains(winner) { shown.append(winner) }
        let judged = shown.compactMap { slot in
            search.session(slot).map { (slot: slot, session: $0, truth: truths(of: $0)) }
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
        let winner = winner.flatMap { search.session($0) }
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
