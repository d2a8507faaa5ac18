internal import UsherPredicate
internal import UsherScene
internal import UsherText

/// One walk through lines 2 to 9, for one app.
struct Search {
    let request: ActivationRequest
    /// The app's place: a copy of the app would cost more than most searches.
    let place: Int
    let aliases: [TargetContentIdentifier]
    let snapshot: Snapshot
    /// Line 4: each id of the alias list, else the URL text, else NULL.
    let subjects: [PredicateSubject]
    /// Every session of the app, in the order of choice; line 3 leaves some of them out: `isCandidate`.
    let sessions: [SceneSession]
    /// The place of one that is left out.
    private let left: Int?

    var app: App { snapshot.configuration.apps[place] }

    /// - Parameter session: one that is looked at as if it were not there.
    init(
        request: ActivationRequest, ofAppAt place: Int, aliases: [TargetContentIdentifier], snapshot: Snapshot,
        without session: String? = nil
    ) {
        self.request = request
        self.place = place
        self.aliases = aliases
        self.snapshot = snapshot
        subjects =
            aliases.isEmpty ? [PredicateSubject(request.page)] : aliases.map { PredicateSubject($0.text) }
        let sessions = snapshot.sessions.sessions(of: snapshot.configuration.apps[place].id)
        self.sessions = sessions
        left = session.flatMap { session in sessions.firstIndex { $0.id.hasSameBytes(as: session) } }
    }

    struct Step {
        var verdict: Resolution.Verdict
        var reason: Reason
        var rule: SourceLocation?
    }

    func run(fallbackLimit: Int) -> Resolution {
        if let id = request.session { return explicit(id) }
        let steps = hasSingleScene ? single(limit: fallbackLimit + 1) : multiple(limit: fallbackLimit + 1)
        guard let winner = steps.first else { return nothing() }
        return Resolution(
            verdict: winner.verdict, reason: winner.reason, app: app.id, subjects: aliases, rule: winner.rule,
            fallbacks: steps.dropFirst().map(\.verdict))
    }

    // MARK: Line 3

    /// Whether the session at a place is in question at all.
    func isCandidate(_ place: Int) -> Bool {
        guard sessions[place].role == request.role, place != left else { return false }
        switch sessions[place].state {
        case .connecting, .connected: return true
        case .closing: return false
        case .disconnected:
            // It would have to be launched again, and can't be where its program is gone.
            return snapshot.missingPrograms.isEmpty
                || !snapshot.missingPrograms.contains(.init(app: app.id, scene: sessions[place].scene))
        }
    }

    /// The place of the first subject that a predicate accepts.
    func match(_ predicate: ScenePredicate) -> Int? {
        subjects.indices.first { predicate.evaluate(subjects[$0]) }
    }

    // MARK: Line 2

    private func explicit(_ id: String) -> Resolution {
        guard let session = sessions.first(where: { $0.id.hasSameBytes(as: id) }), session.state != .closing
        else {
            return Resolution(
                verdict: .nothing, reason: .noSuchSession, app: app.id, subjects: aliases,
                failure: .init(
                    .noSuchSession, "the session \(id) is not there (any more)",
                    help: Suggestion.closest(to: id, among: sessions.map(\.id)).map { "did you mean \($0)?" }
                        ?? "leave out the session and the best window is chosen; usher scene list shows what there is"))
        }
        return Resolution(
            verdict: .activate(session: session.id, scene: session.scene), reason: .explicit, app: app.id,
            subjects: aliases)
    }

    // MARK: Line 5

    private var hasSingleScene: Bool { !app.multipleScenes || !snapshot.supportsMultipleScenes }

    private func single(limit: Int) -> [Step] {
        var steps: [Step] = []
        for place in sessions.indices where steps.count < limit && isCandidate(place) {
            steps.append(activate(place, .single, nil))
        }
        if steps.isEmpty, let first = app.scenes.first(where: { $0.role == request.role }), canCreate(first.name) {
            steps.append(Step(verdict: .create(scene: first.name), reason: .single, rule: nil))
        }
        if steps.isEmpty, let page = webPage() { steps.append(page) }
        return steps
    }

    // MARK: Lines 6 to 9

