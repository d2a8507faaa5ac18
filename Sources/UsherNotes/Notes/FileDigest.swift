internal import Glibc
internal import UsherEngine
internal import UsherOperation
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// What an attached file is at the moment: its size and the digest of its content.
enum FileDigest {
    /// Of longer files only the size is taken: reading them takes too long.
    private static let longest: Int64 = 1 << 30

    /// The attachment that a text means: `sha256:` and 64 digits, or the path of a file that is there.
    static func attachment(_ text: String, at place: String) throws(ControlError) -> Store.Attachment {
        if text.utf8.starts(with: "sha256:".utf8) {
            let digits = Array(text.utf8.dropFirst(7))
            let isHexadecimal = digits.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
            }
            guard digits.count == 64, isHexadecimal else {
                throw refusal(
                    "\(QuotedText.text(text)) is not a digest", place,
                    help: "it is sha256: and 64 hexadecimal digits in lower case, as sha256sum prints them")
            }
            return Store.Attachment(digest: text)
        }
        guard text.utf8.first == UInt8(ascii: "/") else {
            throw refusal(
                "\(QuotedText.text(text)) is not an absolute path", place,
                help: "a path from the root on, or sha256: and 64 digits")
        }
        guard !text.utf8.contains(0), text.utf8.count < Int(PATH_MAX) else {
            throw refusal("\(QuotedText.text(text)) is no path: it holds a NUL byte, or is too long", place, help: nil)
        }
        return try file(text, at: place)
    }

    private static func file(_ path: String, at place: String) throws(ControlError) -> Store.Attachment {
        // Without waiting: it may be a pipe.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw unreadable(path, errno, place) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw unreadable(path, errno, place) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw refusal(
                "\(QuotedText.text(path)) is not a file", place, help: "folders, pipes and devices cannot be attached")
        }
        guard Int64(status.st_size) <= longest else {
            return Store.Attachment(path: path, size: Int64(status.st_size))
        }
        var digest = MessageDigest()
        var size: Int64 = 0
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe block.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw unreadable(path, errno, place)
            }
            if count == 0 { break }
            size += Int64(count)
            // It may grow while it is read.
            guard size <= longest else { return Store.Attachment(path: path, size: size) }
            digest.update(count == block.count ? block : Array(block[..<count]))
        }
        return Store.Attachment(path: path, digest: "sha256:" + digest.hexadecimal(), size: size)
    }

    /// `sha256:` and the digits of a text.
    static func text(of text: String) -> String {
        var digest = MessageDigest()
        digest.update(Array(text.utf8))
        return "sha256:" + digest.hexadecimal()
    }

    private static func unreadable(_ path: String, _ number: Int32, _ place: String) -> ControlError {
        refusal(
            "\(QuotedText.text(path)) cannot be read: \(SystemError.text(number))", place,
            help: "a file that is elsewhere can be attached by its digest: sha256: and 64 digits")
    }

    private static func refusal(_ message: String, _ place: String, help: String?) -> ControlError {
        ControlError(.noteAttachment, message, at: place, help: help)
    }
}
