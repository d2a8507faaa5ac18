import UsherScene

/// A value that a command may name in braces; the cases spell `Command.placeholders`.
enum Placeholder: String, Sendable, CaseIterable {
    case target, resolved, session, scene, app, title, subtitle, body, url
    case payloadFile = "payload-file"
    case delivery, action, reason, handle
    case shortcutType = "shortcut-type"
    case activityType = "activity-type"

    /// Its value; "" where the request has none, so that the number of arguments never depends on a payload.
    func value(in task: ActivationTask, payloadFile: String) -> String {
        switch self {
        case .target: task.target ?? ""
        case .resolved: task.resolved ?? task.target ?? ""
        case .session: task.session ?? ""
        case .scene: task.scene ?? ""
        case .app: task.app
        case .title: task.title ?? ""
        case .subtitle: task.subtitle ?? ""
        case .body: task.body ?? ""
        case .url: task.url ?? ""
        case .payloadFile: payloadFile
        case .delivery: task.delivery
        case .action: task.action.rawValue
        case .reason: task.reason.rawValue
        case .handle: task.handle ?? ""
        case .shortcutType: task.shortcutType ?? ""
        case .activityType: task.activityType ?? ""
        }
    }
}
