internal import Glibc

enum SystemError {
    static var last: Int32 { errno }

    /// The C library's text.
    static func text(_ error: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        guard unsafe strerror_r(error, &buffer, buffer.count) == 0 else { return "error \(error)" }
        let text = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: text, as: UTF8.self)
    }
}
