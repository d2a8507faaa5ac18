public import UsherScene
public import UsherStore

private enum CurrentSettings: StoreValue {
    static var initial: SuggestionSettings { SuggestionSettings() }
}

extension Store {
    /// What is collected for suggestions, and offered.
    public var suggestionSettings: SuggestionSettings { withState { $0.suggestions } }

    /// Collects and offers by these settings from now on.
    public func use(_ settings: SuggestionSettings) { withState { $0.values[CurrentSettings.self] = settings } }
}

extension StoreState {
    /// See `Store.use`.
    package var suggestions: SuggestionSettings { values[CurrentSettings.self] }
}
