internal import COpenSSL
internal import Glibc

/// Why a certificate cannot be used.
struct TLSError: Error, Hashable {
    var message: String

    /// With what OpenSSL says about it; its queue is emptied.
    static func openSSL(_ what: String) -> TLSError {
        var text = [CChar](repeating: 0, count: 256)
        let error = ERR_get_error()
        ERR_clear_error()
        guard error != 0 else { return TLSError(message: what) }
        unsafe ERR_error_string_n(error, &text, text.count)
        let reason = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // error:0A000074:SSL routines::reason
        return TLSError(message: "\(what): \(reason.split(separator: ":").last ?? "")")
    }
}
