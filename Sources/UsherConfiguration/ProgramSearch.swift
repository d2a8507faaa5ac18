internal import UsherSystem

/// Finds the programs that commands name, and says why one cannot be run: what diagnostics need.
///
/// `ProgramLocator` of UsherActivation finds the same files when they are to be run. They stay two: reading manifests
/// and starting programs know nothing of each other, and what both know does no I/O. A test holds them together.
public struct ProgramSearch: Sendable {
    public enum Result: Sendable, Hashable {
        /// At this path.
        case found(String)
        case notFound
        /// There is a file of that name, but it cannot be run.
        case notExecutable(String)
    }

    private let folders: [String]

    /// - Parameter path: a `PATH`; nil stands for `/usr/local/bin:/usr/bin:/bin`. Its empty and relative elements are
    ///   left out, since they mean wherever Usher was started.
    public init(path: String?) {
        folders = (path ?? "/usr/local/bin:/usr/bin:/bin").utf8.split(separator: UInt8(ascii: ":"))
            .filter { $0.first == UInt8(ascii: "/") }.map { String(Substring($0)) }
    }

    /// A name with a slash is a path; any other is looked for in the folders of the `PATH`, in order.
    public func find(_ program: String) -> Result {
        if program.isEmpty || program.utf8.contains(0) { return .notFound }
        if program.utf8.contains(UInt8(ascii: "/")) { return judge(program) }
        var unusable: Result?
        for folder in folders {
            switch judge(folder + "/" + program) {
            case .found(let path): return .found(path)
            case .notExecutable(let path): unusable = unusable ?? .notExecutable(path)
            case .notFound: break
            }
        }
        return unusable ?? .notFound
    }

    private func judge(_ path: String) -> Result {
        guard let kind = try? FileSystem.kind(of: path) else { return .notFound }
        return kind == .file && FileSystem.isExecutable(path) ? .found(path) : .notExecutable(path)
    }
}
