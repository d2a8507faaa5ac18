internal import UsherJSON
internal import UsherPayload
internal import UsherScene
internal import UsherStore
internal import UsherSuggestion
internal import UsherText

/// Reads what suggestions are made of: the store's events and contacts, and the apps.
struct SuggestionSource {
    private let store: Store
    private let configuration: Configuration

    init(_ store: Store, _ configuration: Configuration) {
        self.store = store
        self.configuration = configuration
    }

    /// What a question needs; less where its kind is off.
    func input(for query: SuggestionQuery) throws(StoreError) -> SuggestionInput {
        var input = SuggestionInput()
        input.settings = store.suggestionSettings
        input.apps = configuration.manifestApps.map(SuggestionApp.init)
        guard input.settings.isEnabled, input.settings.kinds.contains(query.kind) else { return input }
        let usesContacts = query.kind == .text || query.kind == .contact
        if usesContacts, input.settings.includesContacts {
            input.contacts = try store.contacts().compactMap(Contact.init)
        }
        // Why it is not offered is said of older events, too.
        let since =
            query.showsWhy
            ? .min : query.now.microseconds - Int64(input.settings.keepDays) * 86_400_000_000
        let events = try store.suggestionEvents(since: since)
        let activities = events.activities.map { activity in
            (app: activity.app, activity: SuggestionEvent.Activity(activity, events.moves))
        }
        // Without attributes an activity only says that its app was used.
        input.events = events.uses.compactMap { use in
            let activity = activities[use.activity]
            guard query.kind == .app || activity.activity.attributes != nil else { return nil }
            return SuggestionEvent(
                time: Instant(microseconds: use.time), app: activity.app, .activity(activity.activity))
        }
        if query.kind != .place, query.kind != .text {
            input.events += events.interactions.compactMap { stored in
                Interaction(stored, events.moves).map { SuggestionEvent(time: $0.time, app: $0.app, .interaction($0)) }
            }
        }
        input.signals = events.signals.map { .init($0.name, at: Instant(microseconds: $0.time)) }
        return input
    }
}

extension Contact {
    /// nil where the document is none: the file was changed by another program.
    init?(_ stored: Store.StoredContact) {
        guard let document = try? JSONValue(parsing: stored.document), var contact = Contact(json: document) else {
            return nil
        }
        contact.id = stored.id
        self = contact
    }
}

extension SuggestionEvent.Activity {
    /// What the names of members that matter begin with; the last may be a part of any name.
    private static let marks = ["\"isEligibleForPrediction", "\"contentAttributeSet", "\"mapItem", "\\u"].map {
        Array($0.utf8)
    }

    /// False for most activities: their JSON is not read.
    private static func mayMatter(_ document: [UInt8]) -> Bool {
        document.indices.contains { start in
            marks.contains { $0[0] == document[start] && document[start...].starts(with: $0) }
        }
    }

    /// - Parameter moves: where content is now.
    fileprivate init(_ stored: Store.StoredActivity, _ moves: [TargetContentIdentifier: Redirection]) {
        self.init()
        id = stored.id
        title = stored.title
        webpageURL = stored.webpage
        isPage = PageActivities.isPage(stored.type)
        expires = stored.expires.map(Instant.init(microseconds:))
        if Self.mayMatter(stored.document), let document = try? JSONValue(parsing: stored.document) {
            isEligible = document["isEligibleForPrediction"]?.boolean
            if document["contentAttributeSet"] != nil || document["mapItem"] != nil {
                attributes = try? ContentAttributes(document["contentAttributeSet"], mapItem: document["mapItem"])
            }
        }
        guard let identifier = stored.subject.map({ TargetContentIdentifier($0) }) else { return }
        let move = moves[identifier] ?? .none
        subject = move.newest(of: identifier).text
        if case .deleted = move.end { isContentDeleted = true }
    }
}

extension Interaction {
    /// nil where it has a word that this version does not know.
    fileprivate init?(_ stored: Store.StoredInteraction, _ moves: [TargetContentIdentifier: Redirection]) {
        guard let intent = Intent(rawValue: stored.intent), let direction = Direction(rawValue: stored.direction),
            let outcome = Outcome(rawValue: stored.outcome)
        else { return nil }
        self.init(
            app: stored.app, intent: intent, direction: direction, outcome: outcome,
            time: Instant(microseconds: stored.time))
        id = stored.id
        participants = (try? JSONValue(parsing: Array(stored.participants.utf8)))?.elements?.compactMap(\.string) ?? []
        activity = stored.activity
        guard let identifier = stored.target.map({ TargetContentIdentifier($0) }) else { return }
        let move = moves[identifier] ?? .none
        target = move.newest(of: identifier)
        if case .deleted = move.end { isContentDeleted = true }
    }
}
