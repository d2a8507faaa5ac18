internal import UsherPredicate
internal import UsherScene
internal import UsherText

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
        /// The place of the rule in the app's association file; nil for an app without one.
        var rule: Int?
    }

    /// An app that does not get a URL on one of its hosts, because its association file excludes the URL or has no rule
    /// for it.
    struct Refusal: Sendable {
        var app: Int
        var domain: Located<String>
        /// The rule that excludes the URL; nil if no rule matches it.
        var rule: Int?
    }

    /// By app; empty where no app has one.
    private var associations: [SiteAssociation?] = []
    var hasAssociations: Bool { !associations.isEmpty }
    private var exact: [String: [Claim]] = [:]
    /// By what follows the `*`, dot included.
    private var wildcards: [(suffix: String, claim: Claim)] = []
    /// The claims to all of a host that nothing else claims, and where they lie by the fingerprint of the host.
    private var sole: [Claim] = []
    private var soleHosts: [String] = []
    private var solePlaces = FingerprintMap()

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
        for (host, claims) in exact where claims.count == 1 && claims[0].path.isEmpty {
            guard !hasAssociations || associations[claims[0].app] == nil,
                !wildcards.contains(where: { host.hasSuffix($0.suffix) })
            else { continue }
            solePlaces.insert(Int32(sole.count), for: host.fingerprint)
            sole.append(claims[0])
            soleHosts.append(host)
        }
    }

    /// The only claim to a URL, where its host alone tells; nil where more is to be looked at.
    func soleClaim(to subject: TargetContentIdentifier) -> Claim? {
        guard !sole.isEmpty, let authority = subject.webAuthority, authority.isPlain else { return nil }
        let text = subject.text.utf8Span
        let host = text.span.extracting(authority.host)
        var found: Int32?
        solePlaces.forEach(host.fingerprint) { place in
            let name = soleHosts[Int(place)].utf8Span
            if ByteWord.areEqual(name.span, host) { found = place }
        }
        return found.map { sole[Int($0)] }
    }

    /// The claims that account for the most of a URL, at most one an app.
    ///
    /// - Parameters:
    ///   - refusals: receives the apps that have the host but do not get the URL because of their association files.
    ///   - keepsAll: of each app its longest claim is returned, even if the claim of another app is longer.
    func longest(
        host: String, rest: Substring, refusals: inout [Refusal], keepsAll: Bool = false
    ) -> [Match] {
        var best = Best(keepsAll: keepsAll)
        var verdicts = Verdicts(rest: rest)
        for claim in exact[host] ?? [] {
            consider(claim, rest, &best, &verdicts, &refusals)
        }
        for (suffix, claim) in wildcards where host.utf8.count > suffix.utf8.count && host.hasSuffix(suffix) {
            consider(claim, rest, &best, &verdicts, &refusals)
        }
        return best.matches
    }

    private func consider(
        _ claim: Claim, _ rest: Substring, _ best: inout Best, _ verdicts: inout Verdicts, _ refusals: inout [Refusal]
    ) {
        guard DomainTable.covers(claim.path, rest) else { return }
        var match = Match(claim: claim, length: claim.length, rule: nil)
        if hasAssociations, let association = associations[claim.app] {
            let rule = verdicts.rule(of: association, claim.app)
            guard let rule, !association.rules[rule].excludes else { return refuse(claim, rule, &refusals) }
            match.rule = rule
            // What `domains` and the rule both spell out counts once.
            match.length += max(0, association.rules[rule].literalLength - claim.path.utf8.count)
        }
        best.add(match)
    }

    private func refuse(_ claim: Claim, _ rule: Int?, _ refusals: inout [Refusal]) {
        guard !refusals.contains(where: { $0.app == claim.app }) else { return }
        refusals.append(Refusal(app: claim.app, domain: claim.domain, rule: rule))
    }

    private struct Best {
        let keepsAll: Bool
        private(set) var matches: [Match] = []

        mutating func add(_ match: Match) {
            if !keepsAll, let first = matches.first, match.length != first.length {
                if match.length > first.length { matches = [match] }
                return
            }
            guard let other = matches.firstIndex(where: { $0.claim.app == match.claim.app }) else {
                matches.append(match)
                return
            }
            if match.length > matches[other].length { matches[other] = match }
        }
    }

    /// What association files say of one URL. An app has one answer, whatever the number of its domains that cover the host.
    private struct Verdicts {
        private let rest: Substring
        private var address: LinkAddress?
        private var known: [(app: Int, rule: Int?)] = []

        init(rest: Substring) { self.rest = rest }

        mutating func rule(of association: SiteAssociation, _ app: Int) -> Int? {
            if let known = known.first(where: { $0.app == app }) { return known.rule }
            var parts = address ?? LinkAddress(rest)
            let rule = association.firstMatch(of: &parts)
            address = parts
            known.append((app, rule))
            return rule
        }
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
