internal import UsherActivities
internal import UsherEngine
internal import UsherJSON
internal import UsherPayload
internal import UsherScene
internal import UsherStore
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
        let since = query.showsWhy ? .min : SuggestionInput.earliest(input.settings, now: query.now)
        let activities: Store.EventActivities
        if query.kind == .place {
            activities = .withAttributes(naming: ["namedLocation", "mapItem"])
        } else if query.kind != .app {
            // Without attributes an activity only says that its app was used.
            activities = .withAttributes(naming: [])
        } else if query.verb != nil {
            // Activities have no part in what apps were asked to do.
            activities = .none
        } else if query.showsWhy || query.signal != nil || !input.settings.includesPages
            || !input.settings.excludedHosts.isEmpty
        {
            activities = .all
        } else {
            activities = .none
            addUses(
                try store.appUses(since: since) { document in
                    (try? JSONValue(parsing: document))?["isEligibleForPrediction"]?.boolean != false
                }, to: &input)
        }
        add(
            try store.suggestionEvents(since: since, of: activities), to: &input,
            interactions: query.kind != .place && query.kind != .text)
        return input
    }

    /// Only the newest use of an app is an event with all that it says.
    private func addUses(_ uses: [Store.AppUses], to input: inout SuggestionInput) {
        var document = JSONDocument()
        for use in uses {
            input.events.append(
                SuggestionEvent(
                    time: Instant(microseconds: use.last), app: use.app,
                    .activity(SuggestionEvent.Activity(use.newest, [:], readWith: &document))))
            input.earlierUses.append(.init(app: use.app, times: use.earlier))
        }
    }

    /// Everything, whatever is offered: what is to be done may be about any of it.
    func everything(at now: Instant) throws(StoreError) -> SuggestionInput {
        var input = SuggestionInput()
        input.settings = store.suggestionSettings
        input.apps = configuration.manifestApps.map(SuggestionApp.init)
        input.contacts = try store.contacts().compactMap(Contact.init)
        let since = SuggestionInput.earliest(input.settings, now: now)
        add(try store.suggestionEvents(since: since, of: .withAttributes(naming: [])), to: &input, interactions: true)
        return input
    }

    private func add(
        _ events: Store.SuggestionEvents, to input: inout SuggestionInput, interactions: Bool
    ) {
        var document = JSONDocument()
        let activities = events.activities.map { activity in
            (app: activity.app, activity: SuggestionEvent.Activity(activity, events.moves, readWith: &document))
        }
        input.events += events.uses.map { use in
            let activity = activities[use.activity]
            return SuggestionEvent(
                time: Instant(microseconds: use.time), app: activity.app, .activity(activity.activity))
        }
        if interactions { input.events += events.interactions.compactMap { SuggestionEvent($0, events.moves) } }
        input.signals = events.signals.map { .init($0.name, at: Instant(microseconds: $0.time)) }
    }
}

extension SuggestionInput {
    /// Older events do not count; in microseconds since 1970.
    static func earliest(_ settings: SuggestionSettings, now: Instant) -> Int64 {
        now.microseconds - Int64(settings.keepDays) * 86_400_000_000
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
    /// What the names of members that matter begin with, after a quotation mark.
    private static let names = ["isEligibleForPrediction", "contentAttributeSet", "mapItem"].map { Array($0.utf8) }

    /// False for most activities: their JSON is not read.
    private static func mayMatter(_ document: [UInt8]) -> Bool {
        document.indices.dropLast().contains { start in
            switch document[start] {
            case UInt8(ascii: "\""): names.contains { document[(start + 1)...].starts(with: $0) }
            // An escaped character may be a part of any name.
            case UInt8(ascii: "\\"): document[start + 1] == UInt8(ascii: "u")
            default: false
            }
        }
    }

    /// - Parameters:
    ///   - moves: where content is now.
    ///   - document: its storage is used again for each activity.
    fileprivate init(
        _ stored: Store.StoredActivity, _ moves: [TargetContentIdentifier: Redirection],
        readWith document: inout JSONDocument
    ) {
        self.init()
        id = stored.id
        title = stored.title
        webpageURL = stored.webpage
        isPage = PageActivities.isPage(stored.type)
        expires = stored.expires.map(Instant.init(microseconds:))
        if Self.mayMatter(stored.document), (try? document.parse(stored.document)) != nil, let root = document.root {
            isEligible = document.value("isEligibleForPrediction", in: root).flatMap(document.boolean)
            attributes = ContentAttributes(storedIn: document)
        }
        guard let identifier = stored.subject.map({ TargetContentIdentifier($0) }) else { return }
        let move = moves[identifier] ?? .none
        subject = move.newest(of: identifier).text
        if case .deleted = move.end { isContentDeleted = true }
    }
}

extension ContentAttributes {
    /// What a stored user activity says of its content; nil where it says nothing.
    init?(storedIn activity: JSONDocument) {
        guard let root = activity.root else { return nil }
        let (given, mapItem) = (activity.value("contentAttributeSet", in: root), activity.value("mapItem", in: root))
        guard given != nil || mapItem != nil else { return nil }
        do throws(Fault) {
            try self.init(stored: given.map(activity.value), mapItem: mapItem.map(activity.value))
        } catch {
            return nil
        }
    }
}

extension SuggestionEvent {
    /// nil where it has a word that this version does not know.
    ///
    /// - Parameter moves: where content is now.
    init?(_ stored: Store.StoredInteraction, _ moves: [TargetContentIdentifier: Redirection] = [:]) {
        guard let interaction = Interaction(stored, moves) else { return nil }
        self.init(time: interaction.time, app: interaction.app, .interaction(interaction))
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
