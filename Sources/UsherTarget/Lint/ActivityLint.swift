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
                    && label.allSatisfy { byte in
                        switch byte {
                        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
                        default: false
                        }
                    }
            }
    }

    private static func same(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
}
