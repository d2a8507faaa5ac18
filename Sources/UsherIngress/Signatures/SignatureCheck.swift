internal import UsherCrypto
internal import UsherHTTP
public import UsherHook
internal import UsherJSON
internal import UsherText

/// What a valid signature says about a repeat of the request.
public struct HookProof: Sendable, Hashable {
    /// The SHA-256 of what was signed, which is the same whichever of several codes of it was valid. Nil where the scheme
    /// signs no body.
    public var code: [UInt8]?
    /// For how many seconds from now the signed time is accepted; nil where no time is signed.
    public var validSeconds: Int?
    /// Whether the sender is authenticated: not so if the hook has no secret and the daemon no tokens.
    public var isAuthenticated = true
}

/// Judges whether a request was signed with one of some secrets: on the raw bytes, in constant time, and not too long ago.
public struct SignatureCheck: Sendable {
    let request: HookRequest
    /// The secrets, or the content of the file of public keys.
    let secrets: [[UInt8]]
    /// Seconds since 1970.
    let now: Int64

    /// - Parameters:
    ///   - secrets: what `SecretFiles` reads for the signature.
    ///   - now: seconds since 1970.
    public init(_ request: HookRequest, secrets: [[UInt8]], now: Int64) {
        self.request = request
        self.secrets = secrets
        self.now = now
    }

    /// Throws what is wrong with the signature: 401 where it is missing or unreadable, 403 where it is not valid, 503 where
    /// the secrets cannot be used.
    public func judge(_ signature: HookSignature) throws(Refusal) -> HookProof {
        switch signature.scheme {
        case .none: return HookProof()
        case .code(let code): return try judge(code)
        case .standard(let tolerance): return try judgeStandard(tolerance: tolerance)
        case .basic: try judgeBasic()
        case .bearer(let place): try judgeBearer(place)
        case .jwt(let token): try judge(token)
        }
        return HookProof()
    }

    /// The code of a text under the first secret, in hexadecimal: SHA-256, unless the scheme has another algorithm.
    public func hexadecimalCode(of text: String, _ signature: HookSignature) throws(Refusal) -> String {
        var method: (hash: HookCode.Hash, secrets: HookCode.SecretEncoding) = (.sha256, .text)
        if case .code(let code) = signature.scheme, case .hmac(let hash, let encoding) = code.method {
            method = (hash, encoding)
        }
        let keys = try keys(method.secrets).prefix(1)
        guard let code = try codes(method.hash.algorithm, of: [Array(text.utf8)], keys: Array(keys)).first else {
            throw SignatureCheck.unusable("the hook has no secret")
        }
        return Hexadecimal.encode(code)
    }
}

// MARK: - Codes in a header

extension SignatureCheck {
    /// More codes, or items of a list, than any rotation of secrets needs.
    private static let codeLimit = 16
    private static let itemLimit = 64

    private func judge(_ code: HookCode) throws(Refusal) -> HookProof {
        let found = try codes(in: code)
        var time = found.time
        if case .header(let name)? = code.time?.place { time = try header(name, SignatureCheck.signedToo) }
        if let signed = code.time, signed.isBesideCode {
            _ = try SignatureCheck.seconds(time ?? "", signed.format, in: signed.name)
        }
        let given = found.codes.compactMap { SignatureCheck.decode($0, code.encoding) }
        guard !given.isEmpty else {
            throw SignatureCheck.malformed("the code in \(code.header) is not \(code.encoding.rawValue)")
        }
        let content = try content(of: code, time: time ?? "")
        let isValid =
            switch code.method {
            case .hmac(let hash, let encoding):
                try isCode(given, of: content, hash.algorithm, keys: keys(encoding))
            case .publicKey(let curve): try isSignature(given, of: content, curve)
            }
        guard isValid else {
            throw SignatureCheck.mismatch(
                "\(code.header) is not the code of this request", status: code.mismatchStatus)
        }
        try judgeDigest(code)
        var validSeconds: Int?
        if let signed = code.time { validSeconds = try judge(signed, time) }
        return HookProof(code: try digest(of: content), validSeconds: validSeconds)
    }

