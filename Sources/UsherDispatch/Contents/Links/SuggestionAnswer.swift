public import UsherJSON
internal import UsherScene
public import UsherStore

/// The current suggestions as JSON, the same for every interface (socket, HTTP, command line).
public enum SuggestionAnswer {
    /// Of identifiers, else of what the user looks at: the system's current activity. Writes nothing, and asks no window
    /// system.
    ///
    /// - Returns: the current activity's id, where it was asked for it, and the suggestions.
    public static func now(
        in store: Store, targets: [String]
    ) throws(StoreError) -> (activity: String?, suggestions: [JSONValue]) {
        var identifiers = targets
        var activity: String?
        if targets.isEmpty {
            let current = try CurrentActivities.system(in: store, leavingOut: SessionLoss.ended(in: store))
            activity = current?.id
            identifiers = current?.identifiers ?? []
        }
        guard !identifiers.isEmpty else { return (activity, []) }
        let found = try store.suggestions(for: identifiers.map { TargetContentIdentifier($0) })
        return (activity, found.map { LinkAnswer.value($0) })
    }
}
