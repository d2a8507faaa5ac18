extension Store {
    /// The process that the window of a session belongs to. These three values together identify it uniquely.
    public struct SessionProcess: Sendable, Hashable {
        public var pid: Int32
        /// In clock ticks since boot.
        public var startTime: UInt64
        public var bootID: String

        public init(pid: Int32, startTime: UInt64, bootID: String) {
            self.pid = pid
            self.startTime = startTime
            self.bootID = bootID
        }

        /// A process that runs now; nil where there is none of that number.
        public static func running(pid: Int32) -> SessionProcess? {
            guard pid > 0, let status = ProcessStatus.read(pid: pid), status.isRunning else { return nil }
            return SessionProcess(pid: pid, startTime: status.startTime, bootID: ProcessStatus.bootID() ?? "")
        }

        /// Whether it runs. A number that went to another process does not count.
        public var isRunning: Bool {
            guard ProcessStatus.bootID().map({ $0.utf8.elementsEqual(bootID.utf8) }) ?? true,
                let status = ProcessStatus.read(pid: pid)
            else { return false }
            return status.isRunning && status.startTime == startTime
        }
    }

    /// Every session that has a process and its window still, with that process.
    public func sessionProcesses() throws(StoreError) -> [(session: String, process: SessionProcess)] {
        try read { (state) throws(StoreError) in try state.sessionProcesses() }
    }
}

extension Store {
    public func process(ofSession id: String) throws(StoreError) -> SessionProcess? {
        try read { (state) throws(StoreError) in try state.process(ofSession: id) }
    }
}

extension StoreState {
    fileprivate mutating func sessionProcesses() throws(StoreError) -> [(
        session: String, process: Store.SessionProcess
    )] {
        var found: [(session: String, process: Store.SessionProcess)] = []
        let row = try prepare(
            """
            SELECT id, process, process_start, process_boot FROM session
            WHERE process IS NOT NULL AND state <> 'disconnected'
            """)
        while try row.step() {
            guard let process = StoreState.process(row.integer(1), row.integer(2), row.text(3)) else { continue }
            found.append((row.text(0), process))
        }
        return found
    }

    mutating func process(ofSession id: String) throws(StoreError) -> Store.SessionProcess? {
        let row = try prepare(
            "SELECT process, process_start, process_boot FROM session WHERE id = ? AND process IS NOT NULL", [.text(id)]
        )
        guard try row.step() else { return nil }
        return StoreState.process(row.integer(0), row.integer(1), row.text(2))
    }

    mutating func setProcess(_ process: Store.SessionProcess?, ofSession id: String) throws(StoreError) {
        guard let process else {
            try run(
                """
                UPDATE session SET process = NULL, process_start = NULL, process_boot = NULL
                WHERE id = ? AND process IS NOT NULL
                """, .text(id))
            return
        }
        try run(
            "UPDATE session SET process = ?, process_start = ?, process_boot = ? WHERE id = ?",
            .integer(Int64(process.pid)), .integer(Int64(bitPattern: process.startTime)), .text(process.bootID),
            .text(id))
    }

    private static func process(_ pid: Int64, _ start: Int64, _ boot: String) -> Store.SessionProcess? {
        Int32(exactly: pid).map {
            Store.SessionProcess(pid: $0, startTime: UInt64(bitPattern: start), bootID: boot)
        }
    }
}
