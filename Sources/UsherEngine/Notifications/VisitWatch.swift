internal import Synchronization
internal import UsherActivation
internal import UsherLog
public import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// Whether the user sees now what a session shows.
public enum Sight: Sendable, Hashable {
    /// `isWhole`: everything that could hide it was looked at.
    case seen(isWhole: Bool)
    case unseen
    case unknown
}

/// Finds out when the user comes to a session: its window came to the front, or shows the session's content only now.
final class VisitWatch: Sendable {
    /// The targets of the sessions in front, by the sessions' ids; empty for a session without one.
    private let front = Mutex<[String: String]>([:])
    private let sight = Mutex<@Sendable (SceneSession) -> Sight>({ _ in .unknown })

    /// Whether the user has come to the session just now.
    func note(_ session: SceneSession, isInFront: Bool) -> Bool {
        front.withLock { front in
            guard isInFront else {
                front[session.id] = nil
                return false
            }
            let target = session.target?.text ?? ""
            return front.updateValue(target, forKey: session.id).map { !$0.hasSameBytes(as: target) } ?? true
        }
    }

    func forget(_ session: String) { front.withLock { $0[session] = nil } }

    func judge(by body: @escaping @Sendable (SceneSession) -> Sight) { sight.withLock { $0 = body } }

    func sight(of session: SceneSession) -> Sight { sight.withLock { $0 }(session) }
}

extension Engine {
    /// Replaces what tells whether the user sees a session now. It may block, but not wait for the engine.
    public func judgeSight(by body: @escaping @Sendable (SceneSession) -> Sight) { visits.judge(by: body) }

    /// Notes whether the window of a session is in front. If the user has just come to it, the notifications that lead to it
    /// are taken away. Does not wait.
    public func noteFront(_ session: SceneSession, _ isInFront: Bool) {
        guard let desk = executor.notifications, visits.note(session, isInFront: isInFront) else { return }
        desk.thread.submit { [weak self] in self?.withdraw(visiting: session, desk) }
        desk.thread.runInlineIfStarved()
    }

    /// The session has no window any more.
    public func noteWindowEnd(of session: String) { visits.forget(session) }

    private func withdraw(visiting session: SceneSession, _ desk: NotificationDesk) {
        guard configuration.notices(of: session.app).withdrawsOnVisit else { return }
        do throws(StoreError) {
            // Most windows that come to the front have none.
            guard !(try store.read { (state) throws(StoreError) in try state.notifications(for: session) }).isEmpty,
                case .seen = visits.sight(of: session)
            else { return }
            let ended = try edit { [answers] (state, _) throws(StoreError) in
                // One that waits for an answer stays.
                let found = try state.notifications(for: session).filter { answers[$0.delivery] == nil }
                for shown in found { try state.endNotification(of: shown.delivery, as: .visited) }
                return found
            }
            for shown in ended {
                noteEnd(of: shown.delivery, as: .visited)
                desk.withdraw(ShownNotification(id: shown.number, server: shown.server))
            }
        } catch {
            logger.storeRefuses(error)
        }
    }
}

extension StoreState {
    /// The notifications that are shown and lead to a session.
    fileprivate mutating func notifications(
        for session: SceneSession
    ) throws(StoreError) -> [Store.StoredNotification] {
        var targets: [String] = []
        if let target = session.target {
            targets = [target.text]
            let newest = try redirection(of: target).newest(of: target)
            if newest != target { targets.append(newest.text) }
        }
        return try shownNotifications(ofApp: session.app, session: session.id, targets: targets)
    }
}
