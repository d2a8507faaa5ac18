internal import UsherPredicate
internal import UsherScene
internal import UsherText

/// One walk through lines 2 to 9, for one app.
struct Search {
    private let configuration: Shared<Configuration>
    /// Of the app, in the configuration: a copy of the app would cost more than most searches.
    private let place: Int
    private let scenes: [SceneConfiguration]
    private let aliases: [TargetContentIdentifier]
    /// See `Redirection.firstTied`.
    private let tied: TargetContentIdentifier?
    /// The scenes of the app whose programs are not found, and those that are commands without a window.
    private let (missing, commands): ([String], [String])
    private let supportsMultipleScenes: Bool
    /// Line 4: each id of the alias list, else the URL text, else NULL.
    private let firstSubject: PredicateSubject
    private let otherSubjects: [PredicateSubject]
    /// The app's; empty where it never had one.
    private let sessions: Shared<AppSessions>
    /// Line 3.
    private let question: AppSessions.Question

    var app: App { configuration.value.apps[place] }

    /// - Parameter session: one that is looked at as if it were not there.
    init(
        for request: borrowing ActivationRequest, ofAppAt place: Int, aliases: [TargetContentIdentifier],
        tied: TargetContentIdentifier? = nil, in resolver: borrowing Resolver, without session: String? = nil
    ) {
        self.place = place
        self.aliases = aliases
        self.tied = tied
        configuration = resolver.configuration
        let scenes = configuration.value.apps[place].scenes
        self.scenes = scenes
        // By place: a configuration is large.
        commands = scenes.indices.filter { scenes[$0].isCommand }.map { scenes[$0].name }
        supportsMultipleScenes = resolver.snapshot.supportsMultipleScenes
        firstSubject = PredicateSubject(aliases.first?.text ?? request.page)
        otherSubjects = aliases.dropFirst().map { PredicateSubject($0.text) }
        missing = resolver.missingScenes(ofAppAt: place)
        sessions = resolver.sessions(ofAppAt: place)
        question = AppSessions.question(
            of: sessions, request.role, leavingOut: session, missing: missing, commands: commands)
    }

    func run(_ request: ActivationRequest) -> Resolution {
        if let id = request.session { return explicit(id) }
        if let wanted = request.newWindow { return new(wanted) }
        return (hasSingleScene ? single(request) : multiple(request)) ?? nothing()
    }

    private func use(_ session: SceneSession, _ reason: Reason) -> Resolution {
        Resolution.of(
            reason, by: configuration, app: place, scene: scenes.indices.first { scenes[$0].name == session.scene },
            chosen: session, subjects: aliases)
    }

    private func make(_ scene: Int, _ reason: Reason) -> Resolution {
        Resolution.of(reason, by: configuration, app: place, scene: scene, makesSession: true, subjects: aliases)
    }

    private func fail(_ reason: Reason, _ failure: Diagnostic) -> Resolution {
        Resolution.of(reason, by: configuration, app: place, subjects: aliases, failure: failure)
    }

    // MARK: Line 3

    func session(_ slot: Int32) -> SceneSession { sessions.value.session(slot) }

    func summary(_ slot: Int32) -> SceneSession.Summary { sessions.value.summary(slot) }

    func slot(of id: String) -> Int32? { sessions.value.slot(of: id) }

    /// The first sessions in question, in the order of choice.
    func candidates(limit: Int = .max) -> [Int32] { sessions.value.candidates(question, limit: limit) }

    var candidateCount: Int { sessions.value.candidateCount(question) }

    var subjects: [PredicateSubject] { [firstSubject] + otherSubjects }

    /// The place of the first subject that a predicate accepts.
    func match(_ predicate: ScenePredicate) -> Int? {
        if predicate.evaluate(firstSubject) { return 0 }
        return otherSubjects.firstIndex { predicate.evaluate($0) }.map { $0 + 1 }
    }

    // MARK: Line 2

    private func explicit(_ id: String) -> Resolution {
        if let session = slot(of: id).map(session), session.state != .closing { return use(session, .explicit) }
        let known = candidates(limit: 1_000).map { session($0).id }
        return fail(.noSuchSession, .noSession(id, among: known))
    }

    // MARK: A new window

    private func new(_ wanted: ActivationRequest.NewWindow) -> Resolution {
        var named: Int?
        if case .scene(let name) = wanted {
            named = scenes.firstIndex { $0.name.hasSameBytes(as: name) }
            if named == nil {
                let known = scenes.map(\.name)
                return fail(
                    .noScene,
                    Diagnostic(
                        .sceneUnknown, "\(app.id) has no scene \(QuotedText.text(name))",
                        help: Spelling.closest(to: name, among: known).map { "did you mean \($0)?" }
                            ?? "there is: \(known.joined(separator: ", "))"))
            }
        }
        guard !hasSingleScene else {
            return fail(
                .noScene,
                Diagnostic(
                    .sceneSingle, "\(app.id) has one window only: multiple-scenes is false",
                    help: "usher scene focus brings it forward"))
        }
        guard let scene = named ?? creation()?.scene, canCreate(scenes[scene].name) else { return nothing() }
        if isFull, !scenes[scene].isCommand {
            return fail(
                .noScene,
                Diagnostic(
                    .sceneLimit, "\(app.id) has \(openCount) windows, as many as scenes-limit allows",
                    help: "close one, or raise scenes-limit in its manifest"))
        }
        return make(scene, .requested)
    }