    private func multiple(limit: Int) -> [Step] {
        var steps: [Step] = []
        // One pass finds both: what prefers, and the first that only can.
        var able: [Int] = []
        for place in sessions.indices where isCandidate(place) {
            if match(sessions[place].conditions.prefersToActivate.predicate) != nil {
                steps.append(activate(place, .prefers, rule(of: place, .prefers)))
                if steps.count == limit { return steps }
            } else if able.count < limit, !request.isSceneRequest,
                match(sessions[place].conditions.canActivate.predicate) != nil
            {
                able.append(place)
            }
        }
        let creation = creation()
        if let creation, creation.goesFirst, !isFull { steps.append(creation.step) }
        for place in able where steps.count < limit {
            steps.append(activate(place, .can, rule(of: place, .can)))
        }
        if let creation, steps.count < limit {
            if isFull {
                if steps.isEmpty, let first = sessions.indices.first(where: isCandidate) {
                    steps.append(activate(first, .limit, app.scenesLimit?.location))
                }
            } else if !creation.goesFirst {
                steps.append(creation.step)
            }
        }
        if steps.isEmpty, let page = webPage() { steps.append(page) }
        return steps
    }

    private func activate(_ place: Int, _ reason: Reason, _ rule: SourceLocation?) -> Step {
        Step(
            verdict: .activate(session: sessions[place].id, scene: sessions[place].scene), reason: reason, rule: rule)
    }

    /// Where a condition stands in a file; nil for defaults and for what the app set itself.
    private func rule(of place: Int, _ reason: Reason) -> SourceLocation? {
        let conditions = sessions[place].conditions
        let origin = (reason == .prefers ? conditions.prefersToActivate : conditions.canActivate).origin
        guard origin == .configuration, let scene = app.scene(named: sessions[place].scene) else { return nil }
        return reason == .prefers ? scene.prefersToActivate?.location : scene.canActivate?.location
    }

    /// Windows are what the limit counts: a disconnected session has none.
    private var isFull: Bool {
        guard let limit = app.scenesLimit?.value else { return false }
        return sessions.indices.count { sessions[$0].state.isOpen && isCandidate($0) } >= limit
    }

    private struct Creation {
        var step: Step
        /// Its configuration says `new-scene = "unless-preferred"`.
        var goesFirst: Bool
    }

    /// Line 8 without the limit: the first configuration that opens for the subject, else the first without `opens`.
    private func creation() -> Creation? {
        var fallback: Int?
        let scenes = app.scenes
        // By place: a configuration is large, and most are only looked at.
        for place in scenes.indices where scenes[place].role == request.role {
            guard hasSubject || fits(scenes[place]) else { continue }
            guard let opens = scenes[place].opens else {
                fallback = fallback ?? place
                continue
            }
            guard match(opens.value) != nil else { continue }
            guard canCreate(scenes[place].name) else { return nil }
            return Creation(
                step: Step(verdict: .create(scene: scenes[place].name), reason: .opens, rule: opens.location),
                goesFirst: scenes[place].newScene == .unlessPreferred)
        }
        guard let fallback, canCreate(scenes[fallback].name) else { return nil }
        return Creation(
            step: Step(verdict: .create(scene: scenes[fallback].name), reason: .default, rule: nil),
            goesFirst: false)
    }

    /// A configuration whose conditions use the target is not created for the NULL subject.
    func fits(_ scene: SceneConfiguration) -> Bool {
        hasSubject || !scene.needsTarget
    }

    private var hasSubject: Bool { subjects[0].text != nil }

    private func canCreate(_ scene: String) -> Bool {
        snapshot.missingPrograms.isEmpty
            || !snapshot.missingPrograms.contains(.init(app: app.id, scene: scene))
    }

    /// Line 9: the app has no window for this and can't make one.
    private func webPage() -> Step? {
        guard !isFull, let page = request.fallbackPage(aliases, hasWebsite: app.website?.value == true) else {
            return nil
        }
        return Step(
            verdict: .openWeb(url: page.url), reason: .webFallback, rule: page.isTarget ? app.website?.location : nil)
    }

    private func nothing() -> Resolution {
        var failure = Resolution.Failure(
            .noScene, "\(app.id) has no window for this, and no scene configuration that opens one",
            help: "let a [[scenes]] entry open for it (opens = …), or leave opens out of one to make it the default")
        if isFull {
            failure = .init(.noScene, "scenes-limit of \(app.id) is reached and no window is open")
        } else if let missing = app.scenes.first(where: { $0.role == request.role && fits($0) && !canCreate($0.name) })
        {
            let program = missing.launch?.command.arguments.first ?? "its program"
            failure = .init(
                .notInstalled, "\(app.id) is not installed: \(program) is not found",
                help: "install it, correct launch of [[scenes]] \(missing.name), or set website = true for a web page")
        }
        return Resolution(verdict: .nothing, reason: .noScene, app: app.id, subjects: aliases, failure: failure)
    }
}
