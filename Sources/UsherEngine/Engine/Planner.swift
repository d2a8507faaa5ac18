internal import UsherActivation
internal import UsherDelivery
internal import UsherLog
internal import UsherPayload
internal import UsherPlace
internal import UsherResolution
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherTarget
internal import UsherText

/// What the planner asks of the transaction that it plans in.
protocol PlanningFacts: ~Copyable {
    /// The state of a delivery that may be in the journal; nil where it is not.
    mutating func state(of delivery: String) throws(StoreError) -> DeliveryState?
    /// The first delivery of the same request within a time.
    mutating func original(
        of delivery: Store.NewDelivery, app: String?, window: Duration
    ) throws(StoreError) -> String?
    /// Where an identifier leads.
    mutating func redirection(of target: TargetContentIdentifier, _ ties: Ties) throws(StoreError) -> Redirection
    /// The older deliveries of an app that have the same collapse id and have not begun their effect.
    mutating func collapsing(
        _ collapse: String, app: String?, before id: String
    ) throws(StoreError) -> [Store.StoredDelivery]
    /// How often an app's pushes have interrupted lately.
    mutating func interruptions(
        of app: String, within milliseconds: Int, for delivery: String?, collapse: String?,
        target: String?
    ) throws(StoreError) -> RecentInterruptions
    /// The apps that a place goes to, found by a feature.
    mutating func mapApps(
        _ find: EngineOpenings.MapApps, for place: Place, in configuration: Configuration, now: Instant
    ) throws(StoreError) -> [App]
    /// The inputs of the deliveries that opened a web page since a moment (microseconds since 1970), the newest first.
    mutating func inputsOfOpenedPages(since: Int64, limit: Int) throws(StoreError) -> [[UInt8]]
}

extension StoreState: PlanningFacts {
    mutating func state(of delivery: String) throws(StoreError) -> DeliveryState? { try standing(of: delivery)?.state }

    mutating func redirection(of target: TargetContentIdentifier, _ ties: Ties) throws(StoreError) -> Redirection {
        try redirection(of: target, ties, withOlder: true)
    }

    mutating func mapApps(
        _ find: EngineOpenings.MapApps, for place: Place, in configuration: Configuration, now: Instant
    ) throws(StoreError) -> [App] { try find(place, configuration, now, &self) }
}

/// Decides what is to be done about a request. It reads no clock but the one it is given, and changes nothing: what it
/// decides is written by the journal.
final class Planner: Sendable {
    /// For how long a sender's id names the same request; zero: not at all.
    private let duplicateWindow: Duration
    /// Which programs are installed; asked only where a decision depends on one.
    private let programs: ProgramLocator
    let openings: EngineOpenings

    init(duplicateWindow: Duration, programs: ProgramLocator, openings: EngineOpenings = EngineOpenings()) {
        self.duplicateWindow = duplicateWindow
        self.programs = programs
        self.openings = openings
    }

    enum Verdict: Sendable {
        /// It ends without an effect.
        case end(DeliveryState, DecisionRecord, Decision?, original: String? = nil)
        /// It has its terminal record already.
        case known
        /// These older ones are to be ended first; then it is planned once more.
        case collapses([Store.StoredDelivery])
        /// There is no room in the lanes: it stays in the journal undecided.
        case queue(app: String?, record: DecisionRecord)
        case act(Ticket.Plan, Store.Claim, lane: String, width: Int)
    }

    /// A push that is held back: its app's pushes have interrupted often enough.
    struct Notice: Sendable {
        var delivery: String
        var app: String
    }

    /// How a request is to be looked at.
    struct Circumstances: Sendable {
        var tries = Tries()
        /// What had to be collapsed is: it is not looked for again.
        var hasCollapsed = false
        var now: Instant
        var clock: MonotonicInstant
    }

    /// The decision alone, for what is only looked at or was decided before.
    func decision(
        _ payload: Payload, app: String?, source: String, response: String?, in decisionState: inout DecisionState,
        _ facts: inout some PlanningFacts & ~Copyable
    ) throws(StoreError) -> Decision {
        var decision = try decide(payload, app: app, source: source, response: response, in: &decisionState, &facts)
        if decisionState.isOutdated(decision, by: programs) {
            decision = try decide(payload, app: app, source: source, response: response, in: &decisionState, &facts)
        }
        return decision
    }

