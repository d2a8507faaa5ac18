public import UsherJSON

/// How a hook authenticates its sender.
public struct HookSignature: Sendable, Hashable {
    public var scheme: Scheme
    /// The sender whose name was written as the scheme, if one was.
    public var vendor: HookVendor?
    /// Where the secrets, or the public keys, are read; nil only for `none`.
    public var secret: SecretSource?
    public var replays: HookReplays

    /// The general schemes.
    public enum Scheme: Sendable, Hashable {
        /// `hmac` and `public-key`: a header has a code of the request.
        case code(HookCode)
        /// A JSON Web Token, signed with one of the public keys.
        case jwt(HookWebToken)
        /// `Authorization: Basic` (RFC 7617).
        case basic
        /// One of the secrets itself.
        case bearer(HookTokenSource)
        /// Standard Webhooks: `webhook-id`, `webhook-timestamp`, `webhook-signature`.
        case standard(tolerance: Int)
        /// Every request that reaches the hook is accepted.
        case none
    }

    /// - Parameter replays: nil for the default of the scheme.
    public init(
        _ scheme: Scheme, vendor: HookVendor? = nil, secret: SecretSource? = nil, replays: HookReplays? = nil
    ) {
        self.scheme = scheme
        self.vendor = vendor
        self.secret = secret
        self.replays = replays ?? HookSignature.defaultReplays(scheme, vendor)
    }

    public static let none = HookSignature(.none)

    /// The scheme as it is written in the configuration: the vendor's name, if there is one.
    public var name: String { vendor?.name ?? scheme.name }

    /// What identifies a repeated event, unless `replays` says otherwise.
    private static func defaultReplays(_ scheme: Scheme, _ vendor: HookVendor?) -> HookReplays {
        switch scheme {
        case .standard: .code
        case .code(let code): vendor != nil || code.time != nil ? .code : .id
        case .jwt, .basic, .bearer, .none: .id
        }
    }
}

extension HookSignature.Scheme {
    /// As it is written in the configuration.
    public var name: String {
        switch self {
        case .code(let code): code.method.schemeName
        case .jwt: "jwt"
        case .basic: "basic"
        case .bearer: "bearer"
        case .standard: "standard"
        case .none: "none"
        }
    }

    /// Whether a code of the body is checked, by which a repeated request can be recognized.
    public var signsBody: Bool {
        switch self {
        case .code, .standard: true
        case .jwt, .basic, .bearer, .none: false
        }
    }

    /// Whether the secrets are public keys.
    public var hasPublicKeys: Bool {
        switch self {
        case .code(let code): if case .publicKey = code.method { true } else { false }
        case .jwt: true
        case .basic, .bearer, .standard, .none: false
        }
    }
}

/// What identifies a repeated event.
public enum HookReplays: String, Sendable, Hashable, CaseIterable {
    /// What was signed: a request whose content was accepted before is a duplicate, whatever id comes with it.
    case code
    /// Only the sender's id.
    case id
}

// MARK: - Codes

/// A code of the request in a header: an HMAC, or a signature with a private key.
public struct HookCode: Sendable, Hashable {
    public var method: Method
    public var header: String
    public var encoding: Encoding
    /// Stands before a code, such as `sha256=`.
    public var prefix: String
    /// Between the items of a list, of which those with the prefix are codes; nil where the header is one code.
    public var separator: String?
    public var time: SignedTime?
    /// What is signed, in order; nil for `{body}`, or `{timestamp}.{body}` where the time is in a header.
    public var content: [Part]?
    /// The status where no code is right.
    public var mismatchStatus: Int
    /// A header with a code that is too weak; where only this one was sent, the answer says so.
    public var weakHeader: String?
    /// A parameter of the query with the SHA-256 of a body that is no form, in hexadecimal. Needed where `{form}` is
    /// signed and `{body}` is not.
    public var digestParameter: String?

    public enum Method: Sendable, Hashable {
        case hmac(Hash = .sha256, secrets: SecretEncoding = .text)
        case publicKey(Curve = .ed25519)
    }

    public enum Hash: String, Sendable, CaseIterable { case sha1, sha256, sha512 }

