internal import UsherJSON
internal import UsherLog
public import UsherPayload
internal import UsherPlace
internal import UsherResolution
public import UsherScene
public import UsherText

/// Where a delivery came from, as records name it.
public enum DeliverySource {
    public static let hookPrefix = DecisionRecord.hookPrefix
    /// A reminder of the user that is due.
    public static let reminder = "reminder"
    /// A scheduled notification whose time has come.
    public static let schedule = "schedule"
    /// `usher perform`: its target is what an app made of a place or a person.
    public static let perform = "perform"
    /// `usher scene focus` and `usher scene new`.
    public static let scene = "scene"
    /// `usher terminal focus`.
    public static let terminal = "terminal"

    /// `usher agent focus` and `usher agent next`, and notifications of coding agents.
    package static let agent = "agent"

    /// The source that a client of the socket names, unless it is that of a hook: only a hook's own requests run its command.
    public static func ofClient(_ name: String?) -> String {
        guard let name, !name.utf8.starts(with: hookPrefix.utf8) else { return "control" }
        return name
    }
}

/// A payload as a question: the request to resolve, and what is shown of it.
///
/// A shortcut item is completed by the declared or the dynamic item of its type.
public struct PayloadRequest: Sendable {
    let payload: Payload
    /// The question; a copy of it is one reference.
    private(set) var shared: Shared<ActivationRequest>
    /// Where the payload has none.
    @Rare private var otherTitle: String?
    @Rare private var otherSubtitle: String?
    /// What completes the shortcut item.
    @Rare private var shortcut: ShortcutDefinition?
    /// Whether the payload asks for a window: it shows something, or names content and is not a background push.
    public var isTap: Bool
    /// A background push: `content-available` and nothing to show.
    var isBackground: Bool
    /// Of the user activity; nil where the payload carries none.
    @Rare public var activity: ActivityVersion?
    @Rare private var shortcutWarning: PayloadError?
    /// How urgent a push is; only for a push that the user has not pressed yet.
    public var level: DeliveryRule.Level?
    /// What a press on a notification means.
    @Rare public var press: Press?
    /// The hook with `run` that the request came through, and its command, which is run instead of opening a window.
    @Rare public var hook: (name: String, command: Command)?

    /// Whether its target is what an app made of a place or a person.
    var isPerformed = false

    /// Whether it is a reminder of the user, which is shown as a notification whatever app its target belongs to.
    var isReminder = false

    /// The user pressed the notification that was shown for the payload, or one of its buttons.
    public struct Press: Sendable {
        /// The button; nil for the notification itself.
        public var button: NotificationAction?
        /// The manifest's name of it.
        public var id: String { button?.id ?? NotificationAction.click }
        /// It is done once more, because it failed.
        public var again: NotificationResponse.Again?
    }

    /// - Parameters:
    ///   - source: of the delivery: only what a hook made can run the hook's command.
    ///   - response: what was pressed, where it was shown first: the id of a button.
    public static func of(
        _ payload: Payload, in configuration: borrowing Configuration, app override: String? = nil,
        source: String? = nil, response: String? = nil
    ) -> PayloadRequest {
        // A function, since an initialiser copies what it has made; and so does one that lets go of more than that at its end.
        var made = PayloadRequest(
            payload: payload, shared: Shared(.asked(by: payload, app: override)), isTap: true, isBackground: false,
            isPerformed: source == DeliverySource.perform)
        made.complete(in: configuration, source: source, response: response)
        return made
    }

    private mutating func complete(in configuration: borrowing Configuration, source: String?, response: String?) {
        switch payload.carrier {
        case .notification(let notification):
            isTap = shared.value.isTap
            isBackground = payload.isContentAvailable && !payload.isDisplayable
            if let key = notification.value.alert?.titleLocalization?.key { otherTitle = key }
            isReminder = source == DeliverySource.reminder
            if !isReminder { level = notification.value.interruptionLevel.map(DeliveryRule.Level.init) ?? .active }
            if let response { respond(response, to: notification.value, in: configuration) }
        case .shortcutItem: completeShortcut(from: configuration)
        case .userActivity(let activity):
            self.activity = ActivityVersion(version: activity.version, schemaVersion: activity.schemaVersion)
        case .url, .scene: break
        }
        if !configuration.hookCommands.isEmpty, let source, source.utf8.starts(with: DeliverySource.hookPrefix.utf8) {
            let name = String(source.dropFirst(DeliverySource.hookPrefix.count))
            hook = configuration.hookCommands[name].map { (name, $0) }
        }
    }

    /// The decision of a resolver. A function of its own, in which the question is not copied.
    func resolved(by resolver: borrowing Resolver, following redirection: Redirection) -> Resolution {
        // The window of a process is no app's.
        if terminal != nil { return Resolution.of(.explicit, by: resolver.configuration) }
        return resolver.resolve(shared.value, following: redirection)
    }

    public var request: ActivationRequest {
        get { shared.value }
        set { shared = Shared(newValue) }
    }

    public var title: String? { payload.title ?? otherTitle }
    public var subtitle: String? { payload.subtitle ?? otherSubtitle }
    public var body: String? { payload.body }

