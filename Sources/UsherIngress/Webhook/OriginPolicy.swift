public import UsherConfiguration
public import UsherHTTP
internal import UsherHook
internal import UsherText

/// Refuses requests that web pages send to TCP listeners: judges Host, Origin and Sec-Fetch-Site.
///
/// A page can make a browser post to loopback, and by DNS rebinding even under a name of its own. The Unix socket needs none
/// of this: no page reaches it.
public struct OriginPolicy: Sendable {
    private let hosts: Set<String>
    /// The same, as bytes.
    private let hostBytes: [[UInt8]]
    private let origins: Set<String>
    /// With a listener that others reach, the daemon may be addressed by any number: a number cannot be rebound.
    private let takesNumbers: Bool
    private let proxies: TrustedProxies
    private let publicURL: PublicURL?

    /// - Parameter addresses: where the daemon listens, by the settings or by systemd.
    public init(_ settings: ServerSettings, addresses: [ListenAddress]) {
        let numbers = addresses.map { ($0.host.contains(":") ? "[\($0.host)]" : $0.host).lowercased() }
        let named = settings.allowedHosts + [settings.publicURL?.host].compactMap(\.self)
        hosts = Set(["localhost", "127.0.0.1", "[::1]"] + numbers + named)
        hostBytes = hosts.map { Array($0.utf8) }
        origins = Set(settings.allowedOrigins)
        takesNumbers = addresses.contains { !$0.isLoopback }
        proxies = settings.trustedProxies
        publicURL = settings.publicURL
    }

    /// The request as its client sent it to a trusted proxy: with the client's address, and the host and scheme that the
    /// client used. Any other request is returned as it is, whatever its headers say.
    ///
    /// A client of the Unix socket that is named by a proxy has none of the rights of a local user.
    public func withoutProxy(_ request: HTTPRequest) -> HTTPRequest {
        switch request.peer.address {
        case .local: guard proxies.includesUnixSocket else { return request }
        case .internet(let host, _):
            // A page that was led here by DNS rebinding writes these headers, but not the Host: that is judged first.
            guard !proxies.ranges.isEmpty, let address = InternetAddress(host.prefix { $0 != "%" }),
                proxies.contains(address), hostProblem(of: request) == nil
            else { return request }
        }
        guard let forwarded = ForwardedRequest(request.fields, trusting: proxies) else { return request }
        var request = request
        if let client = forwarded.client {
            request.peer.address = .internet(host: client.description, port: 0)
        } else if case .local = request.peer.address {
            request.peer.address = .internet(host: "unix", port: 0)
        }
        if let isEncrypted = forwarded.isEncrypted { request.peer.isEncrypted = isEncrypted }
        request.peer.forwardedHost = forwarded.hosts.last(where: OriginPolicy.isAuthority)
        return request
    }

    /// Scheme and authority by which the client reaches this daemon, without a slash at the end.
    public func origin(of request: HTTPRequest) -> String {
        if let publicURL { return publicURL.origin }
        return (request.peer.isEncrypted ? "https://" : "http://")
            + (request.peer.forwardedHost ?? request.fields["Host"] ?? "localhost")
    }

    /// Refuses what a web page may have sent.
    public func judge(_ request: HTTPRequest) throws(Refusal) {
        guard case .internet = request.peer.address else { return }
        if let problem = hostProblem(of: request) { throw problem }
        let allowed = allowedOrigin(of: request)
        if let origin = request.fields["Origin"], allowed == nil {
            throw Refusal(
                403, .webhookOrigin, "web pages of \(Refusal.printable(origin)) may not send here",
                help: "programs send no Origin; a page's is let in by `allowed-origins`")
        }
        let sites = request.fields.all("Sec-Fetch-Site")
        if let site = sites.first(where: { $0 != "none" && $0 != "same-origin" }), allowed == nil {
            throw Refusal(
                403, .webhookOrigin, "a web page of another site may not send here (\(Refusal.printable(site)))",
                help: "a page's origin is let in by `allowed-origins`")
        }
        if request.fields.count("Content-Type") > 1 {
            throw Refusal(400, .webhookHeader, "Content-Type is there twice", help: "keep one of them")
        }
    }

    /// The origin of a page that may send; nil where there is none.
    func allowedOrigin(of request: HTTPRequest) -> String? {
        if origins.isEmpty { return nil }
        let values = request.fields.all("Origin")
        guard values.count == 1, let origin = values.first, origins.contains(origin.lowercased()) else { return nil }
        return origin
    }

