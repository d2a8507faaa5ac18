internal import UsherText

/// A URI template: what a backend may build target content identifiers from, and what they are taken apart by.
///
/// Templates of level 4 and below are understood. Two templates are equal when their texts have the same bytes.
/// A template and an identifier have at most ``maximumLength`` bytes each.
///
///     let template = try URITemplate("https://clowntown.example/clowns/{clown}")
///     try template.expand(["clown": "crusty"])                 // https://clowntown.example/clowns/crusty
///     template.match("https://clowntown.example/clowns/crusty")?.variables  // ["clown": "crusty"]
///
/// RFC 6570, with its verified erratum 6937 (`'` is a literal).
public struct URITemplate: Sendable {
    /// The most bytes of UTF-8 a template, and an identifier, may have.
    public static let maximumLength = 16_384

    /// The template as it was given.
    public let text: String

    /// The names of the variables, each once, in the order of their first appearance.
    public let variableNames: [String]

    let parts: [TemplatePart]
    /// Every occurrence of a variable, in order.
    private let occurrences: [TemplateVariable]
    /// For matching with strings, and lists where a variable is exploded: all that most identifiers need.
    private let graph: TemplateGraph

    /// Reads a template.
    ///
    /// - Throws: the first mistake, with its offset, what was expected there and, where there is one, the remedy.
    public init(_ text: String) throws(URITemplateError) { try self.init(text, allowsHyphens: false) }

    /// Reads a template whose names may have hyphens, such as `{index-path}`, which the RFC does not allow.
    package init(hyphenatedNames text: String) throws(URITemplateError) { try self.init(text, allowsHyphens: true) }

    private init(_ text: String, allowsHyphens: Bool) throws(URITemplateError) {
        var parser = URITemplateParser(text, allowsHyphens: allowsHyphens)
        let parts = try parser.parse()
        self.text = text
        self.parts = parts
        var occurrences = parts.flatMap(\.variables)
        var names: [String] = []
        var indices: [String: Int] = [:]
        for occurrence in occurrences.indices {
            let name = occurrences[occurrence].name
            let index = indices[name, default: names.count]
            if index == names.count {
                names.append(name)
                indices[name] = index
            }
            occurrences[occurrence].index = index
        }
        self.occurrences = occurrences
        variableNames = names
        graph = TemplateGraph(parts, kinds: [])
    }

    /// The name under which a variable of a template is known in predicates, without its `$`.
    ///
    /// ASCII letters become upper case, digits stay, every other character becomes `_`: `order-id` is `ORDER_ID`.
    public static func variableKey(_ name: String) -> String {
        var key = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "A"..."Z", "0"..."9": key.unicodeScalars.append(scalar)
            case "a"..."z": key.unicodeScalars.append(Unicode.Scalar(UInt8(scalar.value) - 0x20))
            default: key += "_"
            }
        }
        return key
    }
}

extension URITemplate: Hashable {
    public static func == (left: Self, right: Self) -> Bool { left.text.hasSameBytes(as: right.text) }
    public func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}

extension URITemplate: CustomStringConvertible {
    public var description: String { text }
}

// MARK: - Expansion

extension URITemplate {
    /// The identifier that the template gives with these values; a variable that is missing is undefined.
    ///
    /// - Throws: ``URITemplateError/Code/prefixOfComposite`` where `:n` meets a list or associative value;
    ///   ``URITemplateError/Code/expansionTooLong`` when the identifier exceeds ``maximumLength``.
    ///
    /// RFC 6570, section 3.
    public func expand(_ values: [String: TemplateValue]) throws(URITemplateError) -> String {
        var output: [UInt8] = []
        for part in parts {
            switch part {
            case .literal(let bytes): output.append(contentsOf: bytes)
            case .expression(let expression): try expression.expand(values, into: &output)
            }
        }
        if output.count > URITemplate.maximumLength {
            throw .expansionTooLong(at: text.utf8.count)
        }
        return String(decoding: output, as: UTF8.self)
    }
}

extension TemplateExpression {
    fileprivate func expand(
        _ values: [String: TemplateValue], into output: inout [UInt8]
    ) throws(URITemplateError) {
        var isFirst = true
        for variable in variables {
            guard let value = values[variable.name], !value.isUndefined else { continue }
            if isFirst {
                output.append(contentsOf: `operator`.first)
                isFirst = false
            } else {
                output.append(`operator`.separator)
            }
            switch (value, variable.modifier) {
            case (.undefined, _): break
            case (.string(let text), _): appendString(text, of: variable, to: &output)
            case (.list, .prefix), (.associative, .prefix):
                throw .prefixOfComposite(variable.name, at: variable.offset)
            case (.list(let members), _): try appendList(members, of: variable, to: &output)
            case (.associative(let members), _): try appendMembers(members, of: variable, to: &output)
            }
            // Checked as it grows: values come from outside, and a template may repeat them thousands of times.
            if output.count > URITemplate.maximumLength { throw .expansionTooLong(at: variable.offset) }
        }
    }

