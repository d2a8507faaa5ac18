/// The request headers of APNs that an envelope may carry, as sent.
///
/// Apple: Sending notification requests to APNs.
public struct APNsHeaders: Hashable, Sendable {
    public var apnsTopic: String?
    var apnsID: String?
    public var apnsPushType: String?
    var apnsPriority: String?
    /// Seconds since 1970 in decimal; "0" is try once.
    public var apnsExpiration: String?
    public var apnsCollapseID: String?

    public init(
        apnsTopic: String? = nil, apnsID: String? = nil, apnsPushType: String? = nil, apnsPriority: String? = nil,
        apnsExpiration: String? = nil, apnsCollapseID: String? = nil
    ) {
        self.apnsTopic = apnsTopic
        self.apnsID = apnsID
        self.apnsPushType = apnsPushType
        self.apnsPriority = apnsPriority
        self.apnsExpiration = apnsExpiration
        self.apnsCollapseID = apnsCollapseID
    }

    /// The push types of Apple's list.
    public static let pushTypes = [
        "alert", "background", "complication", "controls", "fileprovider", "liveactivity", "location", "mdm",
        "pushtotalk", "voip", "widgets",
    ]

    /// The greatest payload of a push type, in bytes.
    public static func sizeLimit(pushType: String?) -> Int { pushType == "voip" ? 5120 : 4096 }
}
