internal import UsherCrypto
internal import UsherHTTP
internal import UsherText

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

    func judgeStandard(tolerance: Int) throws(Refusal) {
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
