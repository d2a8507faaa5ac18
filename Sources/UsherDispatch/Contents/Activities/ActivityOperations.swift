internal import UsherConfiguration
internal import UsherJSON
internal import UsherLog
internal import UsherOperation
internal import UsherPayload
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// `activity` commands, for every interface (socket, HTTP, command line).
struct ActivityOperations {
    private let service: ContentService

    init(_ service: ContentService) { self.service = service }

    // MARK: Looking

    func list(_ call: ActivityList) throws(ControlError) -> JSONValue {
        var query = Store.ActivityQuery(app: call.app, includesResigned: call.all, limit: call.limit ?? 1000)
        if let id = call.session { query.session = try session(id).id }
        let activities = try CurrentActivities(service)
        let current = try activities.list().first?.id
        return .array(
            try service.withShort(
                .activity,
                try activities.activities(query).map { ActivityAnswer.value($0, isCurrent: $0.id == current) }))
    }

    func show(_ call: ActivityShow) throws(ControlError) -> JSONValue {
        let (found, isCurrent) = try named(call.activity, ofSession: call.session)
        return try service.withShort(.activity, ActivityAnswer.value(found, isCurrent: isCurrent))
    }

    /// The activity as it is to be continued: with fresh user info, where its app has said that there is some.
    func save(_ call: ActivitySave) throws(ControlError) -> JSONValue {
        let (found, isCurrent) = try named(call.activity, ofSession: call.session)
        let saved = try ActivitySaving(service).fresh(found)
        return [
            "activity": try service.withShort(
                .activity, ActivityAnswer.value(saved.activity, isCurrent: isCurrent)),
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
        guard query.utf8.count <= ActivityOperations.queryLimit else {
            throw .argument(
                "query has \(query.utf8.count) bytes, and may have \(ActivityOperations.queryLimit)",
                at: "/query")
        }
        let limit = call.limit ?? 20
        let current = try systemCurrent()
        let found = try service.storing { () throws(StoreError) in
            let settings = service.store.suggestionSettings
            // Some may be excluded.
            let examined = try service.store.searchActivities(query, limit: limit + ActivityOperations.mostExcluded)
            var found: [Store.StoredActivity] = []
            for activity in examined where found.count < limit {
                if try service.mayBeFound(activity, settings) { found.append(activity) }
            }
            return found
        }
        return .array(
            try service.withShort(
                .activity, found.map { ActivityAnswer.value($0, isCurrent: $0.id == current) }))
    }

    /// In bytes.
    private static let queryLimit = 4096
    /// So many excluded activities at most are passed over in a search.
    private static let mostExcluded = 100

    // MARK: What the commands share

    private func session(_ id: String) throws(ControlError) -> SceneSession {
        try SessionOperations(service.sessions, configuration: nil, windowServer: { _ in nil }).session(id)
    }

    /// The activity that a session has, current or kept.
    private func activity(of session: SceneSession) throws(ControlError) -> Store.StoredActivity {
        let found = try service.storing { () throws(StoreError) in
            try service.store.activity(ofSession: session.id)
        }
        guard let found else { throw .noActivity(of: session.id) }
        return found
    }

    private func systemCurrent() throws(ControlError) -> String? {
        try service.storing { () throws(StoreError) in try service.store.systemCurrentActivity() }?.id
    }
}

extension ControlError {
    fileprivate static func noActivity(of session: String) -> ControlError {
        ControlError(
            .activityNone, "session \(session) has no activity", at: "/session",
            help: "usher activity become-current --session \(session) gives it one")
    }

    static func noCurrentActivity() -> ControlError {
        ControlError(.activityNone, "no activity is current", help: "usher activity list --all shows those that were")
    }
}

// MARK: - Changing

extension ActivityOperations {
    func becomeCurrent(_ call: ActivityBecomeCurrent) throws(ControlError) -> JSONValue {
        let session = try session(call.session)
        let app = try app(of: session)
        let document = try ActivityDocument(Array(call.activity.utf8))
        try check(document.activity.activityType, of: app, in: session)
        let process = try call.process.map(process)
        guard session.state != .disconnected else { throw .sessionLost(session.id) }
        let content = document.content
        let made = try service.storing { () throws(StoreError) in
            try service.store.becomeCurrent(content, app: session.app, session: session.id, process: process)
        }
        guard let made else {
            // It was closed or lost a moment ago: one of these says so.
            _ = try self.session(session.id)
            throw .sessionLost(session.id)
        }
        if process != nil { service.processesChanged?() }
        service.remindersChanged?()
        if !made.isSame {
            service.logger.log(
                .activityBecameCurrent,
                [
                    "activity.id": .text(made.activity.id), "activity.type": .text(made.activity.type),
                    "app": .text(made.activity.app), "session.id": .text(session.id),
                    "target": made.activity.subject.map { .text($0) },
                ])
        }
        return try answer(made.activity, isNew: !made.isSame, document, showsSuggestions: true)
    }

