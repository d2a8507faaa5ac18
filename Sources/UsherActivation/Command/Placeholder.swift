import UsherScene

/// A value that a command may name in braces; the cases spell `Command.placeholders`.
enum Placeholder: String, Sendable, CaseIterable {
    case target, resolved
    case originalTarget = "original-target"
    case session, scene, app, title, subtitle, body, url
    case payloadFile = "payload-file"
    case delivery, action, reason, handle
    case shortcutType = "shortcut-type"
    case activityType = "activity-type"
    case activityFile = "activity-file"
    case restorationFile = "restoration-file"
    case error
    case errorCode = "error-code"
    case notificationAction = "notification-action"

    /// Whether its value is a file that is to be made first.
    var isPayloadFile: Bool { self == .payloadFile || self == .activityFile }

    /// Its value; "" where the request has none, so that the number of arguments never depends on a payload.
    func value(in task: ActivationTask, payloadFile: String) -> String {
        switch self {
        // An app that is asked for content that has moved cannot know it by its old name.
        case .target, .resolved: task.resolved ?? task.target ?? ""
        case .originalTarget: task.target ?? ""
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
        // A payload that is an activity is nothing else.
        case .activityFile: task.isActivity ? payloadFile : ""
        case .restorationFile: task.restorationFile ?? ""
        case .error: task.error?.message ?? ""
        case .errorCode: task.error?.code.code ?? ""
        case .notificationAction: task.notificationAction ?? ""
        }
    }
}