    /// The answer to a browser that asks before it sends (CORS, preflight); nil where the request is no such question.
    public func preflight(_ request: HTTPRequest) -> HTTPResponse? {
        guard request.method == "OPTIONS", request.fields["Access-Control-Request-Method"] != nil,
            let origin = allowedOrigin(of: request)
        else { return nil }
        return HTTPResponse(
            204,
            fields: HTTPFields([
                .init("Access-Control-Allow-Origin", origin), .init("Access-Control-Allow-Methods", "POST, GET"),
                .init(
                    "Access-Control-Allow-Headers",
                    "Authorization, Content-Type, Idempotency-Key, webhook-id, apns-topic, apns-id, apns-push-type, "
                        + "apns-priority, apns-collapse-id, apns-expiration, traceparent"),
                .init("Access-Control-Max-Age", "600"), .init("Vary", "Origin"),
            ]))
    }

    /// The sender as the connection alone shows it.
    public func peer(of request: HTTPRequest) -> Sender {
        switch request.peer.address {
        case .internet(let host, _): .address(OriginPolicy.network(of: host))
        case .local(let user, _, _): .user(user)
        }
    }

    /// The addresses that one client can use are limited together.
    private static func network(of host: String) -> String {
        host.utf8.contains(UInt8(ascii: ":")) ? InternetAddress(host)?.clientNetwork ?? host : host
    }

    /// Why the Host is none of this daemon; nil where it is one.
    private func hostProblem(of request: HTTPRequest) -> Refusal? {
        if let bytes = request.fields.onlyBytes("Host"), isKnown(bytes) { return nil }
        let count = request.fields.count("Host")
        guard count == 1, let value = request.fields["Host"] else {
            return Refusal(
                400, .webhookHost, count == 0 ? "there is no Host" : "there is more than one Host",
                help: "HTTP/1.1 wants exactly one")
        }
        if isName(value) { return nil }
        return Refusal(
            421, .webhookHost, "\(Refusal.printable(value)) is not a name of this daemon",
            help: "address it as localhost, or add the name to `allowed-hosts`")
    }

    /// Whether this is a name of the daemon, perhaps with a port.
    private func isName(_ host: String) -> Bool {
        guard let host = OriginPolicy.name(in: host.lowercased()) else { return false }
        return hosts.contains(host) || takesNumbers && OriginPolicy.isNumber(host)
    }

    /// Whether this is one of our names, perhaps with a port; a name in another spelling may be one all the same.
    private func isKnown(_ host: ArraySlice<UInt8>) -> Bool {
        guard let end = OriginPolicy.endOfName(in: host) else { return false }
        let name = host[..<end]
        return hostBytes.contains { $0.count == name.count && $0.elementsEqual(name) }
    }

    /// The host without its port and a last dot; nil where it is not well formed.
    private static func name(in value: String) -> String? {
        let bytes = Array(value.utf8)[...]
        guard let end = endOfName(in: bytes) else { return nil }
        var host = bytes[..<end]
        if host.last == UInt8(ascii: ".") { host.removeLast() }
        return String(decoding: host, as: UTF8.self)
    }

    /// Whether this is a name or an address, perhaps with a port.
    private static func isAuthority(_ text: String) -> Bool {
        let isPlain = text.utf8.allSatisfy { $0.isASCIILetterOrDigit || ".-_[]:".utf8.contains($0) }
        return isPlain && name(in: text)?.isEmpty == false
    }

    /// Where the name of a Host ends. Behind it there is nothing, or a colon and a port: nil where there is anything else.
    private static func endOfName(in host: ArraySlice<UInt8>) -> Int? {
        var end = host.firstIndex(of: UInt8(ascii: ":")) ?? host.endIndex
        if host.first == UInt8(ascii: "[") {
            guard let bracket = host.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            end = bracket + 1
        }
        let rest = host[end...]
        return rest.isEmpty || isPort(rest) ? end : nil
    }

    /// Whether this is a colon and a number up to 65535, or nothing behind it (RFC 3986, 3.2.3).
    private static func isPort(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.first == UInt8(ascii: ":"), (1...6).contains(text.count) else { return false }
        var number = 0
        for digit in text.dropFirst() {
            guard (0x30...0x39).contains(digit) else { return false }
            number = number * 10 + Int(digit - 0x30)
        }
        return number <= 65535
    }

    private static func isNumber(_ host: String) -> Bool { ListenAddress(host + ":0").map { $0.host != "" } ?? false }
}
