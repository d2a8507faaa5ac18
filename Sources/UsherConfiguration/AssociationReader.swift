import UsherJSON
import UsherScene
internal import UsherText

/// Reads an `apple-app-site-association` file, and says everything that is wrong with it.
///
/// What iOS would refuse, or read as something else than it says, is an error; what can only have no effect is a warning.
/// Apple, "applinks", "applinks.Details" and "applinks.Details.Components".
struct AssociationReader {
    /// The rules of some apps.
    struct Entry {
        var appIDs: [String]
        var rules: [LinkRule]
    }

    private let file: SourceFile
    private var document = JSONDocument(maximumDepth: 64)
    private(set) var diagnostics: [ConfigurationDiagnostic] = []
    var entries: [Entry] = []
    private var variables = LinkVariables.predefined
    private var positions: ForwardPositions

    /// A server may send no more (Apple, "App Search Programming Guide": 128 KB since iOS 9.3.1).
    private static let maximumServedSize = 128 * 1024

    init(file: SourceFile) {
        self.file = file
        positions = ForwardPositions(file.bytes)
    }

    /// - Parameter bytes: of the file, as they are.
    mutating func read(_ bytes: [UInt8]) {
        do {
            try document.parse(bytes)
        } catch {
            let help =
                switch error.code {
                case .byteOrderMark: "save it as UTF-8 without a byte order mark"
                case .duplicateKey: "keep one of them"
                case .invalidUTF8: "save it as UTF-8"
                default: "the file is JSON: no comments, no comma before a closing bracket"
                }
            return report(.error, .associationSyntax, at: error.offset..<(error.offset + 1), error.message, help: help)
        }
        if bytes.count > AssociationReader.maximumServedSize {
            report(
                .warning, .associationSize, at: 0..<1,
                "the file has \(bytes.count) bytes: systems of Apple read \(AssociationReader.maximumServedSize) at the most",
                help: "use wildcards and substitution variables in place of single paths")
        }
        guard let root = document.root, expect(.object, root, "the file") else { return }
        check(root, "the file", knows: ["applinks", "webcredentials", "appclips", "activitycontinuation"])
        guard let links = document.value("applinks", in: root) else {
            return report(
                .error, .associationMissing, at: 0..<1, "the file has no `applinks`",
                help: #"write { "applinks": { "details": [ … ] } }"#)
        }
        guard expect(.object, links, "`applinks`") else { return }
        readLinks(links)
    }

    // MARK: Reporting

    private mutating func report(
        _ severity: ConfigurationDiagnostic.Severity, _ code: DiagnosticCode, at range: Range<Int>, _ message: String,
        help: String? = nil, related: SourceLocation? = nil
    ) {
        guard diagnostics.count <= TableReader.maximumDiagnostics else { return }
        let isLast = diagnostics.count == TableReader.maximumDiagnostics
        let begin = file.position(of: range.lowerBound)
        let region = SourceRegion(begin: begin, end: max(begin, file.position(of: range.upperBound)))
        // A file may be one long line: its text is shared.
        let isSameLine = diagnostics.last?.location?.line == begin.line
        let line = isSameLine ? diagnostics.last?.sourceLine : String(decoding: file.line(begin.line), as: UTF8.self)
        diagnostics.append(
            ConfigurationDiagnostic(
                isLast ? .error : severity, isLast ? .tooManyDiagnostics : code, path: file.path,
                location: file.location(begin), length: region.length,
                message: isLast ? "there are more mistakes in this file" : message, help: isLast ? nil : help,
                related: isLast ? nil : related, sourceLine: line))
    }

    /// The place of an element; O(file) for all elements of a file together, where they are asked for in order.
    private mutating func location(of element: JSONElement) -> SourceLocation {
        file.location(positions.position(of: document.offset(element)))
    }

    // MARK: Shape

    private mutating func expect(_ kind: JSONKind, _ element: JSONElement, _ what: String) -> Bool {
        let found = document.kind(element)
        if found == kind { return true }
        report(
            .error, .associationType, at: document.textRange(element),
            "\(what) must be \(kind.phrase), found \(found.phrase)",
            help: AssociationReader.help(for: kind))
        return false
    }

    private static func help(for kind: JSONKind) -> String {
        switch kind {
        case .boolean: "write true or false, without quotes"
        case .string: "put it in quotes"
        case .array: "put it in brackets: [ … ]"
        case .object: "write an object: { … }"
        case .number, .null: "write \(kind.phrase)"
        }
    }

    /// Nothing more is reported: there is no need to look for remedies.
    private var isFull: Bool { diagnostics.count > TableReader.maximumDiagnostics }

    /// Warns of members that mean nothing.
    private mutating func check(_ object: JSONElement, _ what: String, knows names: [String]) {
        for member in document.members(object) {
            let name = document.string(member.key) ?? ""
            guard !names.contains(where: { $0.hasSameBytes(as: name) }), !isFull else { continue }
            report(
                .warning, .associationUnknownMember, at: document.textRange(member.key),
                "\(what) has no member \(TOMLText.quoted(name)): it is ignored",
                help: Spelling.help(name, among: names) {
                    "its members are " + names.map(TOMLText.quoted).joined(separator: ", ")
                })
        }
    }

    private mutating func boolean(_ name: String, of object: JSONElement) -> Bool? {
        guard let element = document.value(name, in: object), expect(.boolean, element, "`\(name)`") else { return nil }
        return document.boolean(element)
    }

    /// The strings of an array.
    private mutating func strings(_ array: JSONElement, _ what: String) -> [(text: String, element: JSONElement)] {
        var strings: [(text: String, element: JSONElement)] = []
        for element in document.elements(array) where expect(.string, element, "an element of \(what)") {
            strings.append((document.string(element) ?? "", element))
        }
        return strings
    }
}

/// Lines and columns of ascending offsets: one walk through a file, even where it is a single line.
private struct ForwardPositions {
    private let bytes: [UInt8]
    private var offset = 0
    private var place = SourcePosition.start

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func position(of wanted: Int) -> SourcePosition {
        if wanted < offset {
            offset = 0
            place = .start
        }
        while offset < min(wanted, bytes.count) {
            if bytes[offset] == UInt8(ascii: "\n") {
                place = SourcePosition(line: place.line + 1, column: 1)
            } else if bytes[offset] & 0xC0 != 0x80 {
                place.column += 1
            }
            offset += 1
        }
        return place
    }
}

// MARK: - Components

extension AssociationReader {
    /// `components`: the first that matches decides.
    private mutating func readComponents(_ components: JSONElement, _ outer: LinkForm) -> [LinkRule] {
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
    private mutating func readPaths(_ paths: JSONElement) -> [LinkRule] {
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

// MARK: - Details

extension AssociationReader {
    /// `applinks`.
    private mutating func readLinks(_ links: JSONElement) {
        check(links, "`applinks`", knows: ["details", "defaults", "substitutionVariables", "apps"])
        if let apps = document.value("apps", in: links), expect(.array, apps, "`apps`"),
            document.firstElement(apps) != nil
        {
            report(
                .warning, .associationLegacy, at: document.textRange(apps),
                "`apps` of `applinks` has no meaning, and must be empty where it is there",
                help: "write the apps into `appIDs` of `details`, and drop `apps`")
        }
        readVariables(of: links)
        let form = defaults(of: links, LinkForm())
        guard let details = document.value("details", in: links) else {
            return report(
                .error, .associationMissing, at: firstByte(of: links), "`applinks` has no `details`",
                help: #""details": [ { "appIDs": ["ABCDE12345.example.clowntown"], "components": [ … ] } ]"#)
        }
        if document.kind(details) == .object {
            // As iOS 8 had it.
            report(
                .warning, .associationLegacy, at: firstByte(of: details), "`details` by app id is a form of iOS 8",
                help: #"write an array: "details": [ { "appIDs": […], "components": […] } ]"#)
            for member in document.members(details) where expect(.object, member.value, "an entry of `details`") {
                let id = document.string(member.key) ?? ""
                readEntry(member.value, form, appIDs: checkAppID(id, at: member.key) ? [id] : [])
            }
            return
        }
        guard expect(.array, details, "`details`") else { return }
        for entry in document.elements(details) where expect(.object, entry, "an entry of `details`") {
            readEntry(entry, form, appIDs: nil)
        }
    }

    private func firstByte(of element: JSONElement) -> Range<Int> {
        let offset = document.offset(element)
        return offset..<(offset + 1)
    }

    /// `defaults`: what components don't say themselves.
    private mutating func defaults(of object: JSONElement, _ outer: LinkForm) -> LinkForm {
        guard let defaults = document.value("defaults", in: object), expect(.object, defaults, "`defaults`") else {
            return outer
        }
        check(defaults, "`defaults`", knows: ["caseSensitive", "percentEncoded"])
        return form(of: defaults, outer)
    }

    private mutating func form(of object: JSONElement, _ outer: LinkForm) -> LinkForm {
        LinkForm(
            caseSensitive: boolean("caseSensitive", of: object) ?? outer.isCaseSensitive,
            percentEncoded: boolean("percentEncoded", of: object) ?? outer.isPercentEncoded)
    }

    /// One element of `details`: some apps, and what they open.
    private mutating func readEntry(_ entry: JSONElement, _ outer: LinkForm, appIDs given: [String]?) {
        check(entry, "an entry of `details`", knows: ["appIDs", "appID", "components", "paths", "defaults"])
        let appIDs = given ?? readAppIDs(of: entry)
        let form = defaults(of: entry, outer)
        let components = document.value("components", in: entry)
        let paths = document.value("paths", in: entry)
        var rules: [LinkRule] = []
        if let components, expect(.array, components, "`components`") { rules = readComponents(components, form) }
        if let paths, expect(.array, paths, "`paths`") {
            let legacy = readPaths(paths)
            // Where both are there, `paths` is for systems before iOS 13.
            if components == nil { rules = legacy }
        }
        if components == nil, paths == nil {
            report(
                .warning, .associationMissing, at: firstByte(of: entry),
                "the entry has no `components`: its apps open nothing",
                help: #"to open everything: "components": [ { "/": "*" } ]"#)
        }
        entries.append(Entry(appIDs: appIDs, rules: rules))
    }

    private mutating func readAppIDs(of entry: JSONElement) -> [String] {
        var ids: [String] = []
        let one = document.value("appID", in: entry)
        let several = document.value("appIDs", in: entry)
        if let one, expect(.string, one, "`appID`"), let id = document.string(one), checkAppID(id, at: one) {
            ids.append(id)
        }
        if let several, expect(.array, several, "`appIDs`") {
            for (id, element) in strings(several, "`appIDs`") where checkAppID(id, at: element) { ids.append(id) }
            if document.firstElement(several) == nil, one == nil {
                report(
                    .error, .associationMissing, at: document.textRange(several), "`appIDs` names no app",
                    help: #""appIDs": ["ABCDE12345.example.clowntown"]"#)
            }
        }
        if one == nil, several == nil {
            report(
                .error, .associationMissing, at: firstByte(of: entry), "the entry has no `appIDs`",
                help: #""appIDs": ["ABCDE12345.example.clowntown"]"#)
        }
        return ids
    }

    /// `ABCDE12345.example.clowntown`: the team's prefix, a dot, the app's id.
    private mutating func checkAppID(_ id: String, at element: JSONElement) -> Bool {
        let prefix = id.utf8.prefix { $0 != UInt8(ascii: ".") }
        guard !prefix.isEmpty, prefix.count + 1 < id.utf8.count else {
            report(
                .error, .associationAppID, at: document.textRange(element),
                "\(TOMLText.quoted(id)) is not an app id: a prefix, a dot, the id of the app",
                help:
                    "write \(TOMLText.quoted("ABCDE12345.\(id.isEmpty ? "example.clowntown" : id)")), with your prefix")
            return false
        }
        let isPrefix = prefix.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
        if prefix.count != 10 || !isPrefix {
            report(
                .warning, .associationAppID, at: document.textRange(element),
                "\(TOMLText.quoted(id)) does not begin with a prefix of 10 capitals and digits",
                help: "the prefix is the team's: \"ABCDE12345.example.clowntown\"")
        }
        return true
    }
}

// MARK: - Patterns

extension AssociationReader {
    /// The pattern of a string, from one of its bytes on; nil where it is none, which has then been said.
    private mutating func pattern(
        _ element: JSONElement, _ what: String, _ form: LinkForm, isPath: Bool = false, from begin: Int = 0
    ) -> LinkPattern? {
        guard expect(.string, element, what) else { return nil }
        let bytes = Array(document.stringBytes(element).dropFirst(begin))
        let text = String(decoding: bytes, as: UTF8.self)
        do {
            let pattern = try LinkPattern(text, form: form, variables: variables)
            if isPath { warnOfPath(bytes, text, at: element, from: begin) }
            if form.isPercentEncoded {
                warnOfEncoding(bytes, at: element, from: begin)
            } else if let escape = LinkText.escape(in: bytes) {
                report(
                    .warning, .associationPercentEncoding, at: range(escape..<(escape + 3), of: element, from: begin),
                    "with `percentEncoded` false, a percent sign stands for itself",
                    help: "write the character that is meant")
            }
            return pattern
        } catch {
            report(error, at: range(error.offset..<(error.offset + error.length), of: element, from: begin))
            return nil
        }
    }

    private mutating func report(_ error: LinkPatternError, at range: Range<Int>) {
        guard !isFull else { return }
        switch error.kind {
        case .unclosedVariable:
            report(
                .error, .associationVariable, at: range, "a variable begins here and does not end",
                help: "close it: $(name)")
        case .unknownVariable(let name):
            let names = variables.names
            report(
                .error, .associationVariable, at: range,
                "there is no substitution variable \(TOMLText.quoted(name))",
                help: Spelling.help(name, among: names, shown: { "$(\($0))" }) {
                    "add it to `substitutionVariables`; there are \(names.prefix(16).joined(separator: ", "))"
                })
        }
    }

    private mutating func warnOfPath(_ bytes: [UInt8], _ text: String, at element: JSONElement, from begin: Int) {
        switch bytes.first {
        case UInt8(ascii: "/"), UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "$"): break
        case nil:
            report(
                .warning, .associationNeverMatches, at: document.textRange(element),
                "an empty pattern matches no path: paths begin with /",
                help: #"the root is "/", and everything is "*""#)
        default:
            report(
                .warning, .associationNeverMatches, at: range(0..<1, of: element, from: begin),
                "this matches no path: paths begin with /", help: "write \(TOMLText.quoted("/" + text))")
        }
        if let hash = bytes.firstIndex(of: UInt8(ascii: "#")) {
            report(
                .warning, .associationNeverMatches, at: range(hash..<(hash + 1), of: element, from: begin),
                "this matches no path: a path ends before `#`",
                help: ##"match the fragment by itself: "#": "…""##)
        } else if let question = LinkText.query(in: bytes) {
            report(
                .warning, .associationNeverMatches, at: range(question..<(question + 1), of: element, from: begin),
                "a path ends before the query; `?` stands for one character here",
                help: #"match the query by itself: "?": { "name": "value" }"#)
        }
    }

    private mutating func warnOfEncoding(_ bytes: [UInt8], at element: JSONElement, from begin: Int) {
        if let foreign = bytes.firstIndex(where: { $0 >= 0x80 || $0 <= 0x20 }) {
            report(
                .warning, .associationPercentEncoding, at: range(foreign..<(foreign + 1), of: element, from: begin),
                "this matches nothing: URLs have such a character percent-encoded",
                help: #"add "percentEncoded": false, or write it as %XX"#)
        } else if let percent = LinkText.brokenEscape(in: bytes) {
            report(
                .warning, .associationPercentEncoding, at: range(percent..<(percent + 1), of: element, from: begin),
                "this matches nothing: in a URL, two hexadecimal digits follow a percent sign",
                help: "a percent sign itself is %25")
        }
    }

    /// Where bytes of a string's value stand in the file.
    private func range(_ value: Range<Int>, of element: JSONElement, from begin: Int) -> Range<Int> {
        let quoted = document.textRange(element)
        let source = file.bytes[quoted.dropFirst().dropLast()]
        let lower = LinkText.sourceOffset(of: begin + value.lowerBound, in: source)
        return lower..<max(lower + 1, LinkText.sourceOffset(of: begin + value.upperBound, in: source))
    }
}

/// Properties of patterns that follow from their bytes.
private enum LinkText {
    /// Where `?name=` begins.
    static func query(in bytes: [UInt8]) -> Int? {
        var start: Int?
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "?"): start = index
            case UInt8(ascii: "="):
                if let start, index > start + 1 { return start }
            case _ where byte.isASCIILetterOrDigit || "_-".utf8.contains(byte): break
            default: start = nil
            }
        }
        return nil
    }

    /// The first percent sign with two digits behind it.
    static func escape(in bytes: [UInt8]) -> Int? {
        bytes.indices.first { PercentEncoding.triplet(in: bytes, at: $0) != nil }
    }

    /// The first percent sign that what follows makes no escape of. Wildcards and variables may stand for digits.
    static func brokenEscape(in bytes: [UInt8]) -> Int? {
        bytes.indices.first { index in
            guard bytes[index] == UInt8(ascii: "%") else { return false }
            for byte in bytes[(index + 1)...].prefix(2) {
                if byte == UInt8(ascii: "*") || byte == UInt8(ascii: "$") { return false }
                if byte != UInt8(ascii: "?"), Hexadecimal.value(of: byte) == nil { return true }
            }
            return index + 2 >= bytes.count
        }
    }

    /// Where a byte of a JSON string's value is written: `source` is what stands between its quotes.
    static func sourceOffset(of wanted: Int, in source: ArraySlice<UInt8>) -> Int {
        var value = 0
        var index = source.startIndex
        while index < source.endIndex, value < wanted {
            guard source[index] == UInt8(ascii: "\\") else {
                value += 1
                index += 1
                continue
            }
            guard index + 1 < source.endIndex, source[index + 1] == UInt8(ascii: "u") else {
                value += 1
                index += 2
                continue
            }
            let digits = source[(index + 2)...].prefix(4)
            let unit = UInt32(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0
            // Two escapes are one character of four bytes.
            if (0xD800..<0xDC00).contains(unit) {
                value += 4
                index += 12
            } else {
                value += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3
                index += 6
            }
        }
        return min(index, source.endIndex)
    }
}

// MARK: - Variables

extension AssociationReader {
    /// `substitutionVariables`: lists of values by name.
    private mutating func readVariables(of links: JSONElement) {
        guard let object = document.value("substitutionVariables", in: links),
            expect(.object, object, "`substitutionVariables`")
        else { return }
        var values: [String: [String]] = [:]
        var uses: [VariableUse] = []
        for member in document.members(object) {
            let name = document.string(member.key) ?? ""
            checkName(name, at: member.key)
            guard expect(.array, member.value, "the values of \(TOMLText.quoted(name))") else {
                values[name] = []
                continue
            }
            let texts = strings(member.value, "a variable's values")
            values[name] = texts.map(\.text)
            if texts.isEmpty {
                report(
                    .warning, .associationVariable, at: document.textRange(member.value),
                    "\(TOMLText.quoted(name)) has no values: a pattern that uses it matches nothing",
                    help: "list what it stands for, or drop it")
            }
            for (text, element) in texts {
                for use in VariableUse.all(in: text) {
                    uses.append(
                        VariableUse(
                            owner: name, name: use.name, range: range(use.range, of: element, from: 0)))
                }
            }
        }
        report(uses)
        variables = LinkVariables(values)
    }

    private mutating func checkName(_ name: String, at element: JSONElement) {
        if name.isEmpty || name.contains(where: { "$()".contains($0) }) {
            report(
                .error, .associationVariable, at: document.textRange(element),
                "\(TOMLText.quoted(name)) is no name of a variable: it must not be empty or have $, ( or )",
                help: "the name stands alone here: \"food\" for $(food)")
        } else if LinkVariables.predefinedNames.contains(name) {
            report(
                .warning, .associationVariable, at: document.textRange(element),
                "$(\(name)) is predefined and stays what it is", help: "give the variable another name")
        }
    }

    /// Values have no variables: Apple's systems take them as they are. Where they lead back to themselves, that is said.
    private mutating func report(_ uses: [VariableUse]) {
        var edges: [String: [String]] = [:]
        for use in uses { edges[use.owner, default: []].append(use.name) }
        for use in uses where !isFull {
            guard let way = VariableUse.way(from: use.name, to: use.owner, along: edges) else {
                report(
                    .error, .associationVariable, at: use.range,
                    "the values of a variable cannot use variables, here $(\(use.name))",
                    help: "write out the values of $(\(use.name)), or use both variables in the pattern")
                continue
            }
            let circle = ([use.owner] + way).prefix(8).map { "$(\($0))" }.joined(separator: " → ")
            report(
                .error, .associationVariable, at: use.range, "the variable leads back to itself: \(circle)",
                help: "write out what $(\(use.owner)) stands for, without variables")
        }
    }
}

/// A variable that a value of another one names.
private struct VariableUse {
    var owner: String
    var name: String
    /// Of the bytes that name it.
    var range: Range<Int>

    static func all(in text: String) -> [(name: String, range: Range<Int>)] {
        let bytes = Array(text.utf8)
        var uses: [(name: String, range: Range<Int>)] = []
        var index = 0
        while index + 1 < bytes.count {
            guard bytes[index] == UInt8(ascii: "$"), bytes[index + 1] == UInt8(ascii: "("),
                let end = bytes[index...].firstIndex(of: UInt8(ascii: ")"))
            else {
                index += 1
                continue
            }
            uses.append((String(decoding: bytes[(index + 2)..<end], as: UTF8.self), index..<(end + 1)))
            index = end + 1
        }
        return uses
    }

    /// The names from one to another, both included; nil where no way leads there. Breadth first.
    static func way(from start: String, to end: String, along edges: [String: [String]]) -> [String]? {
        var comesFrom: [String: String] = [start: start]
        var pending = [start]
        var next = 0
        while next < pending.count {
            let name = pending[next]
            next += 1
            if name == end {
                var way = [name]
                while let last = way.last, last != start, let before = comesFrom[last] { way.append(before) }
                return way.reversed()
            }
            for other in edges[name] ?? [] where comesFrom[other] == nil {
                comesFrom[other] = name
                pending.append(other)
            }
        }
        return nil
    }
}
