internal import UsherJSON
internal import UsherPayload
internal import UsherScene
internal import UsherStore
internal import UsherSuggestion
internal import UsherText

extension SuggestionInput {
    /// Everything that suggestions are made of at a moment.
    init(_ configuration: Configuration, _ store: Store, now: Instant) throws(StoreError) {
        self.init()
        settings = configuration.suggestions
        apps = configuration.manifestApps.map(SuggestionApp.init)
        contacts = try store.contacts().compactMap { stored in
            guard let document = try? JSONValue(parsing: stored.document) else { return nil }
            var contact = Contact(json: document)
            contact?.id = stored.id
            return contact
        }
        let stored = try store.suggestionEvents(since: SuggestionInput.earliest(settings, now: now))
        signals = stored.signals.map { Signal($0.name, at: Instant(microseconds: $0.time)) }
        var activities: [SuggestionEvent.Activity] = []
        for activity in stored.activities { activities.append(try .init(activity, in: store)) }
        let uses = stored.uses.map { use in
            SuggestionEvent(
                time: Instant(microseconds: use.time), app: stored.activities[use.activity].app,
                .activity(activities[use.activity]))
        }
        events = uses + stored.interactions.compactMap(SuggestionEvent.init)
    }

    /// Older events do not count; in microseconds since 1970.
    static func earliest(_ settings: SuggestionSettings, now: Instant) -> Int64 {
        now.microseconds - Int64(settings.keepDays) * 86_400_000_000
    }
}

extension SuggestionApp {
    init(_ app: App) {
        self.init(id: app.id, name: app.name)
        suggestions = app.suggestions.kinds
        directionsModes = app.suggestions.directionsModes
        verbs = PerformVerb.allCases.filter { app.suggestions.perform[$0] != nil }
    }
}

extension SuggestionEvent {
    /// nil for an intent of another version.
    init?(_ stored: Store.StoredInteraction) {
        guard let intent = Intent(rawValue: stored.intent),
            let direction = Interaction.Direction(rawValue: stored.direction),
            let outcome = Interaction.Outcome(rawValue: stored.outcome)
        else { return nil }
        var interaction = Interaction(
            app: stored.app, intent: intent, direction: direction, outcome: outcome,
            time: Instant(microseconds: stored.time))
        interaction.id = stored.id
        let participants = (try? JSONValue(parsing: Array(stored.participants.utf8)))?.elements ?? []
        interaction.participants = participants.compactMap(\.string)
        interaction.target = stored.target.map { TargetContentIdentifier($0) }
        interaction.activity = stored.activity
        self.init(time: interaction.time, app: stored.app, .interaction(interaction))
    }
}

extension SuggestionEvent.Activity {
    /// With the newest identifier of its content.
    init(_ stored: Store.StoredActivity, in store: Store) throws(StoreError) {
        self.init()
        id = stored.id
        title = stored.title
        webpageURL = stored.webpage
        isPage = PageActivities.isPage(stored.type)
        expires = stored.expires.map(Instant.init(microseconds:))
        if let document = try? JSONValue(parsing: stored.document) {
            isEligible = document["isEligibleForPrediction"]?.boolean
            attributes = ContentAttributes(ofActivity: document)
        }
        guard let identifier = stored.subject else { return }
        let redirection = try store.redirection(of: TargetContentIdentifier(identifier))
        subject = redirection.hops.last?.to.text ?? identifier
        if case .deleted = redirection.end { isContentDeleted = true }
    }
}

extension ContentAttributes {
    /// What a user activity says of its content; nil where it says nothing.
    init?(ofActivity document: JSONValue) {
        guard document["contentAttributeSet"] != nil || document["mapItem"] != nil else { return nil }
        do throws(Fault) {
            try self.init(document["contentAttributeSet"], mapItem: document["mapItem"])
        } catch {
            return nil
        }
    }
}
