import CMessageDigest

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
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
