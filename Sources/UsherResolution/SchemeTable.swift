internal import UsherScene

/// Which apps own the identifiers of a URL scheme: `zotero:`, `usher-note:`. Read once.
struct SchemeTable: Sendable {
    struct Claim: Sendable {
        /// The place of the app in the configuration.
        var app: Int
        var scheme: Located<String>
    }

    private var claims: [String: [Claim]] = [:]

    init(_ apps: [App]) {
        for (place, app) in apps.enumerated() {
            for scheme in app.schemes {
                claims[scheme.value, default: []].append(Claim(app: place, scheme: scheme))
            }
        }
    }

    func claims(to subject: TargetContentIdentifier) -> [Claim] {
        guard !claims.isEmpty, let scheme = subject.scheme else { return [] }
        return claims[scheme] ?? []
    }
}
