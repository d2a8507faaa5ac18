internal import UsherText

/// The canonical form of an http or https address: what addresses of one page have in common.
///
/// Two spellings of one page differ in a tracking parameter, in a fragment, in http for https. They are the same page to a
/// person, and so to suggestions, lists of links, searches and guards against loops. Which window shows a page is another
/// question: there identifiers are compared byte by byte.
///
///     CanonicalAddress("http://Site.example:80/a/./b?utm_source=mail&q=1#top")?.text  // "https://site.example/a/b?q=1"
///
/// The rules are applied in this order: `scheme`, `host`, `port`, `path`, `percent`, `tracking:NAME`, `drop:NAME`,
/// `fragment`. Kept are `www.`, a slash at the end, the case of the path, user names, and the order and the bytes of the
/// parameters that remain. Linear in the length of the address. RFC 3986, section 6.2.
public struct CanonicalAddress: Sendable, Hashable {
    public let text: String
    /// The names of the rules that changed something, in the order of their application, each once.
    public let rules: [String]

    /// Nil where the identifier is no http or https address with a host, or is longer than 16 KiB.
    public init?(_ identifier: String, settings: AddressSettings = AddressSettings()) {
        guard AddressScheme(of: identifier) != nil, identifier.utf8.count <= URITemplate.maximumLength,
            var parts = AddressParts(Array(identifier.utf8))
        else { return nil }
        var rules: [String] = []
        let rule = parts.apply(settings, &rules)
        parts.normalizePath(&rules)
        parts.normalizeRest(rule, &rules)
        text = parts.text
        self.rules = rules
    }

    /// The union of the rules of two addresses with the same canonical form, in the order of their application.
    public static func merged(_ first: [String], _ second: [String]) -> [String] {
        guard !first.isEmpty else { return second }
        var known = NameMap<Void>()
        for rule in first { known[rule] = () }
        let added = second.filter { known[$0] == nil }
        guard !added.isEmpty else { return first }
        // Rules of one kind stay in the order in which they were found; sorting by kind is stable.
        let all = (first + added).map { (rank(of: $0), $0) }
        return all.enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }.map(\.element.1)
    }

    private static func rank(of rule: String) -> Int {
        let kind = rule.prefix { $0 != ":" }
        return ["scheme", "host", "port", "path", "percent", "tracking", "drop", "fragment"]
            .firstIndex { $0 == kind } ?? 0
    }
}

extension CanonicalAddress: CustomStringConvertible {
    public var description: String { text }
}

/// How addresses of one host are compared, where that differs from the usual rules.
public struct AddressRule: Sendable, Hashable {
    public enum Fragment: String, Sendable, Hashable, CaseIterable { case keep, drop }

    /// Names of parameters that are kept although they are tracking parameters; a `*` at the end stands for any rest.
    public var keep: [String]
    /// Names of further parameters that are dropped; a `*` at the end stands for any rest.
    public var drop: [String]
    /// Nil: a fragment is dropped unless it begins with `/` or `!`.
    public var fragment: Fragment?
    /// Whether http stays http.
    public var keepsScheme: Bool

    public init(keep: [String] = [], drop: [String] = [], fragment: Fragment? = nil, keepsScheme: Bool = false) {
        self.keep = keep
        self.drop = drop
        self.fragment = fragment
        self.keepsScheme = keepsScheme
    }

    private static let tracking = [
        "utm_*", "fbclid", "gclid", "dclid", "gbraid", "wbraid", "msclkid", "yclid", "twclid", "ttclid", "igshid",
        "mc_cid", "mc_eid", "_hsenc", "_hsmi", "mkt_tok",
    ]

    /// The rule by which a parameter is removed; nil where it is kept.
    fileprivate func removal(of name: String) -> String? {
        let isTracking = AddressRule.tracking.contains { AddressRule.matches(name, $0) }
        guard isTracking || drop.contains(where: { AddressRule.matches(name, $0) }),
            !keep.contains(where: { AddressRule.matches(name, $0) })
        else { return nil }
        return (isTracking ? "tracking:" : "drop:") + name
    }

    private static func matches(_ name: String, _ pattern: String) -> Bool {
        guard pattern.utf8.last == ASCII.asterisk else { return name.hasSameBytes(as: pattern) }
        return name.utf8.starts(with: pattern.utf8.dropLast())
    }
}

/// The rules of addresses by host: `[addresses."HOST"]` of `usher.toml`.
public struct AddressSettings: Sendable, Hashable {
    /// In lower case. The key `site.example` is that host, `*.site.example` each of its subdomains.
    public var rules: [String: AddressRule]

    public init(rules: [String: AddressRule] = [:]) { self.rules = rules }

