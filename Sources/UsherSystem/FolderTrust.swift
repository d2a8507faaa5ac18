internal import Glibc

/// Whether other users could change what a program keeps in a folder, or put a folder of their own in its place.
package enum FolderTrust {
    /// Why a folder is not used.
    package struct Fault: Error, Hashable {
        /// Names the folder, its owner and its mode; no full stop.
        package var message: String
        package var help: String
    }

    package enum Use {
        /// Holds files by names that are known beforehand: only its owner may write into it.
        case files
        /// Holds a socket, whose clients look at the server's user: it may have the sticky bit, as /tmp has.
        case socket
    }

    /// The owner of files whose real owner has no number here (user_namespaces(7)).
    private static let unmapped: uid_t = 65534

    /// Checks a folder and those that it is in, with symbolic links followed. One that is missing is made by this user later;
    /// those that it will be in are checked.
    ///
    /// The folder has to belong to the user or to root, and no group and no others may write into it. The folders above have
    /// to belong to the user or to root, too; where others may write into them, the sticky bit has to keep them from
    /// renaming what is not theirs. A group may write there: many systems give each user a group of its own.
    ///
    /// - Parameters:
    ///   - option: of the command line, which names another folder.
    ///   - user: the effective one of this process.
    package static func check(
        _ path: String, for use: Use = .files, option: String, user: UInt32 = geteuid()
    ) throws(Fault) {
        var folder = FilePath.absolute(path)
        var isAbove = false
        while folder != "/", !FileSystem.exists(folder) {
            folder = FilePath.parent(of: folder)
            isAbove = true
        }
        folder = FilePath.resolved(folder) ?? folder
        while true {
            var status = stat()
            // What cannot be looked at cannot be used either, and is reported where that is tried.
            guard unsafe stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
            let owner = status.st_uid
            let isTrusted = owner == user || owner == 0 || (isAbove && owner == unmapped)
            let writers: mode_t = isAbove ? 0o002 : 0o022
            let isProtected = status.st_mode & S_ISVTX != 0 && (isAbove || use == .socket)
            let name = "the folder \(folder) (owner \(owner), mode \(octal(status.st_mode & 0o7777)))"
            guard isTrusted else {
                throw Fault(
                    message: "\(name) belongs to another user: this is user \(user)",
                    help: "run this as user \(owner), or name another folder with \(option)")
            }
            guard status.st_mode & writers == 0 || isProtected else {
                throw Fault(
                    message: "\(name) can be changed by other users",
                    help: "chmod go-w \(folder), or name another folder with \(option)")
            }
            guard folder != "/" else { return }
            folder = FilePath.parent(of: folder)
            isAbove = true
        }
    }

    private static func octal(_ mode: mode_t) -> String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }
}
