public import UsherHook

/// What a bearer token of the daemon permits. A word behind the token in `token-file`; a token without one permits all.
public enum TokenScope: String, Sendable, CaseIterable {
    /// Sending notifications, and hooks without a signature.
    case send
    /// Reading sessions, deliveries, records and notes, and all of `targets`.
    case read
    /// Changing them.
    case control
    /// Reading `/metrics`.
    case metrics
    /// `/v1/targets` and what is below it, nothing else.
    case targets
}

/// One line of `token-file`.
public struct AccessToken: Sendable {
    public var text: [UInt8]
    public var scopes: Set<TokenScope>

    func permits(_ scope: TokenScope) -> Bool {
        scopes.contains(scope) || scope == .targets && scopes.contains(.read)
    }

    /// - Parameter line: the token, and its scopes behind blanks. nil where one of them is unknown.
    init?(_ line: [UInt8]) {
        let words = line.split { $0 == 0x20 || $0 == 0x09 }.map { String(decoding: $0, as: UTF8.self) }
        guard let text = words.first else { return nil }
        self.text = Array(text.utf8)
        let scopes = words.dropFirst().map { TokenScope(rawValue: $0) }
        guard !scopes.contains(nil) else { return nil }
        self.scopes = scopes.isEmpty ? Set(TokenScope.allCases) : Set(scopes.compactMap(\.self))
    }
}

extension SecretFiles {
    /// The bearer tokens of a source: at least one. A line that begins with `#` is a comment: no token begins so (RFC 6750,
    /// 2.1). One line that is no token makes the whole source unusable.
    public func tokens(of source: SecretSource) throws(Failure) -> [AccessToken] {
        var tokens: [AccessToken] = []
        for (number, line) in try numberedSecrets(of: source) where line.first != UInt8(ascii: "#") {
            guard let token = AccessToken(line) else {
                let known = TokenScope.allCases.map(\.rawValue).joined(separator: ", ")
                throw Failure(
                    source: source,
                    reason: "line \(number) has an unknown scope behind its token; there are \(known)")
            }
            tokens.append(token)
        }
        guard !tokens.isEmpty else { throw Failure(source: source, reason: "there is no token in it") }
        return tokens
    }
}
