internal import Dispatch
internal import Synchronization
internal import UsherEngine
internal import UsherJSON
public import UsherLog
internal import UsherOperation
public import UsherScene
public import UsherStore
internal import UsherSystem
internal import UsherText

/// Offers a place to the app of a scene that takes focus: the first of `usher suggest place --for` it, where the app's
/// manifest has `suggestions = ["place"]`.
public final class SuggestionOffers: Sendable {
    /// A session, and the suggestion as a JSON object.
    public typealias Receiver = @Sendable (_ session: String, _ suggestion: [UInt8]) -> Void

    private let store: Store
    private let logger: Logger
    /// In use now.
    private let configuration: @Sendable () -> Configuration
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "usher.suggestions")

    private struct State: Sendable {
        /// Whether there are subscribers, and what calls them.
        var listeners: (isThere: @Sendable () -> Bool, tell: Receiver)?
        /// Several reports are of one change of focus.
        var last: (session: String, time: MonotonicInstant)?
    }

    /// Reports of one session within this time are of one change of focus.
    private static let pause = Duration.milliseconds(500)

    /// - Parameter configuration: the one in use at a moment.
    public init(_ store: Store, logger: Logger, configuration: @escaping @Sendable () -> Configuration) {
        self.store = store
        self.logger = logger
        self.configuration = configuration
    }

    /// Tells what is offered from now on, on a thread of its own.
    ///
    /// - Parameter isThere: whether there are subscribers; nothing is looked up while there are none.
    public func observe(while isThere: @escaping @Sendable () -> Bool, _ tell: @escaping Receiver) {
        state.withLock { $0.listeners = (isThere, tell) }
    }

    /// A session's scene has taken focus. Returns at once.
    public func tookFocus(session: String, app: String) {
        guard let listeners = state.withLock({ $0.listeners }), listeners.isThere(),
            Self.takesPlaces(app, configuration())
        else { return }
        let now = MonotonicClock.now
        let isNew = state.withLock { state in
            if let last = state.last, last.session.hasSameBytes(as: session), now - last.time < Self.pause {
                return false
            }
            state.last = (session, now)
            return true
        }
        guard isNew else { return }
        queue.async { [self] in
            guard let place = Self.place(for: app, configuration(), store, logger: logger) else { return }
            listeners.tell(session, place)
        }
    }

    /// The suggestion, a JSON object; nil where nothing is suggested, or the app takes no places.
    static func place(
        for app: String, _ configuration: Configuration, _ store: Store, logger: Logger
    ) -> [UInt8]? {
        guard takesPlaces(app, configuration) else { return nil }
        var query = SuggestionQuery(.place, now: .now)
        query.forApp = app
        query.limit = 1
        do throws(StoreError) {
            let input = try SuggestionSource(store, configuration).input(for: query)
            let items = try? Suggestions.answer(to: query, from: input)
            return items?.first?.jsonText
        } catch {
            logger.log(.suggestionNotMade, ["app": .text(app), "error.message": .text(error.message)])
            return nil
        }
    }

    /// Returns when everything was passed on.
    func flush() { queue.sync {} }

    private static func takesPlaces(_ app: String, _ configuration: Configuration) -> Bool {
        configuration.app(id: app)?.suggestions.kinds.contains(.place) ?? false
    }
}
