public import UsherJSON
internal import UsherLog
internal import UsherOperation
internal import UsherPredicate
public import UsherResolution
public import UsherScene
internal import UsherText

/// An explanation together with data of the caller: when, from which store, and what would be done.
public struct ExplanationReport: Sendable {
    public var explanation: Explanation
    public var freshness: Freshness
    /// How old the snapshot is, in milliseconds.
    public var age: Int
    public var configurationDigest: String
    /// The window systems that are followed, where they are.
    public var systems: [String] = []
    /// Now, in microseconds since 1970: ages are counted from it.
    public var now: Int64
    /// The ids of the notes that have a link to the content, the newest first.
    public var notes: [String] = []
    /// The contents that activities and links give the identifier to, where they do not agree on one: it leads nowhere.
    public var tied: [String] = []
    /// What became of it, if it is a delivery of the journal.
    public var delivery: DeliveryFate?
    /// What would be done, step by step, in words.
    public var plan: [String]
    /// The action that would follow.
    public var action: Action
    public var policy: Policy?
    /// The longest text of a condition, in bytes; a longer one is cut off.
    public var textLimit = Int.max
    /// Maps a byte of a condition's text to its place in a manifest.
    public var locate: @Sendable (_ condition: SourceLocation, _ offset: Int) -> SourceLocation

    /// Where a term of a condition stands; nil where that is not known.
    private func place(ofTermAt offset: Int, in truth: Explanation.Truth) -> SourceLocation? {
        guard let location = truth.location, truth.termsAreLocated else { return nil }
        return locate(location, offset)
    }
}

// MARK: - JSON

