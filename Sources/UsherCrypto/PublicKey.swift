internal import COpenSSL

/// The public half of a key: judges signatures.
@safe public struct PublicKey: ~Copyable {
    public enum Kind: Sendable, Hashable {
        /// RFC 8032.
        case ed25519
        /// The curve P-256 (FIPS 186-4), with SHA-256.
        case p256
        /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017), and the length of the modulus.
        case rsa(bits: Int)
        /// No signature of such a key is valid here.
        case other
    }

    public let kind: Kind
    private let key: OpaquePointer

    /// A key as a SubjectPublicKeyInfo in DER (RFC 5280, 4.1.2.7).
    public init(subjectPublicKeyInfo bytes: [UInt8]) throws(CryptoError) {
        ERR_clear_error()
        var used = 0
        let decoded = unsafe bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            guard let start = buffer.baseAddress else { return nil }
            var next: UnsafePointer<UInt8>? = unsafe start
            let key = unsafe d2i_PUBKEY(nil, &next, buffer.count)
            used = unsafe next.map { unsafe $0 - start } ?? 0
            return unsafe key
        }
        guard let decoded = unsafe decoded else { throw .last() }
        guard used == bytes.count else {
            unsafe EVP_PKEY_free(decoded)
            throw .library("there is something behind the key")
        }
        unsafe key = decoded
        kind = unsafe PublicKey.kind(of: decoded)
    }

    /// The 32 bytes of an Ed25519 key.
    public init(ed25519 key: [UInt8]) throws(CryptoError) {
        try self.init(subjectPublicKeyInfo: PublicKey.subjectPublicKeyInfo(ed25519: key))
    }

    deinit { unsafe EVP_PKEY_free(key) }

    private static func kind(of key: OpaquePointer) -> Kind {
        switch unsafe EVP_PKEY_get_base_id(key) {
        case EVP_PKEY_ED25519: return .ed25519
        case EVP_PKEY_RSA: return unsafe .rsa(bits: Int(EVP_PKEY_get_bits(key)))
        case EVP_PKEY_EC:
            var name = [CChar](repeating: 0, count: 32)
            var count = 0
            guard unsafe EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1 else { return .other }
            let text = String(decoding: name.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return text == "prime256v1" ? .p256 : .other
        default: return .other
        }
    }

    /// Whether this key's other half signed exactly these bytes. A signature of P-256 is two numbers of 32 bytes (IEEE
    /// P1363), or DER.
    public func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        switch kind {
        case .ed25519: signature.count == Ed25519.signatureLength && verify(signature, message, usesSHA256: false)
        case .p256 where signature.count == 64:
            verify(
                DER.sequence([DER.integer(signature[..<32]), DER.integer(signature[32...])]), message,
                usesSHA256: true)
        case .p256, .rsa: verify(signature, message, usesSHA256: true)
        case .other: false
        }
    }

    private func verify(_ signature: [UInt8], _ message: [UInt8], usesSHA256: Bool) -> Bool {
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer {
            unsafe EVP_MD_CTX_free(context)
            // A signature that does not hold leaves an error behind, which is none of the next caller's.
            ERR_clear_error()
        }
        let digest = usesSHA256 ? unsafe EVP_sha256() : nil
        guard unsafe EVP_DigestVerifyInit(context, nil, digest, nil, key) == 1 else { return false }
        return unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}

// MARK: - Encoding

extension PublicKey {
    /// The SubjectPublicKeyInfo of an Ed25519 key (RFC 8410).
    public static func subjectPublicKeyInfo(ed25519 key: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard key.count == Ed25519.keyLength else { throw .keyLength(expected: Ed25519.keyLength, found: key.count) }
        return DER.sequence([DER.sequence([DER.identifier([0x2B, 0x65, 0x70])]), DER.bits(key)])
    }

    /// The SubjectPublicKeyInfo of a point of P-256 (RFC 5480), whose coordinates have 32 bytes.
    public static func subjectPublicKeyInfo(x: [UInt8], y: [UInt8]) throws(CryptoError) -> [UInt8] {
        for coordinate in [x, y] where coordinate.count != 32 {
            throw .keyLength(expected: 32, found: coordinate.count)
        }
        let curve = [
            DER.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]),
            DER.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]),
        ]
        return DER.sequence([DER.sequence(curve), DER.bits([0x04] + x + y)])
    }

    /// The SubjectPublicKeyInfo of an RSA key (RFC 8017, A.1.1), of its numbers in big-endian order.
    public static func subjectPublicKeyInfo(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
        let algorithm = [DER.identifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]), DER.null]
        let numbers = DER.sequence([DER.integer(modulus[...]), DER.integer(exponent[...])])
        return DER.sequence([DER.sequence(algorithm), DER.bits(numbers)])
    }
}

/// Writes the few structures that keys and signatures are made of (ITU-T X.690).
private enum DER {
    static let null: [UInt8] = [0x05, 0x00]

    static func sequence(_ elements: [[UInt8]]) -> [UInt8] { element(0x30, elements.flatMap(\.self)) }

    static func identifier(_ bytes: [UInt8]) -> [UInt8] { element(0x06, bytes) }

    static func bits(_ bytes: [UInt8]) -> [UInt8] { element(0x03, [0x00] + bytes) }

    /// A number without a sign, in big-endian order.
    static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let digits = bytes.drop { $0 == 0 }
        // A first bit of 1 would make it negative.
        let needsZero = digits.first.map { $0 >= 0x80 } ?? true
        return element(0x02, (needsZero ? [0x00] : []) + digits)
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        let head = content.count < 0x80 ? [UInt8(content.count)] : [0x80 | UInt8(length.count)] + length
        return [tag] + head + content
    }
}
