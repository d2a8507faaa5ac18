internal import Synchronization
package import UsherActivation
internal import UsherLog
internal import UsherResolution
internal import UsherScene
public import UsherStore
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
        desk.handleEarlyEvents(take) { [weak self] in self?.withdrawNotification(of: $0) }
        // If no shown notification can be pressed any more, no server has to be queried.
        guard (try? store.hasPressableNotifications()) == true else { return }
        desk.thread.submit { [weak self] in
            self?.loseOldNotifications()
            self?.endEarlierWaits()
        }
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

    /// The senders that an earlier run had have ended with it, also where that was killed.
    private func endEarlierWaits() {
        do throws(StoreError) {
            let left = try store.awaitedNotifications().filter { answers[$0.delivery] == nil }
            if !left.isEmpty { mailbox.post(.sendersGone(left)) }
        } catch {
            logger.storeRefuses(error)
        }
    }

    private func lose(exceptOf server: String?) {
        do throws(StoreError) {
            let count = try store.loseNotifications(except: server)
            if count > 0 {
                logger.log(.notificationServerGone, ["count": .number(Int64(count))])
            }
            let lost = answers.deliveries { shown in server.map { !shown.server.hasSameBytes(as: $0) } ?? true }
            for delivery in lost { mailbox.post(.notificationEnded(delivery, .lost)) }
        } catch {
            logger.storeRefuses(error)
        }
    }

    private func handle(_ event: NotificationEvent, at desk: NotificationDesk) {
        switch event {
        case .invoked(let shown, let action, let token): press(shown, action, token, event, at: desk)
        case .closed(let shown, let reason): close(shown, reason, event, at: desk)
        case .lost:
            loseOldNotifications()
            // One that the server has shown may be on its way to the store.
            _ = desk.postpone(event)
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
            result = try edit { [answers] (state, changes) throws(StoreError) in
                var meaning = Store.PressMeaning.click
                let result = try state.press(action, onNumber: shown.id, of: shown.server, as: id) { delivery in
                    meaning = answers[delivery]?.meaning(of: action) ?? .click
                    return meaning
                }
                switch result {
                case .accepted(let parent):
                    changes.queued.append(id)
                    if meaning == .clickAndAnswer { changes.answered.append((parent, .pressed(action))) }
                case .answered(let parent): changes.answered.append((parent, .pressed(action)))
                case .repeated, .unknown: break
                }
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
        case .answered(let parent):
            _ = executor.tokens.forget(of: id)
            logAnswer(action, to: parent, by: "notification")
            subscribers.statistics.withLock { $0.presses += 1 }
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
                noteEnd(of: parent, as: end)
                mailbox.post(.notificationEnded(parent, end))
            } else if !isLast, try store.hasNotification(number: shown.id, of: shown.server) || !desk.postpone(event) {
                // It came to the store just now, or ended before.
                close(shown, reason, event, at: desk, isLast: true)
            }
        } catch {
            logger.storeRefuses(error)
        }
    }
}

extension Engine {
    /// Counts and logs the end of a notification.
    func noteEnd(of delivery: String, as end: Store.NotificationState) {
        subscribers.statistics.withLock { $0.closings[end, default: 0] += 1 }
        logger.log(
            .notificationEnded, ["delivery.id": .text(delivery), "notification.state": .text(end.rawValue)])
    }
}

// MARK: - Answers

extension Engine {
    public func beginWaiting(_ timeout: Duration, count: Int) -> [AnswerWait]? { answers.begin(timeout, count: count) }

    public func endWaiting(_ wait: AnswerWait) { if answers.end(wait) { mailbox.post(.waitEnded) } }

    /// Gives a waiting sender the answer to its notification, which is taken away.
    public func answer(
        delivery id: String, _ action: String, message: String?
    ) throws(StoreError) -> DeliveryReply {
        let reply = try edit { [answers] (state, changes) throws(StoreError) -> DeliveryReply in
            guard let notice = answers[id] else { return try state.reply(withoutSender: id) }
            guard notice.choices.contains(where: { $0.hasSameBytes(as: action) }) else {
                return .noAction(notice.choices)
            }
            switch try state.answer(action, to: id) {
            case .answered: changes.answered.append((id, .given(action, message)))
            case .given: return .given
            case .unknown: return .notWaiting
            }
            return .answered(notice.shown)
        }
        guard case .answered(let shown) = reply else { return reply }
        logAnswer(action, to: id, by: "command")
        executor.notifications?.withdraw(shown)
        return reply
    }

    public func awaitsAnswer(delivery id: String) -> Bool { answers[id] != nil }

    private func logAnswer(_ action: String, to delivery: String, by place: String) {
        logger.log(
            .notificationAnswered,
            ["delivery.id": .text(delivery), "notification.action": .text(action), "answer.by": .text(place)])
    }
}

extension StoreState {
    /// Why a delivery whose sender does not wait cannot be answered.
    fileprivate mutating func reply(withoutSender delivery: String) throws(StoreError) -> DeliveryReply {
        try notification(of: delivery)?.answer == nil ? .notWaiting : .given
    }
}

extension Store {
    /// Without an engine no sender waits.
    public func answer(
        delivery id: String, _ action: String, message: String?
    ) throws(StoreError) -> DeliveryReply {
        try read { (state) throws(StoreError) in try state.reply(withoutSender: id) }
    }

    public func awaitsAnswer(delivery id: String) -> Bool { false }
}

extension Logger {
    func storeRefuses(_ error: StoreError) {
        self.log(
            .notificationNotStored,
            ["error.code": .text(error.code.code), "error.message": .text(error.message)])
    }
}

extension Diagnostic {
    /// The press on an answer is a delivery, because no sender waited for it any more.
    static let lateAnswer = Self(
        .notificationAnswerLate, "no sender waits for this answer any more: it is a click",
        help: "the sender had ended, or its time to wait was over")

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

extension Engine {
    /// Takes the notification of a delivery away, once it is shown: it is needed no more. Does not wait.
    public func withdrawNotification(of delivery: String) {
        guard let desk = executor.notifications else { return }
        desk.thread.submit { [weak self, weak desk] in
            guard let self, let desk else { return }
            withdraw(delivery, desk)
        }
        desk.thread.runInlineIfStarved()
    }

    private func withdraw(_ delivery: String, _ desk: NotificationDesk) {
        do throws(StoreError) {
            // Noted before the look: it may come to the store just now.
            desk.noteUnneeded(delivery)
            guard let shown = try store.notification(of: delivery) else {
                if try store.delivery(delivery)?.state.isTerminal ?? true { desk.forgetUnneeded(delivery) }
                return
            }
            desk.forgetUnneeded(delivery)
            guard shown.ended == nil else { return }
            // What ends a wait meanwhile shows it no more.
            try edit { (state, _) throws(StoreError) in try state.endNotification(of: delivery, as: .closed) }
            noteEnd(of: delivery, as: .closed)
            mailbox.post(.notificationEnded(delivery, .closed))
            desk.withdraw(ShownNotification(id: shown.number, server: shown.server))
        } catch {
            logger.storeRefuses(error)
        }
    }
}