    /// The codes of a header as they are written, at least one, and the time that is beside them.
    private func codes(in code: HookCode) throws(Refusal) -> (codes: [String], time: String?) {
        let name = code.header
        if let weak = code.weakHeader, request.header(name) == nil, request.header(weak) != nil {
            throw Refusal(
                401, .signatureMissing, "there is only \(weak), which is made with SHA-1",
                help: "the sender has to sign with SHA-256: \(name)")
        }
        guard let separator = code.separator else {
            let value = try header(name)
            guard !value.isEmpty else { throw SignatureCheck.malformed("\(name) is empty") }
            guard let rest = SignatureCheck.rest(of: value.utf8, after: code.prefix) else {
                throw SignatureCheck.malformed("\(name) does not begin with \(code.prefix)")
            }
            return ([rest], nil)
        }
        let items = try items(of: name, separator: separator)
        var codes: [String] = []
        var times: [String] = []
        for item in items {
            if case .item(let prefix)? = code.time?.place, let time = SignatureCheck.rest(of: item, after: prefix) {
                times.append(time)
            } else if let code = SignatureCheck.rest(of: item, after: code.prefix) {
                codes.append(code)
            }
        }
        guard (1...SignatureCheck.codeLimit).contains(codes.count) else {
            throw SignatureCheck.malformed(
                codes.isEmpty
                    ? "\(name) has no item that begins with \(code.prefix)"
                    : "\(name) has more than \(SignatureCheck.codeLimit) codes")
        }
        if case .item(let prefix)? = code.time?.place, times.count != 1 {
            throw SignatureCheck.malformed("\(name) has \(times.count) items that begin with \(prefix), not one")
        }
        return (codes, times.first)
    }

    /// The items of a list, blanks around them dropped; all lines of the header are one list (RFC 9110, 5.3).
    private func items(of name: String, separator: String) throws(Refusal) -> [ArraySlice<UInt8>] {
        let values = request.values(ofHeader: name)
        guard !values.isEmpty else { throw SignatureCheck.missing(name) }
        let items = values.flatMap { Array($0.utf8).split(separator: Array(separator.utf8)) }
            .map { $0.trimmed(" \t") }
        guard items.count <= SignatureCheck.itemLimit else {
            throw SignatureCheck.malformed("\(name) has more than \(SignatureCheck.itemLimit) items")
        }
        return items.filter { !$0.isEmpty }
    }

    /// What follows a prefix; nil where the text does not begin with it.
    private static func rest(of text: some Collection<UInt8>, after prefix: String) -> String? {
        text.starts(with: prefix.utf8) ? String(decoding: text.dropFirst(prefix.utf8.count), as: UTF8.self) : nil
    }

    private static func decode(_ text: String, _ encoding: HookCode.Encoding) -> [UInt8]? {
        switch encoding {
        case .hex: Hexadecimal.decode(text)
        case .base64: Base64.decode(text)
        case .base64url: Base64.decode(text, .url)
        }
    }

    // MARK: Content

    private func content(of code: HookCode, time: String) throws(Refusal) -> [[UInt8]] {
        var content: [[UInt8]] = []
        for part in code.signedParts {
            switch part {
            case .literal(let text): content.append(Array(text.utf8))
            case .body: content.append(request.body)
            case .timestamp: content.append(Array(time.utf8))
            case .method: content.append(Array(request.method.utf8))
            case .path: content.append(Array(request.path.utf8))
            case .query: content.append(Array((request.query ?? "").utf8))
            case .url: content.append(Array(request.url.utf8))
            case .header(let name): content.append(Array(try header(name, SignatureCheck.signedToo).utf8))
            case .form: content.append(try form())
            }
        }
        return content
    }

