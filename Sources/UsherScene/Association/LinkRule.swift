internal import UsherText

/// One component of an association file (or one of its `paths`): patterns, and whether what matches them is the app's.
public struct LinkRule: Sendable {
    /// nil accepts anything, as in the other two.
    public var path: LinkPattern?
    public var query: Query?
    public var fragment: LinkPattern?
    /// What matches is left to the browser.
    public var excludes: Bool
    public var form: LinkForm
    public var location: SourceLocation

    public enum Query: Sendable {
        case text(LinkPattern)
        /// Items that must all match. One that the address doesn't have counts as empty.
        case items([Item])
    }

    public struct Item: Sendable {
        public var name: String
        public var value: LinkPattern
        /// As it is compared: in the form of the rule.
        var key: [UInt8]

        public init(name: String, value: LinkPattern, form: LinkForm) {
            self.name = name
            self.value = value
            key = form.apply(to: Array(name.utf8), isPattern: true)
        }
    }

    public init(
        path: LinkPattern? = nil, query: Query? = nil, fragment: LinkPattern? = nil, excludes: Bool = false,
        form: LinkForm = LinkForm(), location: SourceLocation
    ) {
        self.path = path
        self.query = query
        self.fragment = fragment
        self.excludes = excludes
        self.form = form
        self.location = location
    }

    /// All of its patterns match.
    public func matches(_ address: inout LinkAddress) -> Bool {
        let parts = address.parts(in: form)
        if let path, !path.matches(parts.path) { return false }
        switch query {
        case .text(let pattern): if !pattern.matches(parts.query) { return false }
        case .items(let items): if !items.allSatisfy({ $0.matches(parts.items) }) { return false }
        case nil: break
        }
        if let fragment, !fragment.matches(parts.fragment) { return false }
        return true
    }

    /// How many bytes of an address its patterns spell out: wildcards and variables account for nothing.
    public var literalLength: Int {
        var length = (path?.literalLength ?? 0) + (fragment?.literalLength ?? 0)
        switch query {
        case .text(let pattern): length += pattern.literalLength
        case .items(let items): for item in items { length += item.key.count + item.value.literalLength }
        case nil: break
        }
        return length
    }

    /// What a path must begin with for the rule to accept the address whatever else it has; nil for a rule that asks for
    /// more. Empty for a rule that accepts every address.
    public var coveredPrefix: [UInt8]? {
        switch query {
        case .text(let pattern): if !pattern.matchesEverything { return nil }
        case .items(let items): if !items.allSatisfy({ $0.value.matchesEverything }) { return nil }
        case nil: break
        }
        if let fragment, !fragment.matchesEverything { return nil }
        guard let path else { return [] }
        guard path.elements.count == 1, case .step(.anyText) = path.elements[0] else { return nil }
        // Every path begins with a slash.
        return path.prefix == [UInt8(ascii: "/")] ? [] : path.prefix
    }

    /// What each path that it accepts begins with.
    public var pathPrefix: [UInt8] { path?.prefix ?? [] }

    /// How many steps its patterns take at the most, for each byte of an address.
    public var size: Int {
        var size = (path?.size ?? 0) + (fragment?.size ?? 0)
        switch query {
        case .text(let pattern): size += pattern.size
        case .items(let items): for item in items { size += item.value.size }
        case nil: break
        }
        return size
    }

    /// The patterns as one text, for people: `/help/*?article=????`.
    public var summary: String {
        var text = path?.text ?? ""
        switch query {
        case .text(let pattern): text += "?" + pattern.text
        case .items(let items): text += "?" + items.map { "\($0.name)=\($0.value.text)" }.joined(separator: "&")
        case nil: break
        }
        if let fragment { text += "#" + fragment.text }
        return text.isEmpty ? "*" : text
    }
}

extension LinkRule.Item {
    /// Every item of the name matches; where there is none, the empty text does.
    fileprivate func matches(_ items: [LinkAddress.Item]) -> Bool {
        var isThere = false
        for item in items where item.name == key {
            isThere = true
            if !value.matches(item.value) { return false }
        }
        return isThere || value.matches([])
    }
}

/// How addresses and patterns are compared: `caseSensitive` and `percentEncoded` of an association file.
public struct LinkForm: Hashable, Sendable {
    public var isCaseSensitive: Bool
    /// Compared as written in a URL; else with percent-encoding undone, so that patterns may have any character.
    public var isPercentEncoded: Bool

    public init(caseSensitive: Bool = true, percentEncoded: Bool = true) {
        isCaseSensitive = caseSensitive
        isPercentEncoded = percentEncoded
    }