    func update(_ call: ActivityUpdate) throws(ControlError) -> JSONValue {
        let session = try session(call.session)
        let app = try app(of: session)
        var patches: [[UInt8]] = []
        if let text = call.activity { patches.append(Array(text.utf8)) }
        if call.needsSave { patches.append(Array(#"{"needsSave":true}"#.utf8)) }
        guard !patches.isEmpty else { throw .argument("activity is missing", at: "") }
        let before = try activity(of: session)
        var documents: (old: ActivityDocument, new: ActivityDocument)?
        let written = try ActivityChanges(service).change(before) { (now) throws(ControlError) in
            let old = try ActivityDocument(now.document)
            var new = old
            for patch in patches { new = try new.merging(patch) }
            try check(new.activity.activityType, of: app, in: session)
            documents = (old, new)
            return new
        }
        guard let (old, new) = documents else { throw .noActivity(before.id) }
        var warnings: [String] = []
        if ActivityOperations.isOtherContent(old, new) {
            warnings.append(
                "the activity is about other content now; other content is a new activity: make a new activity with"
                    + " usher activity become-current")
        }
        let hasNewIdentifiers = !before.identifiers.elementsEqual(written.identifiers) {
            $0.hasSameBytes(as: $1)
        }
        return try answer(written, new, showsSuggestions: hasNewIdentifiers, warnings: warnings)
    }

    func resign(_ call: ActivityResign) throws(ControlError) -> JSONValue {
        let session = try session(call.session)
        let resigned = try service.storing { () throws(StoreError) in
            try service.store.resign(session: session.id)
        }
        guard let resigned else { throw .noActivity(of: session.id) }
        return .object([
            .init("activity", try service.withShort(.activity, ActivityAnswer.value(resigned, isCurrent: false)))
        ])
    }

    // MARK: Parts

    private func answer(
        _ activity: Store.StoredActivity, isNew: Bool = false, _ document: ActivityDocument, showsSuggestions: Bool,
        warnings: [String] = []
    ) throws(ControlError) -> JSONValue {
        var warnings = document.warnings + warnings
        if let expires = activity.expires, expires <= Instant.now.microseconds {
            warnings.append("the activity expired at \(Instant(microseconds: expires).text): no search finds it")
        }
        let suggestions =
            showsSuggestions ? try LinkSuggestions(service).of(activity.identifiers, app: activity.app) : []
        let isCurrent = try systemCurrent() == activity.id
        let named = document.activity
        let identifiers = [named.targetContentIdentifier, named.persistentIdentifier, named.webpageURL]
        let findings = LintAnswer.values(of: identifiers.compactMap(\.self))
        return .object([
            .init(
                "activity", try service.withShort(.activity, ActivityAnswer.value(activity, isCurrent: isCurrent))),
            .init("is_new", .boolean(isNew)),
            .init("suggestions", .array(suggestions)),
            .init("findings", .array(findings)),
            .init("warnings", .array(warnings.map { .string($0) })),
        ])
    }

    /// Whether an update made something else of an activity: no identifier is what it was.
    private static func isOtherContent(_ old: ActivityDocument, _ new: ActivityDocument) -> Bool {
        guard let before = old.activity.subject, let after = new.activity.subject else { return false }
        let kept = [
            (old.activity.targetContentIdentifier, new.activity.targetContentIdentifier),
            (old.activity.persistentIdentifier, new.activity.persistentIdentifier),
        ].contains { one, other in
            guard let one, let other else { return false }
            return one.hasSameBytes(as: other)
        }
        if kept || before.hasSameBytes(as: after) { return false }
        // An identifier of its own beside the web address is the same content, better named.
        if let page = old.activity.webpageURL, let newPage = new.activity.webpageURL,
            page.hasSameBytes(as: newPage), old.activity.targetContentIdentifier == nil,
            old.activity.persistentIdentifier == nil
        {
            return false
        }
        return true
    }

    private func app(of session: SceneSession) throws(ControlError) -> App {
        let app = service.configuration.app(id: session.app)
        // Without a configuration there is no app for the windows of notes either.
        if session.app.hasSameBytes(as: App.notesID), app?.isBuiltIn ?? true {
            throw ControlError(
                .activityUndeclaredType,
                "session \(session.id) is a window of Usher's own notes, which have no activities",
                at: "/session", help: "report activities of other windows only: USHER_APP is \(App.notesID) here")
        }
        if let app { return app }
        throw .unknown(
            .activityNoApp, "app", session.app, among: service.configuration.manifestApps.map(\.id), at: "/session",
            otherwise: "session \(session.id) is of that app: install its manifest")
    }

    /// Only what a manifest declares is taken.
    private func check(_ type: String, of app: App, in session: SceneSession) throws(ControlError) {
        let declared = app.activityTypes.map(\.value)
        if PageActivities.isPage(type) { return }
        if declared.contains(where: { $0.hasSameBytes(as: type) }) { return }
        let other = service.configuration.apps.first { app in
            app.activityTypes.contains { $0.value.hasSameBytes(as: type) }
        }
        if let other {
            throw ControlError(
                .activityUndeclaredType,
                "the activity type \(QuotedText.text(type)) is declared by \(other.id), and session \(session.id) is of"
                    + " \(app.id)", at: "/activity",
                help: declared.isEmpty
                    ? "declare it as one of activity-types in \(app.location.path), or name a session of \(other.id)"
                    : "\(app.id) declares \(declared.joined(separator: ", "))")
        }
        var error = ControlError.unknown(
            .activityUndeclaredType, "activity type", type, among: declared, at: "/activity")
        let remedy = "or declare it: activity-types in \(app.location.path)"
        error.message = "\(app.id) declares no activity type \(QuotedText.text(type))"
        error.help = error.help.map { "\($0) \(remedy)" } ?? String(remedy.dropFirst(3))
        throw error
    }

    private func process(_ number: Int) throws(ControlError) -> Store.SessionProcess {
        if let process = Store.SessionProcess.running(pid: Int32(number)) { return process }
        throw ControlError(
            .activityNoProcess, "there is no process \(number)", at: "/process",
            help: "give the process that shows the window, such as $$ of a shell")
    }
}

extension ControlError {
    fileprivate static func sessionLost(_ id: String) -> ControlError {
        ControlError(
            .activitySessionLost, "session \(id) has no window: it is disconnected", at: "/session",
            help: "usher scene connect --session \(id) says that it has one again")
    }
}