    /// The names of the form's fields, sorted, each with its distinct values, sorted: the name is before each value.
    private func form() throws(Refusal) -> [UInt8] {
        guard let fields = request.formFields else {
            throw Refusal(
                413, .hookFormFields, "the form has more than \(HookRequest.formFieldLimit) fields", help: "send fewer")
        }
        var values: [[UInt8]: Set<[UInt8]>] = [:]
        for field in fields { values[Array(field.name.utf8), default: []].insert(Array(field.value.utf8)) }
        var content: [UInt8] = []
        for (name, values) in values.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            for value in values.sorted(by: { $0.lexicographicallyPrecedes($1) }) { content += name + value }
        }
        return content
    }

    /// Where a form is signed instead of the body, any other body needs its digest in the signed URL.
    private func judgeDigest(_ code: HookCode) throws(Refusal) {
        let parts = code.signedParts
        guard !parts.contains(.body), !request.isForm, !request.body.isEmpty else { return }
        guard let name = code.digestParameter, parts.contains(.url) || parts.contains(.query) else {
            throw SignatureCheck.mismatch("the body is no form, and only a form is signed", status: code.mismatchStatus)
        }
        let given = request.parameters.filter { $0.name.hasSameBytes(as: name) }.map(\.value)
        guard given.count == 1, let expected = Hexadecimal.decode(given[0]),
            ConstantTime.areEqual(expected, try digest(of: [request.body]))
        else {
            throw SignatureCheck.mismatch("\(name) is not the SHA-256 of the body", status: code.mismatchStatus)
        }
    }

    // MARK: Keys

    /// The secrets as they are used.
    private func keys(_ encoding: HookCode.SecretEncoding) throws(Refusal) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        for (index, secret) in secrets.enumerated() {
            let text = String(decoding: secret, as: UTF8.self)
            let key: [UInt8]? =
                switch encoding {
                case .text: secret
                case .hex: Hexadecimal.decode(text)
                case .base64: Base64.decode(text, requiresPadding: false)
                }
            guard let key, !key.isEmpty else { throw SignatureCheck.unusable(index, encoding.rawValue) }
            keys.append(key)
        }
        return keys
    }

    private func isCode(
        _ given: [[UInt8]], of content: [[UInt8]], _ algorithm: HashAlgorithm, keys: [[UInt8]]
    ) throws(Refusal) -> Bool {
        let codes = try codes(algorithm, of: content, keys: keys)
        return given.contains { ConstantTime.isAmong(codes, $0) }
    }

    /// More public keys than these are not tried: each costs a pass over the body for every code.
    private static let keyLimit = 16

    private func isSignature(
        _ given: [[UInt8]], of content: [[UInt8]], _ curve: HookCode.Curve
    ) throws(Refusal) -> Bool {
        let message = Array(content.joined())
        let wanted: PublicKey.Kind =
            switch curve {
            case .ed25519: .ed25519
            case .p256: .p256
            }
        var isValid = false
        var tried = 0
        for key in try publicKeys() {
            let key = try SignatureCheck.publicKey(key)
            guard key.kind == wanted else { continue }
            tried += 1
            guard tried <= SignatureCheck.keyLimit else {
                throw SignatureCheck.unusable("there are more than \(SignatureCheck.keyLimit) keys in the file")
            }
            for signature in given where key.isValid(signature, of: message) { isValid = true }
        }
        if tried == 0 { throw SignatureCheck.unusable("there is no key for \(curve.rawValue) in the file") }
        return isValid
    }

    private func publicKeys() throws(Refusal) -> [PublicKeyFile.Key] {
        try Result { () throws(PublicKeyFile.Failure) in try PublicKeyFile.keys(in: secrets.first ?? []) }
            .mapError { SignatureCheck.unusable($0.reason) }.get()
    }

    private static func publicKey(_ key: PublicKeyFile.Key) throws(Refusal) -> PublicKey {
        try Result { () throws(CryptoError) in try PublicKey(subjectPublicKeyInfo: key.info) }
            .mapError { unusable("a key in the file is no SubjectPublicKeyInfo: \($0)") }.get()
    }

    /// The code that each of the keys makes: one pass over the pieces a key.
    private func codes(
        _ algorithm: HashAlgorithm, of pieces: [[UInt8]], keys: [[UInt8]]
    ) throws(Refusal) -> [[UInt8]] {
        do throws(CryptoError) {
            var codes: [[UInt8]] = []
            for key in keys {
                let authenticator = try MessageAuthenticator(algorithm, key: key)
                for piece in pieces { try authenticator.update(piece) }
                codes.append(try authenticator.finish())
            }
            return codes
        } catch {
            throw SignatureCheck.unusable("the code cannot be computed: \(error)")
        }
    }

    private func digest(of pieces: [[UInt8]]) throws(Refusal) -> [UInt8] {
        try Result { () throws(CryptoError) in try HashAlgorithm.sha256.digest(of: pieces) }
            .mapError { SignatureCheck.unusable("the digest cannot be computed: \($0)") }.get()
    }
}

