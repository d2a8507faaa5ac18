import Glibc
import Synchronization

extension Store {
    /// The process that carries a delivery out.
    ///
    /// Identified by the file that it keeps locked (`OwnerFile`) and, within one PID namespace, by its process id. The
    /// start time distinguishes it from a later process with the same id.
    public struct Owner: Sendable, Hashable {
        /// Of the boot during which it runs.
        public var bootID: String
        public var pid: Int32
        /// In clock ticks since that boot.
        public var startTime: UInt64
        /// The name of its file in `owners`.
        public var file: String?

        public init(bootID: String, pid: Int32, startTime: UInt64, file: String? = nil) {
            self.bootID = bootID
            self.pid = pid
            self.startTime = startTime
            self.file = file
        }

        private static let own = Owner(
            bootID: ProcessStatus.bootID() ?? "", pid: getpid(),
            startTime: ProcessStatus.read(pid: getpid())?.startTime ?? 0)

        /// This process, by its number.
        public static func current() -> Owner { own }

        /// Whether the process of this number still runs; one that has ended and was not yet waited for does not.
        public func isAlive() -> Bool {
            guard ProcessStatus.bootID().map({ $0.utf8.elementsEqual(bootID.utf8) }) ?? true,
                let process = ProcessStatus.read(pid: pid)
            else { return false }
            return process.startTime == startTime && process.isRunning
        }
    }

    /// This store object as an owner; its file is made when it is asked for first and goes when the store is closed.
    public func owner() -> Owner {
        var owner = Owner.current()
        guard access == .readWrite else { return owner }
        owner.file = ownerFile.withLock { file in
            if file == nil { file = OwnerFile(in: OwnerFile.folder(of: self.file)) }
            return file?.name
        }
        return owner
    }

    /// Removes the files of owners that were killed.
    public func forgetDeadOwners() {
        if access == .readWrite { OwnerFile.sweep(OwnerFile.folder(of: file)) }
    }

    /// Whether the owner process still runs.
    public func isAlive(_ owner: Owner) -> Bool {
        guard let name = owner.file else { return owner.isAlive() }
        // A forked child holds the lock too until it calls exec. Within the same PID namespace, the process id shows at
        // once that the parent was killed.
        if OwnerFile.isOfThisNamespace(name), !owner.isAlive() { return false }
        return OwnerFile.isHeld(name, in: OwnerFile.folder(of: file))
    }
}
