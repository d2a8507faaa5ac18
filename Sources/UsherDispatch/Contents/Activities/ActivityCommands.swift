internal import UsherJSON
internal import UsherOperation
internal import UsherScene
internal import UsherStore

/// `activity` commands, for every door.
struct ActivityCommands {
    let service: ContentService

    init(_ service: ContentService) { self.service = service }

    func perform(_ request: ContentRequest) throws(ControlError) -> JSONValue {
        switch request.verb {
        case .becomeCurrent: return try becomeCurrent(arguments(request, ["session", "activity", "process"]))
        case .updateActivity: return try update(arguments(request, ["session", "activity", "needs_save"]))
        case .resignActivity: return try resign(arguments(request, ["session"]))
        case .listActivities: return try list(arguments(request, ["app", "session", "all", "limit"]))
        case .showActivity: return try show(arguments(request, ["activity", "session"]))
        case .saveActivity: return try save(arguments(request, ["activity", "session"]))
        case .searchActivities: return try search(arguments(request, ["query", "limit"]))
        default: throw .protocolViolation("\(request.verb.rawValue) is no command for activities")
        }
    }

    private func arguments(_ request: ContentRequest, _ allowed: [String]) throws(ControlError) -> MemberReader {
        try MemberReader(request.arguments, at: "", allowed: allowed)
    }

    // MARK: Looking

    private func list(_ arguments: MemberReader) throws(ControlError) -> JSONValue {
        var query = Store.ActivityQuery(
            app: try arguments.text("app"), includesResigned: try arguments.flag("all"),
            limit: try arguments.integer("limit", in: 1...100_000) ?? 1000)
        if let id = try arguments.text("session") { query.session = try session(id).id }
        let activities = try CurrentActivities(service)
        let current = try activities.list().first?.id
        return .array(
            try activities.activities(query).map { ActivityAnswer.value($0, isCurrent: $0.id == current) })
    }

    private func show(_ arguments: MemberReader) throws(ControlError) -> JSONValue {
        let (found, isCurrent) = try named(arguments)
        return ActivityAnswer.value(found, isCurrent: isCurrent)
    }

    /// The activity as it is to be continued: with fresh user info, where its app has said that there is some.
    private func save(_ arguments: MemberReader) throws(ControlError) -> JSONValue {
        let (found, isCurrent) = try named(arguments)
        let saved = try ActivitySaving(service).fresh(found)
        return [
            "activity": ActivityAnswer.value(saved.activity, isCurrent: isCurrent),
            "warnings": .array([saved.warning].compactMap { $0 }.map { .string($0) }),
        ]
    }

    /// By its id, `current`, or its session.
    private func named(
        _ arguments: MemberReader
    ) throws(ControlError) -> (activity: Store.StoredActivity, isCurrent: Bool) {
        let activities = try CurrentActivities(service)
        let current = try activities.list().first
        let (id, session) = (try arguments.text("activity"), try arguments.text("session"))
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

    private func search(_ arguments: MemberReader) throws(ControlError) -> JSONValue {
        let query = try arguments.requiredText("query")
        guard query.utf8.count <= ActivityCommands.queryLimit else {
            throw .argument(
                "query has \(query.utf8.count) bytes, and may have \(ActivityCommands.queryLimit)",
                at: "/query")
        }
        let limit = try arguments.integer("limit", in: 1...1000) ?? 20
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