extension HookCode.Hash {
    fileprivate var algorithm: HashAlgorithm {
        switch self {
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha512: .sha512
        }
    }
}

// MARK: - Times

extension SignatureCheck {
    /// Refuses a signed time too far from now, so that a recorded request cannot be sent again later.
    ///
    /// - Parameter text: the time that is beside the code; nil where it is in the body.
    /// - Returns: for how many seconds from now the time is accepted.
    private func judge(_ time: SignedTime, _ text: String?) throws(Refusal) -> Int {
        var text = text ?? ""
        if case .pointer(let reference) = time.place { text = try value(at: reference) }
        return try judgeTime(text, time.format, in: time.name, tolerance: time.tolerance)
    }

    /// A number or a string of the JSON body.
    private func value(at reference: JSONReference) throws(Refusal) -> String {
        var document = JSONDocument()
        guard (try? document.parse(request.body)) != nil, let root = document.root else {
            throw SignatureCheck.malformed("the body has the time at \(reference.text), and is not JSON")
        }
        let element = document.value(at: reference, from: root)
        guard let text = element.flatMap({ document.string($0) ?? document.numberText($0) }) else {
            throw SignatureCheck.malformed("there is no time at \(reference.text)")
        }
        return text
    }

    private func judgeTime(
        _ text: String, _ format: SignedTime.Format, in name: String, tolerance: Int
    ) throws(Refusal) -> Int {
        let time = try SignatureCheck.seconds(text, format, in: name)
        let age = now - time
        guard age.magnitude <= UInt64(tolerance) else {
            throw Refusal(
                403, .signatureStale,
                age > 0 ? "the request was signed \(age) s ago" : "the request was signed \(-age) s from now",
                help: "at most \(tolerance) s are accepted (`tolerance`); are both clocks right?")
        }
        return tolerance - Int(age)
    }

    /// A time in seconds since 1970.
    private static func seconds(
        _ text: String, _ format: SignedTime.Format, in name: String
    ) throws(Refusal) -> Int64 {
        let time: Int64?
        switch format {
        case .seconds: time = SignatureCheck.number(text, digits: 12)
        case .milliseconds: time = SignatureCheck.number(text, digits: 15).map { $0 / 1000 }
        // Years have four digits, so the number is small.
        case .rfc3339: time = InternetDate.secondsSince1970(text).map { Int64($0.rounded(.down)) }
        }
        guard let time else { throw SignatureCheck.malformed("\(name) is not \(format.phrase)") }
        return time
    }

    /// A number without a sign; nil where there is anything else, or more digits.
    private static func number(_ text: String, digits: Int) -> Int64? {
        let isNumber = (1...digits).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber ? Int64(text) : nil
    }
}

