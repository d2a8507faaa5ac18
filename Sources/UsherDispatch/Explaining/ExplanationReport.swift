public import UsherResolution
public import UsherScene

/// An explanation together with what only the shell knows: when, from which store, and what would be done.
public struct ExplanationReport: Sendable {
    public var explanation: Explanation
    public var freshness: Freshness
    /// How old the snapshot is, in milliseconds.
    public var age: Int
    public var configurationDigest: String
    /// The window systems that are followed, where they are.
    public var systems: [String] = []
    /// Now, in microseconds since 1970: ages are counted from it.
    public var now: Int64
    /// What would be done, step by step, in words.
    public var plan: [String]
    /// The action that would follow.
    public var action: Action
    public var policy: Policy?
    /// The longest text of a condition, in bytes; a longer one is cut off.
    public var textLimit = Int.max
    /// Maps a byte of a condition's text to its place in a manifest.
    public var locate: @Sendable (_ condition: SourceLocation, _ offset: Int) -> SourceLocation

    public init(
        explanation: Explanation, freshness: Freshness, age: Int, configurationDigest: String, now: Int64,
        plan: [String], action: Action, policy: Policy?,
        locate: @escaping @Sendable (SourceLocation, Int) -> SourceLocation
    ) {
        self.explanation = explanation
        self.freshness = freshness
        self.age = age
        self.configurationDigest = configurationDigest
        self.now = now
        self.plan = plan
        self.action = action
        self.policy = policy
        self.locate = locate
    }

    /// Where a term of a condition stands; nil where that is not known.
    func place(ofTermAt offset: Int, in truth: Explanation.Truth) -> SourceLocation? {
        guard let location = truth.location, truth.termsAreLocated else { return nil }
        return locate(location, offset)
    }
}
