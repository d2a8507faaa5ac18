internal import UsherActivation
internal import UsherPayload
internal import UsherScene

extension DesktopNotification {
    /// What is shown of a payload.
    ///
    /// - Parameters:
    ///   - capabilities: what the server can show (Desktop Notifications Specification, GetCapabilities).
    ///   - awaitsAnswer: whether the sender waits for the answer: else no button gives one.
    init(_ decision: Decision, _ payload: Payload, capabilities: Set<String>, awaitsAnswer: Bool = false) {
        let settings = decision.app?.notifications ?? NotificationSettings()
        let isReminder = decision.payloadRequest.isReminder
        let name = decision.app.map { $0.name } ?? (isReminder ? "Usher" : "")
        let alert = payload.notification?.alert
        let title = decision.payloadRequest.title.flatMap { $0.isEmpty ? nil : $0 }
        let subtitle = payload.subtitle ?? alert?.subtitleLocalization?.key
        let text = payload.body ?? alert?.bodyLocalization?.key
        var lines = [subtitle, text].compactMap { $0 }.filter { !$0.isEmpty }
        // Nothing to read, but something to open.
        if title == nil, lines.isEmpty, let target = decision.payloadRequest.request.target { lines = [target.text] }
        let body = lines.joined(separator: "\n")
        self.init(application: name, summary: title ?? name, body: body)
        if !capabilities.contains("body"), !body.isEmpty { summary += title == nil ? ": \(body)" : " – \(body)" }
        icon = settings.icon
        image = settings.image
        desktopEntry = settings.desktopEntry
        expires = settings.expires
        switch decision.payloadRequest.level {
        case .passive: urgency = .low
        case .critical: urgency = .critical
        case .active, .timeSensitive, nil: urgency = .normal
        }
        // A push without a sound makes none; a passive one never does.
        isSilent =
            settings.isSilent || payload.notification?.sound == nil || decision.payloadRequest.level == .passive
        if !isSilent { sound = settings.sound }
        let kind = decision.noticeCategory(of: payload)
        category = kind?.desktopCategory
        // A reminder of nothing in particular has nothing to open.
        let opensNothing = isReminder && decision.payloadRequest.request.target == nil
        guard capabilities.contains("actions"), !opensNothing else { return }
        actions = [Action(key: NotificationAction.click, label: "Open")]
        actions += (kind?.actions ?? []).filter { awaitsAnswer || !$0.isAnswer }
            .map { Action(key: $0.id, label: $0.title) }
    }
}

extension Decision {
    /// The kind of notification that a payload names, with its buttons.
    func noticeCategory(of payload: Payload) -> NotificationCategory? {
        resolution.ofApp { $0.notifications.category(payload.notification?.category) } ?? nil
    }
}

extension ActivationFailure {
    static let noActions = ActivationFailure(
        .notificationNoActions, "the notification server has no actions: a click on this notification does nothing",
        help: "use a server that has them, such as dunst or mako; or say deliver = \"focus\"")
}
