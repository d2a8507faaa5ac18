internal import UsherPayload
public import UsherScene
internal import UsherText

/// Why a question is refused.
public enum SuggestionRefusal: Error, Sendable {
    /// `text` without a content type and without a context.
    case contentType
    /// The app is not known, or does not declare the kind.
    case undeclared(app: String, SuggestionKind)
}

/// Ranks what is offered: Σ 2^(−age/half-life) over the events of each suggestion, the best first.
public struct Suggestions: Sendable {
    private let input: SuggestionInput
    private let query: SuggestionQuery

    private init(_ query: SuggestionQuery, _ input: SuggestionInput) {
        self.query = query
        self.input = input
    }

    /// The answer to a question. O(events + contacts), then what sorting the suggestions takes.
    public static func answer(
        to query: SuggestionQuery, from input: SuggestionInput
    ) throws(SuggestionRefusal) -> [SuggestedItem] {
        if query.kind == .text, query.contentType == nil, query.context == nil { throw .contentType }
        if let id = query.forApp, input.app(id)?.suggestions.contains(query.kind) != true {
            throw .undeclared(app: id, query.kind)
        }
        guard input.settings.isEnabled, input.settings.kinds.contains(query.kind) else { return [] }
        var contentType: TextContentType?
        if query.kind == .text {
            contentType =
                query.contentType
                ?? query.context.flatMap { Phrases(input.settings.phrases).contentType(after: $0) }
            guard contentType != nil else { return [] }
        }
        return Suggestions(query, input).ranked(Offers(query, of: input, contentType))
    }

    // MARK: Candidates

    /// A class: it is large, and sorting moves it.
    fileprivate final class Candidate {
        var offer: Offer
        var source: SuggestedItem.Source?
        /// The newest first.
        var events: [SuggestedItem.Why.Event] = []
        /// How many uses there were before these, and the sum of their weights.
        var earlier = (count: 0, weight: 0.0)
        var score: Int64 = 0

        init(_ offer: Offer, source: SuggestedItem.Source? = nil) {
            self.offer = offer
            self.source = source
        }
    }

    private func ranked(_ offers: Offers) -> [SuggestedItem] {
        var candidates: [Offer.Key: Candidate] = [:]
        var leftOut: [(key: Offer.Key, item: SuggestedItem.LeftOut)] = []
        let moments = signalMoments()
        // The newest first; of the same time, the later.
        let order = input.events.indices.sorted { one, other in
            let (time, otherTime) = (input.events[one].time, input.events[other].time)
            return time == otherTime ? one > other : time > otherTime
        }
        for event in order.lazy.map({ input.events[$0] }) {
            if let interaction = event.interaction, interaction.outcome != .success { continue }
            let found = offers.offers(of: event)
            if found.isEmpty { continue }
            if let reason = reasonToLeaveOut(event, moments) {
                leftOut += found.map { ($0.key, .init(title: $0.title, reason: reason)) }
                continue
            }
            let why = weighed(event)
            for offer in found {
                if let known = candidates[offer.key] {
                    known.add(why, offer)
                } else {
                    let candidate = Candidate(offer, source: source(event))
                    candidate.add(why, offer)
                    candidates[offer.key] = candidate
                }
            }
        }
        for uses in input.earlierUses {
            let key = Offer.Key.app(Array(uses.app.utf8))
            candidates[key]?.earlier = (
                uses.times.count,
                uses.times.reduce(0) { $0 + Decay.weight(age: age($1), halfLife: query.kind.halfLife) }
            )
        }
        for offer in offers.standing() where candidates[offer.key] == nil {
            if let app = offer.app, input.settings.excludes(app: app) {
                leftOut.append((offer.key, .init(title: offer.title, reason: .excluded)))
            } else if moments == nil {
                candidates[offer.key] = Candidate(offer)
            }
        }
        for candidate in candidates.values {
            candidate.score = Decay.millionths(
                candidate.events.reversed().reduce(candidate.earlier.weight) { $0 + $1.weight })
        }
        let best = candidates.values.sorted(by: Suggestions.precedes)
        var seen: Set<Offer.Key> = []
        let absent = leftOut.filter { candidates[$0.key] == nil && seen.insert($0.key).inserted }.map(\.item)
        return best.prefix(max(0, query.limit)).map { item($0, leavingOut: absent) }
    }

