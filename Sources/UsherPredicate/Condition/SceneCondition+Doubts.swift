internal import UsherText

/// Something about a condition that is valid, and most likely not what was meant.
public struct PredicateDoubt: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        /// The part is false for every subject.
        case contradiction
        /// A `?` of a LIKE pattern stands for any character, where the text looks like a URL with a query.
        case questionMark
    }

    public var kind: Kind
    /// The part that is meant: its canonical text, and where it begins in the text that was parsed, in UTF-8 bytes.
    public var text: String
    public var offset: Int
    /// Of a question mark: the pattern in which it stands for itself.
    public var remedy: String?
}

extension ScenePredicate {
    /// What is doubtful about it, in the order of its text. Nothing that can be meant is reported: a part that is called
    /// a contradiction is one.
    public var doubts: [PredicateDoubt] { condition.doubts }
}

extension ScenePredicateTemplate {
    /// The same as of a `ScenePredicate`; a comparison with a variable may be true and may be false.
    public var doubts: [PredicateDoubt] { condition.doubts }
}

extension SceneCondition {
    var doubts: [PredicateDoubt] { (contradictions + questionMarks).sorted { $0.offset < $1.offset } }

    private func doubt(_ kind: PredicateDoubt.Kind, at index: Int, remedy: String? = nil) -> PredicateDoubt {
        PredicateDoubt(
            kind: kind, text: canonicalText(of: index), offset: Int(nodes[index].offset), remedy: remedy)
    }
}

// MARK: - Contradictions

extension SceneCondition {
    /// Texts of which one must be the subject are tried one by one, up to so many comparisons.
    private static let mostComparisons = 1 << 16

    /// The largest parts that are never true; FALSEPREDICATE by itself says so, and is none.
    private var contradictions: [PredicateDoubt] {
        var isNever = nodes.map { $0.kind == .or || $0.kind == .constant(false) }
        // Children follow their parents, so a walk from the end finds each child decided.
        for index in nodes.indices.reversed() {
            if nodes[index].kind == .and || nodes[index].kind == .comparison {
                isNever[index] = isNever[index] || excludesEverything(index)
            }
            let parent = Int(nodes[index].parent)
            guard parent >= 0 else { continue }
            switch nodes[parent].kind {
            case .and: isNever[parent] = isNever[parent] || isNever[index]
            case .or: isNever[parent] = isNever[parent] && isNever[index]
            case .not, .constant, .comparison: break
            }
        }
        var found: [PredicateDoubt] = []
        var index = 0
        while index < nodes.count {
            if isNever[index], nodes[index].kind != .constant(false) {
                found.append(doubt(.contradiction, at: index))
                index = Int(nodes[index].end)
            } else {
                index += 1
            }
        }
        return found
    }

    /// Whether the comparisons that all have to hold plainly exclude each other: of an AND, or of one comparison by itself.
    private func excludesEverything(_ index: Int) -> Bool {
        // Within an AND it is looked at with the others.
        if nodes[index].parent >= 0, nodes[Int(nodes[index].parent)].kind == .and { return false }
        let parts = conjuncts(of: index)
        if parts.contains(where: { isFalse(comparison: $0) }) { return true }
        for part in parts {
            guard let subjects = subjects(of: part) else { continue }
            let count = Int(nodes[index].end) - index
            guard subjects.count * count <= Self.mostComparisons else { return false }
            return subjects.allSatisfy { !mayBeTrue(index, for: $0) }
        }
        return parts.count > 1 && (edgesDiffer(parts) || hasOpposites(parts))
    }

    /// The parts of which each has to be true: those of an AND, and of the ANDs in it.
    private func conjuncts(of root: Int) -> [Int] {
        guard nodes[root].kind == .and else { return [root] }
        var parts: [Int] = []
        var index = root + 1
        while index < Int(nodes[root].end) {
            if nodes[index].kind == .and {
                index += 1
            } else {
                parts.append(index)
                index = Int(nodes[index].end)
            }
        }
        return parts
    }

    /// A comparison that no subject fulfils, such as `SELF IN {}` and `SELF CONTAINS ""`.
    private func isFalse(comparison index: Int) -> Bool {
        nodes[index].kind == .comparison && atoms(at: index).contains { $0.isEmpty }
    }