    private func appendString(_ text: String, of variable: TemplateVariable, to output: inout [UInt8]) {
        if `operator`.isNamed {
            output.append(contentsOf: variable.name.utf8)
            if appendAssignment(isEmpty: text.isEmpty, to: &output) { return }
        }
        if case .prefix(let limit) = variable.modifier {
            append(text, limit: limit, to: &output)
        } else {
            append(text, to: &output)
        }
    }

    private func appendList(
        _ members: [String], of variable: TemplateVariable, to output: inout [UInt8]
    ) throws(URITemplateError) {
        let isExploded = variable.modifier == .explode
        if !isExploded, `operator`.isNamed {
            output.append(contentsOf: variable.name.utf8)
            let isEmpty = members.count == 1 && members[0].isEmpty
            if appendAssignment(isEmpty: isEmpty, to: &output) { return }
        }
        for (index, member) in members.enumerated() {
            if index > 0 { output.append(isExploded ? `operator`.separator : ASCII.comma) }
            if isExploded, `operator`.isNamed {
                output.append(contentsOf: variable.name.utf8)
                if appendAssignment(isEmpty: member.isEmpty, to: &output) { continue }
            }
            append(member, to: &output)
            if output.count > URITemplate.maximumLength { throw .expansionTooLong(at: variable.offset) }
        }
    }

    private func appendMembers(
        _ members: [TemplateValue.Member], of variable: TemplateVariable, to output: inout [UInt8]
    ) throws(URITemplateError) {
        let isExploded = variable.modifier == .explode
        if !isExploded, `operator`.isNamed {
            output.append(contentsOf: variable.name.utf8)
            output.append(ASCII.equals)
        }
        for (index, member) in members.enumerated() {
            if index > 0 { output.append(isExploded ? `operator`.separator : ASCII.comma) }
            if isExploded, `operator`.isNamed {
                // The key takes the variable name's place, and names are encoded as literals are.
                PercentEncoding.append(member.key, keepingReserved: true, to: &output)
                if appendAssignment(isEmpty: member.value.isEmpty, to: &output) { continue }
            } else {
                append(member.key, to: &output)
                output.append(isExploded ? ASCII.equals : ASCII.comma)
            }
            append(member.value, to: &output)
            if output.count > URITemplate.maximumLength { throw .expansionTooLong(at: variable.offset) }
        }
    }

    private func append(_ text: String, limit: Int = .max, to output: inout [UInt8]) {
        PercentEncoding.append(text, keepingReserved: `operator`.keepsReserved, limit: limit, to: &output)
    }

    /// Writes what comes between a name and its value; true when that completes them.
    private func appendAssignment(isEmpty: Bool, to output: inout [UInt8]) -> Bool {
        if !isEmpty || !`operator`.omitsEmptyAssignment { output.append(ASCII.equals) }
        return isEmpty
    }
}

// MARK: - Matching

