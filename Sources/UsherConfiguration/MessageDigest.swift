import CMessageDigest
internal import UsherText

/// SHA-256, fed in parts.
@safe
package struct MessageDigest: ~Copyable {
    private var context = SHA2_CTX()

    package init() { unsafe SHA256Init(&context) }

    package mutating func update(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            unsafe SHA256Update(&context, start, buffer.count)
        }
    }

    /// 64 hexadecimal digits.
    package consuming func hexadecimal() -> String {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        unsafe digest.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            unsafe SHA256Final(start, &context)
        }
        return Hexadecimal.encode(digest)
    }
}