    private static func precedes(_ one: Candidate, _ other: Candidate) -> Bool {
        if one.score != other.score { return one.score > other.score }
        let (last, otherLast) = (one.events.first?.time, other.events.first?.time)
        if last != otherLast {
            guard let last else { return false }
            return otherLast.map { last > $0 } ?? true
        }
        for part in [\Offer.title, \.appText, \.intentText, \.subtitleText, \.targetText]
        where !one.offer[keyPath: part].utf8.elementsEqual(other.offer[keyPath: part].utf8) {
            return PlainText.precedes(one.offer[keyPath: part], other.offer[keyPath: part])
        }
        return false
    }

    private func item(_ candidate: Candidate, leavingOut absent: [SuggestedItem.LeftOut]) -> SuggestedItem {
        let offer = candidate.offer
        var item = SuggestedItem(
            kind: query.kind, title: offer.title, subtitle: offer.subtitle, value: offer.value, app: offer.app,
            intent: offer.intent, target: offer.target, label: label(offer), attributes: offer.attributes,
            source: candidate.source, last: candidate.events.first?.time,
            count: candidate.events.count + candidate.earlier.count,
            score: candidate.score)
        if query.showsWhy {
            item.why = .init(halfLife: query.kind.halfLife, events: candidate.events, leftOut: absent)
        }
        return item
    }

    private func label(_ offer: Offer) -> String? {
        guard query.kind == .place, let id = query.forApp, let app = input.app(id), !app.directionsModes.isEmpty,
            offer.attributes?.supportsNavigation == true
        else { return nil }
        return (app.isRideOnly ? "Get a ride to " : "Get directions to ") + offer.title
    }

    // MARK: Events

    private func weighed(_ event: SuggestionEvent) -> SuggestedItem.Why.Event {
        let age = self.age(event.time.microseconds)
        return .init(
            time: event.time, age: age, weight: Decay.weight(age: age, halfLife: query.kind.halfLife), from: event.app)
    }

    private func age(_ time: Int64) -> Int64 { max(0, query.now.microseconds - time) }

    private func source(_ event: SuggestionEvent) -> SuggestedItem.Source {
        SuggestedItem.Source(
            app: event.app, name: input.app(event.app)?.name,
            activity: event.activity?.id ?? event.interaction?.activity, url: event.activity?.webpageURL)
    }

    /// When the signal came; nil where none is asked for.
    private func signalMoments() -> [Instant]? {
        guard let name = query.signal else { return nil }
        return input.signals.filter { $0.name.hasSameBytes(as: name) }.map(\.time)
    }

    /// After so many microseconds a signal is no longer the reason.
    private static let signalSpan: Int64 = 600_000_000

    private func reasonToLeaveOut(
        _ event: SuggestionEvent, _ moments: [Instant]?
    ) -> SuggestedItem.LeftOut.Reason? {
        if isExcluded(event) { return .excluded }
        if let activity = event.activity {
            if activity.isEligible == false { return .ineligible }
            // What is offered is the app, and not the activity.
            if query.kind != .app {
                if activity.subject == nil { return .ineligible }
                if activity.isContentDeleted { return .deleted }
                if let expires = activity.expires, expires <= query.now { return .expired }
            }
        }
        if query.kind == .media, event.interaction?.isContentDeleted == true { return .deleted }
        if query.kind == .place || query.kind == .text, query.forApp?.utf8.elementsEqual(event.app.utf8) == true {
            return .own
        }
        let age = query.now.microseconds - event.time.microseconds
        if age > Int64(input.settings.keepDays) * 86_400_000_000 { return .old }
        if let moments {
            let follows = moments.contains { moment in
                let since = event.time.microseconds - moment.microseconds
                return since >= 0 && since < Suggestions.signalSpan
            }
            if !follows { return .signal }
        }
        return nil
    }

    private func isExcluded(_ event: SuggestionEvent) -> Bool {
        !input.settings.includes(
            app: event.app, isPage: event.activity?.isPage ?? false, event.identifiers)
    }
}

extension Suggestions.Candidate {
    fileprivate func add(_ event: SuggestedItem.Why.Event, _ other: Offer) {
        events.append(event)
        // An older event may know what the newest does not: what the target is called.
        if offer.lacksTitle, !other.lacksTitle {
            offer.title = other.title
            offer.attributes = other.attributes
            offer.lacksTitle = false
        }
        if offer.intent == nil { offer.intent = other.intent }
    }
}

extension Offer {
    fileprivate var appText: String { app ?? "" }
    fileprivate var intentText: String { intent?.rawValue ?? "" }
    fileprivate var subtitleText: String { subtitle ?? "" }
    fileprivate var targetText: String { target ?? "" }
}
