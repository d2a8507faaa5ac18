internal import UsherActivation
internal import UsherConfiguration
internal import UsherEngine
internal import UsherLog
package import UsherOperation
internal import UsherPayload
internal import UsherScene
package import UsherStore
internal import UsherSystem
internal import UsherText

extension OperationContext {
    /// By its id, `current`, or its session.
    func activity(
        named id: String?, ofSession session: String?
    ) throws(ControlError) -> (activity: Store.StoredActivity, isCurrent: Bool) {
        let activities = try CurrentActivities(self)
        let current = try activities.list().first
        guard (id == nil) != (session == nil) else {
            throw .argument("which activity? give either activity or session", at: "")
        }
        if let session {
            let found = activities.seen(try activity(of: try self.session(session)))
            return (found, found.id == current?.id)
        }
        if id == "current" {
            guard let found = try activities.system() else { throw activities.nothing() }
            return (found, found.id == current?.id)
        }
        let found = try activity(id: id ?? "")
        return (found, found.id == current?.id)
    }

    /// The activity of that id.
    package func activity(id: String) throws(ControlError) -> Store.StoredActivity {
        guard let found = try storing(try store.activity(id: id)) else { throw .noActivity(id) }
        return found
    }

    /// The activity that a session has, current or kept.
    func activity(of session: SceneSession) throws(ControlError) -> Store.StoredActivity {
        let found = try storing(try store.activity(ofSession: session.id))
        guard let found else { throw .noActivity(of: session.id) }
        return found
    }

    func systemCurrent() throws(ControlError) -> String? {
        try storing(try store.systemCurrentActivity())?.id
    }

    // MARK: Answers

    /// - Parameter isCurrent: whether it is the system's.
    func answer(_ activity: Store.StoredActivity, isCurrent: Bool) throws(ControlError) -> ActivityAnswer {
        var answer = ActivityAnswer(activity, isCurrent: isCurrent)
        answer.short = try short(activity.id, .activity)
        return answer
    }

    func answer(
        _ activity: Store.StoredActivity, isNew: Bool = false, _ document: ActivityDocument, showsSuggestions: Bool,
        warnings: [String] = []
    ) throws(ControlError) -> ActivityChangeAnswer {
        var warnings = document.warnings + warnings
        if let expires = activity.expires, expires <= Instant.now.microseconds {
            warnings.append("the activity expired at \(Instant(microseconds: expires).text): no search finds it")
        }
        let suggestions =
            showsSuggestions ? try linkedNotes(to: activity.identifiers, app: activity.app) : []
        let isCurrent = try systemCurrent() == activity.id
        let named = document.activity
        let identifiers = [named.targetContentIdentifier, named.persistentIdentifier, named.webpageURL]
        let findings = FindingAnswer.all(of: identifiers.compactMap(\.self))
        var answer = ActivityChangeAnswer()
        answer.activity = try self.answer(activity, isCurrent: isCurrent)
        (answer.isNew, answer.suggestions) = (isNew, suggestions)
        (answer.findings, answer.warnings) = (findings, warnings)
        return answer
    }

    /// The notes about an activity that became current, by its identifiers; each is an event of the log.
    ///
    /// - Parameters:
    ///   - identifiers: the preferred first.
    ///   - app: the app of the activity.
    private func linkedNotes(to identifiers: [String], app: String) throws(ControlError) -> [LinkedNoteAnswer] {
        guard !identifiers.isEmpty, let find = openings.linkedNotes else { return [] }
        let found = try storing(try find(identifiers, app, store))
        for suggestion in found {
            logger.log(
                .noteSuggested,
                [
                    "note.id": .text(suggestion.note), "link.id": .text(suggestion.link),
                    "link.identifier": .text(suggestion.identifier), "target": .text(suggestion.matched),
                    "redirect.hops": .number(Int64(suggestion.via.count)),
                ])
        }
        return found
    }

    // MARK: Apps

    func app(of session: SceneSession) throws(ControlError) -> App {
        let app = configuration.app(id: session.app)
        // Without a configuration there is no app for the windows of notes either.
        if session.app.hasSameBytes(as: App.notesID), app?.isBuiltIn ?? true {
            throw ControlError(
                .activityUndeclaredType,
                "session \(session.id) is a window of Usher's own notes, which have no activities",
                at: "/session", help: "report activities of other windows only: USHER_APP is \(App.notesID) here")
        }
        if let app { return app }
        throw .unknown(
            .activityNoApp, "app", session.app, among: configuration.manifestApps.map(\.id), at: "/session",
            otherwise: "session \(session.id) is of that app: install its manifest")
    }

    /// Only what a manifest declares is taken.
    func check(_ type: String, of app: App, in session: SceneSession) throws(ControlError) {
        let declared = app.activityTypes.map(\.value)
        if PageActivities.isPage(type) { return }
        if declared.contains(where: { $0.hasSameBytes(as: type) }) { return }
        let other = configuration.apps.first { app in
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
}

extension ControlError {
    static func noActivity(of session: String) -> ControlError {
        ControlError(
            .activityNone, "session \(session) has no activity", at: "/session",
            help: "usher activity become-current --session \(session) gives it one")
    }

    static func notInFront(_ window: WindowList.Window) -> ControlError {
        ControlError(
            .activityNotInFront,
            "what the window in front shows is not known: \(QuotedText.text(window.title)) (\(window.handle))",
            help:
                "a browser reports its page with `pages` in [browser], another app by `content` in its manifest or with"
                + " usher activity become-current; an identifier names content without looking: --link, --target")
    }

    static func noCurrentActivity() -> ControlError {
        ControlError(.activityNone, "no activity is current", help: "usher activity list --all shows those that were")
    }
}

extension ControlError {
    static func sessionLost(_ id: String) -> ControlError {
        ControlError(
            .activitySessionLost, "session \(id) has no window: it is disconnected", at: "/session",
            help: "usher scene connect --session \(id) says that it has one again")
    }
}