extension SignedTime {
    /// Where the time is, for a message.
    fileprivate var name: String {
        switch place {
        case .header(let name): name
        case .item(let prefix): "the item that begins with \(prefix)"
        case .pointer(let reference): reference.text
        }
    }
}

extension SignedTime.Format {
    fileprivate var phrase: String {
        switch self {
        case .seconds: "a number of seconds since 1970"
        case .milliseconds: "a number of milliseconds since 1970"
        case .rfc3339: "a date and time as in RFC 3339"
        }
    }
}

// MARK: - Tokens

extension SignatureCheck {
    private func judgeBearer(_ place: HookTokenSource) throws(Refusal) {
        let token = try token(at: place)
        if ConstantTime.isAmong(secrets, Array(token.utf8)) { return }
        throw SignatureCheck.mismatch("the token is not the secret of this hook")
    }

    private func judgeBasic() throws(Refusal) {
        let token = try token(at: .header("Authorization", prefix: "Basic "))
        let colon = UInt8(ascii: ":")
        guard let given = Base64.decode(token, requiresPadding: false), given.contains(colon) else {
            throw SignatureCheck.malformed("Authorization is not the base64 of USER:PASSWORD")
                .with("WWW-Authenticate", SignatureCheck.challenge("Basic"))
        }
        for (index, secret) in secrets.enumerated() where !secret.contains(colon) {
            throw SignatureCheck.unusable(index, "USER:PASSWORD")
        }
        if ConstantTime.isAmong(secrets, given) { return }
        throw SignatureCheck.mismatch("user and password are not those of this hook", status: 401)
            .with("WWW-Authenticate", SignatureCheck.challenge("Basic"))
    }

    /// `Authorization: Bearer` (RFC 6750, 2.1).
    static func bearerToken(of request: HTTPRequest) throws(Refusal) -> String {
        try token(in: request.fields.all("Authorization"), ofHeader: "Authorization", prefix: "Bearer ")
    }

    private func token(at place: HookTokenSource) throws(Refusal) -> String {
        switch place {
        case .header(let name, let prefix):
            return try SignatureCheck.token(in: request.values(ofHeader: name), ofHeader: name, prefix: prefix)
        case .query(let name):
            let values = request.parameters.filter { $0.name.hasSameBytes(as: name) }.map(\.value)
            guard let value = values.first, !value.isEmpty else {
                throw Refusal(
                    401, .signatureMissing, "the query has no \(name)", help: "add ?\(name)=TOKEN to the URL")
            }
            guard values.count == 1 else {
                throw SignatureCheck.malformed("the query has \(name) \(values.count) times")
            }
            return value
        }
    }

    private static func token(
        in values: [String], ofHeader name: String, prefix: String
    ) throws(Refusal) -> String {
        let isAuthorization = name.lowercased() == "authorization"
        let scheme = prefix.prefix { $0 != " " }
        guard let value = values.first, let token = rest(of: value, afterAnyCase: prefix) else {
            let wanted = isAuthorization && scheme == "Basic" ? "base64 of USER:PASSWORD" : "TOKEN"
            let refusal = Refusal(
                401, .signatureMissing,
                values.isEmpty ? "there is no \(name)" : "\(name) does not begin with \(scheme)",
                help: "send \(name): \(prefix)\(wanted)")
            throw isAuthorization ? refusal.with("WWW-Authenticate", challenge(String(scheme))) : refusal
        }
        guard values.count == 1 else { throw malformed("\(name) is there \(values.count) times") }
        return token
    }

    /// What follows a prefix in any case; further blanks after one are dropped. Nil where there is something else, or
    /// nothing after the blank that the prefix ends with.
    private static func rest(of value: String, afterAnyCase prefix: String) -> String? {
        let bytes = Array(value.utf8)
        guard bytes.count >= prefix.utf8.count,
            String(decoding: bytes.prefix(prefix.utf8.count), as: UTF8.self).lowercased() == prefix.lowercased()
        else { return nil }
        let rest = bytes.dropFirst(prefix.utf8.count)
        guard prefix.hasSuffix(" ") else { return String(decoding: rest, as: UTF8.self) }
        let token = rest.drop { $0 == 0x20 }
        return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
    }

