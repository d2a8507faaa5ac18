internal import Glibc

/// Listening sockets that the service manager opened and passed on.
///
/// sd_listen_fds(3): descriptors from 3 on, `LISTEN_FDS` of them, for the process `LISTEN_PID`, named by `LISTEN_FDNAMES`.
public enum SocketActivation {
    public struct Descriptor: Sendable, Hashable {
        public var number: Int32
        /// `FileDescriptorName=` of its unit, else the unit's name; `unknown` where the manager said nothing.
        public var name: String

        public init(_ number: Int32, name: String) {
            self.number = number
            self.name = name
        }
    }

    /// Takes the descriptors: they are closed in children from now on, and the variables are gone from the environment, so that
    /// no program that is started here takes them for its own. A second call finds none.
    ///
    /// Changes the environment, so it belongs at the start of a program, before there are threads.
    public static func descriptors() -> [Descriptor] { descriptors(from: first) }

    /// - Parameter first: the number of the first descriptor.
    static func descriptors(from first: Int32) -> [Descriptor] {
        func variable(_ name: String) -> String? {
            guard let text = unsafe getenv(name) else { return nil }
            return unsafe String(cString: text)
        }
        let found = parse(
            count: variable("LISTEN_FDS"), process: variable("LISTEN_PID"), names: variable("LISTEN_FDNAMES"),
            own: getpid(), first: first)
        for name in ["LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES"] { unsafe unsetenv(name) }
        // One that is not open was promised wrongly; listening on it could only fail.
        return found.filter { fcntl($0.number, F_SETFD, FD_CLOEXEC) == 0 }
    }

    /// What the variables say; nothing where they are meant for another process or cannot be read.
    static func parse(
        count: String?, process: String?, names: String?, own: Int32, first: Int32 = first
    ) -> [Descriptor] {
        guard let count = count.flatMap(Int32.init), (1...limit).contains(count), process.flatMap(Int32.init) == own
        else { return [] }
        let names = names?.split(separator: ":", omittingEmptySubsequences: false) ?? []
        return (0..<count).map { index in
            let name = Int(index) < names.count ? String(names[Int(index)]) : ""
            return Descriptor(first + index, name: name.isEmpty ? "unknown" : name)
        }
    }

    private static let first: Int32 = 3
    /// More than any unit has; a wrong number must not make a long loop.
    private static let limit: Int32 = 1024
}
