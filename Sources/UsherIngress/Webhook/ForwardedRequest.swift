internal import UsherConfiguration
internal import UsherHTTP
internal import UsherText

/// What a reverse proxy says about the request that it passes on: `Forwarded` (RFC 7239), and the older
/// `X-Forwarded-For`, `X-Forwarded-Host` and `X-Forwarded-Proto`.
struct ForwardedRequest: Sendable {
    /// The last address that is no proxy. nil where the headers are malformed, or contradict each other: a proxy that
    /// writes one of them may pass on another one that its client wrote.
    var client: InternetAddress?
    /// Every host that is named.
    var hosts: [String] = []
    /// Whether the client used TLS; nil where that is not said, or not clear.
    var isEncrypted: Bool?

    /// Nil where there is no such header.
    init?(_ fields: HTTPFields, trusting proxies: TrustedProxies) {
        let standard = fields.all("Forwarded")
        let addresses = fields.all("X-Forwarded-For")
        let hosts = ForwardedRequest.items(fields.all("X-Forwarded-Host")).filter { !$0.isEmpty }
        var schemes = ForwardedRequest.items(fields.all("X-Forwarded-Proto"))
        guard !standard.isEmpty || !addresses.isEmpty || !hosts.isEmpty || !schemes.isEmpty else { return nil }
        self.hosts = hosts
        var clients: [InternetAddress?] = []
        if !addresses.isEmpty {
            let nodes = ForwardedRequest.items(addresses).map { InternetAddress($0) ?? ForwardedRequest.address($0) }
            clients.append(ForwardedRequest.client(nodes, proxies)?.address)
        }
        if !standard.isEmpty {
            let elements = ForwardedRequest.elements(standard) ?? []
            let nodes = elements.map { element in element["for"].flatMap(ForwardedRequest.address) }
            let found = ForwardedRequest.client(nodes, proxies)
            clients.append(found?.address)
            // The proxy that saw the client wrote these beside its address.
            let element = found.map { elements[$0.index] } ?? [:]
            if let host = element["host"] { self.hosts.append(host) }
            if let scheme = element["proto"] { schemes.append(scheme) }
        }
        client = Set(clients).count == 1 ? clients.first ?? nil : nil
        let named = Set(schemes.map { $0.lowercased() })
        if named == ["https"] { isEncrypted = true } else if named == ["http"] { isEncrypted = false }
    }

    /// The last node that is no proxy, or the first node where all are proxies; nil where a node on the way is unknown.
    private static func client(
        _ nodes: [InternetAddress?], _ proxies: TrustedProxies
    ) -> (index: Int, address: InternetAddress)? {
        var found: (index: Int, address: InternetAddress)?
        for (index, node) in nodes.enumerated().reversed() {
            guard let node else { return nil }
            found = (index, node)
            if !proxies.contains(node) { break }
        }
        return found
    }

    /// The address of a node: `192.0.2.1`, `192.0.2.1:4711`, `[2001:db8::1]`, `[2001:db8::1]:4711`. RFC 7239, 6.
    private static func address(_ node: String) -> InternetAddress? {
        var host = node[...]
        if let end = node.lastIndex(of: "]") {
            guard node.hasPrefix("[") else { return nil }
            let rest = node[node.index(after: end)...]
            guard rest.isEmpty || isPort(rest) else { return nil }
            host = node[..<end].dropFirst()
            guard host.utf8.contains(UInt8(ascii: ":")) else { return nil }
        } else if let colon = node.firstIndex(of: ":") {
            guard isPort(node[colon...]) else { return nil }
            host = node[..<colon]
        }
        return InternetAddress(host)
    }

    /// A colon and a number, or an obfuscated port, which begins with `_`.
    private static func isPort(_ text: Substring) -> Bool {
        let port = text.dropFirst()
        guard text.first == ":", !port.isEmpty, port.utf8.count <= 64 else { return false }
        if port.first == "_" { return port.utf8.allSatisfy { isTokenByte($0) } }
        return port.utf8.count <= 5 && port.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    // MARK: Lists

    /// The items of a list in one or several header lines, without blanks around them.
    private static func items(_ lines: [String]) -> [String] {
        lines.flatMap { line in
            line.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
                .map { String(Substring($0.trimmed(" \t"))) }
        }
    }

    /// The elements of `Forwarded`, each with its parameters by their names in lower case; nil where one is malformed or
    /// has a parameter twice. RFC 7239, 4.
    private static func elements(_ lines: [String]) -> [[String: String]]? {
        let bytes = Array(lines.joined(separator: ",").utf8)
        var elements: [[String: String]] = [[:]]
        var i = 0
        func skipBlanks() { while i < bytes.count, bytes[i] == 0x20 || bytes[i] == 0x09 { i += 1 } }
        func token() -> String {
            let start = i
            // A node may have a port and brackets without being quoted: many proxies write it so.
            while i < bytes.count, isTokenByte(bytes[i]) || [0x3A, 0x5B, 0x5D].contains(bytes[i]) { i += 1 }
            return String(decoding: bytes[start..<i], as: UTF8.self)
        }
        func quoted() -> String? {
            var value: [UInt8] = []
            i += 1
            while i < bytes.count, bytes[i] != UInt8(ascii: "\"") {
                if bytes[i] == UInt8(ascii: "\\") { i += 1 }
                guard i < bytes.count else { return nil }
                value.append(bytes[i])
                i += 1
            }
            guard i < bytes.count else { return nil }
            i += 1
            return String(decoding: value, as: UTF8.self)
        }
        while i < bytes.count {
            skipBlanks()
            if i < bytes.count, bytes[i] != UInt8(ascii: ","), bytes[i] != UInt8(ascii: ";") {
                let name = token().lowercased()
                guard !name.isEmpty, i < bytes.count, bytes[i] == UInt8(ascii: "=") else { return nil }
                i += 1
                let isQuoted = i < bytes.count && bytes[i] == UInt8(ascii: "\"")
                guard let value = isQuoted ? quoted() : token(), isQuoted || !value.isEmpty,
                    elements[elements.count - 1].updateValue(value, forKey: name) == nil
                else { return nil }
                skipBlanks()
            }
            guard i < bytes.count else { break }
            guard bytes[i] == UInt8(ascii: ",") || bytes[i] == UInt8(ascii: ";") else { return nil }
            if bytes[i] == UInt8(ascii: ",") { elements.append([:]) }
            i += 1
        }
        return elements
    }

    /// RFC 9110, 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case _ where byte.isASCIILetterOrDigit: true
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
        default: false
        }
    }
}
