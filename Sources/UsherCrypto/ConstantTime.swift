internal import COpenSSL

/// Comparison in constant time: the duration does not depend on where two secrets differ.
public enum ConstantTime {
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
