internal import UsherText

/// Judges what a user activity says of its content: whether a link that is made from it will lead back in years.
///
/// `TargetLint` judges each identifier by itself; this judges what only an activity can show.
public enum ActivityLint {
    /// The members of an activity that are judged.
    public struct Subject: Sendable {
        public var activityType: String
        public var title: String?
        public var targetContentIdentifier: String?
        public var persistentIdentifier: String?
        public var webpageURL: String?
        /// The bytes of the objects, as they were given.
        public var userInfo: [UInt8]?
        public var contentAttributeSet: [UInt8]?

        public init(activityType: String) { self.activityType = activityType }
    }

    /// More of `userInfo` than this is reproached: it travels between devices, and is kept with every link.
    public static let userInfoLimit = 3 * 1024

    /// Everything that speaks against the activity, at most one finding a code, in the order of the codes.
    ///
    /// - Parameters:
    ///   - earlier: what the same session said before.
    ///   - hasOwnIdentifiers: whether the app gives its content identifiers of its own.
    public static func findings(
        in activity: Subject, after earlier: Subject? = nil, hasOwnIdentifiers: Bool = false
    ) -> [ActivityFinding] {
        var findings: [ActivityFinding] = []
        if let target = activity.targetContentIdentifier, let persistent = activity.persistentIdentifier,
            !same(target, persistent)
        {
            findings.append(.make(.differentIdentifiers, persistent))
        }
        if hasOwnIdentifiers, activity.targetContentIdentifier == nil, activity.persistentIdentifier == nil,
            let page = activity.webpageURL
        {
            findings.append(.make(.onlyWebpage, page))
        }
        if let earlier, let (old, new) = changedIdentifier(activity, earlier), isSameContent(activity, earlier) {
            findings.append(.make(.changedIdentifier, new, was: old))
        }
        if !isReverseDNS(activity.activityType) { findings.append(.make(.activityType, activity.activityType)) }
        if let count = activity.userInfo?.count, count > userInfoLimit {
            findings.append(.make(.largeUserInfo, "\(count)"))
        }
        if activity.title?.utf8.isEmpty ?? true { findings.append(.make(.noTitle, "")) }
        return findings
    }

    /// The first identifier that was another one before.
    private static func changedIdentifier(_ activity: Subject, _ earlier: Subject) -> (old: String, new: String)? {
        for (old, new) in [
            (earlier.targetContentIdentifier, activity.targetContentIdentifier),
            (earlier.persistentIdentifier, activity.persistentIdentifier),
        ] {
            guard let old, let new else { continue }
            return same(old, new) ? nil : (old, new)
        }
        return nil
    }

    /// Whether everything that shows to people is as it was. A title alone proves nothing: documents are called alike.
    private static func isSameContent(_ activity: Subject, _ earlier: Subject) -> Bool {
        guard same(activity.activityType, earlier.activityType), let title = activity.title, let before = earlier.title,
            !title.utf8.isEmpty, same(title, before)
        else { return false }
        if let page = activity.webpageURL, let pageBefore = earlier.webpageURL { return same(page, pageBefore) }
        guard activity.webpageURL == nil, earlier.webpageURL == nil else { return false }
        if let attributes = activity.contentAttributeSet { return attributes == earlier.contentAttributeSet }
        return activity.userInfo != nil && activity.userInfo == earlier.userInfo
    }

    /// `com.example.app.reading`: at least two labels of letters, digits, hyphens and underscores.
    private static func isReverseDNS(_ type: String) -> Bool {
        let labels = type.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.count >= 2
            && labels.allSatisfy { label in
                guard let first = label.first, let last = label.last else { return false }
                return first != UInt8(ascii: "-") && last != UInt8(ascii: "-")
                    && label.allSatisfy { $0.isASCIILetterOrDigit || "-_".utf8.contains($0) }
            }
    }

    private static func same(_ one: String, _ other: String) -> Bool { one.hasSameBytes(as: other) }
}

/// What can be wrong with a user activity, under names and numbers that never change meaning.
///
/// The raw value is the dotted name; ``number`` is what logs and answers call `code`: U75xx.
public enum ActivityLintCode: String, Sendable, Hashable, CaseIterable {
    /// The two identifiers differ.
    /// Remedy: give both the same value.
    case differentIdentifiers = "lint.different-identifiers"
    /// A web address alone, of an app that has identifiers.
    /// Remedy: give `targetContentIdentifier`, too.
    case onlyWebpage = "lint.only-webpage"
    /// The identifier changed, and the content did not.
    /// Remedy: keep it, or `usher content moved OLD NEW`.
    case changedIdentifier = "lint.changed-identifier"
    /// The type is not in reverse-DNS form.
    /// Remedy: begin it with the app's id.
    case activityType = "lint.activity-type"
    /// `userInfo` is larger than 3 KiB.
    /// Remedy: keep what leads back, not the content.
    case largeUserInfo = "lint.large-user-info"
    /// The activity has no title.
    /// Remedy: give it the one that its window shows.
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
                "keep the identifier; where the content really moved, usher content moved OLD NEW keeps its links"
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
                "the activity has no title: it cannot be recognised in a list",
                "give it the title that its window shows"
            )
        }
    }
}
