public import UsherText

/// What arrived, read and checked: a carrier, and what the transport said beside it.
///
/// A payload never changes; it is a class only because it is large and handed from stage to stage.
public final class Payload: Sendable {
    public let carrier: Carrier
    /// The carrier's format, as records name it; of a link in an envelope `envelope`.
    public let format: PayloadFormat
    /// The app the envelope names.
    public let app: String?
    /// The session the envelope names.
    public let session: String?
    /// The W3C trace context the envelope carries, well formed.
    public let traceparent: String?
    /// nil where there is no envelope, or it has none.
    private let ownHeaders: Shared<APNsHeaders>?
    /// The bundle identifier a simctl file names.
    public let simulatorTargetBundle: String?
    /// The carrier's bytes as they were sent, without the envelope.
    public let raw: ArraySlice<UInt8>
    /// Whether `app`, `headers` and the like came in an envelope.
    public let isEnvelope: Bool
    public let warnings: [PayloadError]
    /// What the payload is about: opaque, exactly the bytes that were sent. Of a user activity the first of its target,
    /// its persistent identifier and its web page.
    public let targetContentIdentifier: String?
    /// The envelope's, else the carrier's own.
    public let title: String?

    public init(
        carrier: Carrier, format: PayloadFormat, app: String? = nil, session: String? = nil,
        traceparent: String? = nil, headers: APNsHeaders? = nil, simulatorTargetBundle: String? = nil,
        raw: ArraySlice<UInt8> = [], isEnvelope: Bool = false, title: String? = nil, warnings: [PayloadError] = []
    ) {
        targetContentIdentifier = carrier.targetContentIdentifier
        self.title = title ?? carrier.title
        self.carrier = carrier
        self.format = format
        self.app = app
        self.session = session
        self.traceparent = traceparent
        ownHeaders = headers.map { Shared($0) }
        self.simulatorTargetBundle = simulatorTargetBundle
        self.raw = raw
        self.isEnvelope = isEnvelope
        self.warnings = warnings
    }
}

/// What can carry a target content identifier.
public enum Carrier: Sendable {
    case notification(Shared<Notification>)
    // As small as the others, since it is handed from stage to stage.
    indirect case shortcutItem(ShortcutItem)
    indirect case userActivity(UserActivity)
    /// An opened link.
    case url(String)
    indirect case scene(SceneRequest)
}

extension Carrier {
    /// See `Payload.targetContentIdentifier`.
    public var targetContentIdentifier: String? {
        switch self {
        case .notification(let notification): notification.value.targetContentIdentifier
        case .shortcutItem(let item): item.targetContentIdentifier
        case .userActivity(let activity): activity.subject
        case .url(let url): url
        case .scene(let request): request.target
        }
    }

    public var title: String? {
        switch self {
        case .notification(let notification): notification.value.alert?.title
        case .shortcutItem(let item): item.localizedTitle
        case .userActivity(let activity): activity.title
        case .url, .scene: nil
        }
    }
}

extension Payload {
    /// The same payload with one more warning.
    public func adding(_ warning: PayloadError) -> Payload {
        Payload(
            carrier: carrier, format: format, app: app, session: session, traceparent: traceparent,
            headers: ownHeaders?.value,
            simulatorTargetBundle: simulatorTargetBundle, raw: raw, isEnvelope: isEnvelope, title: title,
            warnings: warnings + [warning])
    }

    public var headers: APNsHeaders { ownHeaders?.value ?? APNsHeaders() }

    /// The sender's explicit id, where there is one.
    public var senderID: String? { ownHeaders?.value.apnsID }

    public var topic: String? { ownHeaders?.value.apnsTopic }
    public var collapseID: String? { ownHeaders?.value.apnsCollapseID }
    public var expiration: String? { ownHeaders?.value.apnsExpiration }

    public var notification: Notification? {
        if case .notification(let notification) = carrier { notification.value } else { nil }
    }

