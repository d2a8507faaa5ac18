internal import UsherActivation
package import UsherEngine
internal import UsherLog
package import UsherOperation
package import UsherScene
package import UsherStore
internal import UsherSystem
internal import UsherText

/// The activities that are current now, after one check for sessions that have lost their window or process, and the content
/// that the user looks at: this is the one place that decides what that is.
///
/// The daemon is notified when a process ends. Windows are checked here, and so are processes while no daemon runs. If
/// the store may be written, the lost sessions are disconnected; otherwise only the answers show the loss.
package struct CurrentActivities {
    private let service: OperationContext
    /// Sessions that the store still takes for connected.
    private let lost: Set<[UInt8]>

    package init(_ service: OperationContext) throws(ControlError) {
        self.service = service
        lost = try CurrentActivities.look(service)
    }

    /// Those that are current, the system's first.
    func list() throws(ControlError) -> [Store.StoredActivity] {
        try activities(Store.ActivityQuery()).filter { $0.state == .current }
    }

    /// What the user looks at.
    package struct Content {
        /// The activity of the window in front; not one that has expired.
        package var activity: Store.StoredActivity?
        /// The document in front, if its window was used later than that of the activity. A document is a target that the
        /// `content` of a scene has read from a window.
        package var document: SceneSession?
    }

    /// The content of the window in front; where no desktop reports what is in front, of the window that was used last.
    package func content() throws(ControlError) -> Content {
        try service.storing { () throws(StoreError) in
            var content = Content(
                activity: try CurrentActivities.system(in: service.store, leavingOut: lost),
                document: try service.store.documentUsedLast())
            guard content.activity != nil || content.document != nil else { return content }
            let front = FrontContent(service)
            if let activity = content.activity, try !shows(activity, front) {
                content.activity = nil
                for other in try service.store.activities() where isCurrent(other) {
                    guard try shows(other, front) else { continue }
                    content.activity = other
                    break
                }
            }
            if let document = content.document, !front.shows(document) {
                content.document = try service.store.documentsByUse().first(where: front.shows)
            }
            if let activity = content.activity, let used = content.document?.used {
                let session = try activity.session.flatMap { id throws(StoreError) in
                    try service.store.session(id: id)
                }
                if used <= max(activity.became, session?.used ?? 0) { content.document = nil }
            }
            return content
        }
    }

    /// The activity that the user looks at, for callers that act on it.
    package func system() throws(ControlError) -> Store.StoredActivity? { try content().activity }

    /// Why there is no content, where that is because of the window in front.
    package func obstacle() -> ControlError? { FrontContent(service).window.map(ControlError.notInFront) }

    /// The error that says that there is no content, with the reason.
    package func nothing() -> ControlError { obstacle() ?? .noCurrentActivity() }

    private func shows(_ activity: Store.StoredActivity, _ front: FrontContent) throws(StoreError) -> Bool {
        guard front.window != nil else { return true }
        guard let id = activity.session, let session = try service.store.session(id: id) else { return false }
        return front.shows(session)
    }

    private func isCurrent(_ activity: Store.StoredActivity) -> Bool {
        guard activity.state == .current, activity.expires.map({ $0 > Instant.now.microseconds }) ?? true else {
            return false
        }
        return !(activity.session.map { lost.contains(Array($0.utf8)) } ?? false)
    }

    /// The same, of the sessions that are not lost.
    package static func system(
        in store: Store, leavingOut lost: Set<[UInt8]>
    ) throws(StoreError) -> Store.StoredActivity? {
        func isLost(_ activity: Store.StoredActivity) -> Bool {
            activity.session.map { lost.contains(Array($0.utf8)) } ?? false
        }
        var found = try store.systemCurrentActivity()
        if let first = found, isLost(first) {
            found = try store.activities().first { $0.state == .current && !isLost($0) }
        }
        guard let found, found.expires.map({ $0 > Instant.now.microseconds }) ?? true else { return nil }
        return found
    }

    /// The activities that are asked for; those that are current before the others.
    func activities(_ query: Store.ActivityQuery) throws(ControlError) -> [Store.StoredActivity] {
        let found = try service.storing(try service.store.activities(query)).map(seen)
        return found.filter { $0.state == .current } + found.filter { $0.state != .current }
    }

    /// An activity of the store, as it is after the look.
    func seen(_ activity: Store.StoredActivity) -> Store.StoredActivity {
        guard activity.state == .current, let session = activity.session, lost.contains(Array(session.utf8)) else {
            return activity
        }
        var activity = activity
        activity.state = .kept
        activity.resigned = Instant.now.microseconds
        return activity
    }

    /// Disconnects the sessions that have a current activity and have lost their process or window. Returns those that
    /// could not be disconnected, because the store is read-only.
    private static func look(_ service: OperationContext) throws(ControlError) -> Set<[UInt8]> {
        let current = try service.storing(try service.store.activities()).filter { $0.state == .current }
        guard !current.isEmpty else { return [] }
        let processes = Dictionary(
            try service.storing(try service.store.sessionProcesses())
                .map { (Array($0.session.utf8), $0.process) }, uniquingKeysWith: { first, _ in first })
        var windows: WindowList??
        /// Only the server of the window can report that it is gone. A window of another server, or of a server that
        /// does not run here, may still exist.
        func isGone(_ session: SceneSession) -> Bool {
            guard let activator = service.activator, let handle = session.handle,
                activator.windowSystem.recognizes(handle: handle)
            else {
                return false
            }
            let list = windows ?? (try? activator.windowSystem.windows())
            windows = .some(list)
            guard let list, let own = session.handleServer, !list.has(handle, of: own),
                let server = try? activator.windowSystem.server(of: handle),
                WindowServer.isSameLife(server, own)
            else { return false }
            return activator.presence(handle: handle, server: own) == .gone
        }
        var lost: Set<[UInt8]> = []
        for case let id? in current.map(\.session) {
            let process = processes[Array(id.utf8)]
            guard let session = try service.storing(try service.sessions.session(id: id)),
                process.map({ !$0.isRunning }) ?? false || isGone(session)
            else { continue }
            if service.store.access == .readWrite {
                _ = try service.storing(
                    try SessionLoss.lose(id, of: process, ifStill: session, in: service.sessions))
            } else {
                lost.insert(Array(id.utf8))
            }
        }
        return lost
    }
}