    /// The rule of the most specific entry for a host in lower case: the host itself, else the longest suffix.
    public func rule(forHost host: String) -> AddressRule {
        guard !rules.isEmpty else { return AddressRule() }
        if let rule = rules[host] { return rule }
        var rest = host[...]
        while let dot = rest.utf8.firstIndex(of: ASCII.period) {
            rest = rest[rest.utf8.index(after: dot)...]
            if let rule = rules["*." + rest] { return rule }
        }
        return AddressRule()
    }

    /// A text that is equal for equal settings only, in every release.
    public var fingerprint: String {
        rules.sorted { $0.key < $1.key }.map { host, rule in
            // No name of a parameter has one of the separators.
            let lists = [rule.keep, rule.drop].map { $0.sorted().joined(separator: "&") }
            return ([host] + lists + [rule.fragment?.rawValue ?? "", rule.keepsScheme ? "keep" : ""])
                .joined(separator: "=")
        }.joined(separator: "\n")
    }
}

private enum AddressScheme {
    case http, https

    init?(_ bytes: some Collection<UInt8>) {
        func has(_ name: String) -> Bool { bytes.lazy.map { $0 | 0x20 }.elementsEqual(name.utf8) }
        if has("https") { self = .https } else if has("http") { self = .http } else { return nil }
    }

    /// The scheme at the beginning of an identifier; most identifiers that have another one are recognised at once.
    init?(of identifier: String) {
        self.init(identifier.utf8.prefix(6).prefix { $0 != ASCII.colon })
    }
}

/// An address taken apart (RFC 3986, appendix B); each part as it was written until a rule changes it.
private struct AddressParts {
    private var scheme: [UInt8]
    private let wasHTTP: Bool
    /// With its `@`; empty where there is none.
    private let userInfo: [UInt8]
    private var host: [UInt8]
    /// With its colon; empty where there is none.
    private var port: [UInt8]
    private var path: [UInt8]
    /// Without `?`.
    private var query: [UInt8]?
    /// Without `#`.
    private var fragment: [UInt8]?

    init?(_ bytes: [UInt8]) {
        guard let colon = bytes.firstIndex(of: ASCII.colon), let known = AddressScheme(bytes[..<colon]),
            bytes[(colon + 1)...].starts(with: [ASCII.slash, ASCII.slash])
        else { return nil }
        scheme = Array(bytes[..<colon])
        wasHTTP = known == .http
        var rest = bytes[(colon + 3)...]
        if let hash = rest.firstIndex(of: 0x23) {
            fragment = Array(rest[(hash + 1)...])
            rest = rest[..<hash]
        }
        if let mark = rest.firstIndex(of: 0x3F) {
            query = Array(rest[(mark + 1)...])
            rest = rest[..<mark]
        }
        let slash = rest.firstIndex(of: ASCII.slash) ?? rest.endIndex
        path = Array(rest[slash...])
        var authority = rest[..<slash]
        if let at = authority.lastIndex(of: 0x40) {
            userInfo = Array(authority[...at])
            authority = authority[(at + 1)...]
        } else {
            userInfo = []
        }
        // The colons of an IPv6 address stand before its bracket.
        let afterBracket = authority.lastIndex(of: 0x5D) ?? authority.startIndex
        let end = authority[afterBracket...].lastIndex(of: ASCII.colon) ?? authority.endIndex
        host = Array(authority[..<end])
        port = Array(authority[end...])
        guard !host.isEmpty else { return nil }
    }