    /// The only subjects for which a comparison is true: those of `SELF == "…"`, `SELF == nil` and `SELF IN {…}`.
    private func subjects(of index: Int) -> [FoldableText?]? {
        let node = nodes[index]
        guard node.kind == .comparison, node.options.isEmpty, node.quantifier == nil else { return nil }
        let values: [Operand]
        switch (node.left, node.comparison, node.right) {
        case (.subject, .equal, let value), (let value, .equal, .subject): values = [value]
        case (.subject, .in, .array(let start, let end)), (.array(let start, let end), .contains, .subject):
            values = (start..<end).map { elements[Int($0)] }
        default: return nil
        }
        var subjects: [FoldableText?] = []
        for value in values {
            switch value {
            case .text(let text): subjects.append(texts[Int(text)])
            case .null: subjects.append(nil)
            case .subject, .variable, .array: return nil
            }
        }
        return subjects
    }

    /// Whether a part can be true for a subject, whatever the values of its variables.
    private func mayBeTrue(_ root: Int, for subject: FoldableText?) -> Bool {
        let range = root..<Int(nodes[root].end)
        var selfMatches = SelfMatches()
        var results = range.map { index in
            nodes[index].kind == .or ? (mayHold: false, mayFail: true) : (mayHold: true, mayFail: false)
        }
        for index in range.reversed() {
            let place = index - root
            switch nodes[index].kind {
            case .constant(let value): results[place] = (value, !value)
            case .comparison where usesVariable(index): results[place] = (true, true)
            case .comparison:
                let value = compare(at: index, subject, &selfMatches)
                results[place] = (value, !value)
            case .and, .or, .not: break
            }
            guard index > root else { break }
            let parent = Int(nodes[index].parent) - root
            let (own, all) = (results[place], results[parent])
            switch nodes[parent + root].kind {
            case .not: results[parent] = (own.mayFail, own.mayHold)
            case .and: results[parent] = (all.mayHold && own.mayHold, all.mayFail || own.mayFail)
            case .or: results[parent] = (all.mayHold || own.mayHold, all.mayFail && own.mayFail)
            case .constant, .comparison: break
            }
        }
        return results[0].mayHold
    }

    private func usesVariable(_ index: Int) -> Bool {
        func isVariable(_ operand: Operand) -> Bool {
            switch operand {
            case .variable: true
            case .array(let start, let end):
                (start..<end).contains { if case .variable = elements[Int($0)] { true } else { false } }
            case .subject, .null, .text: false
            }
        }
        return isVariable(nodes[index].left) || isVariable(nodes[index].right)
    }

    /// Whether two parts want other beginnings, or other ends.
    private func edgesDiffer(_ parts: [Int]) -> Bool {
        var edges: [(begin: [UInt8], end: [UInt8], ignoresCase: Bool)] = []
        for part in parts {
            guard let edge = edge(of: part) else { continue }
            for other in edges {
                let ignoresCase = edge.ignoresCase || other.ignoresCase
                func differ(_ one: UInt8, _ other: UInt8) -> Bool {
                    ignoresCase ? ASCIIFolding.lowercased(one) != ASCIIFolding.lowercased(other) : one != other
                }
                if zip(edge.begin, other.begin).contains(where: differ) { return true }
                if zip(edge.end.reversed(), other.end.reversed()).contains(where: differ) { return true }
            }
            // A few say what all do; more would take the square of their number.
            if edges.count < 16 { edges.append(edge) }
        }
        return false
    }

    /// The ASCII that a subject begins and ends with for which a comparison is true, as far as it says.
    private func edge(of index: Int) -> (begin: [UInt8], end: [UInt8], ignoresCase: Bool)? {
        let node = nodes[index]
        guard node.kind == .comparison, node.quantifier == nil, node.left == .subject, case .text(let text) = node.right
        else { return nil }
        let bytes = Array(texts[Int(text)].text.utf8)
        let ignoresCase = node.options.contains(.caseInsensitive)
        func isASCII(_ byte: UInt8) -> Bool { byte < 0x80 }
        switch node.comparison {
        case .beginsWith: return (Array(bytes.prefix(while: isASCII)), [], ignoresCase)
        case .endsWith: return ([], Array(bytes.reversed().prefix(while: isASCII).reversed()), ignoresCase)
        case .like:
            let pattern = LikePattern(texts[Int(text)].text)
            return (pattern.beginning, pattern.end, ignoresCase)
        default: return nil
        }
    }

