public import UsherActivation
public import UsherEngine
internal import UsherJSON
internal import UsherOperation
internal import UsherPayload
public import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// The activities that the search of a desktop finds: those of `usher activity search`. Each is continued as
/// `usher activity continue` does.
public struct ActivityFinder: DesktopSearch {
    private let intake: any Intake
    private let contents: @Sendable () -> OperationContext
    private let settings: @Sendable () -> SuggestionSettings

    /// How many are found.
    private static let limit = 10
    /// How many are looked at, as some may be excluded.
    private static let mostExamined = 100
    /// Bytes of what is searched for, and ids that are asked for at once.
    private static let queryLimit = 4096
    private static let mostAsked = 100

    /// - Parameters:
    ///   - contents: with the configuration of the moment.
    ///   - settings: of the moment.
    public init(
        _ intake: any Intake, contents: @escaping @Sendable () -> OperationContext,
        settings: @escaping @Sendable () -> SuggestionSettings
    ) {
        self.intake = intake
        self.contents = contents
        self.settings = settings
    }

    public func find(_ text: String) throws(ActivationFailure) -> [FoundItem] {
        guard text.utf8.count <= Self.queryLimit else { return [] }
        return try look(limit: Self.limit) { (store) throws(StoreError) in
            try store.searchActivities(text, limit: Self.mostExamined)
        }
    }

    public func items(_ ids: [String]) throws(ActivationFailure) -> [FoundItem] {
        try look(limit: Self.mostAsked) { (store) throws(StoreError) in
            var found: [Store.StoredActivity] = []
            for id in ids.prefix(Self.mostAsked) {
                if let activity = try store.activity(id: id) { found.append(activity) }
            }
            return found
        }
    }

    public func open(_ id: String, token: String?) throws(ActivationFailure) {
        let activity: ActivityAnswer
        do throws(ControlError) {
            activity = try contents().perform(ActivitySave(activity: id)).activity
        } catch {
            throw ActivationFailure(error.code, error.message, help: error.help)
        }
        let line = ActivityEnvelope.line(activity.activity.jsonText, app: activity.app)
        var reader = PayloadReader(format: .auto)
        let reading = Result<Payload, PayloadError> { () throws(PayloadError) in try reader.read(line) }
        var arrival = Arrival(reading, input: line, source: ActivityEnvelope.source, started: MonotonicClock.now)
        arrival.token = token.flatMap { DispatchPayload.isToken($0) ? $0 : nil }
        guard intake.submit([arrival]) else {
            throw ActivationFailure(
                .controlBusy, "too many deliveries wait", help: "usher deliveries list shows what they wait for")
        }
    }

    // MARK: What may be found

    private func look(
        limit: Int, _ body: (Store) throws(StoreError) -> [Store.StoredActivity]
    ) throws(ActivationFailure) -> [FoundItem] {
        let settings = settings()
        guard settings.isEnabled else { return [] }
        let service = contents()
        do throws(StoreError) {
            var items: [FoundItem] = []
            for activity in try body(service.store) where items.count < limit {
                if try service.mayBeFound(activity, settings) { items.append(item(activity, service)) }
            }
            return items
        } catch {
            throw ActivationFailure(error.code, error.message, help: error.help)
        }
    }

    private func item(_ activity: Store.StoredActivity, _ service: OperationContext) -> FoundItem {
        let app = service.configuration.app(id: activity.app)
        var subtitle = app?.name ?? activity.app
        if let page = activity.webpage, let host = TargetContentIdentifier(page).webHost?.host {
            subtitle += ", \(host)"
        }
        return FoundItem(
            id: activity.id, title: Printable.text(activity.title ?? activity.subject ?? activity.type),
            subtitle: Printable.text(subtitle), icon: app?.suggestions.artwork)
    }
}

extension OperationContext {
    /// Whether a search finds an activity: `[suggestions]` does not exclude it, and its content was not deleted.
    func mayBeFound(_ activity: Store.StoredActivity, _ settings: SuggestionSettings) throws(StoreError) -> Bool {
        guard activity.isSearchable, activity.expires ?? .max > Instant.now.microseconds,
            let subject = activity.subject,
            settings.includes(
                app: activity.app, isPage: PageActivities.isPage(activity.type), activity.identifiers)
        else { return false }
        if case .deleted = try store.redirection(of: TargetContentIdentifier(subject)).end { return false }
        return true
    }
}

/// A stored activity as a request to continue it.
public enum ActivityEnvelope {
    /// The source of such deliveries.
    public static let source = "activity"

    /// The activity as it is, with the app beside it.
    public static func line(_ activity: [UInt8], app: String?) -> [UInt8] {
        var head = JSONWriter(escaping: .minimal)
        head.beginObject()
        if let app { head.member("app", app) }
        head.key("userActivity")
        return head.bytes + activity + [UInt8(ascii: "}")]
    }
}
