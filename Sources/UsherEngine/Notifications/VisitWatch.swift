internal import Synchronization
internal import UsherActivation
internal import UsherLog
public import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// Finds out when the user comes to a session: its window came to the front, or shows the session's content only now; or the
/// user sees the place of its process, and did not at the last look.
final class VisitWatch: Sendable {
    /// The targets of the sessions in front, by the sessions' ids; empty for a session without one.
    private let front = Mutex<[String: String]>([:])
    /// Whether places were seen at the last look, by the sessions' ids.
    private let places = Mutex<[String: Bool]>([:])
    private let isLooking = Mutex(false)
    private let reading = Mutex<@Sendable (SceneSession) -> SeenEvidence?>({ _ in nil })
    private let features = Mutex(WindowOpenings())

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

    /// Whether a session's window is the place of a process in the terminals: no list of windows says what is in front of it.
    static func isPlace(_ session: SceneSession) -> Bool {
        session.handle.map { ProcessHandle($0) != nil || TerminalSubject.isTmux($0) } ?? false
    }

    /// Whether the user has come to the place of a session since the last look.
    @discardableResult
    func notePlace(_ session: SceneSession, isSeen: Bool) -> Bool {
        guard VisitWatch.isPlace(session) else { return false }
        let was = places.withLock { $0.updateValue(isSeen, forKey: session.id) } ?? false
        return isSeen && !was
    }

    /// False where a look begins soon.
    func beginLook() -> Bool {
        isLooking.withLock { isLooking in
            defer { isLooking = true }
            return !isLooking
        }
    }

    /// What happens from now on needs another look.
    func noteLook() { isLooking.withLock { $0 = false } }

    func forget(_ session: String) {
        front.withLock { $0[session] = nil }
        places.withLock { $0[session] = nil }
    }

    func look(by body: @escaping @Sendable (SceneSession) -> SeenEvidence?) { reading.withLock { $0 = body } }

    func tell(_ openings: WindowOpenings) { features.withLock { $0 = openings } }

    /// The sessions whose visit features are to be told of.
    var awaited: Set<String> { features.withLock { $0 }.awaitingVisit() }

    func tellOfVisit(_ session: SceneSession) { features.withLock { $0 }.tookFocus(session.id, session.app) }

    /// Whether the user sees now what a session shows; nil where nothing is known.
    func evidence(of session: SceneSession) -> SeenEvidence? { reading.withLock { $0 }(session) }
}

extension Engine {
    /// Replaces what tells whether the user sees a session now. It may block, but not wait for the engine.
    public func look(by body: @escaping @Sendable (SceneSession) -> SeenEvidence?) { visits.look(by: body) }

    /// Replaces what is told of visits of places. Nothing of it may wait.
    public func tellOfVisits(_ openings: WindowOpenings) { visits.tell(openings) }

    /// Notes whether the window of a session is in front. If the user has just come to it, the notifications that lead to it
    /// are taken away. Does not wait.
    public func noteFront(_ session: SceneSession, _ isInFront: Bool) {
        guard let desk = executor.notifications, !VisitWatch.isPlace(session),
            visits.note(session, isInFront: isInFront)
        else { return }
        let moment = Instant.now.microseconds
        desk.looks.submit { [weak self] in
            self?.withdraw(visiting: session, shownBefore: moment, desk) {
                self?.visits.evidence(of: session)?.isSeen ?? false
            }
        }
        desk.looks.runInlineIfStarved()
    }

    /// Another window has the keyboard, the one that has it another title, or tmux shows something else. Where the user has
    /// come to the place of a process, the notifications that lead to it are taken away. Does not wait.
    public func noteOtherFront() {
        guard let desk = executor.notifications, visits.beginLook() else { return }
        desk.looks.submit { [weak self] in self?.visitPlaces(desk) }
        desk.looks.runInlineIfStarved()
    }

    private func visitPlaces(_ desk: NotificationDesk) {
        visits.noteLook()
        do throws(StoreError) {
            let isNotified = try store.hasShownNotifications()
            let awaited = visits.awaited
            guard isNotified || !awaited.isEmpty else { return }
            for session in try sessions() where session.state.isOpen && VisitWatch.isPlace(session) {
                var isSeen: Bool?
                func look() -> Bool {
                    isSeen = isSeen ?? visits.evidence(of: session)?.isSeen ?? false
                    return isSeen ?? false
                }
                withdraw(visiting: session, desk) { visits.notePlace(session, isSeen: look()) }
                if awaited.contains(session.id), look() { visits.tellOfVisit(session) }
            }
        } catch {
            logger.storeRefuses(error)
        }
    }

    /// The session has no window any more.
    public func noteWindowEnd(of session: String) { visits.forget(session) }

    /// - Parameter moment: when the user came, in microseconds since 1970: what was shown after it stays.
    private func withdraw(
        visiting session: SceneSession, shownBefore moment: Int64 = .max, _ desk: NotificationDesk,
        if isVisit: () -> Bool
    ) {
        guard configuration.notices(of: session.app).withdrawsOnVisit else { return }
        do throws(StoreError) {
            // Most windows that come to the front have none.
            guard !(try store.read { (state) throws(StoreError) in try state.notifications(for: session) }).isEmpty,
                isVisit()
            else { return }
            let ended = try edit { [answers] (state, _) throws(StoreError) in
                // One that waits for an answer stays.
                let found = try state.notifications(for: session)
                    .filter { answers[$0.delivery] == nil && $0.shown <= moment }
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
