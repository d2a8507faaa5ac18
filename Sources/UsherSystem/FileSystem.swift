internal import Glibc

/// Whole small files, folders, and the few questions that are asked of the file system.
package enum FileSystem {
    package enum Kind { case file, folder, other }

    package enum Failure: Error, Hashable {
        case notFound
        /// More bytes than were allowed.
        case tooLarge
        case notAFile
        /// The system's own words.
        case system(String)

        init(errno code: Int32) {
            self = code == ENOENT || code == ENOTDIR ? .notFound : .system(SystemError.text(code))
        }

        /// For people, after a colon.
        package var text: String {
            switch self {
            case .notFound: SystemError.text(ENOENT)
            case .tooLarge: "it is too long"
            case .notAFile: "it is not a file"
            case .system(let text): text
            }
        }

        /// The same about a file that a setting names.
        ///
        /// - Parameter limit: the bytes that it may have.
        package func text(limit: Int) -> String {
            switch self {
            case .notFound: "there is no such file"
            case .tooLarge: "it has more than \(limit) bytes"
            case .notAFile, .system: text
            }
        }
    }

    package static func kind(of path: String) throws(Failure) -> Kind {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw Failure(errno: errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFDIR: return .folder
        default: return .other
        }
    }

    /// Whether there is anything of this name, a link that leads nowhere included.
    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    /// Whether two paths lead to the same file or folder.
    package static func isSame(_ one: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        return unsafe stat(one, &first) == 0 && stat(other, &second) == 0
            && first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    /// Whether it is a regular file that this process may run.
    package static func isExecutable(_ path: String) -> Bool {
        // One C string for both: each costs more than the call.
        unsafe path.withCString { path in
            var status = stat()
            return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
        }
    }

    package static func currentFolder() -> String {
        guard let path = unsafe getcwd(nil, 0) else { return "/" }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }

    /// Where a symbolic link leads, as it is written; nil where there is none, or it may not be read.
    package static func link(_ path: String) -> String? {
        let text = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { bytes, count in
            let start = unsafe UnsafeMutableRawPointer(bytes.baseAddress!).assumingMemoryBound(to: CChar.self)
            count = unsafe max(0, readlink(path, start, bytes.count))
        }
        return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
    }

    /// Whether it is a folder of this user, which no other user may write to.
    package static func isPrivate(_ folder: String) -> Bool {
        var status = stat()
        return unsafe lstat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
            && status.st_uid == geteuid() && status.st_mode & 0o022 == 0
    }

    /// The file system that a path leads to; nil where it leads nowhere.
    package static func device(of path: String) -> UInt64? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? UInt64(status.st_dev) : nil
    }

    /// The permissions of a file; nil where there is none.
    package static func mode(of path: String) -> UInt32? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? UInt32(status.st_mode & 0o7777) : nil
    }

    // MARK: Reading

    /// The whole of a regular file, if it has at most `limit` bytes.
    package static func read(_ path: String, limit: Int) throws(Failure) -> [UInt8] {
        // Without O_NONBLOCK, opening a named pipe would wait for its writer.
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else { throw Failure(errno: errno) }
        let file = FileDescriptor(owning: number)
        var status = stat()
        guard unsafe fstat(file.number, &status) == 0 else { throw Failure(errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
        guard status.st_size <= limit else { throw .tooLarge }
        var bytes: [UInt8] = []
        let chunk = max(1, min(Int(status.st_size) + 1, 65_536))
        guard read(file, into: &bytes, limit: limit + 1, chunk: chunk) else { throw Failure(errno: errno) }
        guard bytes.count <= limit else { throw .tooLarge }
        return bytes
    }

    /// The first `limit` bytes of a file of any kind; nil where it cannot be opened. What cannot be read is left out.
    package static func contents(of path: String, limit: Int) -> [UInt8]? {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return nil }
        var bytes: [UInt8] = []
        _ = read(FileDescriptor(owning: number), into: &bytes, limit: limit, chunk: max(1, min(limit, 65_536)))
        return bytes
    }

    /// Reads to the end or the limit; false with errno where that fails.
    private static func read(_ file: borrowing FileDescriptor, into bytes: inout [UInt8], limit: Int, chunk: Int)
        -> Bool
    {
        var buffer = [UInt8](repeating: 0, count: chunk)
        while bytes.count < limit {
            let count = unsafe buffer.withUnsafeMutableBytes { raw in
                unsafe Glibc.read(file.number, raw.baseAddress, raw.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 }
            bytes.append(contentsOf: buffer[..<min(count, limit - bytes.count)])
        }
        return true
    }

    /// The names in a folder, in no order. A name that is not UTF-8 is repaired, and so leads to no file: that is said where
    /// it is opened.
    package static func names(in folder: String) throws(Failure) -> [String] {
        guard let directory = unsafe opendir(folder) else { throw Failure(errno: errno) }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            // In place: the record may be shorter than the structure, so it is not to be copied.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
                unsafe String(cString: UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self))
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    // MARK: Writing

    /// Why a file or a folder cannot be written.
    package struct WriteFailure: Error {
        package var path: String
        package var isFolder = false
        package var error: SystemError
    }

    /// Makes a folder and those that it is in, where they are missing.
    package static func makeFolder(_ path: String, mode: UInt32 = 0o700) throws(WriteFailure) {
        var folder = path.utf8.first == UInt8(ascii: "/") ? "/" : ""
        for part in path.split(separator: "/") {
            folder += part + "/"
            if unsafe mkdir(folder, mode) != 0, errno != EEXIST {
                throw WriteFailure(path: folder, isFolder: true, error: .last)
            }
        }
    }

    /// Writes a file that is not there yet; what is there already is left alone and is an error.
    package static func create(_ path: String, _ bytes: [UInt8], mode: UInt32) throws(WriteFailure) {
        let number = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard number >= 0 else { throw WriteFailure(path: path, error: .last) }
        let isWritten = FileOutput.write(bytes, to: number)
        let failure = SystemError.last
        guard close(number) == 0, isWritten else {
            throw WriteFailure(path: path, error: isWritten ? .last : failure)
        }
    }

    /// Writes a file anew in one step: a reader has the old one or the new one. `mode` is exact, whatever the umask; its owner stays
    /// where root writes it.
    ///
    /// - Parameters:
    ///   - isDurable: whether this holds after a crash of the machine, too. It takes milliseconds.
    ///   - isWanted: asked right before the new one takes the place of the old one.
    /// - Returns: false where it was not wanted any more; then nothing is changed.
    @discardableResult
    package static func replace(
        _ path: String, _ bytes: [UInt8], mode: UInt32, isDurable: Bool = false,
        if isWanted: () -> Bool = { true }
    ) throws(WriteFailure) -> Bool {
        let draft = "\(path).\(getpid())"
        let number = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard number >= 0 else { throw WriteFailure(path: draft, error: .last) }
        var old = stat()
        let hasOwner = unsafe stat(path, &old) == 0 && geteuid() == 0
        let isOwned = !hasOwner || fchown(number, old.st_uid, old.st_gid) == 0
        let isWritten =
            isOwned && FileOutput.write(bytes, to: number) && fchmod(number, mode) == 0
            && (!isDurable || fsync(number) == 0)
        let failure = SystemError.last
        guard close(number) == 0, isWritten else {
            _ = unsafe unlink(draft)
            throw WriteFailure(path: path, error: failure)
        }
        guard isWanted() else {
            _ = unsafe unlink(draft)
            return false
        }
        guard unsafe rename(draft, path) == 0 else {
            let failure = SystemError.last
            _ = unsafe unlink(draft)
            throw WriteFailure(path: path, error: failure)
        }
        if isDurable { synchronize(folder: FilePath.parent(of: path)) }
        return true
    }

    /// What was renamed, made or removed in a folder is on disk after this, where its file system can say so.
    package static func synchronize(folder: String) {
        let number = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { return }
        _ = fsync(number)
        close(number)
    }
}

/// Paths as text: joined and normalised without asking the file system.
package enum FilePath {
    /// Without `.`, `..` and doubled slashes, as far as that can be determined from the text.
    package static func normalised(_ path: String) -> String {
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        var parts: [Substring] = []
        for part in path.utf8.split(separator: UInt8(ascii: "/")).lazy.map({ Substring($0) }) where part != "." {
            if part == "..", let last = parts.last, last != ".." {
                parts.removeLast()
            } else if part == "..", isAbsolute, parts.isEmpty {
                continue
            } else {
                parts.append(part)
            }
        }
        var joined = isAbsolute ? "/" : ""
        for (place, part) in parts.enumerated() {
            if place > 0 { joined += "/" }
            joined += String(part)
        }
        return joined.isEmpty ? "." : joined
    }

    /// `path` as seen from a folder; an absolute one stays what it is.
    package static func resolve(_ path: String, from folder: String) -> String {
        path.utf8.first == UInt8(ascii: "/") ? normalised(path) : normalised(folder + "/" + path)
    }

    /// The path from the root on, by the folder that this process is in: for programs that run elsewhere.
    package static func absolute(_ path: String) -> String {
        if path.utf8.first == UInt8(ascii: "/") { return path }
        guard let folder = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(folder) }
        return unsafe String(cString: folder) + "/" + path
    }

    /// With all symbolic links followed; nil where there is no such file or folder.
    package static func resolved(_ path: String) -> String? {
        guard let found = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(found) }
        return unsafe String(cString: found)
    }

    /// Everything before the last slash; `.` where there is none.
    package static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    package static func lastComponent(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }
}
