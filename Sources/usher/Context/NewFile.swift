internal import Glibc
internal import UsherSystem

/// Files that commands write, and the folders that those are in.
enum NewFile {
    /// Writes a file that was not there before; what is there already is left alone and is an error.
    static func write(_ text: String, to path: String) throws(CommandFailure) {
        try attempt { () throws(FileSystem.WriteFailure) in
            try FileSystem.makeFolder(FilePath.parent(of: path), mode: 0o755)
            try FileSystem.create(path, Array(text.utf8), mode: 0o644)
        }
    }

    /// Writes a file of Usher's own anew, in one step: a reader has the old one or the new one.
    static func replace(_ path: String, with text: String, mode: UInt32) throws(CommandFailure) {
        try replace(path, with: Array(text.utf8), mode: mode)
    }

    /// - Parameters:
    ///   - isDurable: see `FileSystem`.
    ///   - isWanted: asked right before it takes the place of the old one.
    /// - Returns: false where it was not wanted any more; then nothing is changed.
    @discardableResult
    static func replace(
        _ path: String, with bytes: [UInt8], mode: UInt32, isDurable: Bool = false,
        if isWanted: () -> Bool = { true }
    ) throws(CommandFailure) -> Bool {
        var isReplaced = false
        try attempt { () throws(FileSystem.WriteFailure) in
            try FileSystem.makeFolder(FilePath.parent(of: path))
            isReplaced = try FileSystem.replace(path, bytes, mode: mode, isDurable: isDurable, if: isWanted)
        }
        return isReplaced
    }

    /// Removes a file, where it is there.
    static func remove(_ path: String) throws(CommandFailure) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .cannot("remove \(path)", errno: errno) }
    }

    /// Writes, or throws what cannot be written and why.
    static func attempt(_ write: () throws(FileSystem.WriteFailure) -> Void) throws(CommandFailure) {
        do throws(FileSystem.WriteFailure) {
            try write()
        } catch {
            throw .cannot("\(error.isFolder ? "make the folder" : "write") \(error.path)", errno: error.error.number)
        }
    }
}
