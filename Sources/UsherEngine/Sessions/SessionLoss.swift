internal import UsherActivation
public import UsherScene
public import UsherStore

/// Handles a session that has lost its process or window. The session keeps its activity.
public enum SessionLoss {
    /// Disconnects a session, unless another process has it by now, or it is not as it was seen. Returns whether a session
    /// of this process existed and was disconnected.
    ///
    /// If the process has started other processes for a session without a window, and one of them still runs, the
    /// session is assigned to that process and stays connected.
    public static func lose(
        _ session: String, of process: Store.SessionProcess?, ifStill seen: SceneSession? = nil,
        in sessions: any SessionChanges
    ) throws(StoreError) -> Bool {
        // Its window was the place of this very process.
        if let process, let session = try sessions.session(id: session),
            session.handle.flatMap(ProcessHandle.init)?.pid == process.pid
        {
            return try sessions.end(session: session.id, ifStill: session)
        }
        if let process, let survivor = survivor(of: session, in: sessions.stateFolder),
            try sessions.session(id: session)?.handle == nil
        {
            _ = try sessions.change(
                session: session, Store.SessionChange(process: .some(survivor), onlyOf: process))
            return false
        }
        return try sessions.change(session: session, .disconnected(onlyOf: process, ifStill: seen)) != nil
    }

    package static func survivor(of session: String, in stateFolder: String) -> Store.SessionProcess? {
        Activator.survivor(of: session, in: stateFolder).flatMap { Store.SessionProcess.running(pid: $0) }
    }

    /// The change of a session that can be identified only by the process that was launched for it, or by another one that
    /// runs for it; without any it is disconnected.
    static func tie(_ change: inout Store.SessionChange, of session: String, in stateFolder: String, to pid: Int32?) {
        if let process = pid.flatMap({ Store.SessionProcess.running(pid: $0) })
            ?? survivor(of: session, in: stateFolder)
        {
            change.process = .some(process)
        } else {
            change.state = .disconnected
            change.handle = .some(nil)
            change.handleServer = .some(nil)
        }
    }

    /// The ids of the sessions of processes that have ended.
    package static func ended(in store: Store) throws(StoreError) -> Set<[UInt8]> {
        var ended: Set<[UInt8]> = []
        for (session, process) in try store.sessionProcesses() where !process.isRunning {
            if survivor(of: session, in: store.stateFolder) != nil, try store.session(id: session)?.handle == nil {
                continue
            }
            ended.insert(Array(session.utf8))
        }
        return ended
    }
}

extension Store.SessionChange {
    /// The window is gone, and the session stays.
    static func disconnected(
        onlyOf process: Store.SessionProcess? = nil, ifStill session: SceneSession? = nil
    ) -> Self {
        Self(state: .disconnected, handle: .some(nil), handleServer: .some(nil), onlyOf: process, ifStill: session)
    }
}

extension Store.Sessions {
    /// Marks the sessions of ended processes as disconnected and without a window, and leaves out those of commands
    /// without a window, in this list only. For a caller that may not write to the store.
    ///
    /// - Parameters:
    ///   - store: where they were read.
    ///   - configuration: nil where it cannot be read. Called only if a process has ended.
    public mutating func noteEnded(in store: Store, _ configuration: () -> Configuration?) throws(StoreError) {
        let ended = try SessionLoss.ended(in: store)
        guard !ended.isEmpty else { return }
        if let configuration = configuration() {
            sessions.removeAll { ended.contains(Array($0.id.utf8)) && configuration.isCommand($0) }
        }
        sessions.removeAll { ended.contains(Array($0.id.utf8)) && $0.handle.flatMap(ProcessHandle.init) != nil }
        for place in sessions.indices where ended.contains(Array(sessions[place].id.utf8)) {
            sessions[place].state = .disconnected
            sessions[place].handle = nil
            sessions[place].handleServer = nil
        }
    }
}
