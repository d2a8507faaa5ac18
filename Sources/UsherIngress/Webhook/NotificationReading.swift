internal import UsherHTTP
internal import UsherHook
internal import UsherJSON
internal import UsherPayload
internal import UsherScene
internal import UsherText

/// Reads the payloads of a request, and what its head says of them.
///
/// What the head says is put into an envelope around the payload: the journal keeps the envelope, so that a delivery read
/// again after a crash is the same one.
struct NotificationReading: Sendable {
    /// A payload or what is wrong with it, and the bytes that the journal keeps.
    struct Item: Sendable {
        var payload: Result<Payload, PayloadError>
        var input: [UInt8]

        var problem: Diagnostic? {
            if case .failure(let error) = payload { Refusal.problem(error) } else { nil }
        }
    }

    let app: String?
    let senderID: String?
    private let headers: [(name: String, value: String)]
    private let traceparent: String?
    private let format: PayloadFormat
    private let pushType: String?

    private static let headerNames = [
        "apns-topic", "apns-id", "apns-push-type", "apns-priority", "apns-expiration", "apns-collapse-id",
    ]

    init(of request: HTTPRequest, _ query: QueryString) throws(Refusal) {
        if let app = query["app"], app.isEmpty { throw Refusal(400, .webhookQuery, "the parameter app is empty") }
        app = query["app"]
        senderID = try Result { () throws(HookRefusal) in try HookSenderID.of { request.fields.all($0) } }
            .mapError { Refusal($0) }.get()
        var headers: [(String, String)] = []
        for name in NotificationReading.headerNames {
            let values = request.fields.all(name)
            guard let value = values.first else { continue }
            guard values.count == 1, !value.isEmpty else {
                throw Refusal(
                    400, .webhookHeader, values.count > 1 ? "\(name) is there twice" : "\(name) is empty",
                    help: "keep one of them, or leave it out")
            }
            headers.append((name, value))
        }
        self.headers = headers
        traceparent = request.fields["traceparent"]
        var format = PayloadFormat.auto
        if let name = query["format"] {
            guard let known = PayloadFormat.named(name) else {
                let names = PayloadFormat.readable
                throw Refusal(
                    400, .webhookQuery, "there is no format \(Refusal.printable(name))",
                    help: Spelling.closest(to: name, among: names).map { "did you mean \($0)?" }
                        ?? "there are " + names.joined(separator: ", "))
            }
            format = known
        }
        self.format = format
        pushType = request.fields["apns-push-type"]
    }

    /// One payload; its errors are answered to the sender.
    func document(_ body: [UInt8]) throws(Refusal) -> Item {
        guard body.count <= PayloadError.longestLine else { throw Refusal(NotificationReading.tooLong, status: 413) }
        do throws(PayloadError) {
            var reader = PayloadReader(format: format, pushType: pushType)
            return try item(of: try reader.read(body), body)
        } catch {
            throw Refusal(error.positioned(in: body, body.indices, begin: LinePosition()))
        }
    }

    /// Payloads one after another. One that cannot be read is journalled as such, and the others go on.
    func lines(_ body: [UInt8], limit: Int) throws(Refusal) -> [Item] {
        if let header = headers.first(where: { $0.name == "apns-id" }) {
            throw Refusal(
                400, .webhookHeader, "\(header.name) is for one payload, and there are several",
                help: "put it into each line: {\"payload\": …, \"headers\": {\"apns-id\": …}}")
        }
        var cutter = PayloadCutter(PayloadReader(format: format, pushType: pushType))
        cutter.push(body)
        cutter.finish()
        var items: [Item] = []
        while let text = cutter.next() {
            guard items.count < limit else {
                throw Refusal.batch(limit: limit, of: "lines", help: "send them in several requests")
            }
            let input = Array(text.bytes[text.range])
            do throws(PayloadError) {
                items.append(try item(of: try text.reading.get(), input))
            } catch {
                items.append(Item(payload: .failure(error), input: input))
            }
        }
        guard !items.isEmpty else {
            throw Refusal(PayloadError(.jsonEmpty, "there is no payload", offset: 0))
        }
        return items
    }

    private static let tooLong = PayloadError(
        .sizeLineTooLong, "the payload is longer than \(PayloadError.longestLine) bytes",
        limit: PayloadError.longestLine)

