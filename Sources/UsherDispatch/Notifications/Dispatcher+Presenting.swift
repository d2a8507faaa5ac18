internal import UsherActivation
internal import UsherLog
internal import UsherPayload
internal import UsherScene
internal import UsherStore
internal import UsherSystem
internal import UsherText

extension Dispatcher {
    /// Shows a notification; a press on it is a delivery of its own.
    func present(_ claimed: Job, startedAt started: Int64) {
        var job = claimed
        guard let desk = notifications else {
            let report = ActivationReport(
                failing: .noHandler,
                "deliver = \"notify\" shows a notification first, and only usherd shows notifications",
                help: "start usherd: requests go through it then; or say deliver = \"focus\" in the app's manifest")
            return finish(job, report, startedAt: started)
        }
        desk.begin()
        var report = ActivationReport(outcome: .done)
        do throws(ActivationFailure) {
            let shown = try show(job, with: desk.presenter, &report)
            job.shown = Store.StoredNotification(
                delivery: job.id, app: job.decision.app?.id ?? "", collapse: job.item.delivery.collapse,
                server: shown.server, number: shown.id, shown: Instant.now.microseconds)
        } catch {
            report = ActivationReport(failing: error.code, error.message, help: error.help)
        }
        finish(job, report, startedAt: started)
        for event in desk.end() { submit(event, to: desk) }
    }

    private func show(
        _ job: Job, with presenter: any NotificationPresenter, _ report: inout ActivationReport
    ) throws(ActivationFailure) -> ShownNotification {
        let capabilities = try presenter.capabilities()
        if !capabilities.contains("actions") { report.warnings.append(.noActions) }
        var notification = DesktopNotification(job.decision, job.payload, capabilities: capabilities)
        if let collapse = job.item.delivery.collapse, let app = job.decision.app?.id,
            let server = try presenter.server()
        {
            do throws(StoreError) {
                notification.replaces = try store.shownNotification(collapse: collapse, app: app, server: server)
                    .map { ShownNotification(id: $0, server: server) }
            } catch {
                report.warnings.append(ActivationFailure(error.code, error.message, help: error.help))
            }
        }
        return try presenter.show(notification)
    }
}

extension DesktopNotification {
    /// What is shown of a payload.
    ///
    /// - Parameter capabilities: what the server can show (Desktop Notifications Specification, GetCapabilities).
    init(_ decision: Decision, _ payload: Payload, capabilities: Set<String>) {
        let settings = decision.app?.notifications ?? NotificationSettings()
        let name = decision.app.map { $0.name } ?? ""
        let alert = payload.notification?.alert
        let title = decision.inquiry.title.flatMap { $0.isEmpty ? nil : $0 }
        let subtitle = payload.subtitle ?? alert?.subtitleLocalization?.key
        let text = payload.body ?? alert?.bodyLocalization?.key
        var lines = [subtitle, text].compactMap { $0 }.filter { !$0.isEmpty }
        // Nothing to read, but something to open.
        if title == nil, lines.isEmpty, let target = decision.inquiry.request.target { lines = [target.text] }
        let body = lines.joined(separator: "\n")
        self.init(application: name, summary: title ?? name, body: body)
        if !capabilities.contains("body"), !body.isEmpty { summary += title == nil ? ": \(body)" : " – \(body)" }
        icon = settings.icon
        image = settings.image
        desktopEntry = settings.desktopEntry
        expires = settings.expires
        switch decision.inquiry.level {
        case .passive: urgency = .low
        case .critical: urgency = .critical
        case .active, .timeSensitive, nil: urgency = .normal
        }
        // A push without a sound makes none; a passive one never does.
        isSilent =
            settings.isSilent || payload.notification?.sound == nil || decision.inquiry.level == .passive
        if !isSilent { sound = settings.sound }
        let kind = settings.category(payload.notification?.category)
        category = kind?.desktopCategory
        guard capabilities.contains("actions") else { return }
        actions = [Action(key: NotificationAction.click, label: "Open")]
        actions += (kind?.actions ?? []).map { Action(key: $0.id, label: $0.title) }
    }
}

extension ActivationFailure {
    fileprivate static let noActions = ActivationFailure(
        .notificationNoActions, "the notification server has no actions: a click on this notification does nothing",
        help: "use a server that has them, such as dunst or mako; or say deliver = \"focus\"")
}
