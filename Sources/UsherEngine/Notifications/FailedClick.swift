internal import UsherActivation
internal import UsherLog
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

/// A press on a notification that showed the user nothing of what was meant.
struct FailedClick: Sendable {
    /// Warnings of records whose window the user does not see.
    private static let unseen = [DiagnosticCode.seenNoClient, .seenNoWindow, .seenNotFront].map(\.name)

    let delivery: String
    /// What was pressed: the notification of another click that failed, where `isAgain`.
    let parent: String?
    let isAgain: Bool
    private let name: String
    private let message: String
    private let help: String?
    private let summary: String
    private let app: App?
    private let appID: String
    private let target: String?
    private let session: String?

    /// nil for any other delivery.
    ///
    /// - Parameter app: of the delivery, where there still is one.
    init?(_ record: DecisionRecord, of app: App?) {
        guard let pressed = record.notificationAction else { return nil }
        if let error = record.error, record.end == .failed {
            (name, message, help) = (error.code.name, error.message, error.help)
        } else if let warning = record.warnings.first(where: { Self.unseen.contains($0.name) }) {
            (name, message, help) = (warning.name, warning.message, warning.help)
        } else {
            return nil
        }
        (delivery, parent) = (record.id, record.parent)
        isAgain = NotificationResponse.Again(rawValue: pressed) != nil
        self.app = app
        appID = record.app ?? ""
        (target, session) = (record.resolved ?? record.target, record.session)
        summary = record.title.flatMap { $0.isEmpty ? nil : $0 } ?? app?.name ?? "Usher"
    }

    func notification(_ capabilities: Set<String>) -> DesktopNotification {
        let body = [message, help].compactMap(\.self).joined(separator: "\n")
        var notification = DesktopNotification(application: app?.name ?? "Usher", summary: summary, body: body)
        if !capabilities.contains("body") { notification.summary += " – \(body)" }
        let settings = app?.notifications
        (notification.icon, notification.desktopEntry) = (settings?.icon, settings?.desktopEntry)
        notification.isSilent = true
        notification.error = name
        guard capabilities.contains("actions") else { return notification }
        notification.actions = [.init(key: NotificationResponse.Again.retry.rawValue, label: "Try again")]
        if name == DiagnosticCode.seenNoClient.name {
            notification.actions.append(
                .init(key: NotificationResponse.Again.terminal.rawValue, label: "Open a terminal"))
        }
        return notification
    }

    fileprivate func stored(_ shown: ShownNotification) -> Store.StoredNotification {
        var stored = Store.StoredNotification(
            delivery: delivery, app: appID, collapse: nil, server: shown.server, number: shown.id,
            shown: Instant.now.microseconds)
        (stored.target, stored.session) = (target, session)
        return stored
    }
}

extension NotificationDesk {
    /// Shows that a click has failed. Does not wait.
    func show(_ click: FailedClick, in store: Store, _ logger: Logger) {
        begin()
        runErrand { [self] in
            defer { shownIsStored() }
            do {
                var notification = click.notification(try presenter.capabilities())
                if click.isAgain, let parent = click.parent,
                    let earlier = try store.delivery(parent)?.notification, let server = try presenter.server(),
                    earlier.server.hasSameBytes(as: server)
                {
                    notification.replaces = ShownNotification(id: earlier.number, server: server)
                }
                let stored = click.stored(try presenter.show(notification))
                try store.write { (state) throws(StoreError) in try state.insert(stored) }
            } catch let error as StoreError {
                logger.storeRefuses(error)
            } catch {
                let failure = error as? ActivationFailure
                logger.log(
                    .notificationsNotShown,
                    [
                        "error.code": failure.map { .text($0.code.code) },
                        "error.message": .text(failure?.message ?? "\(error)"),
                    ])
            }
        }
    }
}