extension URITemplate {
    /// The variables that make this template expand to `identifier` byte for byte; nil when none do.
    ///
    /// - Variables of `{x}`, `{+x}`, `{.x}` and `{/x}` are there and not empty: an identifier that names nothing is
    ///   not what a template is for. Variables of `{?x}`, `{&x}` and `{;x}` may be absent, each for itself, and those
    ///   of `{#x}` all together; they may be empty.
    /// - A variable is a string, or a list where it is exploded. Only when nothing matches so, an exploded variable may
    ///   be associative; only then, one that is not exploded may be a list of two members and more; then variables of
    ///   `{#x,y}` may be absent, each for itself; then members of a list may be empty, but not all. Names of associative
    ///   members are not empty and contain neither `=` nor the operator's separator.
    /// - So a match gives back what ``build(_:)`` was given, but for what expands alike: a list of one member, where the
    ///   variable is not exploded, is a string; so is any list of `{+x}` and `{#x}`, where commas are copied; an
    ///   associative value that is not exploded is a list.
    /// - Text that can be divided in several ways is divided so that each value, from the left, is as short as it can be,
    ///   and the match says which variables are ambiguous. So are a string of which only a full-length prefix was read,
    ///   and a value with triplets in `{+x}` and `{#x}`, where both a triplet and its character expand alike.
    /// - A variable that recurs has one value. Whether one exists may be hard to find out: the search is bounded, and
    ///   gives nil at its end. Without recurring variables it is complete.
    ///
    /// An identifier of more than ``maximumLength`` bytes does not match. The time taken is bounded by
    /// bytes × (bytes + size of the template).
    public func match(_ identifier: String) -> TemplateMatch? {
        guard identifier.utf8.count <= Self.maximumLength else { return nil }
        let bytes = Array(identifier.utf8)
        if case .literal(let literal)? = parts.first, !bytes.starts(with: literal) { return nil }
        if case .literal(let literal)? = parts.last, !bytes.reversed().starts(with: literal.reversed()) { return nil }
        let characters = EncodedCharacters(bytes)
        if let match = match(characters, graph: graph) { return match }
        for kinds in furtherKinds(bytes) {
            let required = kinds.contains(.emptyMembers) ? requiredVariables : []
            if let match = match(characters, graph: TemplateGraph(parts, kinds: kinds), filled: required) {
                return match
            }
        }
        return nil
    }

    /// The kinds of values that are looked for, in turn, when strings and exploded lists do not fit.
    private func furtherKinds(_ bytes: [UInt8]) -> [TemplateGraph.Kinds] {
        // A member without a value may lack its `=` after `;`.
        let hasMembers = bytes.contains(ASCII.equals) || bytes.contains(ASCII.semicolon)
        let mayBeAssociative = hasMembers && occurrences.contains { $0.modifier == .explode }
        let mayBeJoined = bytes.contains(ASCII.comma) && occurrences.contains { $0.modifier == .none }
        var possible: TemplateGraph.Kinds = []
        if mayBeAssociative { possible.insert(.associative) }
        if mayBeJoined { possible.insert(.joinedLists) }
        for case .expression(let expression) in parts {
            let `operator` = expression.operator
            if `operator` == .fragment, expression.variables.count > 1, bytes.contains(UInt8(ascii: "#")) {
                possible.insert(.partialFragments)
            }
            if !`operator`.isNamed, !`operator`.keepsReserved,
                expression.variables.contains(where: { $0.modifier == .explode || mayBeJoined && $0.modifier == .none })
            {
                possible.insert(.emptyMembers)
            }
        }
        // Every combination; those of the first kinds go first.
        return possible.rawValue == 0
            ? []
            : (1...possible.rawValue).map { TemplateGraph.Kinds(rawValue: $0) }.filter { possible.isSuperset(of: $0) }
    }

    /// - Parameter filled: the variables whose values have to be more than empty texts.
    private func match(
        _ characters: EncodedCharacters, graph: TemplateGraph, filled: [String] = []
    ) -> TemplateMatch? {
        guard
            var search = TemplateSearch(
                graph, over: characters, occurrences: occurrences, variables: variableNames.count),
            let values = nextValues(&search, above: 0, filled: filled)
        else { return nil }
        search.chargesLookingAhead = true
        let ambiguous = openValues(search).union(variables(differingFrom: values, in: search, filled: filled))
        return TemplateMatch(values: values, ambiguousVariables: variableNames.filter(ambiguous.contains))
    }

    /// Variables that have other values on other ways to the end, found by trying the nearest of those ways.
    private func variables(
        differingFrom values: [String: TemplateValue], in first: TemplateSearch, filled: [String]
    ) -> Set<String> {
        var differing: Set<String> = []
        // Each found way, and how many of its open choices belong to the way it was found from.
        var ways = [(search: first, floor: 0)]
        var budget = first.budget
        var next = 0
        while next < ways.count {
            var (search, floor) = ways[next]
            next += 1
            search.spend(search.budget - budget)
            for count in stride(from: search.choices.count, to: floor, by: -1) {
                guard ways.count <= Self.waysTried, differing.count < variableNames.count else { return differing }
                var other = search
                other.keepChoices(count)
                let choice = other.choices[count - 1]
                let otherValues =
                    other.turn(above: count - 1) ? nextValues(&other, above: count - 1, filled: filled) : nil
                budget = other.budget
                search.spend(search.budget - budget)
                if let otherValues {
                    for name in variableNames where values[name] != otherValues[name] { differing.insert(name) }
                    ways.append((other, count - 1))
                } else if other.isExhausted {
                    if choice.captures < search.captures.count {
                        differing.insert(occurrences[search.captures[choice.captures].run.occurrence].name)
                    }
                    return differing
                }
            }
        }
        return differing
    }

