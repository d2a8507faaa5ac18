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

    /// As libcrypto calls it.
    var name: String {
        switch self {
        case .sha1: "SHA1"
        case .sha256: "SHA256"
        case .sha512: "SHA512"
        }
    }
}
