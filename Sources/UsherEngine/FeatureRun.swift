internal import Synchronization
public import UsherActivation
public import UsherConfiguration
public import UsherLog
public import UsherScene
package import UsherStore

/// What a feature does in a daemon. Nothing of it may wait, but for `stop`.
public struct FeatureRun: Sendable {
    package var windows = WindowOpenings()
    /// Content with these identifiers was shown to the user.
    package var opened: @Sendable ([String]) -> Void = { _ in }
    /// Something may be due, or due at another time: after changes of reminders and activities, and when a resident daemon starts.
    package var contentsChanged: @Sendable () -> Void = {}
    /// Other settings are in use, or other pages are to be followed.
    package var settingsChanged: @Sendable () -> Void = {}
    /// Begins nothing new; returns when what was told before is in the store. May be called again.
    package var stop: @Sendable () -> Void = {}

    package init() {}
}

/// What a daemon gives the features that run in it.
public struct FeatureHost: Sendable {
    public let engine: Engine
    /// What they tell each other.
    public let features: RunningFeatures
    package let openings: EngineOpenings
    public let logger: Logger
    /// The folder of the state.
    public let state: String
    /// Whether it is still there when a notification is clicked.
    public let awaitsAnswers: Bool
    /// Which pages are followed now.
    public var pages: @Sendable () -> PageRules = { PageRules() }
    /// What is collected and offered now.
    public var suggestions: @Sendable () -> SuggestionSettings = { SuggestionSettings() }
    /// Reads the data of the page in front of a window; nil where it cannot be read. May wait.
    public var readPage: @Sendable (WindowReference) -> PageContent? = { _ in nil }
    /// Shows that there are notes about what the user looks at. Must not wait.
    public var suggest: @Sendable ([LinkedNoteAnswer]) -> Void = { _ in }
    /// Whether anybody listens to what is offered to the app of a session, and what tells them: a JSON object.
    public var hasListeners: @Sendable () -> Bool = { false }
    public var offer: @Sendable (_ session: String, _ suggestion: [UInt8]) -> Void = { _, _ in }

    package var store: Store { engine.store }

    public init(
        _ engine: Engine, _ features: RunningFeatures, openings: EngineOpenings, logger: Logger, state: String,
        awaitsAnswers: Bool
    ) {
        (self.engine, self.features, self.openings, self.logger) = (engine, features, openings, logger)
        (self.state, self.awaitsAnswers) = (state, awaitsAnswers)
    }
}

/// The features that run in a daemon.
public final class RunningFeatures: Sendable {
    private let state = Mutex<[FeatureRun]>([])

    public init() {}

    /// To be called once, before anything is told.
    public func start(_ features: [Feature], in host: FeatureHost) {
        let runs = features.compactMap { $0.run?(host) }
        state.withLock { $0 = runs }
    }

    private var runs: [FeatureRun] { state.withLock { $0 } }

    public var windows: WindowOpenings {
        let all = runs.map(\.windows)
        var openings = WindowOpenings()
        openings.showsWindow = { session, window in for one in all { one.showsWindow(session, window) } }
        openings.showsContent = { session, activation in for one in all { one.showsContent(session, activation) } }
        openings.ended = { session in for one in all { one.ended(session) } }
        openings.tookFocus = { session, app in for one in all { one.tookFocus(session, app) } }
        openings.awaitingVisit = { all.reduce(into: []) { $0.formUnion($1.awaitingVisit()) } }
        return openings
    }

    public func opened(_ identifiers: [String]) { for run in runs { run.opened(identifiers) } }

    public func tookFocus(session: String, app: String) { for run in runs { run.windows.tookFocus(session, app) } }

    public func contentsChanged() { for run in runs { run.contentsChanged() } }

    public func settingsChanged() { for run in runs { run.settingsChanged() } }

    /// Returns when the store has what was told before. May be called again.
    public func stop() { for run in runs { run.stop() } }
}
