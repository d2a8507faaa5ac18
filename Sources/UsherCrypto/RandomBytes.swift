internal import COpenSSL

/// Bytes from a cryptographically secure random generator.
public enum RandomBytes {
    public static func make(_ count: Int) throws(CryptoError) -> [UInt8] {
        guard count > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        guard let length = Int32(exactly: count), unsafe RAND_bytes(&bytes, length) == 1 else { throw .last() }
        return bytes
    }
}
