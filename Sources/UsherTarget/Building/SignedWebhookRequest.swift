internal import UsherText

/// Webhook requests with a signature that their receiver can check.
///
/// The signature covers the exact bytes of the body: send ``PreparedRequest/body`` as it is. Sending the same event again
/// (after a timeout, say) keeps its id and takes a new timestamp: receivers recognise a duplicate by the id.
public enum SignedWebhookRequest {
    /// A request with the three headers of Standard Webhooks, version 1 (HMAC-SHA256).
    ///
    /// - Parameters:
    ///   - id: names the event; the same for every attempt to deliver it. Not empty, no full stop.
    ///   - timestamp: seconds since 1970 of this attempt; receivers refuse one that is minutes away from their clock.
    ///   - secrets: the current one, and while it is being replaced the next one too; each gives a signature.
    /// - Throws: ``BuildingError`` where the id or the path cannot be sent, or there is no secret.
    ///
    /// The specification is at standardwebhooks.com.
    public static func standard(
        id: String, timestamp: Int64, path: String, body: [UInt8], contentType: String = "application/json",
        secrets: [WebhookSecret]
    ) throws(BuildingError) -> PreparedRequest {
        try BuildingError.check(header: "webhook-id", id, limit: 256)
        guard !id.utf8.contains(ASCII.period) else {
            throw BuildingError(.header, "webhook-id", "has a full stop, which separates the signed parts")
        }
        guard timestamp >= 0 else { throw BuildingError(.header, "webhook-timestamp", "is before 1970") }
        guard !secrets.isEmpty else { throw BuildingError(.secret, "webhook-signature", "needs a secret") }
        try check(path, contentType)
        let signed = Array("\(id).\(timestamp).".utf8) + body
        let signatures = secrets.map { "v1," + Base64.encode(HMACSHA256.code(signed, key: $0.key)) }
        return PreparedRequest(
            path: path,
            fields: [
                .init("content-type", contentType), .init("webhook-id", id),
                .init("webhook-timestamp", String(timestamp)),
                .init("webhook-signature", signatures.joined(separator: " ")),
            ], body: body)
    }

    /// A request signed as GitHub signs its webhooks: `X-Hub-Signature-256`, the HMAC-SHA256 of the body.
    ///
    /// There is no timestamp under this signature: a receiver cannot tell a replay but by its delivery id.
    ///
    /// - Parameters:
    ///   - event: what happened, as in `pull_request`.
    ///   - delivery: names the event; usually a UUID.
    ///   - secret: the bytes themselves, as they stand in the receiver's settings.
    /// - Throws: ``BuildingError`` where a header cannot be sent, or the secret is empty.
    public static func gitHub(
        event: String, delivery: String, path: String, body: [UInt8], contentType: String = "application/json",
        secret: [UInt8]
    ) throws(BuildingError) -> PreparedRequest {
        try BuildingError.check(header: "x-github-event", event, limit: 256)
        try BuildingError.check(header: "x-github-delivery", delivery, limit: 256)
        guard !secret.isEmpty else { throw BuildingError(.secret, "x-hub-signature-256", "needs a secret") }
        try check(path, contentType)
        return PreparedRequest(
            path: path,
            fields: [
                .init("content-type", contentType), .init("x-github-event", event),
                .init("x-github-delivery", delivery),
                .init("x-hub-signature-256", "sha256=" + Hexadecimal.encode(HMACSHA256.code(body, key: secret))),
            ], body: body)
    }

    private static func check(_ path: String, _ contentType: String) throws(BuildingError) {
        try BuildingError.check(header: "content-type", contentType, limit: 256)
        try BuildingError.check(header: "path", path)
        guard path.utf8.first == ASCII.slash, !path.utf8.contains(0x20) else {
            throw BuildingError(.value, "path", "a path begins with '/' and has no spaces")
        }
    }
}

/// The key of Standard Webhooks signatures.
public struct WebhookSecret: Sendable, Hashable {
    let key: [UInt8]

    /// Reads a secret as it is handed over: `whsec_` and base64; the prefix may be missing.
    ///
    /// - Throws: ``BuildingError/Code/secret`` where it is no base64, or not 24 to 64 bytes.
    public init(_ text: String) throws(BuildingError) {
        let prefix = "whsec_"
        let encoded = text.hasPrefix(prefix) ? text.dropFirst(prefix.utf8.count) : text[...]
        guard let key = Base64.decode(encoded, requiresPadding: false) ?? Base64.decode(encoded, .url) else {
            throw BuildingError(.secret, "secret", "is no base64; it is what follows whsec_")
        }
        try self.init(key: key)
    }

    /// Takes the bytes of the key: 24 to 64.
    public init(key: [UInt8]) throws(BuildingError) {
        guard (24...64).contains(key.count) else {
            throw BuildingError(.secret, "secret", "has \(key.count) bytes; 24 to 64 are allowed")
        }
        self.key = key
    }
}

/// HMAC with SHA-256. RFC 2104.
private enum HMACSHA256 {
    static func code(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        var block = key.count > MessageDigest.blockSize ? digest(key, []) : key
        block += [UInt8](repeating: 0, count: MessageDigest.blockSize - block.count)
        return digest(block.map { $0 ^ 0x5C }, digest(block.map { $0 ^ 0x36 }, message))
    }

    private static func digest(_ head: [UInt8], _ rest: [UInt8]) -> [UInt8] {
        var digest = MessageDigest()
        digest.update(head)
        digest.update(rest)
        return digest.bytes()
    }
}
