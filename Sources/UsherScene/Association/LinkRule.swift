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