    /// The value of `WWW-Authenticate` (RFC 9110, 11.6.1).
    private static func challenge(_ scheme: String) -> String {
        scheme == "Basic" ? "Basic realm=\"usher\"" : scheme.isEmpty ? "Bearer" : scheme
    }
}

// MARK: - JSON Web Tokens

extension SignatureCheck {
    /// RFC 7519, signed as in RFC 7515. The claims are read once the signature is known to be valid.
    private func judge(_ wanted: HookWebToken) throws(Refusal) {
        let token = try token(at: wanted.place)
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = SignatureCheck.object(parts[0]),
            let signature = Base64.decode(parts[2], .url)
        else { throw SignatureCheck.malformed("the token is no JSON Web Token: three parts in base64url") }
        guard header["crit"] == nil else {
            throw SignatureCheck.malformed("the token has extensions that have to be understood (crit)")
        }
        guard let name = header["alg"]?.string, let algorithm = HookWebToken.Algorithm(rawValue: name),
            wanted.algorithms.contains(algorithm)
        else {
            let names = wanted.algorithms.map(\.rawValue).joined(separator: " and ")
            throw SignatureCheck.malformed("the token has another `alg` than \(names)")
        }
        let message = Array("\(parts[0]).\(parts[1])".utf8)
        guard try isSignature(signature, of: message, algorithm, keyID: header["kid"]?.string) else {
            throw SignatureCheck.mismatch("the token is not signed with a key of this hook")
        }
        guard let claims = SignatureCheck.object(parts[1]) else {
            throw SignatureCheck.malformed("the claims of the token are no JSON object")
        }
        try judge(claims, wanted)
    }

    private static func object(_ part: Substring) -> JSONValue? {
        guard let bytes = Base64.decode(part, .url), let value = try? JSONValue(parsing: bytes, maximumDepth: 32),
            value.kind == .object
        else { return nil }
        return value
    }

    /// A signature with less is not secure (RFC 7518, 3.3).
    private static let modulusBits = 2048

    private func isSignature(
        _ signature: [UInt8], of message: [UInt8], _ algorithm: HookWebToken.Algorithm, keyID: String?
    ) throws(Refusal) -> Bool {
        var isValid = false
        for key in try publicKeys() {
            if let keyID, let id = key.id, !id.hasSameBytes(as: keyID) { continue }
            if let own = key.algorithm, own != algorithm.rawValue { continue }
            let publicKey = try SignatureCheck.publicKey(key)
            switch (publicKey.kind, algorithm) {
            case (.rsa(let bits), .rs256):
                guard bits >= SignatureCheck.modulusBits else {
                    throw SignatureCheck.unusable(
                        "an RSA key has \(bits) bits, and \(SignatureCheck.modulusBits) are needed")
                }
                if publicKey.isValid(signature, of: message) { isValid = true }
            // A token never has the other form of such a signature, DER.
            case (.p256, .es256):
                if signature.count == 64, publicKey.isValid(signature, of: message) { isValid = true }
            default: continue
            }
        }
        return isValid
    }

