public import UsherJSON
internal import UsherText

/// A request to a hook as `usher hook listen` writes it, and `usher hook test` and `[[hooks.NAME.expect]]` read it:
/// `{"v":1,"time","method","path","query","headers":[["Name","value"],…]}`, and `body` or, where that is not UTF-8,
/// `body_base64`.
public struct HookCapture: Sendable, Hashable {
    /// When it came (RFC 3339).
    public var time: String
    public var request: HookRequest

    /// Why a text is no captured request.
    public struct Invalid: Error, Sendable, Hashable {
        /// One sentence without a full stop.
        public var message: String

        public init(message: String) { self.message = message }
    }

    public init(time: String, _ request: HookRequest) {
        self.time = time
        self.request = request
    }

    /// Seconds since 1970; nil where `time` is no date.
    public var seconds: Int64? {
        InternetDate.secondsSince1970(time).flatMap { Int64(exactly: $0.rounded(.down)) }
    }

    // MARK: JSON

    /// Reads a captured request.
    ///
    /// - Returns: nil where the text is something else, such as the body of a request.
    public static func read(_ bytes: [UInt8]) throws(Invalid) -> HookCapture? {
        guard let value = try? JSONValue(parsing: bytes), value["v"]?.int64 == 1, value["headers"]?.kind == .array,
            let members = value.members
        else { return nil }
        let known = ["v", "time", "method", "path", "query", "headers", "body", "body_base64"]
        if let other = members.first(where: { !known.contains($0.name) }) {
            throw Invalid(message: "a captured request has no member \(QuotedText.text(other.name))")
        }
        var request = HookRequest(
            method: try text("method", of: value) ?? "POST", path: try text("path", of: value) ?? "",
            query: try text("query", of: value))
        for header in value["headers"]?.elements ?? [] {
            guard let pair = header.elements, pair.count == 2, let name = pair[0].string, let text = pair[1].string
            else { throw Invalid(message: "`headers` of a captured request is a list of [\"Name\", \"value\"]") }
            request.headers.append(.init(name, text))
        }
        switch (try text("body", of: value), try text("body_base64", of: value)) {
        case (let text?, nil): request.body = Array(text.utf8)
        case (nil, let encoded?):
            guard let body = Base64.decode(encoded) else {
                throw Invalid(message: "`body_base64` of a captured request is not Base64")
            }
            request.body = body
        case (nil, nil): break
        case (_?, _?): throw Invalid(message: "a captured request has `body` or `body_base64`, not both")
        }
        return HookCapture(time: try text("time", of: value) ?? "", request)
    }

    private static func text(_ name: String, of value: JSONValue) throws(Invalid) -> String? {
        guard let member = value[name], member.kind != .null else { return nil }
        if let text = member.string { return text }
        throw Invalid(message: "`\(name)` of a captured request is \(member.kind.phrase), not a string")
    }

    /// Appends one object.
    public func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("v", 1)
        json.member("time", time)
        json.member("method", request.method)
        json.member("path", request.path)
        json.member("query", request.query)
        json.beginArray("headers")
        for header in request.headers {
            json.beginArray()
            json.value(header.name)
            json.value(header.value)
            json.endArray()
        }
        json.endArray()
        if let text = String(validating: request.body, as: UTF8.self) {
            json.member("body", text)
        } else {
            json.member("body_base64", Base64.encode(request.body))
        }
        json.endObject()
    }
}

// MARK: - Masking

extension HookRequest {
    /// Stands for a token or a password.
    private static let mask = "***"
    private static let maskedHeaders = ["Authorization", "Proxy-Authorization", "Cookie", "X-Gitlab-Token"]
    private static let maskedParameters = ["token", "access_token", "api_key", "secret", "password"]

    /// The same request with `***` in place of tokens and passwords: in the place where the signature has one, and wherever
    /// they usually are.
    public func masked(_ signature: HookSignature?) -> HookRequest {
        var request = self
        var (headers, parameters) = (HookRequest.maskedHeaders, HookRequest.maskedParameters)
        var prefix = ""
        switch signature?.scheme.tokenPlace {
        case .header(let name, let before):
            headers.append(name)
            prefix = before
        case .query(let name): parameters.append(name)
        case nil: break
        }
        request.headers = self.headers.map { header in
            guard headers.contains(where: { HookRequest.isSame($0, header.name) }) else { return header }
            var kept = ""
            if !prefix.isEmpty, header.value.lowercased().hasPrefix(prefix.lowercased()) {
                kept = String(header.value.prefix(prefix.count))
            } else if header.name.lowercased().hasSuffix("authorization"), let end = header.value.firstIndex(of: " ") {
                kept = String(header.value[...end])
            }
            return Header(header.name, kept + HookRequest.mask)
        }
        request.query = query.map { query in
            query.split(separator: "&", omittingEmptySubsequences: false).map { part in
                let name = FormParameters.parse(part.utf8)?.first?.name ?? ""
                let isMasked = parameters.contains { $0.hasSameBytes(as: name) }
                return isMasked ? "\(part.prefix { $0 != "=" })=\(HookRequest.mask)" : String(part)
            }.joined(separator: "&")
        }
        return request
    }

    /// Whether the proof of a signature was masked, so that it cannot be judged.
    public func hasMaskedProof(of signature: HookSignature) -> Bool {
        switch signature.scheme.tokenPlace {
        case .header(let name, _): values(ofHeader: name).contains { $0.hasSuffix(HookRequest.mask) }
        case .query(let name): parameters.contains { $0.name == name && $0.value == HookRequest.mask }
        case nil: false
        }
    }
}

extension HookSignature.Scheme {
    /// Where the sender's token or password is; nil for a scheme without one.
    fileprivate var tokenPlace: HookTokenSource? {
        switch self {
        case .bearer(let place): place
        case .jwt(let token): token.place
        case .basic: .header("Authorization", prefix: "Basic ")
        case .code, .standard, .none: nil
        }
    }
}
