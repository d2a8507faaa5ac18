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
    /// A carrier with what the transport would have said: headers, app, session.
    case envelope

    /// Says whether payloads of this format are read; the others are only recognised.
    public var isReadable: Bool {
        switch self {
        case .auto, .apns, .simctl, .shortcut, .activity, .envelope: true
        case .fcm, .webpush, .ntfy, .cloudevents, .webhook, .fdo: false
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
        case .envelope: "an envelope"
        }
    }
}
