import Glibc

/// The few questions that are asked of the file system.
enum FileSystem {
    enum Kind { case file, folder, other }

    enum Failure: Error, Hashable {
        case notFound
        /// More bytes than were allowed.
        case tooLarge
        case notAFile
        /// The system's own words.
        case system(String)

        init(errno code: Int32) {
            self = code == ENOENT || code == ENOTDIR ? .notFound : .system(unsafe String(cString: strerror(code)))
        }
    }

    static func kind(of path: String) throws(Failure) -> Kind {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw Failure(errno: errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFDIR: return .folder
        default: return .other
        }
    }

    /// The whole of a regular file, if it has at most `limit` bytes.
    ///
    /// - Parameter kept: what is looked into instead of the file system.
    static func read(_ path: String, limit: Int, insteadFrom kept: KeptManifests?) throws(Failure) -> [UInt8] {
        if let kept { return try kept.read(path) }
        // Without O_NONBLOCK, opening a named pipe would wait for its writer.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Failure(errno: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Failure(errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
        guard status.st_size <= limit else { throw .tooLarge }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: max(1, min(Int(status.st_size) + 1, 65536)))
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(errno: errno) }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk[..<count])
            guard bytes.count <= limit else { throw .tooLarge }
        }
    }

    /// The names in a folder, by their bytes; hidden ones left out. A name that is not UTF-8 is repaired, and so leads to no
    /// file: that is said where it is opened.
    static func names(in folder: String) throws(Failure) -> [String] {
        guard let directory = unsafe opendir(folder) else { throw Failure(errno: errno) }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            // In place: the record may be shorter than the structure, so it is not to be copied.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
                unsafe String(cString: UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self))
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    static func isExecutable(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }

    static func currentFolder() -> String {
        guard let path = unsafe getcwd(nil, 0) else { return "/" }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }
}
