internal import UsherHTTP

/// What a body is, by its Content-Type (RFC 9110, 8.3).
enum MediaType: Sendable {
    /// One JSON text.
    case json
    /// One JSON text a line.
    case lines

    /// On TCP a body must say that it is JSON: web pages can send anything else without asking. The Unix socket takes all
    /// bodies for JSON.
    init(of request: HTTPRequest) throws(Refusal) {
        if let coding = request.fields["Content-Encoding"], coding.lowercased() != "identity" {
            throw Refusal(
                415, .webhookMediaType, "a body that is encoded as \(Refusal.printable(coding)) is not taken",
                help: "send it as it is")
        }
        // What nearly everybody sends.
        if request.fields.has("Content-Type", only: "application/json") {
            self = .json
            return
        }
        let value = request.fields["Content-Type"] ?? ""
        let name = MediaType.trimmed(value.prefix { $0 != ";" }).lowercased()
        switch name {
        case "application/json": self = .json
        case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines": self = .lines
        case _ where name.hasPrefix("application/") && name.hasSuffix("+json"): self = .json
        default:
            if case .local = request.peer.address {
                self = .json
                return
            }
            throw Refusal(
                415, .webhookMediaType,
                name.isEmpty ? "the body has no Content-Type" : "\(Refusal.printable(name)) is not taken here",
                help: "send application/json, or application/x-ndjson for several lines")
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
