internal import COpenSSL

/// EdDSA signatures over edwards25519 (RFC 8032, section 5.1).
public enum Ed25519 {
    /// The length of a seed and of a public key, in bytes.
    public static let keyLength = 32
    /// In bytes.
    static let signatureLength = 64

    /// A private key, which makes signatures. `deinit` frees it.
    @safe public struct PrivateKey: ~Copyable {
        private let key: OpaquePointer

        /// - Parameter seed: 32 random bytes: the private key of RFC 8032.
        /// - Throws: `keyLength` for a seed of another length; `library`.
        public init(seed: [UInt8]) throws(CryptoError) {
            guard seed.count == keyLength else { throw .keyLength(expected: keyLength, found: seed.count) }
            guard let key = unsafe EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count) else {
                throw .last()
            }
            unsafe self.key = key
        }

        deinit { unsafe EVP_PKEY_free(key) }

        /// 32 bytes.
        ///
        /// - Throws: `library`.
        public func publicKey() throws(CryptoError) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: keyLength)
            var count = bytes.count
            guard unsafe EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1, count == keyLength else {
                throw .last()
            }
            return bytes
        }

        /// The signature of a message of any length: 64 bytes, the same each time.
        ///
        /// - Throws: `library`.
        public func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
            guard let context = unsafe EVP_MD_CTX_new() else { throw .last() }
            defer { unsafe EVP_MD_CTX_free(context) }
            var signature = [UInt8](repeating: 0, count: signatureLength)
            var count = signature.count
            guard unsafe EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
                unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1,
                count == signatureLength
            else { throw .last() }
            return signature
        }
    }
}
