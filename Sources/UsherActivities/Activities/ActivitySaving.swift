internal import Synchronization
internal import UsherActivation
package import UsherEngine
internal import UsherJSON
internal import UsherLog
package import UsherOperation
internal import UsherScene
package import UsherStore
internal import UsherText

/// Asks an app for a fresh `userInfo` when a command needs an activity for which the app has set `needsSave`.
///
/// Until then, an update runs no command. The manifest's save command gets the activity on its standard input and
/// writes the new `userInfo`, an object, within its time limit.
package struct ActivitySaving {
    private let service: OperationContext
    /// Activities for which a save command runs in this process. A save command may need its own activity, for a link
    /// that it makes; if that started the save command again, the command would wait for itself.
    private static let asked = Mutex<Set<[UInt8]>>([])

    /// An activity that is as fresh as its app made it.
    package struct Saved {
        package var activity: Store.StoredActivity
        /// Why it is not fresh, for people: it is used as it is.
        package var warning: String?
    }

    package init(_ service: OperationContext) { self.service = service }

    /// The activity with its app's newest `userInfo`, written to the store. An old one serves where none is given.
    package func fresh(_ activity: Store.StoredActivity) throws(ControlError) -> Saved {
        guard activity.needsSave, let activator = service.activator,
            let command = service.configuration.app(id: activity.app)?.continuation.save
        else {
            return Saved(activity: activity)
        }
        let key = Array(activity.id.utf8)
        guard ActivitySaving.asked.withLock({ $0.insert(key).inserted }) else {
            return Saved(
                activity: activity,
                warning: "\(activity.app) is being asked for fresh user info at this moment: its userInfo may be old")
        }
        defer { ActivitySaving.asked.withLock { _ = $0.remove(key) } }
        var session: SceneSession?
        if let id = activity.session { session = try service.storing(try service.sessions.session(id: id)) }
        let answer = activator.ask(
            task(activity, session), command, verb: "save", limit: ActivityDocument.sizeLimit)
        do throws(ControlError) {
            guard answer.report.outcome == .done else {
                let failure = answer.report.failure ?? answer.report.warnings.first
                throw .notSaved(failure?.message ?? "the save command was not run", help: failure?.help)
            }
            guard !answer.isTruncated else {
                throw .notSaved("the save command wrote more than \(ActivityDocument.sizeLimit) bytes")
            }
            return Saved(activity: try write(answer.output, into: activity))
        } catch {
            service.logger.log(
                .userInfoNotFresh,
                [
                    "app": .text(activity.app), "activity.id": .text(activity.id), "error.code": .text(error.code.code),
                    "error.message": .text(error.message),
                ])
            return Saved(activity: activity, warning: "\(error.message): its userInfo may be old")
        }
    }

    /// The activity as it is now, with the new `userInfo`.
    private func write(_ output: [UInt8], into activity: Store.StoredActivity) throws(ControlError)
        -> Store.StoredActivity
    {
        let text = Array(output.trimmed(" \n\r\t", atEnd: ""))
        guard let value = try? JSONValue(parsing: text), value.kind == .object else {
            throw .notSaved("the save command wrote no JSON object")
        }
        return try ActivityChanges(service).change(activity) { (now) throws(ControlError) in
            // What was said while the command ran may be newer than what it wrote: then it is asked again, the next time.
            let isOldAgain = now.needsSave && now.changed != activity.changed
            let patch = Array(#"{"needsSave":\#(isOldAgain),"userInfo":"#.utf8) + text + Array("}".utf8)
            return try ActivityDocument(now.document).merging(patch)
        }
    }

    private func task(_ activity: Store.StoredActivity, _ session: SceneSession?) -> ActivationTask {
        var task = ActivationTask(
            delivery: activity.id, nonce: "", app: activity.app, scene: session?.scene, session: activity.session,
            handle: session?.handle, handleServer: session?.handleServer, target: activity.subject,
            title: activity.title, url: activity.webpage, activityType: activity.type, payload: activity.document,
            action: .none, reason: .explicit)
        task.isActivity = true
        return task
    }
}

/// Changes of an activity that may meet others: tried again from what they wrote.
struct ActivityChanges {
    private let service: OperationContext

    init(_ service: OperationContext) { self.service = service }

    func change(
        _ activity: Store.StoredActivity,
        _ make: (Store.StoredActivity) throws(ControlError) -> ActivityDocument
    ) throws(ControlError) -> Store.StoredActivity {
        var now = activity
        for _ in 0..<20 {
            let document = try make(now)
            if let written = try service.storing(try service.store.update(now, to: document.content)) {
                return written
            }
            now = try service.activity(id: activity.id)
        }
        throw ControlError(
            .activityBusy, "the activity \(activity.id) is changed by others all the time", help: "try again",
            status: .finding)
    }
}

extension ControlError {
    fileprivate static func notSaved(_ message: String, help: String? = nil) -> ControlError {
        ControlError(.activityNotSaved, message, help: help, status: .finding)
    }

    package static func noActivity(_ id: String) -> ControlError {
        ControlError(
            .activityNoSuch, "there is no activity \(QuotedText.text(id))", at: "/activity",
            help: "usher activity list shows them")
    }
}