    /// Whether a window is to come forward, and nothing is to be shown in it.
    var isFocusAlone: Bool { if case .scene(.focus) = payload.carrier { true } else { false } }

    /// The terminal that is to come forward.
    var terminal: TerminalRequest? {
        if case .scene(.terminal(let request)) = payload.carrier { request } else { nil }
    }

    /// What handlers are given of it: a shortcut item is whole.
    var handed: [UInt8] {
        if case .shortcutItem(let item) = payload.carrier { return item.completed(by: shortcut).jsonText }
        return Array(payload.raw)
    }

    public var warnings: [PayloadError] { shortcutWarning.map { payload.warnings + [$0] } ?? payload.warnings }

    /// Whether a notification that names no app has an `app` beside its `aps`, as an envelope has it beside `payload`.
    var hasAppBesideAps: Bool {
        guard case .notification = payload.carrier, payload.format == .apns, request.app == nil else { return false }
        var document = JSONDocument()
        guard (try? document.parse(Array(payload.raw))) != nil, let root = document.root else { return false }
        return document.value("app", in: root).map { document.kind($0) == .string } ?? false
    }

    /// The request for what an app makes of a place.
    func replaced(by errand: PlaceErrand, of place: Place) -> PayloadRequest {
        var other = self
        other.request.app = .id(errand.app)
        other.request.target = errand.target
        if request.url != nil { other.request.url = errand.target.text }
        other.request.newestURL = nil
        other.request.activityType = nil
        other.activity = nil
        other.otherTitle = title ?? errand.label(for: place)
        return other
    }

    /// Takes what was pressed for a tap, whatever else the payload says.
    private mutating func respond(
        _ stored: String, to notification: Notification, in configuration: borrowing Configuration
    ) {
        let response = NotificationResponse(stored: stored)
        isTap = true
        request.isTap = true
        (isBackground, isReminder, level) = (false, false, nil)
        press = Press(again: response.again)
        guard response.action != NotificationAction.click, case .id(let id)? = request.app,
            let category = configuration.app(id: id)?.notifications.category(notification.category)
        else { return }
        // A button that the manifest has no more is the notification itself.
        press?.button = category.actions.first { $0.id == response.action }
        if let target = press?.button?.target { request.target = target }
    }

    /// Fills in what the declared or the dynamic item says of the shortcut.
    private mutating func completeShortcut(from configuration: borrowing Configuration) {
        guard let type = request.shortcutType else { return }
        let apps: [App]
        if case .id(let id) = request.app {
            apps = configuration.app(id: id).map { [$0] } ?? []
        } else {
            apps = configuration.manifestApps
        }
        let definitions = apps.flatMap { app in app.shortcuts.filter { $0.type.hasSameBytes(as: type) } }
        if definitions.isEmpty {
            let known = apps.flatMap { $0.shortcuts.map(\.type) }
            guard !known.isEmpty else { return }
            shortcutWarning = PayloadError(
                .shortcutUnknownType, "no app has a shortcut item of type \(type)", pointer: "/shortcutItem/type",
                help: Spelling.closest(to: type, among: known).map { "did you mean \($0)?" })
            return
        }
        guard definitions.count == 1, let definition = definitions.first else { return }
        shortcut = definition
        otherTitle = definition.title
        otherSubtitle = definition.subtitle
        request.target = request.target ?? definition.target
    }
}

extension ActivationRequest {
    /// What a payload asks for, as it was sent.
    fileprivate static func asked(by payload: Payload, app override: String?) -> ActivationRequest {
        var request = ActivationRequest.of(payload.targetContentIdentifier.map(TargetContentIdentifier.init))
        request.take(payload, app: override)
        return request
    }

    private mutating func take(_ payload: Payload, app override: String?) {
        session = payload.session
        if let named = override ?? payload.app {
            app = .id(named)
        } else if let topic = payload.topic {
            app = .topic(topic)
        } else if let bundle = payload.simulatorTargetBundle {
            app = .id(bundle)
        }
        switch payload.carrier {
        case .notification:
            let mayShowTarget = target != nil && !payload.isContentAvailable
            isTap = mayShowTarget || payload.isDisplayable
        case .shortcutItem(let item):
            carrier = .shortcutItem
            shortcutType = item.type
            isTap = true
        case .userActivity(let activity):
            activityType = activity.activityType
            url = activity.webpageURL
            let page = activity.webpageURL.map(TargetContentIdentifier.init)
            let isPage = activity.activityType == ActivationRequest.browsingActivity && page?.isWebAddress == true
            carrier = isPage ? .link : .activity
        case .url(let url):
            self.url = url
            if TargetContentIdentifier(url).scheme != nil { carrier = .link }
            // Like a notification of which only the link is known.
            isTap = carrier == .notification
        case .scene(let request):
            carrier = .scene
            isTap = true
            switch request {
            case .focus(let id): session = id
            case .new(let id, let scene, _):
                app = .id(id)
                newWindow = scene.map { .scene($0) } ?? .any
            case .terminal: break
            }
        }
    }
}

extension DeliveryRule.Level {
    init(_ level: Notification.InterruptionLevel) {
        switch level {
        case .passive: self = .passive
        case .active: self = .active
        case .timeSensitive: self = .timeSensitive
        case .critical: self = .critical
        }
    }
}