    private func judge(_ claims: JSONValue, _ wanted: HookWebToken) throws(Refusal) {
        func mismatch(_ claim: String, _ what: String) -> Refusal {
            Refusal(
                403, .signatureMismatch, "the claim \(Refusal.printable(claim)) of the token \(what)",
                help: "is the token meant for this hook?")
        }
        let audience = claims["aud"].map { $0.elements ?? [$0] } ?? []
        guard audience.contains(where: { SignatureCheck.isAmong(wanted.audience, $0.string) }) else {
            throw mismatch("aud", "is not the `audience` of this hook")
        }
        guard wanted.issuer.isEmpty || SignatureCheck.isAmong(wanted.issuer, claims["iss"]?.string) else {
            throw mismatch("iss", "is not the `issuer` of this hook")
        }
        for (name, constant) in wanted.claims.sorted(by: { $0.key < $1.key })
        where !SignatureCheck.isSame(claims[name], constant) {
            throw mismatch(name, "is not \(constant)")
        }
        func time(_ name: String) throws(Refusal) -> Double? {
            guard let value = claims[name] else { return nil }
            guard let time = value.numberText.flatMap(Double.init) else { throw mismatch(name, "is not a number") }
            return time
        }
        let (now, skew) = (Double(self.now), Double(wanted.tolerance))
        guard let end = try time("exp") else { throw mismatch("exp", "is missing, and a token must have an end") }
        guard now < end + skew else { throw SignatureCheck.stale("the token has expired", wanted.tolerance) }
        for name in ["nbf", "iat"] {
            guard let begin = try time(name), begin > now + skew else { continue }
            throw SignatureCheck.stale("the token is not valid yet (\(name))", wanted.tolerance)
        }
    }

    private static func isAmong(_ texts: [String], _ text: String?) -> Bool {
        guard let text else { return false }
        return texts.contains { $0.hasSameBytes(as: text) }
    }

    private static func isSame(_ value: JSONValue?, _ constant: HookCondition.Constant) -> Bool {
        switch constant {
        case .string(let text): value?.string?.utf8.elementsEqual(text.utf8) == true
        case .integer(let number): value?.int64 == number
        case .boolean(let isTrue): value?.boolean == isTrue
        }
    }

    private static func stale(_ message: String, _ tolerance: Int) -> Refusal {
        Refusal(
            403, .signatureStale, message,
            help: "a clock skew of \(tolerance) s is accepted (`tolerance`); are both clocks right?")
    }
}

// MARK: - Refusals

extension SignatureCheck {
    /// The only value of a header.
    private func header(_ name: String, _ help: String = secretIsSet) throws(Refusal) -> String {
        let values = request.values(ofHeader: name)
        guard let value = values.first else { throw SignatureCheck.missing(name, help) }
        guard values.count == 1 else { throw SignatureCheck.malformed("\(name) is there \(values.count) times") }
        return value
    }

    private static let secretIsSet = "is the secret set at the sender?"
    private static let signedToo = "let the sender send this header: the signature covers it"

    private static func missing(_ name: String, _ help: String = secretIsSet) -> Refusal {
        Refusal(401, .signatureMissing, "there is no \(name)", help: help)
    }

    private static func mismatch(_ message: String, status: Int = 403) -> Refusal {
        Refusal(
            status, .signatureMismatch, message,
            help: "the secrets of both sides differ, or the request was changed on its way")
    }

    private static func malformed(_ message: String) -> Refusal { Refusal(401, .signatureMalformed, message) }

    private static func unusable(_ index: Int, _ expected: String) -> Refusal {
        unusable("secret \(index + 1) of this hook is not \(expected)")
    }

    private static func unusable(_ message: String) -> Refusal {
        Refusal(503, .signatureSecret, message, help: "the owner of this hook has to correct its file")
    }
}

// MARK: - Standard

// Standard Webhooks (standardwebhooks.com): the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`, or the
// older ones that begin with `svix`.

extension SignatureCheck {
    /// The keys of a secret file: `whsec_` and base64 for HMAC-SHA256, `whpk_` and base64 for Ed25519.
    private struct Keys {
        var symmetric: [[UInt8]] = []
        var publicKeys: [[UInt8]] = []
    }

    /// What is made from the body: the codes of all keys, and the message itself. Made once, however many entries there are.
    private struct Made {
        var codes: [[UInt8]]?
        var message: [UInt8]?
    }

    /// More entries than any rotation of keys needs.
    private static let entryLimit = 16
    /// Entries for public keys: each costs a pass over the body for every key.
    private static let publicEntryLimit = 4

