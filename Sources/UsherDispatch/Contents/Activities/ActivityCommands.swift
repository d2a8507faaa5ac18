internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherStore

/// `activity` commands, for every door.
struct ActivityCommands {
    let service: ContentService

    init(_ service: ContentService) { self.service = service }

    // MARK: Looking

    func list(_ call: ActivityList) throws(ControlError) -> JSONValue {
        var query = Store.ActivityQuery(app: call.app, includesResigned: call.all, limit: call.limit ?? 1000)
        if let id = call.session { query.session = try session(id).id }
        let activities = try CurrentActivities(service)
        let current = try activities.list().first?.id
        return .array(
            try activities.activities(query).map { ActivityAnswer.value($0, isCurrent: $0.id == current) })
    }

    func show(_ call: ActivityShow) throws(ControlError) -> JSONValue {
        let (found, isCurrent) = try named(call.activity, ofSession: call.session)
        return ActivityAnswer.value(found, isCurrent: isCurrent)
    }

    /// The activity as it is to be continued: with fresh user info, where its app has said that there is some.
    func save(_ call: ActivitySave) throws(ControlError) -> JSONValue {
        let (found, isCurrent) = try named(call.activity, ofSession: call.session)
        let saved = try ActivitySaving(service).fresh(found)
        return [
            "activity": ActivityAnswer.value(saved.activity, isCurrent: isCurrent),
            "warnings": .array([saved.warning].compactMap { $0 }.map { .string($0) }),
        ]
    }

    /// By its id, `current`, or its session.
    private func named(
        _ id: String?, ofSession session: String?
    ) throws(ControlError) -> (activity: Store.StoredActivity, isCurrent: Bool) {
        let activities = try CurrentActivities(service)
        let current = try activities.list().first
        guard (id == nil) != (session == nil) else {
            throw .argument("which activity? give either activity or session", at: "")
        }
        if let session {
            let found = activities.seen(try activity(of: try self.session(session)))
            return (found, found.id == current?.id)
        }
        if id == "current" {
            guard let current else { throw .noCurrentActivity() }
            return (current, true)
        }
        let wanted = id ?? ""
        guard let found = try service.storing({ () throws(StoreError) in try service.store.activity(id: wanted) })
        else { throw .noActivity(wanted) }
        return (found, found.id == current?.id)
    }

    func search(_ call: ActivitySearch) throws(ControlError) -> JSONValue {
        let query = call.query
        guard query.utf8.count <= ActivityCommands.queryLimit else {
            throw .argument(
                "query has \(query.utf8.count) bytes, and may have \(ActivityCommands.queryLimit)",
                at: "/query")
        }
        let limit = call.limit ?? 20
        let current = try systemCurrent()
        let found = try service.storing { () throws(StoreError) in
            try service.store.searchActivities(query, limit: limit)
        }
        return .array(found.map { ActivityAnswer.value($0, isCurrent: $0.id == current) })
    }

    /// In bytes.
    private static let queryLimit = 4096

    // MARK: What the commands share

    func session(_ id: String) throws(ControlError) -> SceneSession {
        try SessionCommands(service.sessions, configuration: nil, windowServer: { _ in nil }).session(id)
    }

    /// The activity that a session has, current or kept.
    func activity(of session: SceneSession) throws(ControlError) -> Store.StoredActivity {
        let found = try service.storing { () throws(StoreError) in
            try service.store.activity(ofSession: session.id)
        }
        guard let found else { throw .noActivity(of: session.id) }
        return found
    }

    func systemCurrent() throws(ControlError) -> String? {
        try service.storing { () throws(StoreError) in try service.store.systemCurrentActivity() }?.id
    }
}

extension ControlError {
    static func noActivity(of session: String) -> ControlError {
        ControlError(
            .activityNone, "session \(session) has no activity", at: "/session",
            help: "usher activity become-current --session \(session) gives it one")
    }

    static func noCurrentActivity() -> ControlError {
        ControlError(.activityNone, "no activity is current", help: "usher activity list --all shows those that were")
    }
}
