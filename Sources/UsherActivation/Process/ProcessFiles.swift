internal import Glibc
internal import UsherSystem
internal import UsherText

/// The files that a process was given or works with, as `/proc` has them.
package struct ProcessFiles {
    package enum Failure: Error { case processGone }

    package struct File: Hashable {
        /// Absolute; nil where it is not UTF-8.
        package var path: String?
        /// As it stands in the arguments it is relative to the working folder, not absolute.
        package var isRelative: Bool

        package init(path: String?, isRelative: Bool = false) {
            self.path = path
            self.isRelative = isRelative
        }
    }

    private let process: Int32

    package init(of process: Int32) { self.process = process }

    /// The regular files among the arguments, each once. A `file:` URL counts as its path; what begins with `-` does not.
    ///
    /// - Parameter base: the folder of relative paths; nil: the working folder, and these are marked `isRelative`.
    package func arguments(relativeTo base: String?) throws(Failure) -> [File] {
        guard let bytes = FileSystem.contents(of: "/proc/\(process)/cmdline", limit: 1024 * 1024), !bytes.isEmpty else {
            throw .processGone
        }
        let folder = base.map { Array($0.utf8) } ?? link("cwd") ?? []
        var files: [File] = []
        let words = bytes.split(separator: 0)
        var script = words.first.flatMap { scriptName(besides: $0) }
        for argument in words.dropFirst() where argument.first != UInt8(ascii: "-") {
            let path = ProcessFiles.decoded(argument)
            if let name = script, ProcessFiles.name(of: path[...]).elementsEqual(name) {
                script = nil
                continue
            }
            let isRelative = path.first != UInt8(ascii: "/")
            if isRelative, folder.isEmpty { continue }
            let whole = isRelative ? folder + [UInt8(ascii: "/")] + path : path
            guard ProcessFiles.isFile(whole) else { continue }
            append(whole, isRelative: isRelative && base == nil, to: &files)
        }
        return files
    }

    /// The name of the script that an interpreter runs for it: the kernel names the process after the script, while its
    /// first word is the interpreter. nil for other programs.
    private func scriptName(besides interpreter: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let name = FileSystem.contents(of: "/proc/\(process)/comm", limit: 64)?.dropLast() else { return nil }
        return name.elementsEqual(ProcessFiles.name(of: interpreter)) ? nil : name
    }

    /// The last part of a path, as much of it as the kernel keeps of a process's name.
    private static func name(of path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        (path.split(separator: UInt8(ascii: "/")).last ?? []).prefix(15)
    }

    /// The working folder, where it is still there.
    package func workingFolder() throws(Failure) -> File? {
        guard let path = link("cwd") else { throw .processGone }
        guard ProcessFiles.mode(of: path).map({ $0 & S_IFMT == S_IFDIR }) ?? false else { return nil }
        var files: [File] = []
        append(path, isRelative: false, to: &files)
        return files.first
    }

    /// The regular files that it has open for reading, each once; not those of the system (`/usr`, `/etc`, `/proc`, `/sys`,
    /// `/dev`).
    package func openFiles() throws(Failure) -> [File] {
        guard let names = try? FileSystem.names(in: "/proc/\(process)/fd") else { throw .processGone }
        var files: [File] = []
        for name in names.prefix(ProcessFiles.maximumDescriptors) {
            guard let path = link("fd/\(name)"), path.first == UInt8(ascii: "/"),
                !ProcessFiles.system.contains(where: { path.starts(with: $0.utf8) }), ProcessFiles.isFile(path),
                isRead(name)
            else { continue }
            append(path, isRelative: false, to: &files)
        }
        guard FileSystem.exists("/proc/\(process)") else { throw .processGone }
        return files
    }

    private static let maximumDescriptors = 4096
    private static let system = ["/usr/", "/etc/", "/proc/", "/sys/", "/dev/"]

    private func append(_ path: [UInt8], isRelative: Bool, to files: inout [File]) {
        let text = String(validating: path, as: UTF8.self).map(FilePath.normalised)
        let file = File(path: text, isRelative: isRelative)
        let isKnown = files.contains { known in
            guard let one = known.path, let other = text else { return false }
            return one.hasSameBytes(as: other)
        }
        if !isKnown { files.append(file) }
    }

    /// Whether a descriptor is open for reading.
    private func isRead(_ descriptor: String) -> Bool {
        let bytes = FileSystem.contents(of: "/proc/\(process)/fdinfo/\(descriptor)", limit: 4096) ?? []
        for line in bytes.split(separator: UInt8(ascii: "\n")) where line.starts(with: "flags:".utf8) {
            let digits = line.dropFirst(6).filter { (0x30...0x37).contains($0) }
            guard let last = digits.last else { return false }
            return Int32(last & 3) != O_WRONLY
        }
        return false
    }

    private func link(_ name: String) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe bytes.baseAddress.map {
                unsafe readlink("/proc/\(process)/\(name)", $0.assumingMemoryBound(to: CChar.self), bytes.count)
            } ?? -1
        }
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// `file:///a%20b` is `/a b`.
    private static func decoded(_ argument: ArraySlice<UInt8>) -> [UInt8] {
        guard argument.starts(with: "file:///".utf8) else { return Array(argument) }
        return PercentEncoding.decode(argument.dropFirst(7))
    }

    private static func isFile(_ path: [UInt8]) -> Bool { mode(of: path).map { $0 & S_IFMT == S_IFREG } ?? false }

    private static func mode(of path: [UInt8]) -> mode_t? {
        guard !path.contains(0) else { return nil }
        var status = stat()
        let result = unsafe (path + [0]).withUnsafeBytes { bytes in
            unsafe bytes.baseAddress.map { unsafe stat($0.assumingMemoryBound(to: CChar.self), &status) } ?? -1
        }
        return result == 0 ? status.st_mode : nil
    }
}
