internal import UsherConfiguration
internal import UsherJSON
internal import UsherPayload
internal import UsherScene
internal import UsherStore
internal import UsherSuggestion
internal import UsherText

extension Context {
    /// What suggestions are made of: the activities of the store, each as it is now.
    func suggestionInput() throws(CommandFailure) -> SuggestionInput {
        var input = SuggestionInput()
        input.apps =
            try loadConfigurationIfPresent()?.configuration.manifestApps.map { app in
                SuggestionApp(id: app.id, name: app.name)
            } ?? []
        let store = try openStore(.readOnly)
        input.events = try storing { () throws(StoreError) in
            let activities = try store.activities(.init(includesResigned: true, limit: .max))
            var events: [SuggestionEvent] = []
            // The newest activity is last, as if each had just become known.
            for activity in activities.sorted(by: { $0.became < $1.became }) {
                events.append(
                    SuggestionEvent(
                        time: Instant(microseconds: activity.became), app: activity.app,
                        .activity(try .init(activity, in: store))))
            }
            return events
        }
        return input
    }
}

extension SuggestionEvent.Activity {
    /// With the newest identifier of its content.
    fileprivate init(_ stored: Store.StoredActivity, in store: Store) throws(StoreError) {
        self.init()
        id = stored.id
        title = stored.title
        webpageURL = stored.webpage
        isPage = stored.type.utf8.elementsEqual(SuggestionEvent.Activity.pageType.utf8)
        expires = stored.expires.map(Instant.init(microseconds:))
        if let document = try? JSONValue(parsing: stored.document) {
            isEligible = document["isEligibleForPrediction"]?.boolean
            if document["contentAttributeSet"] != nil || document["mapItem"] != nil {
                attributes = try? ContentAttributes(document["contentAttributeSet"], mapItem: document["mapItem"])
            }
        }
        guard let identifier = stored.subject else { return }
        let redirection = try store.redirection(of: TargetContentIdentifier(identifier))
        subject = redirection.hops.last?.to.text ?? identifier
        if case .deleted = redirection.end { isContentDeleted = true }
    }
}