    /// A number below 4 for each of the forms.
    public var index: Int { (isCaseSensitive ? 0 : 1) + (isPercentEncoded ? 0 : 2) }

    /// A text in this form. A pattern stands in it already, but for the case.
    func apply(to bytes: [UInt8], isPattern: Bool = false) -> [UInt8] {
        var bytes = bytes
        if !isPattern { bytes = isPercentEncoded ? LinkForm.encoded(bytes) : LinkForm.decoded(bytes) }
        return isCaseSensitive ? bytes : LinkForm.folded(bytes)
    }

    /// With what no URL may have as it is percent-encoded: an identifier may be any text.
    private static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(where: isForeign) else { return bytes }
        return Array(PercentEncoding.encode(bytes, keeping: { !isForeign($0) }).utf8)
    }

    private static func isForeign(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x7F...: true
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
            UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
            true
        default: false
        }
    }

    /// With percent-encoding undone. What is no UTF-8 then becomes U+FFFD; a `%` without two digits stays.
    private static func decoded(_ bytes: [UInt8]) -> [UInt8] {
        bytes.contains(UInt8(ascii: "%")) ? Array(PercentEncoding.decodedText(bytes).utf8) : bytes
    }

    /// In lower case, character by character.
    private static func folded(_ bytes: [UInt8]) -> [UInt8] {
        if bytes.allSatisfy({ $0 < 0x80 }) { return bytes.map { $0.lowercasedASCII } }
        var text = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            text += scalar.properties.lowercaseMapping
        }
        return Array(text.utf8)
    }
}

/// The part of a URL behind its host, cut into the parts that an association file matches.
///
/// The forms that rules compare are made at the first comparison.
public struct LinkAddress: Sendable {
    struct Parts: Sendable {
        var path: [UInt8]
        /// Without its `?`; empty where there is none.
        var query: [UInt8]
        var fragment: [UInt8]
        var items: [Item]
    }

    struct Item: Sendable {
        var name: [UInt8]
        var value: [UInt8]
    }

    private let path: [UInt8]
    private let query: [UInt8]
    private let fragment: [UInt8]
    private var forms: [Parts?] = [nil, nil, nil, nil]

    /// - Parameter rest: from the first `/`, `?` or `#` on, as ``TargetContentIdentifier/webHost`` gives it.
    public init(_ rest: Substring) {
        let bytes = Array(rest.utf8)
        let hash = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
        let question = bytes[..<hash].firstIndex(of: UInt8(ascii: "?")) ?? hash
        // No path and the root are the same address (RFC 3986, 6.2.3).
        path = question == 0 ? [UInt8(ascii: "/")] : Array(bytes[..<question])
        query = question == hash ? [] : Array(bytes[(question + 1)..<hash])
        fragment = hash == bytes.count ? [] : Array(bytes[(hash + 1)...])
    }

    mutating func parts(in form: LinkForm) -> Parts {
        if let parts = forms[form.index] { return parts }
        let items = query.split(separator: UInt8(ascii: "&")).map { item in
            let equals = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
            return Item(
                name: form.apply(to: Array(item[..<equals])),
                value: form.apply(to: Array(item[equals...].dropFirst())))
        }
        let parts = Parts(
            path: form.apply(to: path), query: form.apply(to: query), fragment: form.apply(to: fragment), items: items)
        forms[form.index] = parts
        return parts
    }
}

/// The rules of a large association file, indexed by the beginning of their paths: most rules are never tried.
private struct LinkIndex: Sendable {
    /// The rules of one form, by the beginning of their paths.
    private struct Part: Sendable {
        var form: LinkForm
        /// Of the beginnings, ascending.
        var lengths: [Int]
        var rules: [[UInt8]: [Int]]
    }

    private var parts: [Part]

    init(_ rules: [LinkRule]) {
        parts = Dictionary(grouping: rules.indices) { rules[$0].form }.map { form, places in
            let rules = Dictionary(grouping: places) { rules[$0].pathPrefix }
            return Part(form: form, lengths: Set(rules.keys.map(\.count)).sorted(), rules: rules)
        }
    }

    /// The rules that an address may match, ascending.
    func candidates(for address: inout LinkAddress) -> [Int] {
        var found: [Int] = []
        for part in parts {
            let path = address.parts(in: part.form).path
            for length in part.lengths where length <= path.count {
                if let rules = part.rules[Array(path.prefix(length))] { found += rules }
            }
        }
        return found.sorted()
    }
}

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
        /// No rule matches it.
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
