internal import CLinux
internal import Glibc

/// What a file is recognized by, wherever it was moved on its file system. A folder is a file, too.
public struct FileIdentity: Sendable, Hashable {
    public var device: UInt64
    public var inode: UInt64
    /// When it was made, in nanoseconds since 1970; 0 where the file system does not say.
    public var birth: Int64
    /// In bytes.
    public var size: Int64

    public init(device: UInt64, inode: UInt64, birth: Int64, size: Int64) {
        (self.device, self.inode, self.birth, self.size) = (device, inode, birth, size)
    }

    /// Of the file at a path, symbolic links followed; nil where there is none, or it cannot be looked at.
    public init?(path: [UInt8]) {
        guard let found = FileStatus.read(path, from: AT_FDCWD, follows: true) else { return nil }
        self = found.identity
    }

    /// Whether nothing is at a path. What cannot be looked at may be there.
    public static func isMissing(_ path: [UInt8]) -> Bool {
        FileStatus.read(path, from: AT_FDCWD, follows: true) == nil && [ENOENT, ENOTDIR].contains(errno)
    }

    /// Whether both are the same file, whatever was written into it.
    func isSame(as other: FileIdentity) -> Bool {
        device == other.device && inode == other.inode && (birth == other.birth || birth == 0 || other.birth == 0)
    }
}

/// What the system says of a file.
private struct FileStatus {
    var identity: FileIdentity
    var isFolder: Bool

    /// Nil with errno.
    static func read(_ path: [UInt8], from folder: Int32, follows: Bool) -> FileStatus? {
        var status = usher_file()
        let result = unsafe (path + [0]).withUnsafeBufferPointer { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) {
                unsafe usher_file_status(folder, $0.baseAddress, follows ? 1 : 0, &status)
            }
        }
        guard result == 0 else { return nil }
        return FileStatus(
            identity: FileIdentity(
                device: status.device, inode: status.inode, birth: status.birth, size: status.size),
            isFolder: status.is_folder != 0)
    }
}

/// Looks for a file that is not at its path any more.
public struct FileSearch {
    /// Where the file may be: those with its identity, else the only one with its name and size.
    ///
    /// Looks below the nearest folder of the path that exists, on its file system, into no symbolic link. Where the time is
    /// over before all was seen, a name and a size prove nothing.
    ///
    /// - Parameters:
    ///   - path: where it was; absolute.
    ///   - identity: as it was there.
    /// - Returns: paths, in the order of their bytes.
    public static func places(
        ofFileOnceAt path: [UInt8], _ identity: FileIdentity, until deadline: Deadline
    ) -> [[UInt8]] {
        let slash = UInt8(ascii: "/")
        let name = path.split(separator: slash).last ?? []
        var start = path[...]
        var device: UInt64?
        repeat {
            start = start.prefix(start.lastIndex(of: slash) ?? 0)
            // What is at the path of a folder may be a file by now.
            let found = FileStatus.read(start.isEmpty ? [slash] : Array(start), from: AT_FDCWD, follows: true)
            if let found, found.isFolder { device = found.identity.device }
        } while device == nil && !start.isEmpty
        guard let device else { return [] }
        var search = FileSearch(name: Array(name), identity: identity, device: device, deadline: deadline)
        search.look(below: Array(start))
        let found = search.same.isEmpty && search.isComplete && search.alike.count == 1 ? search.alike : search.same
        return found.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private let name: [UInt8]
    private let identity: FileIdentity
    /// Of the folder that the search begins in.
    private let device: UInt64
    private let deadline: Deadline
    /// Files with the identity.
    private var same: [[UInt8]] = []
    /// Files with the name and the size.
    private var alike: [[UInt8]] = []
    private var isComplete = true

    /// The nearer folders first.
    private mutating func look(below start: [UInt8]) {
        var folders = [start]
        var next = 0
        while next < folders.count {
            folders += entries(of: folders[next])
            next += 1
            guard isComplete else { return }
        }
    }

    /// - Returns: the folders in a folder.
    private mutating func entries(of folder: [UInt8]) -> [[UInt8]] {
        let path = folder.isEmpty ? [UInt8(ascii: "/")] : folder
        let stream = unsafe (path + [0]).withUnsafeBufferPointer { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { buffer in
                unsafe buffer.baseAddress.flatMap { unsafe opendir($0) }
            }
        }
        guard let stream = unsafe stream else { return [] }
        defer { unsafe closedir(stream) }
        let descriptor = unsafe dirfd(stream)
        guard FileStatus.read([UInt8(ascii: ".")], from: descriptor, follows: true)?.identity.device == device else {
            return []
        }
        var folders: [[UInt8]] = []
        while let entry = unsafe readdir(stream) {
            guard !deadline.isOver else {
                isComplete = false
                return []
            }
            let found = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
            let dot = UInt8(ascii: ".")
            guard found != [dot], found != [dot, dot] else { continue }
            let (kind, inode) = unsafe (entry.pointee.d_type, entry.pointee.d_ino)
            let isOfInterest = inode == identity.inode || found == name
            guard isOfInterest || Int(kind) == DT_DIR || Int(kind) == DT_UNKNOWN,
                let status = FileStatus.read(found, from: descriptor, follows: false)
            else { continue }
            let place = folder + [UInt8(ascii: "/")] + found
            if status.isFolder { folders.append(place) }
            if status.identity.isSame(as: identity) {
                same.append(place)
            } else if found == name, status.identity.size == identity.size {
                alike.append(place)
            }
        }
        return folders
    }
}
