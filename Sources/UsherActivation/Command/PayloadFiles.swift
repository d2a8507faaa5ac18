import Glibc
internal import UsherSystem
internal import UsherText

/// Payloads as private files, for places without a standard input of their own: windows of a terminal multiplexer.
public struct PayloadFiles: Sendable {
    /// `payloads` in the state directory.
    public let directory: String

    public init(stateDirectory: String) {
        directory = stateDirectory + "/payloads"
    }

    /// The file that `write` makes for this attempt. Only the nonce names it, and of that only letters, digits and `-`.
    public func path(nonce: String) -> String {
        let name = nonce.utf8.map { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") ? $0 : UInt8(ascii: "_") }
        return "\(directory)/payload-\(String(decoding: name.prefix(100), as: UTF8.self))"
    }

    /// A new file of mode 0600 in a folder of mode 0700.
    func write(_ payload: [UInt8], nonce: String) throws(ActivationFailure) -> String {
        if unsafe mkdir(directory, 0o700) != 0, errno != EEXIST {
            throw .system("\(Printable.text(directory)) cannot be made", errno: errno)
        }
        let path = path(nonce: nonce)
        // The second verb of one attempt (launch, then show) finds the file of the first: the same bytes.
        let number = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if number < 0, errno == EEXIST, Self.isOwnFile(path) { return path }
        guard number >= 0 else { throw .system("\(Printable.text(path)) cannot be made", errno: errno) }
        let descriptor = FileDescriptor(owning: number)
        guard FileOutput.write(payload, to: descriptor.number) else {
            let problem = errno
            unsafe unlink(path)
            throw .system("\(Printable.text(path)) cannot be written", errno: problem)
        }
        return path
    }

    /// Removes the files whose last change is further back than this many seconds; how many there were.
    @discardableResult
    public func prune(olderThan seconds: Int) -> Int {
        let limit = time(nil) - seconds
        return remove { _, changed in changed <= limit }
    }

    /// Removes the files that are meant, by their path and the time of their last change in seconds since 1970; how many
    /// there were.
    ///
    /// - Parameter nonces: of attempts whose files stay.
    @discardableResult
    public func remove(
        except nonces: [String] = [], where isMeant: (_ path: String, _ changed: Int) -> Bool
    ) -> Int {
        let kept = nonces.map { path(nonce: $0) }
        var removed = 0
        for name in ((try? FileSystem.names(in: directory)) ?? []) where name.utf8.starts(with: "payload-".utf8) {
            let path = "\(directory)/\(name)"
            var status = stat()
            guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                !kept.contains(where: { path.utf8.starts(with: $0.utf8) }), isMeant(path, status.st_mtim.tv_sec),
                unsafe unlink(path) == 0
            else { continue }
            removed += 1
        }
        return removed
    }

    private static func isOwnFile(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
    }
}