    private func decide(
        _ payload: Payload, app: String?, source: String, response: String?, in decisionState: inout DecisionState,
        _ facts: inout some PlanningFacts & ~Copyable
    ) throws(StoreError) -> Decision {
        var payloadRequest = PayloadRequest.of(
            payload, in: decisionState.resolver.snapshot.configuration, app: app, source: source, response: response)
        let redirection = try decisionState.redirections.follow(&payloadRequest, in: decisionState.resolver) {
            (id, ties) throws(StoreError) in try facts.redirection(of: id, ties)
        }
        return try Decision.of(consume payloadRequest, following: redirection, in: decisionState.resolver) {
            (place, configuration) throws(StoreError) in
            try openings.mapApps(for: place, in: configuration, now: .now, &facts)
        }
    }

    /// - Parameters:
    ///   - places: where there is room.
    ///   - mayQueue: false where a request is not queued any more.
    func plan(
        _ request: Request, _ circumstances: Circumstances, _ places: Journal.Capacity, mayQueue: Bool,
        in decisionState: inout DecisionState,
        _ facts: inout some PlanningFacts & ~Copyable, noting notices: inout [Notice]
    ) throws(StoreError) -> Verdict {
        var record = request.record
        record.configuration = decisionState.resolver.snapshot.configuration.digest
        let delivery = request.delivery
        record.senderID = delivery.senderID
        let payload: Payload
        switch request.reading {
        case .success(let read): payload = read
        case .failure(let error):
            record.error = .init(error)
            record.decideTime = circumstances.clock - request.started
            return .end(.failed, record, nil)
        }
        var decision = try decision(
            payload, app: request.app ?? delivery.app, source: delivery.source, response: delivery.response,
            in: &decisionState, &facts)
        func draft(_ record: inout DecisionRecord, _ decision: Decision) {
            record.apply(decision, payload)
            // The same payload may come again and again.
            record.senderID = delivery.senderID ?? (delivery.schedule == nil ? payload.senderID : nil)
        }
        draft(&record, decision)
        record.decideTime = circumstances.clock - request.started
        let known = request.isNew ? nil : try facts.state(of: delivery.id)
        if let known, known.isTerminal { return .known }
        // What was decided before is not taken back because of its sender's id.
        if known == nil || known == .accepted, !circumstances.hasCollapsed,
            let original = try facts.original(of: delivery, app: decision.resolution.app, window: duplicateWindow)
        {
            return .end(.duplicate, record.without(.duplicate), nil, original: original)
        }
        if let collapse = delivery.collapse, !circumstances.hasCollapsed {
            let older = try facts.collapsing(
                collapse, app: decision.resolution.app ?? delivery.app, before: delivery.id)
            if !older.isEmpty { return .collapses(older) }
        }
        let app = decision.resolution.app ?? delivery.app
        if mayQueue, places.mustQueue(.init(source: delivery.source, app: app)) {
            return .queue(app: app, record: record)
        }
        if let limit = request.newWindowLimit, decision.action == .launch,
            !decisionState.newWindows.admit(app ?? "", limit: limit, at: circumstances.clock)
        {
            decision.holdBackWindow(limit)
            draft(&record, decision)
        }
        // After those that wait have made room for it.
        if try decision.observeRate(of: delivery.id, collapse: delivery.collapse, in: &facts) {
            draft(&record, decision)
            notices.append(Notice(delivery: delivery.id, app: decision.resolution.app ?? ""))
        }
        if let page = decision.resolution.page, decision.action == .openWeb,
            try isLoop(page, request, now: circumstances.now, decisionState.configuration.addresses, &facts)
        {
            decision.refuseLoop(of: page)
            draft(&record, decision)
            record.outcome = .failed
        }
        if let sender = request.sender, sender.depth >= Nesting.deepest {
            decision.refuseNesting()
            draft(&record, decision)
            record.outcome = .failed
        }
        guard decision.hasEffect else { return .end(record.error == nil ? .done : .failed, record, decision) }
        if Planner.isExpired(delivery, circumstances.tries, waited: known != nil, now: circumstances.now) {
            return .end(.expired, record.without(.expired), nil)
        }
        let (claim, lane) = claim(for: decision, &record)
        return .act(Ticket.Plan(payload, decision, record), claim, lane: lane, width: decision.laneWidth)
    }

    /// A page that was given to the browser so often within so long is given no more.
    private static let loop = (count: 10, time: Duration.seconds(10))

    /// Whether a page came back from the browser that it was given to.
    private func isLoop(
        _ page: String, _ request: Request, now: Instant, _ addresses: AddressSettings,
        _ facts: inout some PlanningFacts & ~Copyable
    ) throws(StoreError) -> Bool {
        func canonical(_ page: String) -> String { CanonicalAddress(page, settings: addresses)?.text ?? page }
        let page = canonical(page)
        if request.openedPages.contains(where: { canonical($0).hasSameBytes(as: page) }) { return true }
        var count = 0
        let since = now.microseconds - Planner.loop.time.microseconds
        for input in try facts.inputsOfOpenedPages(since: since, limit: 1_000) {
            var reader = PayloadReader()
            guard let payload = try? reader.read(input) else { continue }
            let opened =
                switch payload.carrier {
                case .url(let url): url
                case .userActivity(let activity): activity.webpageURL
                case .notification, .shortcutItem, .scene: payload.targetContentIdentifier
                }
            if let opened, canonical(opened).hasSameBytes(as: page) { count += 1 }
            if count == Planner.loop.count { return true }
        }
        return false
    }

