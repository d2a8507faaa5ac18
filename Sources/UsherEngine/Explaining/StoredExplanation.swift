internal import UsherConfiguration
internal import UsherJSON
internal import UsherPayload
internal import UsherResolution
internal import UsherScene
public import UsherStore

/// What decided a delivery that is in the journal, made again from its evidence.
public enum StoredExplanation: Sendable {
    /// One object, as `ExplanationReport` writes it.
    case json(String)
    /// Nothing was decided for it: it was invalid, or waits.
    case undecided
    /// It was decided, but its evidence, its configuration or its payload is missing or cannot be read.
    case lost

    /// A duplicate is explained by the delivery that came first.
    ///
    /// - Throws: what the store throws; evidence that cannot be read is `lost`.
    public init(
        of delivery: Store.StoredDelivery, in store: Store, openings: EngineOpenings = EngineOpenings()
    ) throws(StoreError) {
        if let text = delivery.legacyExplanation {
            self = .json(text)
            return
        }
        guard let bytes = delivery.evidence else {
            if let original = delivery.original, let first = try store.delivery(original), first.original == nil {
                self = try StoredExplanation(of: first, in: store, openings: openings)
            } else {
                self = .undecided
            }
            return
        }
        guard let digest = delivery.configuration, let manifests = try store.manifests(of: digest),
            let loaded = ConfigurationLoader.load(kept: manifests),
            let evidence = DecisionEvidence(bytes, accepted: delivery.accepted, app: delivery.app),
            let payload = try? delivery.payload()
        else {
            self = .lost
            return
        }
        let notes = loaded.withNotes(program: "usher", search: ProgramSearch(path: nil))
        var configuration = notes.configuration
        configuration.digest = digest
        configuration.restoreShortcut(of: payload, delivery)
        let versions = try store.sessions(
            versions: evidence.candidates.map(\.version), app: evidence.app ?? delivery.app ?? "")
        var report = evidence.report(of: delivery, payload, versions, in: configuration)
        report.notes = try openings.notes(linkedTo: report.explanation, in: store)
        report.delivery = DeliveryFate(delivery)
        self = .json(report.json)
    }

    /// Why there is no object, as a sentence without a full stop.
    public func refusal(for delivery: Store.StoredDelivery) -> String {
        if case .lost = self {
            return "what explains the delivery \(delivery.id) is no longer stored"
        }
        let error = delivery.record.flatMap { try? JSONValue(parsing: Array($0.utf8)) }?["error"]
        guard let message = error?["message"]?.string else {
            return "nothing was decided for the delivery \(delivery.id)"
        }
        return "nothing was decided for the delivery \(delivery.id): \(message)"
    }

    /// The object; nil where there is none.
    public var json: String? { if case .json(let text) = self { text } else { nil } }
}

extension Configuration {
    /// Takes the dynamic shortcut item that completed a delivery's payload, which may be another one by now.
    fileprivate mutating func restoreShortcut(of payload: Payload, _ delivery: Store.StoredDelivery) {
        guard case .shortcutItem(let item) = payload.carrier, item.targetContentIdentifier == nil,
            let target = delivery.target, let app = delivery.app
        else { return }
        var definition = ShortcutDefinition(item, at: nil)
        definition.target = TargetContentIdentifier(target)
        replaceDynamicShortcuts([DynamicShortcut(app: app, definition)])
    }
}

extension DecisionEvidence {
    /// Decides the delivery again, from the sessions and the configuration of that time, and reports it.
    fileprivate func report(
        of delivery: Store.StoredDelivery, _ payload: Payload, _ versions: [Int64: SceneSession],
        in configuration: Configuration
    ) -> ExplanationReport {
        let sessions = candidates.compactMap { candidate -> SceneSession? in
            guard var session = versions[candidate.version] else { return nil }
            session.state = candidate.state
            session.used = candidate.used
            return session
        }
        var snapshot = Snapshot(
            configuration: configuration,
            sessions: SessionTable(
                sessions, lastUses: Dictionary(uses.map { ($0.app, $0.time) }, uniquingKeysWith: { first, _ in first })),
            freshness: freshness)
        if let app = app.flatMap({ configuration.app(id: $0) }) {
            for place in missing where app.scenes.indices.contains(place) {
                snapshot.missingPrograms.insert(.init(app: app.id, scene: app.scenes[place].name))
            }
        }
        let resolver = Resolver(snapshot)
        var payloadRequest = PayloadRequest.of(
            payload, in: configuration, app: named, source: delivery.source, response: delivery.response)
        payloadRequest.request.newestURL = newestURL
        // The app that was preferred then is the one that was chosen.
        let preferred = configuration.manifestApps.filter { $0.id == app } + configuration.manifestApps
        let decision = Decision.of(payloadRequest, following: redirection, in: resolver) { _, _ in preferred }
        let chosen = winner.flatMap { candidates.indices.contains($0) ? versions[candidates[$0].version] : nil }
        let resolution = decision.resolution.confirmed(by: delivery, winner: chosen)
        var explanation = resolver.account(
            for: resolution, of: decision.payloadRequest.request, following: decision.redirection,
            limit: DecisionEvidence.limit)
        explanation.candidateCount = count
        var report = ExplanationReport(
            explanation: explanation, freshness: freshness, age: 0, configurationDigest: configuration.digest,
            now: time,
            plan: [], action: delivery.action ?? decision.action, policy: policy, locate: { condition, _ in condition })
        report.textLimit = 1024
        return report
    }
}

extension Resolution {
    /// What the journal says was decided. Usually that is this very resolution; where a limit was reached by windows that
    /// evidence does not name, the journal is right.
    fileprivate func confirmed(by delivery: Store.StoredDelivery, winner: SceneSession?) -> Resolution {
        guard let stored = delivery.reason, appPlace != nil else { return self }
        if stored == reason, winner.map({ $0.id.utf8.elementsEqual((session ?? "").utf8) }) ?? (session == nil) {
            return self
        }
        var other = self
        other.reason = stored
        other.failure = nil
        other.choose(
            winner, ofScene: winner?.scene ?? delivery.scene, makesSession: winner == nil && delivery.scene != nil)
        return other
    }
}