    private func judgeStandard(tolerance: Int) throws(Refusal) -> HookProof {
        let family = request.header("webhook-signature") == nil && request.header("svix-signature") != nil
        let prefix = family ? "svix-" : "webhook-"
        let id = try header(prefix + "id")
        let time = try header(prefix + "timestamp")
        let signatures = try header(prefix + "signature")
        // With a dot in it, parts of the id could pass for the time, and parts of the body for both.
        guard !id.isEmpty, !id.utf8.contains(UInt8(ascii: ".")) else {
            throw SignatureCheck.malformed("\(prefix)id is empty or has a dot in it")
        }
        let keys = try standardKeys()
        let head = Array("\(id).\(time).".utf8)
        let entries = signatures.split(separator: " ")
        guard !entries.isEmpty else { throw SignatureCheck.malformed("\(prefix)signature is empty") }
        guard entries.count <= SignatureCheck.entryLimit,
            entries.count(where: { $0.hasPrefix("v1a,") }) <= SignatureCheck.publicEntryLimit
        else {
            throw SignatureCheck.malformed(
                "\(prefix)signature has more than \(SignatureCheck.entryLimit) signatures, or more than "
                    + "\(SignatureCheck.publicEntryLimit) of v1a")
        }
        var made = Made()
        var isSigned = false
        var versions: [Substring] = []
        for entry in entries {
            let version = entry.prefix { $0 != "," }
            guard version.count < entry.count, let code = Base64.decode(entry.dropFirst(version.count + 1)) else {
                throw SignatureCheck.malformed("\(prefix)signature is not a list of VERSION,BASE64")
            }
            versions.append(version)
            switch version {
            case "v1":
                if made.codes == nil {
                    made.codes = try codes(.sha256, of: [head, request.body], keys: keys.symmetric)
                }
                if ConstantTime.isAmong(made.codes ?? [], code) { isSigned = true }
            case "v1a" where !keys.publicKeys.isEmpty:
                let message = made.message ?? head + request.body
                made.message = message
                if isSignature(code, of: message, keys.publicKeys) { isSigned = true }
            // Of a version to come: another entry may be one that is known.
            default: continue
            }
        }
        guard isSigned else {
            let known = versions.contains("v1") || versions.contains("v1a")
            throw SignatureCheck.mismatch(
                known
                    ? "\(prefix)signature has no signature of this id, time and body"
                    : "\(prefix)signature has neither v1 nor v1a")
        }
        let validSeconds = try judgeTime(time, .seconds, in: prefix + "timestamp", tolerance: tolerance)
        return HookProof(code: try digest(of: [head, request.body]), validSeconds: validSeconds)
    }

    private func isSignature(_ signature: [UInt8], of message: [UInt8], _ keys: [[UInt8]]) -> Bool {
        var isFound = false
        for key in keys {
            guard let key = try? PublicKey(ed25519: key) else { continue }
            if key.isValid(signature, of: message) { isFound = true }
        }
        return isFound
    }

    private func standardKeys() throws(Refusal) -> Keys {
        var keys = Keys()
        for (index, secret) in secrets.enumerated() {
            let text = String(decoding: secret, as: UTF8.self)
            if text.hasPrefix("whpk_") {
                guard let key = Base64.decode(text.dropFirst(5), requiresPadding: false),
                    key.count == Ed25519.keyLength
                else { throw SignatureCheck.unusable(index, "whpk_ and the base64 of 32 bytes") }
                keys.publicKeys.append(key)
            } else {
                let digits = text.hasPrefix("whsec_") ? text.dropFirst(6) : text[...]
                guard let key = Base64.decode(digits, requiresPadding: false), !key.isEmpty else {
                    throw SignatureCheck.unusable(index, "whsec_ and base64")
                }
                keys.symmetric.append(key)
            }
        }
        return keys
    }
}
