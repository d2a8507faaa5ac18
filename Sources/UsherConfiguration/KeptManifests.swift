internal import UsherSystem

/// The texts that apps were read from, in one piece: manifests, and the files that they name.
///
/// The folder comes first, then each manifest by its name in the folder, and each further file by its absolute path.
struct KeptManifests: Sendable {
    let folder: String
    /// The names of the manifests, in the order in which they were read.
    let manifests: [String]
    /// By absolute path.
    private let files: [String: [UInt8]]

    /// nil where the bytes are not what `MessageDigestParts` makes of such texts.
    init?(reading bytes: [UInt8]) {
        var rest = bytes[...]
        var folder: String?
        var manifests: [String] = []
        var files: [String: [UInt8]] = [:]
        while !rest.isEmpty {
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            let sizes = rest[..<end].split(separator: UInt8(ascii: " ")).map {
                Int(String(decoding: $0, as: UTF8.self))
            }
            rest = rest[(end + 1)...]
            guard sizes.count == 2, let name = sizes[0], let content = sizes[1], name >= 0, content >= 0,
                name <= rest.count, content <= rest.count - name
            else { return nil }
            let path = String(decoding: rest.prefix(name), as: UTF8.self)
            let text = Array(rest.dropFirst(name).prefix(content))
            rest = rest.dropFirst(name + content)
            guard let base = folder else {
                folder = String(decoding: text, as: UTF8.self)
                continue
            }
            if path.utf8.first == UInt8(ascii: "/") {
                files[path] = text
            } else {
                manifests.append(path)
                files[base + "/" + path] = text
            }
        }
        guard let folder else { return nil }
        self.folder = folder
        self.manifests = manifests
        self.files = files
    }

    func read(_ path: String) throws(FileSystem.Failure) -> [UInt8] {
        guard let text = files[path] else { throw .notFound }
        return text
    }
}

extension FileSystem {
    /// The whole of a regular file, if it has at most `limit` bytes.
    ///
    /// - Parameter kept: what is looked into instead of the file system.
    static func read(
        _ path: String, limit: Int, insteadFrom kept: KeptManifests?
    ) throws(FileSystem.Failure) -> [UInt8] {
        guard let kept else { return try read(path, limit: limit) }
        return try kept.read(path)
    }
}