    private static let waysTried = 64

    /// Goes on until the values found expand to the identifier; nil when no way above `floor` has such values.
    private func nextValues(
        _ search: inout TemplateSearch, above floor: Int, filled: [String]
    ) -> [String: TemplateValue]? {
        let identifier = search.characters.bytes
        while search.advance(above: floor) {
            for keepsTriplets in [false, true] {
                let values = values(search, keepsTriplets: keepsTriplets)
                if filled.allSatisfy({ values[$0]?.isEmptyText == false }), agrees(values, with: search),
                    let text = try? expand(values), text.utf8.elementsEqual(identifier)
                {
                    return values
                }
            }
            search.spend(identifier.count + search.captures.count)
            if !search.turn(above: floor) { return nil }
        }
        return nil
    }

    /// Whether each string that was read is what its variable's value expands to in that place.
    private func agrees(_ values: [String: TemplateValue], with search: TemplateSearch) -> Bool {
        for capture in search.captures where capture.run.role == .string {
            let variable = occurrences[capture.run.occurrence]
            guard case .string(let text)? = values[variable.name] else { continue }
            var limit = Int.max
            if case .prefix(let length) = variable.modifier { limit = length }
            var expansion: [UInt8] = []
            PercentEncoding.append(
                text, keepingReserved: capture.run.alphabet.keepsReserved, limit: limit, to: &expansion)
            guard expansion.elementsEqual(search.characters.bytes[capture.start..<capture.end]) else { return false }
        }
        return true
    }

    // MARK: Values

    /// The values that the captured texts stand for; where a variable recurs, the occurrence that says most.
    private func values(_ search: TemplateSearch, keepsTriplets: Bool) -> [String: TemplateValue] {
        var values: [String: (value: TemplateValue, weight: Int)] = [:]
        var index = 0
        while index < search.captures.count {
            let occurrence = search.captures[index].run.occurrence
            var end = index + 1
            while end < search.captures.count, search.captures[end].run.occurrence == occurrence { end += 1 }
            let captures = search.captures[index..<end]
            index = end
            guard let first = captures.first else { continue }
            // A whole text beats a prefix, a long prefix a short one, and an unambiguous encoding any other.
            var weight = Int.max
            if first.run.alphabet.keepsReserved { weight -= 1 }
            if case .prefix = occurrences[occurrence].modifier { weight = first.characters }
            let name = occurrences[occurrence].name
            if let known = values[name], known.weight >= weight { continue }
            values[name] = (value(captures, search.characters.bytes, keepsTriplets: keepsTriplets), weight)
        }
        return values.mapValues(\.value)
    }

    private func value(
        _ captures: ArraySlice<TemplateSearch.Capture>, _ bytes: [UInt8], keepsTriplets: Bool
    ) -> TemplateValue {
        var members: [String] = []
        var pairs: [TemplateValue.Member] = []
        for capture in captures {
            let text = bytes[capture.start..<capture.end]
            let decoded =
                switch (capture.run.alphabet.keepsReserved, keepsTriplets) {
                case (false, _): PercentEncoding.decodedText(text)
                case (true, false): PercentEncoding.decodeKeepingReserved(text)
                case (true, true): String(decoding: text, as: UTF8.self)
                }
            switch capture.run.role {
            case .string: return .string(decoded)
            case .member: members.append(decoded)
            case .key: pairs.append(TemplateValue.Member(key: decoded, value: ""))
            case .value: if !pairs.isEmpty { pairs[pairs.count - 1].value = decoded }
            }
        }
        return pairs.isEmpty ? .list(members) : .associative(pairs)
    }

    /// Variables whose texts were found but leave their values open.
    private func openValues(_ search: TemplateSearch) -> Set<String> {
        var open: Set<String> = []
        var settled: Set<String> = []
        for capture in search.captures {
            let variable = occurrences[capture.run.occurrence]
            var isOpen = capture.run.alphabet.keepsReserved
            if isOpen { isOpen = search.characters.bytes[capture.start..<capture.end].contains(ASCII.percent) }
            if case .prefix(let length) = variable.modifier, capture.characters == length { isOpen = true }
            // Members are each open or not; a string that is settled anywhere is settled.
            if isOpen {
                open.insert(variable.name)
            } else if capture.run.role == .string {
                settled.insert(variable.name)
            }
        }
        return open.subtracting(settled)
    }
}
