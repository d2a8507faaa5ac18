public import UsherPredicate
public import UsherScene

/// Everything that led to a decision: the candidates, the truth of every sub-predicate, the tie-break.
///
/// Derived on demand from the same snapshot that `resolve` decides on; `resolution` is `resolve`'s own answer.
public struct Explanation: Sendable {
    public var request: ActivationRequest
    public var redirection: Redirection
    public var app: App?
    /// Why the request went to that app.
    public var ownerRule: OwnerRule?
    /// The apps that have the host of the request, but leave it to the browser because of their association files.
    public var refusals: [OwnerRefusal]
    /// The apps that claim the target, the longest claim first; empty where the request names its app.
    public var owners: [OwnerClaim] = []
    /// nil unless `scenes-limit` of the app is reached.
    public var limit: Limit?
    /// Other spellings of the target that something accepts which does not accept the target. Only of `explain`.
    public var near: [NearMiss] = []
    /// What the conditions were tried with: the alias list, the URL, or nil for NULL.
    public var subjects: [String?]
    /// The sessions in question, in the order of choice; perhaps only the first of them, and the winner.
    public var candidates: [Candidate]
    /// How many sessions are in question.
    public var candidateCount: Int
    /// The scene configurations, as far as a new scene was thought of.
    public var configurations: [ConfigurationVerdict]
    public var resolution: Resolution
    /// What would be decided if the winner were not there.
    public var withoutWinner: Resolution?

    public struct Candidate: Sendable {
        public var session: SceneSession
        public var prefers: Truth
        public var can: Truth
        public var wins: Bool
        public var verdict: CandidateVerdict
        /// The verdict in words.
        public var phrase: String
    }

    /// `scenes-limit` of an app that has as many windows.
    public struct Limit: Sendable, Hashable {
        public var limit: Int
        /// The number of open windows.
        public var open: Int
        public var location: SourceLocation
    }

    public struct Truth: Sendable {
        public var result: Bool
        public var predicate: ScenePredicate
        /// Where the condition stands; nil for defaults and what the app set.
        public var location: SourceLocation?
        public var origin: ActivationConditions.Origin
        /// The subject that it accepted.
        public var matched: String?
        /// Every sub-predicate with its truth, for the matched subject or the first.
        public var terms: [PredicateTerm]
        /// Whether the offsets of `terms` are offsets into the text at `location`: not where the manifest has changed since.
        public var termsAreLocated: Bool
    }

    public struct ConfigurationVerdict: Sendable {
        public var scene: SceneConfiguration
        /// nil where it has no `opens`.
        public var opens: Truth?
        public var verdict: ConfigurationVerdictName
        /// The verdict in words.
        public var phrase: String
    }
}

/// Why a window was chosen or not: it follows from the line of the resolution that decided.
public enum CandidateVerdict: String, Sendable, Hashable, CaseIterable {
    // Of the winner: the reason of the decision.
    case explicit, single, prefers, can, recent, limit
    /// As good as the winner, which was used later.
    case usedEarlier = "used-earlier"
    /// Another window prefers the content.
    case onlyCan = "only-can"
    /// Neither of its conditions holds.
    case rejects
    /// It can show the content, but a new window is made.
    case newScene = "new-scene"
    /// Its program is not found.
    case notInstalled = "not-installed"
    /// The decision was made before windows were compared.
    case notAsked = "not-asked"
}

/// Why a new window of a scene is made or not.
public enum ConfigurationVerdictName: String, Sendable, Hashable, CaseIterable {
    case created, rejects
    case notFirst = "not-first"
    case needsTarget = "needs-target"
    case limit
    case notInstalled = "not-installed"
    /// A window took the request.
    case notNeeded = "not-needed"
    case notAsked = "not-asked"
}
