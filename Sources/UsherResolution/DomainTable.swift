internal import UsherScene

/// Which app owns a URL: hosts with optional paths, read once. `clowntown.example`, `*.example`, `shop.example/clowns`.
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

    private var exact: [String: [Claim]] = [:]
    /// By what follows the `*`, dot included.
    private var wildcards: [(suffix: String, claim: Claim)] = []

    init(_ apps: [App]) {
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

    /// The claims that account for the most of a URL, at most one an app.
    func longest(host: String, rest: Substring) -> [Claim] {
        var best: [Claim] = []
        func consider(_ claim: Claim) {
            guard DomainTable.covers(claim.path, rest) else { return }
            let length = best.first?.length ?? -1
            if claim.length > length { best = [] }
            guard claim.length >= length, !best.contains(where: { $0.app == claim.app }) else { return }
            best.append(claim)
        }
        exact[host]?.forEach(consider)
        for (suffix, claim) in wildcards where host.utf8.count > suffix.utf8.count && host.hasSuffix(suffix) {
            consider(claim)
        }
        return best
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
