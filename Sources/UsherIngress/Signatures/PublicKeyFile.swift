internal import UsherCrypto
internal import UsherJSON
internal import UsherText

/// Reads the public keys of a file: PEM blocks (RFC 7468), a JSON Web Key Set (RFC 7517), or one key a line.
enum PublicKeyFile {
    struct Key: Sendable, Hashable {
        /// The SubjectPublicKeyInfo in DER.
        var info: [UInt8]
        /// The `kid` and `alg` of a JSON Web Key.
        var id: String?
        var algorithm: String?
    }

    struct Failure: Error {
        var reason: String
    }

    /// More keys than any sender has in use.
    private static let limit = 64

    /// The keys, at least one.
    static func keys(in content: [UInt8]) throws(Failure) -> [Key] {
        let lines = SecretFiles.lines(of: content).map { String(decoding: $0, as: UTF8.self) }
        let keys: [Key]
        if lines.first?.utf8.first == UInt8(ascii: "{") {
            keys = try webKeys(in: content)
        } else if lines.contains(where: { $0.utf8.starts(with: "-----".utf8) }) {
            keys = try blocks(in: lines)
        } else {
            var found: [Key] = []
            for line in lines { found.append(try key(line)) }
            keys = found
        }
        guard !keys.isEmpty else { throw Failure(reason: "there is no public key in the file") }
        guard keys.count <= limit else { throw Failure(reason: "there are more than \(limit) keys in the file") }
        return keys
    }

    // MARK: PEM

    private static func blocks(in lines: [String]) throws(Failure) -> [Key] {
        let (begin, end) = ("-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----")
        var keys: [Key] = []
        var text: String?
        for line in lines {
            if line == begin {
                text = ""
            } else if line == end, let digits = text {
                guard let info = Base64.decode(digits) else {
                    throw Failure(reason: "the block of PUBLIC KEY \(keys.count + 1) is not base64")
                }
                keys.append(Key(info: info))
                text = nil
            } else if line.utf8.starts(with: "-----BEGIN".utf8) {
                throw Failure(reason: "a block in the file is no PUBLIC KEY: \(Refusal.printable(line))")
            } else {
                text?.append(line)
            }
        }
        guard text == nil else { throw Failure(reason: "the last block in the file has no end") }
        return keys
    }

    // MARK: Lines

    private static func key(_ line: String) throws(Failure) -> Key {
        let bytes =
            Hexadecimal.decode(line) ?? Base64.decode(line, requiresPadding: false) ?? Base64.decode(line, .url)
        guard let bytes else { throw Failure(reason: "a line of the file is neither hexadecimal nor base64") }
        if bytes.count == Ed25519.keyLength { return try ed25519(bytes) }
        return Key(info: bytes)
    }

    private static func ed25519(_ bytes: [UInt8]) throws(Failure) -> Key {
        guard let info = try? PublicKey.subjectPublicKeyInfo(ed25519: bytes) else {
            throw Failure(reason: "an Ed25519 key in the file has not \(Ed25519.keyLength) bytes")
        }
        return Key(info: info)
    }

    // MARK: JSON Web Keys

    private static func webKeys(in content: [UInt8]) throws(Failure) -> [Key] {
        guard let set = try? JSONValue(parsing: content, maximumDepth: 16) else {
            throw Failure(reason: "the file begins as JSON, and is not JSON")
        }
        var keys: [Key] = []
        for key in set["keys"]?.elements ?? [set] {
            // A key for another use is skipped (RFC 7517, 4.2).
            if let use = key["use"]?.string, use != "sig" { continue }
            guard let info = try info(of: key) else { continue }
            keys.append(Key(info: info, id: key["kid"]?.string, algorithm: key["alg"]?.string))
        }
        return keys
    }

    /// Nil for a kind of key that no scheme uses, as RFC 7517 (section 5) requires.
    private static func info(of key: JSONValue) throws(Failure) -> [UInt8]? {
        switch (key["kty"]?.string, key["crv"]?.string) {
        case ("RSA", _):
            return PublicKey.subjectPublicKeyInfo(modulus: try number("n", of: key), exponent: try number("e", of: key))
        case ("EC", "P-256"):
            if let info = try? PublicKey.subjectPublicKeyInfo(x: number("x", of: key), y: number("y", of: key)) {
                return info
            }
            throw Failure(reason: "`x` or `y` of a JSON Web Key is not base64url of 32 bytes")
        case ("OKP", "Ed25519"): return try ed25519(number("x", of: key)).info
        default: return nil
        }
    }

    private static func number(_ name: String, of key: JSONValue) throws(Failure) -> [UInt8] {
        guard let bytes = key[name]?.string.flatMap({ Base64.decode($0, .url) }), !bytes.isEmpty else {
            throw Failure(reason: "`\(name)` of a JSON Web Key is not base64url")
        }
        return bytes
    }
}
