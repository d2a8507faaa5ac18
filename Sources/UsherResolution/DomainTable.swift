internal import UsherScene

/// Which app owns a URL: hosts with optional paths, read once. `clowntown.example`, `*.example`, `shop.example/clowns`.
/// Of an app with an association file, only what that file gives it.
struct DomainTable: Sendable {
    struct Claim: Sendable {
        /// The place of the app in the configuration.
        var app: Int
        var domain: Located<String>
        /// Empty, or from its first `/` on.
        var path: String
        /// How many bytes of a URL it accounts for.
        var length: Int
    }

    /// A claim that holds for a URL.
    struct Match: Sendable {
        var claim: Claim
        /// How many bytes of the URL it accounts for.
        var length: Int
        /// The rule of the app's association file; nil for an app without one.
        var rule: LinkRule?
    }

    /// An app whose association file does not give it a URL on one of its hosts.
    struct Refusal: Sendable {
        var app: Int
        var domain: Located<String>
        /// The rule that excludes it; nil where no rule speaks of it.
        var rule: LinkRule?
    }

    /// By app; empty where no app has one.
    private var associations: [SiteAssociation?] = []
    var hasAssociations: Bool { !associations.isEmpty }
    private var exact: [String: [Claim]] = [:]
    /// By what follows the `*`, dot included.
    private var wildcards: [(suffix: String, claim: Claim)] = []

    init(_ apps: [App]) {
        if apps.contains(where: { $0.association != nil }) { associations = apps.map(\.association) }
        for (place, app) in apps.enumerated() {
            for domain in app.domains {
                let text = domain.value
                let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) ?? text.endIndex
                let host = text[..<slash].lowercased()
                let path = text[slash...] == "/" ? "" : String(text[slash...])
                var claim = Claim(app: place, domain: domain, path: path, length: host.utf8.count + path.utf8.count)
                if host.utf8.starts(with: "*.".utf8) {
                    // The star accounts for nothing: a host by its name goes before it.
                    claim.length -= 1
                    wildcards.append((String(host.dropFirst()), claim))
                } else {
                    exact[host, default: []].append(claim)
                }
            }
        }
    }

    /// The claims that account for the most of a URL, at most one an app; of equal ones those of an association file. And
    /// the apps whose association files refuse it.
    func longest(host: String, rest: Substring) -> (matches: [Match], refusals: [Refusal]) {
        var best: [Match] = []
        var refusals: [Refusal] = []
        // An app has one answer, whatever the number of its domains that cover the host.
        var verdicts: [(app: Int, verdict: SiteAssociation.Verdict)] = []
        var address: LinkAddress?

        func verdict(of app: Int) -> SiteAssociation.Verdict? {
            guard !associations.isEmpty, let association = associations[app] else { return nil }
            if let known = verdicts.first(where: { $0.app == app }) { return known.verdict }
            var parts = address ?? LinkAddress(rest)
            let verdict = association.verdict(on: &parts)
            address = parts
            verdicts.append((app, verdict))
            return verdict
        }

        func consider(_ claim: Claim) {
            guard DomainTable.covers(claim.path, rest) else { return }
            var match = Match(claim: claim, length: claim.length, rule: nil)
            switch verdict(of: claim.app) {
            case .included(let rule):
                match.rule = rule
                // What `domains` and the rule both spell out counts once.
                match.length += max(0, rule.literalLength - claim.path.utf8.count)
            case .excluded(let rule): return refuse(claim, rule)
            case .unmatched: return refuse(claim, nil)
            case nil: break
            }
            if let first = best.first {
                let order = (match.length, match.rule == nil ? 0 : 1)
                let other = (first.length, first.rule == nil ? 0 : 1)
                if order < other || order == other && best.contains(where: { $0.claim.app == claim.app }) { return }
                if order > other { best = [] }
            }
            best.append(match)
        }

        func refuse(_ claim: Claim, _ rule: LinkRule?) {
            guard !refusals.contains(where: { $0.app == claim.app }) else { return }
            refusals.append(Refusal(app: claim.app, domain: claim.domain, rule: rule))
        }

        exact[host]?.forEach(consider)
        for (suffix, claim) in wildcards where host.utf8.count > suffix.utf8.count && host.hasSuffix(suffix) {
            consider(claim)
        }
        return (best, refusals)
    }

    /// A path covers whole segments.
    private static func covers(_ path: String, _ rest: Substring) -> Bool {
        guard rest.utf8.starts(with: path.utf8) else { return false }
        if path.isEmpty || path.utf8.last == UInt8(ascii: "/") { return true }
        switch rest.utf8.dropFirst(path.utf8.count).first {
        case nil, UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): return true
        default: return false
        }
    }
}