    public enum Curve: String, Sendable, CaseIterable {
        case ed25519
        /// With SHA-256.
        case p256 = "ecdsa-p256"
    }

    /// How a secret stands in its line.
    public enum SecretEncoding: String, Sendable, CaseIterable { case text, hex, base64 }

    public enum Encoding: String, Sendable, CaseIterable { case hex, base64, base64url }

    public enum Part: Sendable, Hashable {
        case literal(String)
        case body, timestamp, method, path, query, url
        /// The fields of the form, sorted by name and value, as name and value without separators; equal ones count once.
        case form
        case header(String)
    }

    public init(
        _ method: Method = .hmac(), header: String, encoding: Encoding = .hex, prefix: String = "",
        separator: String? = nil, time: SignedTime? = nil, content: [Part]? = nil, mismatchStatus: Int = 403,
        weakHeader: String? = nil, digestParameter: String? = nil
    ) {
        self.method = method
        self.header = header
        self.encoding = encoding
        self.prefix = prefix
        self.separator = separator
        self.time = time
        self.content = content
        self.mismatchStatus = mismatchStatus
        self.weakHeader = weakHeader
        self.digestParameter = digestParameter
    }

    /// `content`, or its default.
    public var signedParts: [Part] {
        content ?? (time?.isBesideCode == true ? [.timestamp, .literal("."), .body] : [.body])
    }
}

extension HookCode.Method {
    /// The general scheme of the method.
    public var schemeName: String {
        switch self {
        case .hmac: "hmac"
        case .publicKey: "public-key"
        }
    }
}

/// A time that is signed with the body.
public struct SignedTime: Sendable, Hashable {
    public var place: Source
    public var format: Format
    /// The greatest difference from now, in seconds, both ways.
    public var tolerance: Int

    public enum Source: Sendable, Hashable {
        case header(String)
        /// The item of the list of codes that begins so.
        case item(prefix: String)
        /// A value of the JSON body.
        case pointer(JSONReference)
    }

    public enum Format: String, Sendable, CaseIterable { case seconds, milliseconds, rfc3339 }

    /// The tolerance, unless the configuration says otherwise.
    public static let defaultTolerance = 300

    public init(_ place: Source, format: Format = .seconds, tolerance: Int = SignedTime.defaultTolerance) {
        self.place = place
        self.format = format
        self.tolerance = tolerance
    }

    /// Whether the time is known before the body is parsed, and can be `{timestamp}`.
    public var isBesideCode: Bool { if case .pointer = place { false } else { true } }
}

// MARK: - Tokens

/// Where a token is.
public enum HookTokenSource: Sendable, Hashable {
    /// In a header, after a prefix that is compared without the case of ASCII letters.
    case header(String, prefix: String)
    /// In a parameter of the query.
    case query(String)

    public static let authorization = HookTokenSource.header("Authorization", prefix: "Bearer ")
}

/// What a JSON Web Token must say (RFC 7519).
public struct HookWebToken: Sendable, Hashable {
    public var place: HookTokenSource
    public var algorithms: [Algorithm]
    /// One of these must be an audience of the token.
    public var audience: [String]
    /// One of these must be the issuer; any issuer where the list is empty.
    public var issuer: [String]
    /// Members of the claims with the values that they must have.
    public var claims: [String: HookCondition.Constant]
    /// The clock skew for `exp`, `nbf` and `iat`, in seconds.
    public var tolerance: Int

    public enum Algorithm: String, Sendable, CaseIterable {
        case rs256 = "RS256"
        case es256 = "ES256"
    }

    /// The tolerance, unless the configuration says otherwise.
    public static let defaultTolerance = 60

    public init(
        place: HookTokenSource = .authorization, algorithms: [Algorithm] = Algorithm.allCases, audience: [String],
        issuer: [String] = [], claims: [String: HookCondition.Constant] = [:],
        tolerance: Int = HookWebToken.defaultTolerance
    ) {
        self.place = place
        self.algorithms = algorithms
        self.audience = audience
        self.issuer = issuer
        self.claims = claims
        self.tolerance = tolerance
    }
}

// MARK: - Secrets

/// Where secrets or keys are read: never in the configuration itself.
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