    /// Whether the time of a delivery has passed.
    ///
    /// - Parameter waited: it could not begin when it arrived; what is to be tried once is too late then.
    static func isExpired(_ delivery: Store.NewDelivery, _ tries: Tries, waited: Bool, now: Instant) -> Bool {
        // An effect that has begun before is seen through.
        guard let expires = delivery.expires, tries.vanished == 0, !tries.isInterrupted else { return false }
        if expires == 0 { return waited }
        return expires <= now.microseconds
    }

    /// The session that a decision needs, and the lane in which its effect belongs.
    private func claim(for decision: Decision, _ record: inout DecisionRecord) -> (Store.Claim, lane: String) {
        if decision.opensWindow {
            if let session = decision.resolution.session { return (.activate(session: session), session) }
            if decision.resolution.makesSession {
                return (.create(newSession(for: decision, &record)), "new \(record.id)")
            }
        }
        return (.none, decision.laneWithoutSession(record.id))
    }

    private func newSession(for decision: Decision, _ record: inout DecisionRecord) -> Store.NewSession {
        let target =
            decision.resolution.resolved ?? decision.payloadRequest.request.url.map(TargetContentIdentifier.init)
        let scene = decision.scene
        let template = decision.resolution.ofApp { $0.targets }?.first { $0.name == scene?.target }?.template
        let made = scene?.conditions(for: target, template: template)
        for name in made?.unfilled ?? [] {
            record.warnings.append(
                .init(
                    name: DiagnosticCode.unfilledCondition.name,
                    message: "\(name) uses a variable that this target has no value for",
                    help: "it counts as FALSEPREDICATE for this window"))
        }
        return Store.NewSession(
            app: decision.resolution.app ?? "", scene: scene?.name ?? "",
            role: scene?.role ?? .windowApplication, target: target,
            conditions: made?.conditions ?? ActivationConditions(), state: .connecting,
            title: decision.payloadRequest.title)
    }
}

extension Decision {
    /// How many effects of its lane may go on at once.
    var laneWidth: Int { opensWindow ? 1 : command?.lanes ?? 1 }

    /// Background pushes of an app are handled in their order, unless the handler has `lanes`, and so are the commands of a
    /// hook; a page of the web is a page by itself.
    func laneWithoutSession(_ delivery: String) -> String {
        if let hook = payloadRequest.hook { return "hook \(hook.name)" }
        if payloadRequest.terminal != nil { return "terminal" }
        return action == .openWeb ? "web \(delivery)" : "app \(resolution.app ?? "") \(verb)"
    }

    /// Whether its action is a window: launched, or brought forward.
    var opensWindow: Bool { action == .launch || action == .focus }
}

extension DecisionRecord {
    /// Takes over what was decided; a dry run and an action of `none` are skipped.
    mutating func apply(_ decision: Decision, _ payload: Payload) {
        let resolution = decision.resolution
        senderID = payload.senderID
        format = payload.format.rawValue
        app = resolution.app
        target = decision.payloadRequest.request.target?.text
        resolved = resolution.resolved?.text
        scene = resolution.scene
        session = resolution.session
        action = decision.action
        reason = resolution.reason
        policy = decision.policy
        rule = resolution.rule
        title = decision.payloadRequest.title
        outcome = .skipped
        let problems = decision.payloadRequest.warnings
        warnings = problems.isEmpty ? [] : problems.map(Note.init)
        for note in decision.notes {
            warnings.append(Note(name: note.code.name, message: note.message, help: note.help))
        }
        if let note = schedule?.lateness(at: time) { warnings.append(note) }
        error = resolution.failure
    }

    /// The same request, for which nothing is done.
    func without(_ reason: Reason) -> DecisionRecord {
        var record = self
        record.action = .none
        record.reason = reason
        record.outcome = .skipped
        record.session = nil
        record.rule = nil
        record.error = nil
        return record
    }

    /// The record of a delivery that was dropped before its effect began.
    var dropped: DecisionRecord {
        var record = without(.invalid)
        record.outcome = .failed
        record.error = .dropped
        return record
    }
}

extension Diagnostic {
    static let dropped = Self(
        .deliveryDropped, "it was dropped before its effect began", help: "usher deliveries retry takes it up again")
}
