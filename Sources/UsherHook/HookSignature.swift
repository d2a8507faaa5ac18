/// How a hook knows its sender.
public enum HookSignature: Sendable, Hashable {
    /// `X-Hub-Signature-256`.
    case github(SecretSource)
    /// `X-Gitlab-Token`.
    case gitlab(SecretSource)
    /// Standard Webhooks: `webhook-id`, `webhook-timestamp`, `webhook-signature`.
    case standard(SecretSource, tolerance: Int)
    case hmac(HookCode, SecretSource)
    /// `Authorization: Bearer`.
    case bearer(SecretSource)
    /// Anybody who gets to the door.
    case none

    public enum Scheme: String, Sendable, CaseIterable { case github, gitlab, standard, hmac, bearer, none }

    public var secret: SecretSource? {
        switch self {
        case .github(let source), .gitlab(let source), .standard(let source, _), .hmac(_, let source),
            .bearer(let source):
            source
        case .none: nil
        }
    }

    /// How far a timestamp may be from now, in seconds, unless `tolerance` says otherwise.
    public static let defaultTolerance = 300
}

/// A message authentication code in a header, as many senders have one of their own.
public struct HookCode: Sendable, Hashable {
    public var header: String
    public var algorithm: Algorithm
    public var encoding: Encoding
    /// Stands before the code in the header, such as `sha256=`.
    public var prefix: String
    /// Has the seconds since 1970 that are signed with the body.
    public var timestampHeader: String?
    /// Of the timestamp, in seconds.
    public var tolerance: Int
    /// What is signed, in order.
    public var content: [Part]

    public enum Algorithm: String, Sendable, CaseIterable { case sha1, sha256, sha512 }
    public enum Encoding: String, Sendable, CaseIterable { case hex, base64, base64url }

    public enum Part: Sendable, Hashable {
        case literal(String)
        case timestamp
        case body
    }

    public init(
        header: String, algorithm: Algorithm = .sha256, encoding: Encoding = .hex, prefix: String = "",
        timestampHeader: String? = nil, tolerance: Int = HookSignature.defaultTolerance, content: [Part] = [.body]
    ) {
        self.header = header
        self.algorithm = algorithm
        self.encoding = encoding
        self.prefix = prefix
        self.timestampHeader = timestampHeader
        self.tolerance = tolerance
        self.content = content
    }
}

/// Where a secret is read: never in the configuration itself.
public enum SecretSource: Sendable, Hashable {
    /// An absolute path.
    case file(String)
    /// A file of that name in `$CREDENTIALS_DIRECTORY`, where systemd puts credentials.
    case credential(String)
}

extension SecretSource: CustomStringConvertible {
    public var description: String {
        switch self {
        case .file(let path): path
        case .credential(let name): "the credential \(name)"
        }
    }
}