    public var subtitle: String? {
        switch carrier {
        case .notification(let notification): notification.value.alert?.subtitle
        case .shortcutItem(let item): item.localizedSubtitle
        case .userActivity, .url, .scene: nil
        }
    }

    public var body: String? {
        if case .notification(let notification) = carrier { notification.value.alert?.body } else { nil }
    }

    /// Says whether there is something to show: alert text or a key of a string table.
    public var isDisplayable: Bool {
        if case .notification(let notification) = carrier { notification.value.isDisplayable } else { false }
    }

    public var isContentAvailable: Bool {
        if case .notification(let notification) = carrier { notification.value.isContentAvailable } else { false }
    }
}

/// A format of payloads, as `--format` and the records name it.
public enum PayloadFormat: String, CaseIterable, Hashable, Sendable {
    /// Recognised by the payload's own members.
    case auto
    /// The body of an APNs request.
    case apns
    /// A file for `xcrun simctl push`.
    case simctl
    /// A home screen shortcut item by itself.
    case shortcut
    /// A user activity by itself.
    case activity
    case fcm, webpush, ntfy, cloudevents, webhook, fdo
    /// A push that a Matrix home server sends to a gateway, a message for Gotify, one of Apprise, one of Home Assistant.
    case matrix, gotify, apprise
    case homeAssistant = "home-assistant"
    /// What a coding agent gives its hooks.
    case agent
    /// An event of GitHub or Gitea; alerts of Alertmanager or Grafana.
    case github, alertmanager
    /// A carrier with what the transport would have said: headers, app, session.
    case envelope
    /// A request for a window by itself.
    case scene

    /// Those that a sender can name: no `scene`, and none that is only recognised to say so.
    public static let allCases: [PayloadFormat] = [
        .auto, .apns, .simctl, .shortcut, .activity, .fcm, .webpush, .ntfy, .cloudevents, .webhook, .fdo, .envelope,
    ]

    /// The one that a sender names; nil for any other word.
    public static func named(_ name: String) -> PayloadFormat? { allCases.first { $0.rawValue.hasSameBytes(as: name) } }

    /// Says whether payloads of this format are read; the others are only recognised.
    public var isReadable: Bool {
        switch self {
        case .auto, .apns, .simctl, .shortcut, .activity, .envelope, .scene: true
        default: false
        }
    }

    /// Those that are read, by their names.
    public static let readable = allCases.filter(\.isReadable).map(\.rawValue)

    /// What takes payloads of a format that is not read here.
    var instead: String {
        switch self {
        case .webhook: "`usher hook add standard` makes a hook that takes them"
        case .github: "`usher hook add github` (or gitea) makes a hook that takes them"
        case .alertmanager: "`usher hook add alertmanager` (or grafana) makes a hook that takes them"
        default: "a hook that is written by hand takes them ([hooks.NAME], Webhooks.md)"
        }
    }

    /// The format's name in a sentence.
    var phrase: String {
        switch self {
        case .auto: "any format"
        case .apns: "an APNs payload"
        case .simctl: "a simctl payload"
        case .shortcut: "a shortcut item"
        case .activity: "a user activity"
        case .fcm: "a Firebase Cloud Messaging request"
        case .webpush: "a Declarative Web Push message"
        case .ntfy: "an ntfy message"
        case .cloudevents: "a CloudEvent"
        case .webhook: "a Standard Webhooks event"
        case .fdo: "a freedesktop notification"
        case .matrix: "a push of a Matrix home server"
        case .gotify: "a Gotify message"
        case .apprise: "an Apprise notification"
        case .homeAssistant: "a Home Assistant notification"
        case .agent: "what a coding agent gives its hooks"
        case .github: "an event of GitHub or Gitea"
        case .alertmanager: "alerts of Alertmanager or Grafana"
        case .envelope: "an envelope"
        case .scene: "a scene request"
        }
    }
}
