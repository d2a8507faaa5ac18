internal import UsherPredicate
internal import UsherScene
internal import UsherText

/// One walk through lines 2 to 9, for one app.
struct Search {
    let request: ActivationRequest
    /// By its place: a copy of the app, or of the snapshot, would cost more than most searches.
    private let apps: [App]
    private let place: Int
    private let aliases: [TargetContentIdentifier]
    let missingPrograms: Set<SceneName>
    private let supportsMultipleScenes: Bool
    /// Line 4: each id of the alias list, else the URL text, else NULL.
    let subjects: [PredicateSubject]
    /// The app's; empty where it never had one. Held here: each look at them in the table would copy them.
    private let sessions: AppSessions
    /// Line 3.
    private let question: AppSessions.Question

    var app: App { apps[place] }

    /// - Parameter session: one that is looked at as if it were not there.
    init(
        request: ActivationRequest, ofAppAt place: Int, aliases: [TargetContentIdentifier],
        snapshot: borrowing Snapshot, without session: String? = nil
    ) {
        self.request = request
        self.place = place
        self.aliases = aliases
        let apps = snapshot.configuration.apps
        self.apps = apps
        missingPrograms = snapshot.missingPrograms
        supportsMultipleScenes = snapshot.supportsMultipleScenes
        subjects =
            aliases.isEmpty ? [PredicateSubject(request.page)] : aliases.map { PredicateSubject($0.text) }
        let app = apps[place].id
        sessions = snapshot.sessions.place(ofApp: app).map { snapshot.sessions[$0] } ?? .empty
        let missing = missingPrograms
        question = sessions.question(
            request.role, leavingOut: session,
            isMissing: missing.isEmpty ? nil : { missing.contains(SceneName(app: app, scene: $0)) },
            isCommand: Search.commandTest(apps[place].scenes))
    }

    /// Tells the scenes of commands without a window; nil if there are none.
    private static func commandTest(_ scenes: [SceneConfiguration]) -> ((String) -> Bool)? {
        // By place: a configuration is large.
        let commands = scenes.indices.filter { scenes[$0].isCommand }.map { scenes[$0].name }
        if commands.isEmpty { return nil }
        return { name in commands.contains { $0.hasSameBytes(as: name) } }
    }

    private struct Step {
        var verdict: Resolution.Verdict
        var reason: Reason
        var rule: SourceLocation?
        /// Among the app's; nil where it has none of that name.
        var scene: Int?
        var session: SceneSession?
    }

    func run() -> Resolution {
        if let id = request.session { return explicit(id) }
        guard let step = hasSingleScene ? single() : multiple() else { return nothing() }
        return resolution(step)
    }

    private func resolution(_ step: Step) -> Resolution {
        Resolution(
            verdict: step.verdict, reason: step.reason, app: apps[place].id, at: place, subjects: aliases,
            rule: step.rule,
            scenePlace: step.scene, chosen: step.session)
    }

    // MARK: Line 3

    func session(_ slot: Int32) -> SceneSession { sessions.session(slot) }

    func summary(_ slot: Int32) -> SceneSession.Summary { sessions.summary(slot) }

    func slot(of id: String) -> Int32? { sessions.slot(of: id) }

    /// The first sessions in question, in the order of choice.
    func candidates(limit: Int = .max) -> [Int32] { sessions.candidates(question, limit: limit) }

    var candidateCount: Int { sessions.candidateCount(question) }

    /// The place of the first subject that a predicate accepts.
    func match(_ predicate: ScenePredicate) -> Int? {
        for place in subjects.indices where predicate.evaluate(subjects[place]) { return place }
        return nil
    }

    // MARK: Line 2

    private func explicit(_ id: String) -> Resolution {
        guard let session = slot(of: id).map(session), session.state != .closing else {
            let known = candidates(limit: 1_000).map { session($0).id }
            return Resolution(
                verdict: .nothing, reason: .noSuchSession, app: app.id, at: place, subjects: aliases,
                failure: .init(
                    .noSuchSession, "the session \(id) is not there (any more)",
                    help: Spelling.closest(to: id, among: known).map { "did you mean \($0)?" }
                        ?? "leave out the session and the best window is chosen; usher scene list shows what there is"))
        }
        return resolution(step(session, .explicit))
    }

    // MARK: Line 5

    private var hasSingleScene: Bool { !apps[place].multipleScenes || !supportsMultipleScenes }

    private func single() -> Step? {
        if let slot = sessions.first(question) { return activate(slot, .single) }
        let scenes = apps[place].scenes
        if let first = scenes.indices.first(where: { scenes[$0].role == request.role }), canCreate(scenes[first].name) {
            return Step(verdict: .create(scene: scenes[first].name), reason: .single, scene: first)
        }
        return webPage()
    }

