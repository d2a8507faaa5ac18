/// What a user is doing, in Apple's property names (`NSUserActivity`).
public struct UserActivity: Sendable {
    /// One of the app's `NSUserActivityTypes`.
    public var activityType: String
    public var title: String?
    public var targetContentIdentifier: String?
    public var persistentIdentifier: String?
    /// An http or https URL.
    public var webpageURL: String?
    /// An object's bytes as sent.
    public var userInfo: ArraySlice<UInt8>?
    public var requiredUserInfoKeys: [String] = []
    public var keywords: [String] = []
    /// An object's bytes: as sent, or with what a map item adds.
    public var contentAttributeSet: ArraySlice<UInt8>?
    /// The same, checked.
    public var attributes: ContentAttributes?
    /// Seconds since 1970.
    public var expirationDate: Double?
    public var needsSave = false
    public var isEligibleForHandoff = true
    public var isEligibleForSearch = false
    public var isEligibleForPublicIndexing = false
    public var isEligibleForPrediction = false
    /// As sent: a string's text or a number's digits.
    public var version: String?
    /// Of `userInfo`, as the app counts its versions.
    public var schemaVersion: Int?

    /// Which content the activity is about: the first of its three durable identifiers. Without one the activity takes
    /// part in nothing.
    public var subject: String? { targetContentIdentifier ?? persistentIdentifier ?? webpageURL }
}
