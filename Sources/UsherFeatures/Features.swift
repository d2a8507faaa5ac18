internal import UsherActivities
internal import UsherAgents
public import UsherConfiguration
public import UsherEngine
internal import UsherNotes
public import UsherOperation
public import UsherScene
internal import UsherSchedule
public import UsherStore
internal import UsherSuggestions

extension [Feature] {
    /// The features of the programs, in the order in which their tables are made and their findings told. The one that may
    /// refuse settings comes first.
    public static let all: [Feature] = [.notes, .activities, .suggestions, .schedule, .agents]
}

extension [StoreFeature] {
    public static let all: [StoreFeature] = [Feature].all.map(\.store) + [.ties]
}

extension EngineOpenings {
    /// Of all features.
    public static let all: EngineOpenings = {
        var openings = EngineOpenings()
        for feature in [Feature].all { feature.open(&openings) }
        return openings
    }()
}

extension OperationTable {
    /// Every operation of `usherd`.
    public static let usher = OperationTable(
        engineOperations + [Feature].all.flatMap { $0.operations() as [any Call.Type] })
}

extension DiagnosticCode {
    /// The status code of HTTP that a feature gives its error; nil where that is no feature's, or has none of its own.
    public var featureStatus: Int? { [Feature].all.lazy.compactMap { $0.status(self) }.first }
}

extension Store {
    /// Has all features work by these settings from now on. Throws where they cannot: then the ones before stay in use.
    public func use(_ settings: Settings) throws(StoreError) {
        for feature in [Feature].all { try feature.use(settings, self) }
    }
}
