internal import COpenSSL

/// Makes a keyed code of a message that comes in pieces: HMAC (RFC 2104).
@safe public struct MessageAuthenticator: ~Copyable {
    private let context: OpaquePointer
    private let length: Int

    public init(_ algorithm: HashAlgorithm, key: [UInt8]) throws(CryptoError) {
        unsafe context = try MessageAuthenticator.makeContext(algorithm, key)
        length = algorithm.digestLength
    }

    private static func makeContext(
        _ algorithm: HashAlgorithm, _ key: [UInt8]
    ) throws(CryptoError) -> OpaquePointer {
        guard let method = unsafe EVP_MAC_fetch(nil, "HMAC", nil) else { throw .last() }
        defer { unsafe EVP_MAC_free(method) }
        guard let context = unsafe EVP_MAC_CTX_new(method) else { throw .last() }
        // An empty key is one too, but its pointer must not be null: that would mean no key.
        let bytes = key.isEmpty ? [0] : key
        var name = Array(algorithm.name.utf8CString)
        let isReady = unsafe name.withUnsafeMutableBufferPointer { name in
            unsafe "digest".withCString { digest in
                let parameters = unsafe [
                    OSSL_PARAM_construct_utf8_string(digest, name.baseAddress, 0), OSSL_PARAM_construct_end(),
                ]
                return unsafe EVP_MAC_init(context, bytes, key.count, parameters)
            }
        }
        guard isReady == 1 else {
            let error = CryptoError.last()
            unsafe EVP_MAC_CTX_free(context)
            throw error
        }
        return unsafe context
    }

    deinit { unsafe EVP_MAC_CTX_free(context) }

    public func update(_ bytes: [UInt8]) throws(CryptoError) {
        guard unsafe EVP_MAC_update(context, bytes, bytes.count) == 1 else { throw .last() }
    }

    /// The code of all pieces.
    public consuming func finish() throws(CryptoError) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: length)
        var written = 0
        let isDone = unsafe code.withUnsafeMutableBufferPointer { buffer in
            unsafe EVP_MAC_final(context, buffer.baseAddress, &written, buffer.count)
        }
        guard isDone == 1, written == length else { throw .last() }
        return code
    }
}

extension MessageAuthenticator {
    /// The code of a message that is there as a whole.
    public static func code(
        _ algorithm: HashAlgorithm, key: [UInt8], _ message: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        let authenticator = try MessageAuthenticator(algorithm, key: key)
        try authenticator.update(message)
        return try authenticator.finish()
    }
}

/// The hash functions that codes are made with (FIPS 180-4).
public enum HashAlgorithm: Sendable, CaseIterable {
    /// Broken as a hash, still good in HMAC; some senders have nothing else.
    case sha1
    case sha256, sha512

    /// Of a digest, in bytes.
    public var digestLength: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        }
    }

    /// The digest of pieces that follow one another.
    public func digest(of pieces: [[UInt8]]) throws(CryptoError) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else { throw .last() }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestInit_ex(context, EVP_get_digestbyname(name), nil) == 1 else { throw .last() }
        for piece in pieces {
            guard unsafe EVP_DigestUpdate(context, piece, piece.count) == 1 else { throw .last() }
        }
        var digest = [UInt8](repeating: 0, count: digestLength)
        guard unsafe EVP_DigestFinal_ex(context, &digest, nil) == 1 else { throw .last() }
        return digest
    }

    /// As libcrypto calls it.
    var name: String {
        switch self {
        case .sha1: "SHA1"
        case .sha256: "SHA256"
        case .sha512: "SHA512"
        }
    }
}

/// Comparison in constant time: the duration does not depend on where two secrets differ.
public enum ConstantTime {
    /// Whether bytes are the same as one of some others; every one is compared.
    public static func isAmong(_ others: [[UInt8]], _ bytes: [UInt8]) -> Bool {
        var isFound = false
        for other in others where areEqual(other, bytes) { isFound = true }
        return isFound
    }

    /// Whether the bytes are the same. The duration may reveal that the lengths differ, but nothing about the bytes.
    public static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        if one.isEmpty { return true }
        return unsafe one.withUnsafeBytes { one in
            unsafe other.withUnsafeBytes { other in
                unsafe CRYPTO_memcmp(one.baseAddress, other.baseAddress, one.count) == 0
            }
        }
    }
}
