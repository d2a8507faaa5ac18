import Glibc

extension Store {
    /// The process that carries a delivery out; told from a later one with the same number by when it started.
    public struct Owner: Sendable, Hashable {
        /// Of the boot during which it runs.
        public var bootID: String
        public var pid: Int32
        /// In clock ticks since that boot.
        public var startTime: UInt64

        public init(bootID: String, pid: Int32, startTime: UInt64) {
            self.bootID = bootID
            self.pid = pid
            self.startTime = startTime
        }

        private static let own = Owner(
            bootID: ProcessStatus.bootID() ?? "", pid: getpid(),
            startTime: ProcessStatus.read(pid: getpid())?.startTime ?? 0)

        /// This process.
        public static func current() -> Owner { own }

        /// Whether the process still runs; one that has ended and was not yet waited for does not.
        public func isAlive() -> Bool {
            guard ProcessStatus.bootID().map({ $0.utf8.elementsEqual(bootID.utf8) }) ?? true,
                let process = ProcessStatus.read(pid: pid)
            else { return false }
            return process.startTime == startTime && process.isRunning
        }
    }
}