    // MARK: Lines 6 to 9

    private func multiple() -> Step? {
        let best = sessions.best(question, for: subjects)
        if let slot = best.prefers { return activate(slot, .prefers) }
        let creation = creation()
        if let creation, creation.goesFirst, creation.isUnlimited || !isFull { return creation.step }
        if !request.isSceneRequest, let slot = best.can { return activate(slot, .can) }
        if let creation {
            if creation.isUnlimited || !isFull { return creation.step }
            if let slot = sessions.first(question) { return activate(slot, .limit) }
        } else if request.isTap, !hasSubject, let slot = sessions.first(question) {
            return activate(slot, .recent)
        }
        return webPage()
    }

    private func activate(_ slot: Int32, _ reason: Reason) -> Step { step(session(slot), reason) }

    private func step(_ session: SceneSession, _ reason: Reason) -> Step {
        let scenes = apps[place].scenes
        let scene = scenes.indices.first { scenes[$0].name == session.scene }
        // Where the condition stands in a file; nil for defaults and for what the app set itself.
        let rule: SourceLocation? =
            switch reason {
            case .prefers where session.conditions.prefersToActivate.origin == .configuration:
                if let scene { scenes[scene].prefersToActivate?.location } else { nil }
            case .can where session.conditions.canActivate.origin == .configuration:
                if let scene { scenes[scene].canActivate?.location } else { nil }
            case .limit: apps[place].scenesLimit?.location
            default: nil
            }
        return Step(
            verdict: .activate(session: session.id, scene: session.scene), reason: reason, rule: rule, scene: scene,
            session: session)
    }

    /// Windows are what the limit counts: a disconnected session has none.
    var isFull: Bool {
        guard let limit = apps[place].scenesLimit?.value else { return false }
        return openCount >= limit
    }

    var openCount: Int { sessions.openCount(question) }

    /// The scene that line 8 takes, whether it can be made or not.
    var firstToOpen: String? {
        let fitting = app.scenes.filter { $0.role == request.role && fits($0) }
        return
            (fitting.first { $0.opens.map { match($0.value) != nil } ?? false } ?? fitting.first { $0.opens == nil })?
            .name
    }

    /// Disconnected sessions that cannot be launched again: the program of their scene is not found.
    func withoutProgram(limit: Int) -> [Int32] {
        if missingPrograms.isEmpty { return [] }
        let known = candidates(limit: .max)
        let everyone = sessions.question(
            request.role, leavingOut: nil, isMissing: nil, isCommand: Search.commandTest(app.scenes))
        return Array(sessions.candidates(everyone).filter { !known.contains($0) }.prefix(limit))
    }

    private struct Creation {
        var step: Step
        /// Its configuration says `new-scene = "unless-preferred"`.
        var goesFirst: Bool
        /// It is a command without a window, which counts for no limit.
        var isUnlimited: Bool
    }

    /// Line 8 without the limit: the first configuration that opens for the subject, else the first without `opens`.
    private func creation() -> Creation? {
        var fallback: Int?
        let scenes = apps[place].scenes
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
                step: Step(
                    verdict: .create(scene: scenes[place].name), reason: .opens, rule: opens.location, scene: place),
                goesFirst: scenes[place].newScene == .unlessPreferred,
                isUnlimited: scenes[place].isCommand)
        }
        guard let fallback, canCreate(scenes[fallback].name) else { return nil }
        return Creation(
            step: Step(verdict: .create(scene: scenes[fallback].name), reason: .default, scene: fallback),
            goesFirst: false, isUnlimited: scenes[fallback].isCommand)
    }

    /// A configuration that uses the target in its conditions is not created for the NULL subject.
    func fits(_ scene: SceneConfiguration) -> Bool {
        hasSubject || !scene.needsTarget
    }

    private var hasSubject: Bool { subjects[0].text != nil }

    private func canCreate(_ scene: String) -> Bool {
        missingPrograms.isEmpty || !missingPrograms.contains(.init(app: apps[place].id, scene: scene))
    }

    /// Line 9: the app has no window for this and can't make one.
    private func webPage() -> Step? {
        guard !isFull, let page = request.fallbackPage(aliases, hasWebsite: apps[place].website?.value == true) else {
            return nil
        }
        return Step(
            verdict: .openWeb(url: page.url), reason: .webFallback,
            rule: page.isTarget ? apps[place].website?.location : nil)
    }

    private func nothing() -> Resolution {
        var failure = Diagnostic(
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
        return Resolution(
            verdict: .nothing, reason: .noScene, app: app.id, at: place, subjects: aliases, failure: failure)
    }
}
