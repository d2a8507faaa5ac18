internal import Glibc

/// An error number of the system (errno).
package struct SystemError: Error, Hashable, Sendable {
    package let number: Int32

    package init(_ number: Int32) { self.number = number }

    /// That of the call before this.
    package static var last: SystemError { SystemError(errno) }

    package var text: String { SystemError.text(number) }

    /// What to do about it, whatever could not be written; nil where the number says too little for that.
    package var remedy: String? {
        switch number {
        case EROFS: "the file system is mounted read-only: name a place on another one, or mount this one for writing"
        case ENOSPC: "free some space on its file system"
        case EDQUOT: "your quota on its file system is used up: free some space of yours there"
        case EMFILE, ENFILE: "there are too many open files: end what keeps them open, or raise the limit (ulimit -n)"
        default: nil
        }
    }

    /// The C library's text for an error number. May be called from any thread.
    package static func text(_ number: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        _ = unsafe strerror_r(number, &buffer, buffer.count)
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return bytes.isEmpty ? "error \(number)" : String(decoding: bytes, as: UTF8.self)
    }
}
