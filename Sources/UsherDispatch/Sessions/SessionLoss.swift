internal import UsherControl
internal import UsherScene
public import UsherStore

/// What is done about a session whose process or window is gone: its activity stays with it.
public enum SessionLoss {
    /// Disconnects a session, unless another process has it by now.
    static func disconnect(
        _ session: String, of process: Store.SessionProcess?, in sessions: any SessionChanges
    ) throws(ControlError) {
        do throws(StoreError) {
            _ = try lose(session, of: process, in: sessions)
        } catch {
            throw ControlError(error)
        }
    }

    /// The same; whether the session was there and of this process.
    public static func lose(
        _ session: String, of process: Store.SessionProcess?, in sessions: any SessionChanges
    ) throws(StoreError) -> Bool {
        try sessions.change(
            session: session,
            Store.SessionChange(
                state: .disconnected, handle: .some(nil), handleServer: .some(nil), onlyOf: process)) != nil
    }

    /// The ids of the sessions whose processes have ended.
    static func ended(in store: Store) throws(StoreError) -> Set<[UInt8]> {
        Set(try store.sessionProcesses().filter { !$0.process.isRunning }.map { Array($0.session.utf8) })
    }

    /// Disconnects the sessions whose processes have ended, which only a daemon hears of at once. Looks at those alone that
    /// have a process.
    public static func loseEnded(in store: Store) throws(StoreError) {
        for (session, process) in try store.sessionProcesses() where !process.isRunning {
            _ = try lose(session, of: process, in: store)
        }
    }
}

extension Store.Sessions {
    /// What `loseEnded` would make of them: for who may only read.
    ///
    /// - Parameter store: where they were read.
    public mutating func noteEnded(in store: Store) throws(StoreError) {
        let ended = try SessionLoss.ended(in: store)
        guard !ended.isEmpty else { return }
        for place in sessions.indices where ended.contains(Array(sessions[place].id.utf8)) {
            sessions[place].state = .disconnected
            sessions[place].handle = nil
            sessions[place].handleServer = nil
        }
    }
}
