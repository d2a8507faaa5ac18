internal import UsherActivities
internal import UsherNotes
internal import UsherScene
public import UsherStore
internal import UsherSuggestion
internal import UsherSuggestions

// The features of the programs.

extension [StoreFeature] {
    public static var all: [StoreFeature] { [.notes, .activities, .suggestions] }
}

extension EngineOpenings {
    /// Of all features.
    public static var all: EngineOpenings {
        var openings = EngineOpenings()
        openings.addActivities()
        openings.addSuggestions()
        return openings
    }

    private mutating func addActivities() {
        restoration = { (session, store) throws(StoreError) in
            let kept = try store.activity(ofSession: session)
            return kept?.state == .kept ? kept?.document : nil
        }
    }

    private mutating func addSuggestions() {
        mapApps = { (place, configuration, now, state) throws(StoreError) in
            let since = SuggestionInput.earliest(configuration.suggestions, now: now)
            return configuration.mapApps(for: place, by: try state.interactions(since: since), now: now)
        }
        suggestion = { SuggestionOffers.place(for: $0, $1, $2, logger: $3) }
    }
}