    /// Whether one part is NOT another, or `!=` where the other is `==`.
    private func hasOpposites(_ parts: [Int]) -> Bool {
        guard parts.count <= 64 else { return false }
        var negated: Set<[UInt8]> = []
        for part in parts {
            if nodes[part].kind == .not {
                negated.insert(Array(canonicalText(of: part + 1).utf8))
            } else if nodes[part].kind == .comparison, nodes[part].comparison == .notEqual,
                nodes[part].quantifier == nil
            {
                var opposite = self
                opposite.nodes[part].comparison = .equal
                negated.insert(Array(opposite.canonicalText(of: part).utf8))
            }
        }
        return !negated.isEmpty && parts.contains { negated.contains(Array(canonicalText(of: $0).utf8)) }
    }
}

// MARK: - Question marks

extension SceneCondition {
    /// The patterns whose question mark looks like that of a URL's query.
    private var questionMarks: [PredicateDoubt] {
        nodes.indices.compactMap { index in
            guard nodes[index].kind == .comparison, nodes[index].comparison == .like,
                case .text(let text) = nodes[index].right
            else { return nil }
            return LikePattern(texts[Int(text)].text).withLiteralQuery.map { remedy in
                doubt(.questionMark, at: index, remedy: ScenePredicate.quoted(remedy))
            }
        }
    }
}

/// The characters of a LIKE pattern, as they are written.
private struct LikePattern {
    private enum Element {
        case literal(UInt8)
        case star
        case anyOne
    }

    /// Each with its place in the text.
    private var elements: [(element: Element, place: Int)] = []
    private let bytes: [UInt8]

    init(_ text: String) {
        bytes = Array(text.utf8)
        var index = 0
        while index < bytes.count {
            let start = index
            switch bytes[index] {
            case UInt8(ascii: "\\"):
                if index + 1 < bytes.count { index += 1 }
                elements.append((.literal(bytes[index]), start))
            case UInt8(ascii: "*"): elements.append((.star, start))
            case UInt8(ascii: "?"): elements.append((.anyOne, start))
            default: elements.append((.literal(bytes[index]), start))
            }
            index += 1
        }
    }

    /// The ASCII before the first wildcard.
    var beginning: [UInt8] { LikePattern.literals(elements) }

    /// The ASCII behind the last one.
    var end: [UInt8] { LikePattern.literals(elements.reversed()).reversed() }

    private static func literals(_ elements: some Sequence<(element: Element, place: Int)>) -> [UInt8] {
        var bytes: [UInt8] = []
        for (element, _) in elements {
            guard case .literal(let byte) = element, byte < 0x80 else { break }
            bytes.append(byte)
        }
        return bytes
    }

    /// The pattern with a backslash before its question mark; nil where none is like that of a query: before a name and `=`,
    /// or, in an address, behind a letter or digit and before a last star.
    var withLiteralQuery: String? {
        for case (.anyOne, let place) in elements {
            let rest = bytes[(place + 1)...]
            let name = rest.prefix { $0.isASCIILetterOrDigit || "-_.~*[]%".utf8.contains($0) }
            let isParameter = !name.isEmpty && rest.dropFirst(name.count).first == UInt8(ascii: "=")
            let isLast = rest.elementsEqual("*".utf8) && place > 0 && bytes[place - 1].isASCIILetterOrDigit
            guard isParameter || isLast && isAddress(bytes[..<place]) else { continue }
            return String(decoding: bytes[..<place] + [UInt8(ascii: "\\")] + bytes[place...], as: UTF8.self)
        }
        return nil
    }

    private func isAddress(_ text: ArraySlice<UInt8>) -> Bool {
        text.indices.contains { text[$0...].starts(with: "://".utf8) }
    }
}
