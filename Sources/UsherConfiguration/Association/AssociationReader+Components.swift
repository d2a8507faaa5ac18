import UsherJSON
import UsherScene

extension AssociationReader {
    /// `components`: the first that matches decides.
    mutating func readComponents(_ components: JSONElement, _ outer: LinkForm) -> [LinkRule] {
        var rules: [LinkRule] = []
        var reach = LinkReach()
        for component in document.elements(components) where expect(.object, component, "a component") {
            check(
                component, "a component",
                knows: ["/", "?", "#", "exclude", "comment", "caseSensitive", "percentEncoded"])
            let form = form(of: component, outer)
            if let comment = document.value("comment", in: component) { _ = expect(.string, comment, "`comment`") }
            var rule = LinkRule(form: form, location: location(of: component))
            rule.excludes = boolean("exclude", of: component) ?? false
            var isWhole = true
            if let path = document.value("/", in: component) {
                rule.path = pattern(path, "`/`", form, isPath: true)
                isWhole = rule.path != nil
            }
            if let query = document.value("?", in: component) {
                rule.query = readQuery(query, form)
                isWhole = isWhole && rule.query != nil
            }
            if let fragment = document.value("#", in: component) {
                rule.fragment = pattern(fragment, "`#`", form)
                isWhole = isWhole && rule.fragment != nil
            }
            // Without one of its patterns it would accept more than it says.
            guard isWhole else { continue }
            warn(of: rule, at: component, behind: &reach)
            rules.append(rule)
        }
        return rules
    }

    private mutating func readQuery(_ query: JSONElement, _ form: LinkForm) -> LinkRule.Query? {
        switch document.kind(query) {
        case .string: return pattern(query, "`?`", form).map(LinkRule.Query.text)
        case .object:
            var items: [LinkRule.Item] = []
            for member in document.members(query) {
                let name = document.string(member.key) ?? ""
                guard let value = pattern(member.value, "the pattern of \(TOMLText.quoted(name))", form) else {
                    return nil
                }
                items.append(LinkRule.Item(name: name, value: value, form: form))
            }
            return .items(items)
        default:
            report(
                .error, .associationType, at: document.textRange(query),
                "`?` must be a string or an object of patterns, found \(document.kind(query).phrase)",
                help: #""?": { "article": "????" }"#)
            return nil
        }
    }

    /// `paths`, as before iOS 13: patterns of paths; `NOT ` before one excludes.
    mutating func readPaths(_ paths: JSONElement) -> [LinkRule] {
        var rules: [LinkRule] = []
        var reach = LinkReach()
        for (text, element) in strings(paths, "`paths`") {
            let isExcluded = text.utf8.starts(with: "NOT ".utf8)
            let begin = isExcluded ? 4 : 0
            guard let path = pattern(element, "a path", LinkForm(), isPath: true, from: begin) else { continue }
            let rule = LinkRule(path: path, excludes: isExcluded, location: location(of: element))
            warn(of: rule, at: element, behind: &reach)
            rules.append(rule)
        }
        return rules
    }

    private mutating func warn(of rule: LinkRule, at element: JSONElement, behind reach: inout LinkReach) {
        let range = document.textRange(element)
        guard let earlier = reach.add(rule) else { return }
        report(
            .warning, .associationUnreachable, at: range.lowerBound..<(range.lowerBound + 1),
            "\(rule.summary) is never reached: \(earlier.value) before it takes all that it matches",
            help: "the first that matches decides: the narrower one goes first", related: earlier.location)
    }
}

/// What the rules of an entry have taken: a rule behind them that adds nothing is never reached.
private struct LinkReach {
    private var prefixes: [LinkForm: [[UInt8]: Located<String>]] = [:]
    private var lengths: Set<Int> = []
    private var whole: [String: Located<String>] = [:]

    /// The earlier rule that leaves nothing to this one.
    mutating func add(_ rule: LinkRule) -> Located<String>? {
        let prefix = rule.pathPrefix
        let key = "\(rule.form.index) \(rule.summary)"
        if let earlier = prefixes[rule.form] {
            for length in lengths where length <= prefix.count {
                if let taken = earlier[Array(prefix.prefix(length))] { return taken }
            }
        }
        // What accepts everything does so in every form.
        for (_, earlier) in prefixes { if let taken = earlier[[]] { return taken } }
        if let same = whole[key] { return same }
        let own = Located(rule.summary, at: rule.location)
        whole[key] = own
        if let covered = rule.coveredPrefix {
            prefixes[rule.form, default: [:]][covered] = own
            lengths.insert(covered.count)
        }
        return nil
    }
}