extension ExplanationReport {
    /// Appends the explanation as one JSON object:
    /// `{v, request, hops, app, snapshot, candidates, configurations, decision, without_winner, notes, plan}`.
    public func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("v", 1)
        writeRequest(to: &json)
        json.member("hops", objects: explanation.redirection.hops) { json, hop in
            json.member("from", hop.from.text)
            json.member("to", hop.to.text)
            json.member("kind", hop.kind.rawValue)
            json.member("note", hop.note)
        }
        if explanation.redirection != .none { writeAliases(to: &json) }
        if !tied.isEmpty { json.member("tied", tied) }
        json.member("app", explanation.app?.id)
        json.member("owner", ownerPhrase)
        json.member("owner_at", ownerLocation?.description)
        json.member("owners", objects: explanation.owners) { json, owner in
            json.member("app", owner.app)
            json.member("at", owner.claim.location.description)
            json.member("claim", owner.claim.value)
            json.member("length", owner.length)
            json.member("used", owner.used)
            json.member("wins", owner.wins)
        }
        if !explanation.refusals.isEmpty {
            json.member("refused", objects: explanation.refusals) { json, refusal in
                json.member("app", refusal.app)
                json.member("target", refusal.subject.text)
                json.member("why", refusal.phrase)
                json.member("at", refusal.rule?.location.description ?? refusal.path)
            }
        }
        json.beginObject("snapshot")
        json.member("time", Instant(microseconds: now).text)
        json.member("time_us", now)
        json.member("source", freshness.rawValue)
        json.member("age_ms", age)
        if !systems.isEmpty { json.member("systems", systems) }
        json.member("config", configurationDigest)
        json.endObject()
        json.member("candidates", objects: explanation.candidates) { json, candidate in
            writeMembers(of: candidate, to: &json)
        }
        json.member("candidates_total", explanation.candidateCount)
        json.member("configurations", objects: explanation.configurations) { json, configuration in
            json.member("scene", configuration.scene.name)
            json.key("opens")
            if let opens = configuration.opens { write(opens, to: &json) } else { json.null() }
            json.member("verdict", configuration.phrase)
            json.member("verdict_name", configuration.verdict.rawValue)
        }
        writeLimit(to: &json)
        json.member("near", objects: explanation.near) { json, miss in
            json.member("id", miss.id)
            json.member("app", miss.app)
            json.member("session", miss.session)
            json.member("scene", miss.scene)
            json.member("at", miss.location?.description)
            json.member("difference", miss.difference.map(\.rawValue))
        }
        json.key("decision")
        write(explanation.resolution, to: &json, isDecision: true)
        json.key("without_winner")
        if let other = explanation.withoutWinner { write(other, to: &json, isDecision: false) } else { json.null() }
        json.member("notes", notes)
        json.member("plan", plan)
        if let delivery {
            json.key("delivery")
            delivery.write(to: &json)
        }
        json.endObject()
    }

    public var json: String {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.text
    }

    private func writeLimit(to json: inout JSONWriter) {
        guard let limit = explanation.limit else { return json.nullMember("limit") }
        json.beginObject("limit")
        json.member("limit", limit.limit)
        json.member("open", limit.open)
        json.member("at", limit.location.description)
        json.endObject()
    }

    /// What else the content is called, and whether it is gone.
    private func writeAliases(to json: inout JSONWriter) {
        let request = explanation.request
        if let target = request.target ?? request.url.map({ TargetContentIdentifier($0) }) {
            json.member("aliases", explanation.redirection.aliases(of: target).map(\.text))
        }
        if let tombstone = explanation.redirection.tombstone {
            json.beginObject("tombstone")
            json.member("identifier", tombstone.identifier.text)
            json.member("made", Instant(microseconds: tombstone.made).text)
            json.member("reason", tombstone.reason)
            json.endObject()
        }
    }

    private func writeRequest(to json: inout JSONWriter) {
        let request = explanation.request
        json.beginObject("request")
        json.member("target", request.target?.text)
        json.member("url", request.url)
        switch request.app {
        case .id(let id): json.member("app", id)
        case .topic(let topic): json.member("topic", topic)
        case nil: json.nullMember("app")
        }
        json.member("role", request.role.rawValue)
        json.member("session", request.session)
        json.member("activity_type", request.activityType)
        json.member("shortcut_type", request.shortcutType)
        json.member("subjects", explanation.subjects.compactMap { $0 })
        json.endObject()
    }

    private func writeMembers(of candidate: Explanation.Candidate, to json: inout JSONWriter) {
        json.member("session", candidate.session.id)
        json.member("scene", candidate.session.scene)
        json.member("title", candidate.session.title)
        json.member("state", candidate.session.state.rawValue)
        json.member("used", candidate.session.used)
        json.member("created", candidate.session.created)
        json.member("target", candidate.session.target?.text)
        json.member("handle", candidate.session.handle)
        json.key("prefers")
        write(candidate.prefers, to: &json)
        json.key("can")
        write(candidate.can, to: &json)
        json.member("wins", candidate.wins)
        json.member("verdict", candidate.phrase)
        json.member("verdict_name", candidate.verdict.rawValue)
    }

    private func write(_ truth: Explanation.Truth, to json: inout JSONWriter) {
        json.beginObject()
        json.member("result", truth.result)
        json.member("text", shortened(truth.terms.first?.text ?? truth.predicate.canonicalText))
        json.member("at", truth.location?.description)
        json.member("origin", word(for: truth.origin))
        json.member("matched", truth.matched)
        json.member("terms", objects: truth.terms) { json, term in
            json.member("text", term.text)
            json.member("result", term.result)
            json.member("depth", term.depth)
            json.member("offset", term.offset)
            json.member("at", place(ofTermAt: term.offset, in: truth)?.description)
        }
        json.endObject()
    }

    private func write(_ resolution: Resolution, to json: inout JSONWriter, isDecision: Bool) {
        json.beginObject()
        if isDecision {
            json.member("action", action.rawValue)
            json.member("policy", policy?.rawValue)
        }
        json.member("reason", resolution.reason.rawValue)
        json.member("app", resolution.app)
        json.member("scene", resolution.scene)
        json.member("session", resolution.session)
        json.member("resolved", resolution.resolved?.text)
        json.member("rule", resolution.rule?.description)
        if let url = resolution.page { json.member("url", url) }
        json.key("error")
        if let failure = resolution.failure {
            json.beginObject()
            json.member("code", failure.code.code)
            json.member("name", failure.code.name)
            json.member("message", failure.message)
            json.member("help", failure.help)
            json.endObject()
        } else {
            json.null()
        }
        json.endObject()
    }

    private func shortened(_ text: String) -> String {
        guard text.utf8.count > textLimit else { return text }
        return String(decoding: text.utf8.prefix(textLimit), as: UTF8.self) + "…"
    }

    private func word(for origin: ActivationConditions.Origin) -> String {
        switch origin {
        case .default: "default"
        case .configuration: "configuration"
        case .session: "session"
        }
    }

    private var ownerLocation: SourceLocation? {
        switch explanation.ownerRule {
        case .domain(let domain): domain.location
        case .scheme(let scheme): scheme.location
        case .association(_, let rule): rule.location
        default: nil
        }
    }

    /// Why the request went to its app, in words.
    private var ownerPhrase: String? {
        switch explanation.ownerRule {
        case nil: nil
        case .named: "named in the request"
        case .topic: "its topic was pushed to"
        case .session: "the named session is its"
        case .activityType: "declares \(explanation.request.activityType ?? "the activity type")"
        case .shortcutType: "declares \(explanation.request.shortcutType ?? "the shortcut type")"
        case .onlyApp: "the only app"
        case .domain(let domain): "owns \(domain.value)"
        case .scheme(let scheme): "owns the scheme \(scheme.value):"
        case .association(let domain, let rule): "owns \(rule.value) of \(domain.value)"
        }
    }
}