    /// A payload was read as it was sent first, so that places in messages are places in what was sent.
    private func item(of payload: Payload, _ bytes: [UInt8]) throws(PayloadError) -> Item {
        guard !headers.isEmpty || traceparent != nil || app != nil else {
            return Item(payload: .success(payload), input: bytes)
        }
        let input = payload.isEnvelope ? completed(bytes) : wrapped(payload)
        var envelopes = PayloadReader(format: .envelope)
        return Item(payload: .success(try envelopes.read(input)), input: input)
    }

    private func wrapped(_ payload: Payload) -> [UInt8] {
        var json = JSONWriter(escaping: .minimal)
        json.beginObject()
        let member =
            switch payload.carrier {
            case .notification: "payload"
            case .shortcutItem: "shortcutItem"
            case .userActivity: "userActivity"
            // A bare link has no format of its own: it is in an envelope already. A scene request cannot be sent.
            case .url, .scene: "url"
            }
        json.member(member, raw: payload.raw)
        if !headers.isEmpty {
            json.beginObject("headers")
            for (name, value) in headers { json.member(name, value) }
            json.endObject()
        }
        if let app { json.member("app", app) }
        if let traceparent { json.member("traceparent", traceparent) }
        json.endObject()
        return json.bytes
    }

    /// An envelope with what it lacks; what it says itself stays. Only the query's app goes before its own.
    private func completed(_ bytes: [UInt8]) -> [UInt8] {
        guard let envelope = try? JSONValue(parsing: bytes), var members = envelope.members else { return bytes }
        let known = Set((envelope["headers"]?.members ?? []).map { $0.name.lowercased() })
        let missing = headers.filter { !known.contains($0.name) }.map {
            JSONValue.Member($0.name, .string($0.value))
        }
        if !missing.isEmpty {
            members.removeAll { $0.name == "headers" }
            members.append(.init("headers", .object((envelope["headers"]?.members ?? []) + missing)))
        }
        if let app {
            members.removeAll { $0.name == "app" }
            members.append(.init("app", .string(app)))
        }
        if let traceparent, (envelope["traceparent"] ?? .null).kind == .null {
            members.removeAll { $0.name == "traceparent" }
            members.append(.init("traceparent", .string(traceparent)))
        }
        return Array(JSONValue.object(members).text(escaping: .minimal).utf8)
    }
}

/// What a body is, by its Content-Type (RFC 9110, 8.3).
enum MediaType: Sendable {
    /// One JSON text.
    case json
    /// JSON texts one after another.
    case lines
    /// What `curl -d` says: read as one JSON text if the sender is authenticated. Web pages can send it without asking.
    case form

    /// On TCP a body must say that it is JSON: web pages can send anything else without asking. The Unix socket takes all
    /// bodies for JSON.
    init(of request: HTTPRequest) throws(Refusal) {
        if let coding = request.fields["Content-Encoding"], coding.lowercased() != "identity" {
            throw Refusal(
                415, .webhookMediaType, "a body that is encoded as \(Refusal.printable(coding)) is not taken",
                help: "send it as it is")
        }
        // The usual case.
        if request.fields.has("Content-Type", only: "application/json") {
            self = .json
            return
        }
        let value = request.fields["Content-Type"] ?? ""
        let name = Substring(value.utf8.prefix { $0 != UInt8(ascii: ";") }.trimmed(" \t")).lowercased()
        switch name {
        case "application/json": self = .json
        case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines",
            "application/json-seq":
            self = .lines
        case _ where name.hasPrefix("application/") && name.hasSuffix("+json"): self = .json
        default:
            if name == "application/x-www-form-urlencoded" {
                self = .form
            } else if case .local = request.peer.address {
                self = .json
            } else {
                throw MediaType.refusal(of: request)
            }
        }
    }

    /// Why a body that does not say that it is JSON is not taken.
    static func refusal(of request: HTTPRequest) -> Refusal {
        let name = Substring((request.fields["Content-Type"] ?? "").utf8.prefix { $0 != UInt8(ascii: ";") })
        return Refusal(
            415, .webhookMediaType,
            name.isEmpty ? "the body has no Content-Type" : "\(Refusal.printable(name)) is not taken here",
            help: "send application/json (curl -H 'Content-Type: application/json'), "
                + "or application/x-ndjson for several payloads")
    }
}