    // MARK: Line 5

    private var hasSingleScene: Bool { !configuration.value.apps[place].multipleScenes || !supportsMultipleScenes }

    private func single(_ request: ActivationRequest) -> Resolution? {
        if let slot = sessions.value.first(question) { return use(session(slot), .single) }
        if let first = scenes.indices.first(where: { scenes[$0].role == question.role }), canCreate(scenes[first].name)
        {
            return make(first, .single)
        }
        return webPage(request)
    }

    // MARK: Lines 6 to 9

    private func multiple(_ request: ActivationRequest) -> Resolution? {
        let best = sessions.value.best(question, for: firstSubject, otherSubjects)
        if let slot = best.prefers { return use(session(slot), .prefers) }
        let creation = creation()
        // A command without a window counts for no limit.
        let hasRoom = creation.map { scenes[$0.scene].isCommand || !isFull } ?? false
        if let creation, hasRoom, creation.reason == .opens, scenes[creation.scene].newScene == .unlessPreferred {
            return make(creation.scene, .opens)
        }
        if !request.isSceneRequest, let slot = best.can { return use(session(slot), .can) }
        if let creation {
            if hasRoom { return make(creation.scene, creation.reason) }
            if let slot = sessions.value.first(question) { return use(session(slot), .limit) }
        } else if request.isTap, !hasSubject, let slot = sessions.value.first(question) {
            return use(session(slot), .recent)
        }
        return webPage(request)
    }

    /// Windows are what the limit counts: a disconnected session has none.
    var isFull: Bool {
        guard let limit = configuration.value.apps[place].scenesLimit?.value else { return false }
        return openCount >= limit
    }

    var openCount: Int { sessions.value.openCount(question) }

    /// The scene that line 8 takes, whether it can be made or not.
    var firstToOpen: String? {
        let fitting = scenes.filter { $0.role == question.role && fits($0) }
        return
            (fitting.first { $0.opens.map { match($0.value) != nil } ?? false } ?? fitting.first { $0.opens == nil })?
            .name
    }

    /// Disconnected sessions that cannot be launched again: the program of their scene is not found.
    func withoutProgram(limit: Int) -> [Int32] {
        if missing.isEmpty { return [] }
        let known = candidates(limit: .max)
        let everyone = AppSessions.question(
            of: sessions, question.role, leavingOut: nil, missing: [], commands: commands)
        return Array(sessions.value.candidates(everyone).filter { !known.contains($0) }.prefix(limit))
    }

    /// Line 8 without the limit: the first configuration that opens for the subject, else the first without `opens`.
    private func creation() -> (scene: Int, reason: Reason)? {
        var fallback: Int?
        // By place: a configuration is large, and most are only looked at.
        for scene in scenes.indices where scenes[scene].role == question.role {
            guard hasSubject || fits(scenes[scene]) else { continue }
            guard let opens = scenes[scene].opens else {
                fallback = fallback ?? scene
                continue
            }
            if match(opens.value) != nil { return canCreate(scenes[scene].name) ? (scene, .opens) : nil }
        }
        return fallback.flatMap { canCreate(scenes[$0].name) ? ($0, .default) : nil }
    }

    /// A configuration that uses the target in its conditions is not created for the NULL subject.
    func fits(_ scene: SceneConfiguration) -> Bool {
        hasSubject || !scene.needsTarget
    }

    private var hasSubject: Bool { firstSubject.text != nil }

    func canCreate(_ scene: String) -> Bool { !missing.contains(scene) }

    /// Line 9: the app has no window for this and can't make one.
    private func webPage(_ request: ActivationRequest) -> Resolution? {
        let website = configuration.value.apps[place].website
        guard !isFull,
            let page = request.fallbackPage(aliases, tied: tied, hasWebsite: website?.value == true)
        else { return nil }
        return Resolution.of(
            .webFallback, by: configuration, app: place, page: page.url, subjects: aliases,
            rule: page.isTarget ? website?.location : nil)
    }

    private func nothing() -> Resolution {
        var failure = Diagnostic(
            .noScene, "\(app.id) has no window for this, and no scene configuration that opens one",
            help: "let a [[scenes]] entry open for it (opens = …), or leave opens out of one to make it the default")
        if isFull {
            failure = .init(.noScene, "scenes-limit of \(app.id) is reached and no window is open")
        } else if let missing = scenes.first(where: { $0.role == question.role && fits($0) && !canCreate($0.name) }) {
            let program = missing.launch?.command.arguments.first ?? "its program"
            failure = .init(
                .notInstalled, "\(app.id) is not installed: \(program) is not found",
                help: "install it, correct launch of [[scenes]] \(missing.name), or set website = true for a web page")
        }
        return fail(.noScene, failure)
    }
}

extension Diagnostic {
    static func noSession(_ id: String, among known: [String] = []) -> Self {
        Self(
            .noSuchSession, "the session \(id) is not there (any more)",
            help: Spelling.closest(to: id, among: known).map { "did you mean \($0)?" }
                ?? "leave out the session and the best window is chosen; usher scene list shows what there is")
    }
}
