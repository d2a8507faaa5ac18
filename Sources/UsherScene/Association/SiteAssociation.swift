/// What an `apple-app-site-association` file says about one app: which addresses of its hosts are the app's.
///
/// Apple, "Supporting associated domains" and "applinks".
public struct SiteAssociation: Sendable {
    // Apps are copied for each request: an association costs them one word.
    private let storage: Storage

    private final class Storage: Sendable {
        let path: String
        let rules: [LinkRule]
        /// nil where the rules are few.
        let index: LinkIndex?

        init(path: String, rules: [LinkRule]) {
            self.path = path
            self.rules = rules
            index = rules.count > SiteAssociation.few ? LinkIndex(rules) : nil
        }
    }

    /// The file, relative to the configuration folder.
    public var path: String { storage.path }
    /// In the order of the file.
    public var rules: [LinkRule] { storage.rules }

    public enum Verdict: Sendable {
        /// The app opens it: the rule that says so.
        case included(LinkRule)
        /// The app leaves it to the browser: the rule that says so.
        case excluded(LinkRule)
        /// No rule speaks of it.
        case unmatched
    }

    public init(path: String, rules: [LinkRule]) { storage = Storage(path: path, rules: rules) }

    /// So many rules are looked at one by one as fast as they are found.
    private static let few = 16

    /// The first rule that an address matches decides.
    public func verdict(on address: inout LinkAddress) -> Verdict {
        guard let place = firstMatch(of: &address) else { return .unmatched }
        return rules[place].excludes ? .excluded(rules[place]) : .included(rules[place])
    }

    /// The place of the first rule that an address matches.
    ///
    /// - Complexity: O(|address| × |patterns|) at the worst. If there are many rules, only the rules are tried that
    ///   have a path with the same beginning as the address.
    public func firstMatch(of address: inout LinkAddress) -> Int? {
        let rules = storage.rules
        guard let index = storage.index else { return rules.firstIndex { $0.matches(&address) } }
        return index.candidates(for: &address).first { rules[$0].matches(&address) }
    }
}
