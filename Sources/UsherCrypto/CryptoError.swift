internal import COpenSSL

/// Why a key could not be used.
public enum CryptoError: Error, Sendable, Hashable {
    /// A key of another length than its algorithm's, in bytes.
    case keyLength(expected: Int, found: Int)
    /// The library's own words.
    case library(String)
}

extension CryptoError {
    /// What the library says went wrong last, on this thread.
    static func last() -> CryptoError {
        let code = ERR_get_error()
        ERR_clear_error()
        guard code != 0 else { return .library("libcrypto failed and does not say why") }
        var text = [CChar](repeating: 0, count: 256)
        unsafe text.withUnsafeMutableBufferPointer { buffer in
            unsafe ERR_error_string_n(code, buffer.baseAddress, buffer.count)
        }
        return .library(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
}

extension CryptoError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .keyLength(let expected, let found): "the key has \(found) bytes, not \(expected)"
        case .library(let text): text
        }
    }
}
