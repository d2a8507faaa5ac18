/// What kind of notification a request to APNs carries: its `apns-push-type`.
///
/// Apple: Sending notification requests to APNs.
public enum APNsPushType: String, Sendable, Hashable, CaseIterable {
    case alert, background, complication, controls
    case fileProvider = "fileprovider"
    case liveActivity = "liveactivity"
    case location, mdm
    case pushToTalk = "pushtotalk"
    case voip, widgets

    /// The most bytes that its payload may have.
    public var sizeLimit: Int { self == .voip ? 5120 : 4096 }

    /// What comes after the bundle id in `apns-topic`.
    public var topicSuffix: String {
        switch self {
        case .alert, .background, .mdm: ""
        case .complication: ".complication"
        case .controls: ".push-type.controls"
        case .fileProvider: ".pushkit.fileprovider"
        case .liveActivity: ".push-type.liveactivity"
        case .location: ".location-query"
        case .pushToTalk: ".voip-ptt"
        case .voip: ".voip"
        case .widgets: ".push-type.widgets"
        }
    }
}
