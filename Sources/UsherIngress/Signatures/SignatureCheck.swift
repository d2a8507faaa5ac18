internal import UsherCrypto
internal import UsherHTTP
internal import UsherHook
internal import UsherScene
internal import UsherText

/// Judges whether a request was signed with one of some secrets: on the raw bytes, in constant time, and not too long ago.
struct SignatureCheck: Sendable {
    var request: HTTPRequest
    var secrets: [[UInt8]]
    /// Seconds since 1970.
    var now: Int64

    /// Throws what does not hold.
    func judge(_ signature: HookSignature) throws(Refusal) {
        switch signature {
        case .none: return
        case .bearer: try judgeBearer()
        case .gitlab: try judgeToken(try header("X-Gitlab-Token"), named: "X-Gitlab-Token")
        case .github: try judgeGitHub()
        case .hmac(let code, _): try judge(code)
        case .standard(_, let tolerance): try judgeStandard(tolerance: tolerance)
        }
    }

    /// `Authorization: Bearer` (RFC 6750, 2.1).
    private func judgeBearer() throws(Refusal) {
        try judgeToken(SignatureCheck.bearerToken(of: request), named: "the bearer token")
    }

    static func bearerToken(of request: HTTPRequest) throws(Refusal) -> String {
        let values = request.fields.all("Authorization")
        guard let value = values.first, values.count == 1, value.utf8.count > 7,
            value.prefix(7).lowercased() == "bearer "
        else {
            var refusal = Refusal(
                401, .signatureMissing, "there is no bearer token", help: "send Authorization: Bearer TOKEN")
            refusal.fields.append("WWW-Authenticate", "Bearer")
            throw refusal
        }
        return String(value.dropFirst(7).drop { $0 == " " })
    }

    private func judgeToken(_ token: String, named name: String) throws(Refusal) {
        if isSecret(Array(token.utf8)) { return }
        throw SignatureCheck.mismatch("\(name) is not the secret of this hook")
    }

    /// Whether it is one of the secrets; every one is looked at.
    func isSecret(_ token: [UInt8]) -> Bool {
        SignatureCheck.isAmong(secrets, token)
    }

    private func judgeGitHub() throws(Refusal) {
        let name = "X-Hub-Signature-256"
        if request.fields[name] == nil, request.fields["X-Hub-Signature"] != nil {
            throw Refusal(
                401, .signatureMissing, "there is only X-Hub-Signature, which is made with SHA-1",
                help: "the sender has to sign with SHA-256: \(name)")
        }
        try judge(HookCode(header: name, prefix: "sha256="))
    }

    /// A code in a header.
    private func judge(_ code: HookCode) throws(Refusal) {
        let value = try header(code.header)
        let time = try code.timestampHeader.map { name throws(Refusal) in (name, try header(name)) }
        guard value.hasPrefix(code.prefix), let given = SignatureCheck.decode(value.dropFirst(code.prefix.count), code)
        else {
            throw SignatureCheck.malformed(
                "\(code.header) is not \(code.prefix.isEmpty ? "" : "\(code.prefix) and ")\(code.encoding.rawValue)")
        }
        let algorithm: HashAlgorithm =
            switch code.algorithm {
            case .sha1: .sha1
            case .sha256: .sha256
            case .sha512: .sha512
            }
        let pieces = code.content.map { part in
            switch part {
            case .literal(let text): Array(text.utf8)
            case .timestamp: Array((time?.1 ?? "").utf8)
            case .body: request.body
            }
        }
        guard SignatureCheck.isAmong(try codes(algorithm, of: pieces, keys: secrets), given) else {
            throw SignatureCheck.mismatch("\(code.header) is not the code of this body")
        }
        if let (name, text) = time { try judgeTime(text, in: name, tolerance: code.tolerance) }
    }

    /// The code that each of the keys makes: one pass over the pieces a key.
    func codes(
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
            throw Refusal(503, .signatureSecret, "the signature cannot be judged: \(error)")
        }
    }

    /// Whether a code is one of these; every one is looked at.
    private static func isAmong(_ codes: [[UInt8]], _ given: [UInt8]) -> Bool {
        var isFound = false
        for code in codes where ConstantTime.areEqual(code, given) { isFound = true }
        return isFound
    }

    /// Refuses a time too far from now: a request that was recorded cannot be sent again later.
    private func judgeTime(_ text: String, in name: String, tolerance: Int) throws(Refusal) {
        let digits = text.utf8
        guard !digits.isEmpty, digits.count <= 12, digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let time = Int64(text)
        else { throw SignatureCheck.malformed("\(name) is not a number of seconds since 1970") }
        let age = now - time
        guard age.magnitude <= UInt64(tolerance) else {
            throw Refusal(
                403, .signatureStale,
                age > 0 ? "the request was signed \(age) s ago" : "the request was signed \(-age) s from now",
                help: "at most \(tolerance) s are taken (`tolerance`); are both clocks right?")
        }
    }

    /// The only value of a header.
    func header(_ name: String) throws(Refusal) -> String {
        let values = request.fields.all(name)
        guard let value = values.first else {
            throw Refusal(
                401, .signatureMissing, "there is no \(name)", help: "is the secret set at the sender?")
        }
        guard values.count == 1 else { throw SignatureCheck.malformed("\(name) is there \(values.count) times") }
        return value
    }

    static func mismatch(_ message: String) -> Refusal {
        Refusal(
            403, .signatureMismatch, message,
            help: "the secrets of both sides differ, or the body was changed on its way")
    }

    static func malformed(_ message: String) -> Refusal { Refusal(401, .signatureMalformed, message) }

    private static func decode(_ text: Substring, _ code: HookCode) -> [UInt8]? {
        switch code.encoding {
        case .hex: Hexadecimal.decode(text)
        case .base64: Base64.decode(text)
        case .base64url: Base64.decode(text, .url)
        }
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

    private func judgeStandard(tolerance: Int) throws(Refusal) {
        let family = request.fields["webhook-signature"] == nil && request.fields["svix-signature"] != nil
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
                if SignatureCheck.isAmong(made.codes ?? [], code) { isSigned = true }
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
        try judgeTime(time, in: prefix + "timestamp", tolerance: tolerance)
    }

    private func isSignature(_ signature: [UInt8], of message: [UInt8], _ keys: [[UInt8]]) -> Bool {
        var isFound = false
        for key in keys {
            guard let key = try? Ed25519.PublicKey(key) else { continue }
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

    private static func unusable(_ index: Int, _ expected: String) -> Refusal {
        Refusal(
            503, .signatureSecret, "secret \(index + 1) of this hook is not \(expected)",
            help: "its owner has to correct the file of secrets")
    }
}
