internal import Synchronization
package import UsherActivation
internal import UsherLog
internal import UsherResolution
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

extension Engine {
    /// Listens to what people do with notifications, those that an earlier run has shown among them.
    func attendNotifications() {
        guard let desk = executor.notifications else { return }
        let take: @Sendable (NotificationEvent) -> Void = { [weak self, weak desk] event in
            guard let self, let desk else { return }
            submit(event, to: desk)
        }
        desk.presenter.observe(take)
        desk.handleEarlyEvents(take)
        // If no shown notification can be pressed any more, no server has to be queried.
        guard (try? store.hasPressableNotifications()) == true else { return }
        desk.thread.submit { [weak self] in self?.loseOldNotifications() }
        desk.thread.runInlineIfStarved()
    }

    private func submit(_ event: NotificationEvent, to desk: NotificationDesk) {
        desk.thread.submit { [weak self, weak desk] in
            guard let self, let desk else { return }
            handle(event, at: desk)
        }
        desk.thread.runInlineIfStarved()
    }

    /// What a server showed that is gone now is shown no more.
    private func loseOldNotifications() {
        guard let desk = executor.notifications else { return }
        do throws(ActivationFailure) {
            lose(exceptOf: try desk.presenter.server())
        } catch {
            // It is unknown whether the notification server is gone.
            logger.log(
                .notificationsNotShown,
                ["error.code": .text(error.code.code), "error.message": .text(error.message)])
        }
    }

    private func lose(exceptOf server: String?) {
        do throws(StoreError) {
            let count = try store.loseNotifications(except: server)
            if count > 0 {
                logger.log(.notificationServerGone, ["count": .number(Int64(count))])
            }
        } catch {
            logger.storeRefuses(error)
        }
    }

    private func handle(_ event: NotificationEvent, at desk: NotificationDesk) {
        switch event {
        case .invoked(let shown, let action, let token): press(shown, action, token, event, at: desk)
        case .closed(let shown, let reason): close(shown, reason, event, at: desk)
        case .lost: loseOldNotifications()
        }
    }

    private func press(
        _ shown: ShownNotification, _ action: String, _ token: String?, _ event: NotificationEvent,
        at desk: NotificationDesk, isLast: Bool = false
    ) {
        let id = UUIDv7.next()
        let result: Store.PressResult
        do throws(StoreError) {
            // The token is stored before the delivery exists, so that the thread that begins the delivery finds the
            // token.
            executor.tokens.keep(token, of: id)
            result = try edit { (state, changes) throws(StoreError) in
                let result = try state.press(action, onNumber: shown.id, of: shown.server, as: id)
                if case .accepted = result { changes.queued.append(id) }
                return result
            }
        } catch {
            _ = executor.tokens.forget(of: id)
            return logger.storeRefuses(error)
        }
        switch result {
        case .accepted(let parent):
            logger.log(
                .notificationPressed,
                ["delivery.id": .text(id), "delivery.parent": .text(parent), "notification.action": .text(action)])
            subscribers.statistics.withLock { $0.presses += 1 }
            // Not every server takes it away by itself.
            desk.withdraw(shown)
        case .repeated(let parent):
            _ = executor.tokens.forget(of: id)
            logger.log(.notificationPressedAgain, ["delivery.parent": .text(parent)])
        case .unknown:
            _ = executor.tokens.forget(of: id)
            if !isLast {
                if desk.postpone(event) { return }
                // The last that was on its way may have come to the store just now.
                return press(shown, action, token, event, at: desk, isLast: true)
            }
            logger.log(.notificationForeign, ["number": .number(Int64(shown.id))])
        }
    }

    private func close(
        _ shown: ShownNotification, _ reason: NotificationEvent.CloseReason, _ event: NotificationEvent,
        at desk: NotificationDesk, isLast: Bool = false
    ) {
        do throws(StoreError) {
            let end = Store.NotificationState(rawValue: reason.rawValue) ?? .undefined
            if let parent = try store.endNotification(number: shown.id, of: shown.server, as: end) {
                subscribers.statistics.withLock { $0.closings[end, default: 0] += 1 }
                logger.log(
                    .notificationEnded,
                    ["delivery.id": .text(parent), "notification.state": .text(end.rawValue)])
            } else if !isLast, try store.hasNotification(number: shown.id, of: shown.server) || !desk.postpone(event) {
                // It came to the store just now, or ended before.
                close(shown, reason, event, at: desk, isLast: true)
            }
        } catch {
            logger.storeRefuses(error)
        }
    }
}

extension Logger {
    fileprivate func storeRefuses(_ error: StoreError) {
        self.log(
            .notificationNotStored,
            ["error.code": .text(error.code.code), "error.message": .text(error.message)])
    }
}

extension Diagnostic {
    /// The manifest has notifications of this level neither shown nor followed.
    static func silenced(_ level: DeliveryRule.Level) -> Self {
        .init(
            .notificationSilenced, "the manifest silences \(level.rawValue) notifications",
            help: "the app's `deliver` says \"none\"")
    }
}

extension Engine {
    /// What shows notifications; nil where there is no session of a desktop.
    package var presenter: (any NotificationPresenter)? { executor.notifications?.presenter }
}