    var text: String {
        var bytes = scheme + [ASCII.colon, ASCII.slash, ASCII.slash] + userInfo + host + port + path
        if let query { bytes += [0x3F] + query }
        if let fragment { bytes += [0x23] + fragment }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The rules `scheme`, `host` and `port`.
    ///
    /// - Returns: the rule of the host.
    mutating func apply(_ settings: AddressSettings, _ rules: inout [String]) -> AddressRule {
        let lowerHost = host.map(\.lowercasedASCII)
        let rule = settings.rule(forHost: String(decoding: lowerHost, as: UTF8.self))
        if wasHTTP, !rule.keepsScheme {
            scheme = Array("https".utf8)
            rules.append("scheme")
        }
        let lowerScheme = scheme.map(\.lowercasedASCII)
        if lowerHost != host || lowerScheme != scheme { rules.append("host") }
        (host, scheme) = (lowerHost, lowerScheme)
        if !port.isEmpty, isDefaultPort {
            port = []
            rules.append("port")
        }
        return rule
    }

    /// An empty port is the default one, too (RFC 3986, section 6.2.3).
    private var isDefaultPort: Bool {
        let digits = port.dropFirst()
        return digits.isEmpty || digits.drop { $0 == ASCII.zero }.elementsEqual((wasHTTP ? "80" : "443").utf8)
    }

    /// The rule `path`: an empty path is `/`, and `.` and `..` are followed (RFC 3986, section 5.2.4), also where they
    /// are percent-encoded, as browsers do.
    mutating func normalizePath(_ rules: inout [String]) {
        guard !path.isEmpty else {
            path = [ASCII.slash]
            return rules.append("path")
        }
        guard path.contains(ASCII.period) || path.contains(ASCII.percent) else { return }
        var kept: [ArraySlice<UInt8>] = []
        var isFolder = false
        for segment in path.dropFirst().split(separator: ASCII.slash, omittingEmptySubsequences: false) {
            switch Self.dots(segment) {
            case 1: isFolder = true
            case 2:
                _ = kept.popLast()
                isFolder = true
            default:
                kept.append(segment)
                isFolder = false
            }
        }
        var normal: [UInt8] = []
        for segment in kept { normal += [ASCII.slash] + segment }
        if isFolder { normal.append(ASCII.slash) }
        guard normal != path else { return }
        path = normal
        rules.append("path")
    }

    /// How many dots a segment consists of; 0 where it has anything else, or more than two.
    private static func dots(_ segment: ArraySlice<UInt8>) -> Int {
        guard segment.count <= 6 else { return 0 }
        var count = 0
        var rest = segment
        while let first = rest.first {
            if first == ASCII.period {
                rest = rest.dropFirst()
            } else if rest.starts(with: "%2e".utf8, by: { ($0 | 0x20) == ($1 | 0x20) }) {
                rest = rest.dropFirst(3)
            } else {
                return 0
            }
            count += 1
        }
        return count <= 2 ? count : 0
    }

    /// The rules `percent`, `tracking:NAME`, `drop:NAME` and `fragment`. A part that is dropped is no reason to name
    /// `percent`.
    mutating func normalizeRest(_ rule: AddressRule, _ rules: inout [String]) {
        let removals = removeParameters(rule)
        var kept = fragment
        if let fragment { kept = Self.kept(fragment, rule) }
        let hasChanged = kept != fragment
        fragment = kept
        let before = (path, query, fragment)
        path = Self.decodingUnreserved(path)
        query = query.map(Self.decodingUnreserved)
        fragment = fragment.map(Self.decodingUnreserved)
        if (path, query ?? [], fragment ?? []) != (before.0, before.1 ?? [], before.2 ?? []) { rules.append("percent") }
        rules += removals
        if hasChanged { rules.append("fragment") }
    }

    /// What stays of a fragment; nil where nothing does. The directive after `:~:` names a place in the page, never the
    /// page (https://wicg.github.io/scroll-to-text-fragment/).
    private static func kept(_ fragment: [UInt8], _ rule: AddressRule) -> [UInt8]? {
        let directive: [UInt8] = [ASCII.colon, 0x7E, ASCII.colon]
        var end = 0
        while end < fragment.count, !fragment[end...].starts(with: directive) { end += 1 }
        guard end > 0 else { return nil }
        let isKept =
            switch rule.fragment {
            case .keep: true
            case .drop: false
            case nil: fragment[0] == ASCII.slash || fragment[0] == 0x21
            }
        return isKept ? Array(fragment[..<end]) : nil
    }

    /// Removes parameters, and the query where none is left.
    private mutating func removeParameters(_ rule: AddressRule) -> [String] {
        guard let written = query else { return [] }
        var removals: [String] = []
        var known = NameMap<Void>()
        var kept: [ArraySlice<UInt8>] = []
        for parameter in written.split(separator: ASCII.ampersand, omittingEmptySubsequences: false) {
            let name = parameter.prefix { $0 != ASCII.equals }
            if let removal = rule.removal(of: String(decoding: Self.decodingUnreserved(Array(name)), as: UTF8.self)) {
                if known[removal] == nil { removals.append(removal) }
                known[removal] = ()
            } else {
                kept.append(parameter)
            }
        }
        if !removals.isEmpty || written.isEmpty {
            let rest = Array(kept.joined(separator: [ASCII.ampersand]))
            query = rest.isEmpty ? nil : rest
        }
        return removals.filter { $0.hasPrefix("tracking") } + removals.filter { $0.hasPrefix("drop") }
    }

    /// Triplets of unreserved characters decoded, the others with upper-case digits (RFC 3986, section 6.2.2).
    private static func decodingUnreserved(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(ASCII.percent) else { return bytes }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            guard let byte = PercentEncoding.triplet(in: bytes, at: index) else {
                output.append(bytes[index])
                index += 1
                continue
            }
            if PercentEncoding.isUnreserved(byte) {
                output.append(byte)
            } else {
                PercentEncoding.appendTriplet(byte, to: &output)
            }
            index += 3
        }
        return output
    }
}
