internal import Glibc
internal import UsherActivation

/// Where the compositor is asked: the socket that SWAYSOCK names, or that of the compositor that took its place.
///
/// The name of the socket holds the compositor's process (`sway-ipc.1000.4711.sock`), so one that was started again has
/// another. Where the named one does not answer and exactly one other in the same folder does, that is it.
struct SwayPlace: Sendable {
    private static let prefix = "sway-ipc."
    private static let suffix = ".sock"

    let path: String

    var isKnown: Bool { !path.isEmpty }

    func connect() throws(SwayProblem) -> SwayConnection {
        guard isKnown else { throw .noSocket }
        do throws(SwayProblem) {
            return try SwayConnection(path: path)
        } catch {
            guard case .unreachable(let problem) = error, problem == ECONNREFUSED || problem == ENOENT else {
                throw error
            }
            let others = successors()
            if others.count > 1 { throw .ambiguous(others) }
            guard let other = others.first else { throw error }
            return try SwayConnection(path: other)
        }
    }

    /// Whether it names a compositor that has ended, and no other sway has taken its place. A name that the user chose
    /// is never left over: a compositor that is started later may use it.
    var isLeftOver: Bool {
        guard isNamedBySway else { return false }
        do throws(SwayProblem) {
            _ = try connect()
            return false
        } catch {
            switch error {
            case .unreachable(ECONNREFUSED), .unreachable(ENOENT): return true
            default: return false
            }
        }
    }

    /// Makes the wait for a compositor that starts.
    func makeWait() -> SocketWait? {
        SocketWait(path: path, prefix: isNamedBySway ? Self.prefix : nil)
    }

    /// Sockets of other compositors of the same user that answer.
    private func successors() -> [String] {
        guard isNamedBySway, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return [] }
        let own = name.split(separator: ".", omittingEmptySubsequences: false)
        let folder = String(path[...slash])
        let names = Self.names(in: folder).filter { other in
            let parts = other.split(separator: ".", omittingEmptySubsequences: false)
            return parts.count == 4 && parts[0] == own[0] && parts[1] == own[1] && parts[3] == own[3] && other != name
        }
        return names.sorted().map { folder + $0 }.filter { path in
            do throws(SwayProblem) {
                _ = try SwayConnection(path: path)
                return true
            } catch {
                return false
            }
        }
    }

    private static func names(in folder: String) -> [String] {
        guard let directory = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            names.append(
                unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        return names
    }

    private var isNamedBySway: Bool {
        name.hasPrefix(Self.prefix) && name.hasSuffix(Self.suffix) && name.split(separator: ".").count == 4
    }

    private var name: String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return String(path[path.utf8.index(after: slash)...])
    }
}
