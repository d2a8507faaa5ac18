internal import UsherHTTP

/// The sender's own id of an event, in the request's head.
enum ExplicitIdentity {
    /// The headers that have one, the first that is there counts.
    static let headers = ["webhook-id", "svix-id", "Idempotency-Key"]

    /// More bytes than these are no id.
    static let limit = 256

    static func of(_ request: HTTPRequest) throws(Refusal) -> String? {
        for name in headers {
            let values = request.fields.all(name)
            guard let value = values.first else { continue }
            guard values.count == 1 else {
                throw Refusal(400, .webhookHeader, "\(name) is there \(values.count) times", help: "keep one of them")
            }
            return try check(name == "Idempotency-Key" ? unquoted(value) : value, name)
        }
        return nil
    }

    static func check(_ value: String, _ name: String) throws(Refusal) -> String {
        guard !value.isEmpty, value.utf8.count <= limit else {
            throw Refusal(
                400, .webhookHeader, value.isEmpty ? "\(name) is empty" : "\(name) is longer than \(limit) bytes")
        }
        return value
    }

    /// A string of structured fields (RFC 9651, 3.3.3), as the draft of Idempotency-Key has it, or the value as it is.
    private static func unquoted(_ value: String) -> String {
        guard value.utf8.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") else { return value }
        return String(value.dropFirst().dropLast())
    }
}
