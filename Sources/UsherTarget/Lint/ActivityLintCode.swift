/// What can be wrong with a user activity, under names and numbers that never change meaning.
///
/// The raw value is the dotted name; ``number`` is what logs and answers call `code`: U75xx.
public enum ActivityLintCode: String, Sendable, Hashable, CaseIterable {
    /// The two identifier properties have different values.
    case differentIdentifiers = "lint.different-identifiers"
    /// A web address is the only identifier, although the app has identifiers of its own.
    case onlyWebpage = "lint.only-webpage"
    /// An identifier changed while the content stayed.
    case changedIdentifier = "lint.changed-identifier"
    /// The type does not say whose it is.
    case activityType = "lint.activity-type"
    /// More in `userInfo` than an activity should carry.
    case largeUserInfo = "lint.large-user-info"
    /// Nothing to show to people.
    case noTitle = "lint.no-title"

    /// `U` and four digits, one to one with the name.
    public var number: String {
        switch self {
        case .differentIdentifiers: "U7501"
        case .onlyWebpage: "U7502"
        case .changedIdentifier: "U7503"
        case .activityType: "U7504"
        case .largeUserInfo: "U7505"
        case .noTitle: "U7506"
        }
    }
}

/// One reason why an activity will not lead back to its content, and a better idea.
public struct ActivityFinding: Sendable, Hashable {
    public let code: ActivityLintCode
    /// What gives rise to it; empty where something is missing.
    public let found: String
    /// What is wrong, as one sentence without a full stop. For people; may change between releases.
    public let message: String
    /// What to do instead. For people; may change between releases.
    public let suggestion: String
}

// The texts, in one place.
extension ActivityFinding {
    static func make(_ code: ActivityLintCode, _ found: String, was old: String = "") -> ActivityFinding {
        let found = shortened(found)
        let (message, suggestion) = texts(code, found, shortened(old))
        return ActivityFinding(code: code, found: found, message: message, suggestion: suggestion)
    }

    private static func shortened(_ text: String) -> String {
        text.unicodeScalars.count <= 80 ? text : String(text.unicodeScalars.prefix(77)) + "..."
    }

    private static func texts(
        _ code: ActivityLintCode, _ found: String, _ old: String
    ) -> (message: String, suggestion: String) {
        switch code {
        case .differentIdentifiers:
            (
                "persistentIdentifier '\(found)' is another one than targetContentIdentifier; content has one identity",
                "give both the same value, or only one of them"
            )
        case .onlyWebpage:
            (
                "the web address '\(found)' is the only identifier, and the app has identifiers of its own",
                "give targetContentIdentifier, too: it leads to the app's window, a web address to any browser"
            )
        case .changedIdentifier:
            (
                "the identifier is '\(found)' now and was '\(old)', while title and content stayed: links to it are lost",
                "keep the identifier; where the content really moved, usher link move OLD NEW keeps its links"
            )
        case .activityType:
            (
                "the activity type '\(found)' is not in reverse-DNS form; another app may have the same",
                "begin it with the app's id: com.example.app.reading"
            )
        case .largeUserInfo:
            (
                "userInfo has \(found) bytes; it travels between devices and is kept with every link",
                "keep it under \(ActivityLint.userInfoLimit) bytes: what leads back to the content, not the content"
            )
        case .noTitle:
            (
                "the activity has no title: nobody will know it in a list",
                "give it the title that its window shows"
            )
        }
    }
}
