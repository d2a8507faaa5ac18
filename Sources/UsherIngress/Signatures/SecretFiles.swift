internal import Glibc
internal import Synchronization
public import UsherHook
public import UsherLog
public import UsherSystem
public import UsherText

/// Reads secrets, and reads them again when their files change: a secret is changed without a restart.
///
/// A file has one secret a line; blank ones are skipped, white space around is dropped. A file of public keys is read as a
/// whole. Whether a file changed is checked once a second at most. Safe from any thread.
public final class SecretFiles: Sendable {
    /// Why there are no secrets.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        public var source: SecretSource
        public var reason: String

        public init(source: SecretSource, reason: String) {
            self.source = source
            self.reason = reason
        }

        public var description: String { "\(source): \(reason)" }
    }

    /// A larger file is no file of secrets.
    public static let maximumSize = 64 << 10

    /// What tells one state of a file from another.
    fileprivate struct Identity: Equatable {
        var device: UInt
        var inode: UInt
        var size: Int
        var modified: [Int]
    }

    private struct Entry {
        var identity: Identity
        /// The secrets with the numbers of their lines, or the one content of a file of public keys.
        var secrets: [(number: Int, text: [UInt8])]
        var checked: MonotonicInstant
    }

    private struct Key: Hashable {
        var source: SecretSource
        /// Public keys are no secret, and are not split into lines.
        var isPublic: Bool
    }

    private let entries = Mutex<[Key: Entry]>([:])
    private let credentials: String?
    private let logger: Logger
    private let clock: @Sendable () -> MonotonicInstant

    /// - Parameter credentials: the folder of systemd's credentials; nil where there are none.
    public init(
        credentials: String?, logger: Logger,
        clock: @escaping @Sendable () -> MonotonicInstant = { MonotonicClock.now }
    ) {
        self.credentials = credentials
        self.logger = logger
        self.clock = clock
    }

    /// `$CREDENTIALS_DIRECTORY`.
    public static func credentialsFolder() -> String? {
        unsafe getenv("CREDENTIALS_DIRECTORY").map { unsafe String(cString: $0) }
    }

    /// What `SignatureCheck` needs for a signature: its secrets, or the content of its file of public keys. Empty for a
    /// scheme that needs none.
    public func secrets(of signature: HookSignature) throws(Failure) -> [[UInt8]] {
        guard let source = signature.secret else { return [] }
        return try lines(of: Key(source: source, isPublic: signature.scheme.hasPublicKeys)).map(\.text)
    }

    /// The secrets of a source: at least one, none empty.
    public func secrets(of source: SecretSource) throws(Failure) -> [[UInt8]] {
        try numberedSecrets(of: source).map(\.text)
    }

    /// The same with the numbers of their lines.
    func numberedSecrets(of source: SecretSource) throws(Failure) -> [(number: Int, text: [UInt8])] {
        try lines(of: Key(source: source, isPublic: false))
    }

    private func lines(of key: Key) throws(Failure) -> [(number: Int, text: [UInt8])] {
        let now = clock()
        let path = try path(of: key.source)
        if let known = entries.withLock({ $0[key] }) {
            if now - known.checked < .seconds(1) { return known.secrets }
            var status = stat()
            if unsafe stat(path, &status) == 0, Identity(status) == known.identity {
                entries.withLock { $0[key]?.checked = now }
                return known.secrets
            }
        }
        do {
            let (identity, secrets) = try read(path, key)
            entries.withLock { $0[key] = Entry(identity: identity, secrets: secrets, checked: now) }
            return secrets
        } catch {
            // A file that was removed is valid no longer.
            entries.withLock { $0[key] = nil }
            throw error
        }
    }

    private func path(of source: SecretSource) throws(Failure) -> String {
        switch source {
        case .file(let path): return path
        case .credential(let name):
            guard let credentials else {
                throw Failure(source: source, reason: "systemd gave no credentials ($CREDENTIALS_DIRECTORY is not set)")
            }
            return credentials + "/" + name
        }
    }

    private func read(
        _ path: String, _ key: Key
    ) throws(Failure) -> (Identity, [(number: Int, text: [UInt8])]) {
        let source = key.source
        // Before it is read: a file that is replaced meanwhile has another identity the next time.
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw Failure(source: source, reason: SystemError.last.text) }
        let bytes = try Result { () throws(FileSystem.Failure) in
            try FileSystem.read(path, limit: SecretFiles.maximumSize)
        }.mapError { Failure(source: source, reason: $0.text(limit: SecretFiles.maximumSize)) }.get()
        if key.isPublic { return (Identity(status), [(1, bytes)]) }
        let secrets = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
            .map { (number: $0 + 1, text: Array($1.trimmed(" \t\r"))) }.filter { !$0.text.isEmpty }
        guard !secrets.isEmpty else { throw Failure(source: source, reason: "there is no secret in it") }
        if case .file = source, status.st_mode & 0o077 != 0 {
            logger.log(
                .secretsExposed,
                ["secret.file": .text(path), "secret.mode": .text(String(status.st_mode & 0o777, radix: 8))])
        }
        return (Identity(status), secrets)
    }

    /// The lines of a text that are not blank, without the white space around them.
    static func lines(of text: [UInt8]) -> [[UInt8]] {
        text.split(separator: 0x0A).map { Array($0.trimmed(" \t\r")) }.filter { !$0.isEmpty }
    }
}

extension SecretFiles.Identity {
    init(_ status: stat) {
        device = UInt(status.st_dev)
        inode = UInt(status.st_ino)
        size = Int(status.st_size)
        modified = [
            status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
            Int(status.st_mode),
        ]
    }
}
