internal import UsherText

/// A request to APNs, or to an endpoint that speaks like it: a payload with the headers that go with it.
///
///     let request = try APNsRequest(payload, bundle: "example.clowntown").prepared(deviceToken: "00fc13adff78")
///
/// Apple: Sending notification requests to APNs. The `authorization` header is the sender's own business.
public struct APNsRequest: Sendable {
    public var payload: APNsPayload
    /// The app's bundle id; `apns-topic` is made of it and the push type. For MDM the whole topic.
    public var bundle: String
    /// Decides about topic, priority and size.
    public var pushType: APNsPushType
    /// 10 at once, 5 considering power, 1 considering power above all; nil leaves it out, which means 10.
    public var priority: Int?
    /// When it is no longer worth delivering, in seconds since 1970; 0 is try once.
    public var expiration: Int64?
    /// Replaces an earlier notification of the same identifier; at most 64 bytes.
    public var collapseIdentifier: String?
    /// A UUID that names the notification.
    public var id: String?

    public init(_ payload: APNsPayload, bundle: String, pushType: APNsPushType = .alert) {
        self.payload = payload
        self.bundle = bundle
        self.pushType = pushType
        priority = pushType == .background ? 5 : nil
    }

    /// The headers, in Apple's spelling.
    ///
    /// - Throws: ``BuildingError`` where one is empty, too long or not allowed with the push type.
    public func fields() throws(BuildingError) -> [PreparedRequest.Field] {
        let topic = bundle + pushType.topicSuffix
        try BuildingError.check(header: "apns-topic", bundle)
        var fields = [
            PreparedRequest.Field("apns-topic", topic), PreparedRequest.Field("apns-push-type", pushType.rawValue),
        ]
        if let priority {
            guard [1, 5, 10].contains(priority) else {
                throw BuildingError(.header, "apns-priority", "is \(priority), not 10, 5 or 1")
            }
            guard pushType != .background || priority == 5 else {
                throw BuildingError(.conflict, "apns-priority", "is 5 for a background push, not \(priority)")
            }
            fields.append(.init("apns-priority", String(priority)))
        }
        if let expiration {
            guard expiration >= 0 else { throw BuildingError(.header, "apns-expiration", "is before 1970") }
            fields.append(.init("apns-expiration", String(expiration)))
        }
        if let collapseIdentifier {
            try BuildingError.check(header: "apns-collapse-id", collapseIdentifier, limit: 64)
            fields.append(.init("apns-collapse-id", collapseIdentifier))
        }
        if let id {
            guard TextShape.isUUID(id), id.utf8.count == 36 else {
                throw BuildingError(.header, "apns-id", "is no UUID")
            }
            fields.append(.init("apns-id", id))
        }
        return fields
    }

    /// The whole request for one device.
    ///
    /// - Parameter deviceToken: hexadecimal digits.
    /// - Throws: ``BuildingError`` from the payload, the headers or the token.
    public func prepared(deviceToken: String) throws(BuildingError) -> PreparedRequest {
        let digits = deviceToken.utf8
        guard !digits.isEmpty, digits.count <= 512, digits.allSatisfy({ Hexadecimal.value(of: $0) != nil }) else {
            throw BuildingError(.value, "device token", "is not made of hexadecimal digits")
        }
        return PreparedRequest(
            path: "/3/device/" + deviceToken, fields: try fields() + [.init("content-type", "application/json")],
            body: try payload.body(for: pushType))
    }
}
