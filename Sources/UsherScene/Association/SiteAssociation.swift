/// What an `apple-app-site-association` file says about one app: which addresses of its hosts are the app's.
///
/// Apple, "Supporting associated domains" and "applinks".
public struct SiteAssociation: Sendable {
    /// The file, relative to the configuration folder.
    public var path: String
    /// In the order of the file.
    public var rules: [LinkRule]

    public enum Verdict: Sendable {
        /// The app opens it: the rule that says so.
        case included(LinkRule)
        /// The app leaves it to the browser: the rule that says so.
        case excluded(LinkRule)
        /// No rule speaks of it.
        case unmatched
    }

    public init(path: String, rules: [LinkRule]) {
        self.path = path
        self.rules = rules
    }

    /// The first rule that an address matches decides.
    ///
    /// - Complexity: O(|address| × |patterns|) at the worst; most rules differ in their first characters.
    public func verdict(on address: inout LinkAddress) -> Verdict {
        for rule in rules where rule.matches(&address) {
            return rule.excludes ? .excluded(rule) : .included(rule)
        }
        return .unmatched
    }
}
