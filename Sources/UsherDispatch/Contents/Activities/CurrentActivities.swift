internal import UsherActivation
internal import UsherControl
internal import UsherScene
public import UsherStore

/// The activities that are current now, after a look at whose window or process is gone.
///
/// usherd hears of processes that end; windows, and processes while it does not run, are looked at here.
struct CurrentActivities {
    private let service: ContentService

    init(_ service: ContentService) { self.service = service }

    /// Those that are current, the system's first.
    func list() throws(ControlError) -> [Store.StoredActivity] {
        try activities(Store.ActivityQuery()).filter { $0.state == .current }
    }

    /// The activities that are asked for. Where the store may be written, what was lost is disconnected first; else the
    /// answer alone says so.
    func activities(_ query: Store.ActivityQuery) throws(ControlError) -> [Store.StoredActivity] {
        let lost = try loseSessions()
        var found = try service.storing { () throws(StoreError) in try service.store.activities(query) }
        guard service.store.access == .readOnly, !lost.isEmpty else { return found }
        for place in found.indices where found[place].state == .current {
            if let session = found[place].session, lost.contains(Array(session.utf8)) { found[place].state = .kept }
        }
        // Those that are kept go behind those that are current.
        return found.filter { $0.state == .current } + found.filter { $0.state != .current }
    }

    /// Disconnects the sessions whose process has ended or whose window is gone; which they are.
    private func loseSessions() throws(ControlError) -> Set<[UInt8]> {
        let current = try service.storing { () throws(StoreError) in try service.store.activities() }
            .filter { $0.state == .current }
        guard !current.isEmpty else { return [] }
        let processes = Dictionary(
            try service.storing { () throws(StoreError) in try service.store.sessionProcesses() }
                .map { (Array($0.session.utf8), $0.process) }, uniquingKeysWith: { first, _ in first })
        var lost: Set<[UInt8]> = []
        for case let id? in current.map(\.session) {
            let process = processes[Array(id.utf8)]
            guard let session = try service.storing({ () throws(StoreError) in try service.sessions.session(id: id) }),
                process.map({ !$0.isRunning }) ?? false
                    || service.activator.presence(handle: session.handle, server: session.handleServer) == .gone
            else { continue }
            lost.insert(Array(id.utf8))
            if service.store.access == .readWrite { try SessionLoss.disconnect(id, of: process, in: service.sessions) }
        }
        return lost
    }
}

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
}
