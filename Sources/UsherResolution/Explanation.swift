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
        /// A phrase for people: why it wins or loses.
        public var verdict: String
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
        /// A phrase for people.
        public var verdict: String
    }
}

extension Resolution {
    /// The chosen session.
    public var session: String? {
        if case .activate(let session, _) = verdict { session } else { nil }
    }

    /// The chosen session's configuration, or the one that is created.
    public var scene: String? {
        switch verdict {
        case .activate(_, let scene), .create(let scene): scene
        case .openWeb, .nothing: nil
        }
    }
}
