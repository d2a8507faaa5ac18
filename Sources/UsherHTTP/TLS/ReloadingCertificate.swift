internal import Glibc

/// A certificate that is read again when its files change, and kept when the new ones cannot be used.
struct ReloadingCertificate: Sendable {
    enum Outcome {
        case unchanged
        case reloaded
        case failed(String)
    }

    private(set) var context: TLSContext
    private let files: HTTPServer.TLSFiles
    /// What the files looked like just before they were read.
    private var seen: [FileMark?]
    private var nextLook: Milliseconds = 0

    init(_ files: HTTPServer.TLSFiles) throws(TLSError) {
        self.files = files
        seen = Self.marks(files)
        context = try TLSContext(files)
    }

    /// Looks at the files at most once a second.
    mutating func reload(now: Milliseconds) -> Outcome {
        guard now >= nextLook else { return .unchanged }
        nextLook = now + 1000
        let marks = Self.marks(files)
        guard marks != seen else { return .unchanged }
        // A pair of which only half is new is looked at again when the other half comes.
        seen = marks
        do throws(TLSError) {
            context = try TLSContext(files)
            return .reloaded
        } catch {
            return .failed(error.message)
        }
    }

    private static func marks(_ files: HTTPServer.TLSFiles) -> [FileMark?] {
        [FileMark(files.certificate), FileMark(files.key)]
    }

    private struct FileMark: Hashable, Sendable {
        private var inode: UInt
        private var size: Int
        private var seconds: Int
        private var nanoseconds: Int

        init?(_ path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            inode = UInt(status.st_ino)
            size = Int(status.st_size)
            seconds = Int(status.st_mtim.tv_sec)
            nanoseconds = Int(status.st_mtim.tv_nsec)
        }
    }
}
