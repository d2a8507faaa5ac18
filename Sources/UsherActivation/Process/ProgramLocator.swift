import Synchronization
internal import UsherSystem
internal import UsherText

/// Finds programs as a shell would, with a cache. Safe to share between threads.
public final class ProgramLocator: Sendable {
    static let defaultPath = "/usr/local/bin:/usr/bin:/bin"

    public let path: String
    private let found = Mutex<[String: String]>([:])

    /// `path` is `PATH`; its empty and relative elements are left out, since they mean wherever Usher was started.
    public init(path: String?) {
        self.path = path ?? Self.defaultPath
    }

    /// The file that the program is, or nil. What was found once is only looked at again, not searched.
    public func locate(_ program: String) -> String? {
        let bytes = program.utf8
        func has(_ byte: UInt8) -> Bool { ByteWord.firstOffset(of: byte, in: bytes.span, from: 0) < bytes.count }
        if bytes.isEmpty || has(0) { return nil }
        if has(UInt8(ascii: "/")) { return FileSystem.isExecutable(program) ? program : nil }
        if let known = found.withLock({ $0[program] }), FileSystem.isExecutable(known) { return known }
        for directory in path.utf8.split(separator: UInt8(ascii: ":")) where directory.first == UInt8(ascii: "/") {
            let candidate = "\(Substring(directory))/\(program)"
            if FileSystem.isExecutable(candidate) {
                found.withLock { $0[program] = candidate }
                return candidate
            }
        }
        return nil
    }

    public func isInstalled(_ program: String) -> Bool { locate(program) != nil }

    func require(_ program: String) throws(ActivationFailure) -> String {
        guard let file = locate(program) else { throw .programNotFound(program, path: path) }
        return file
    }
}
